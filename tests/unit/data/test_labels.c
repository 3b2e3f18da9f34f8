/* data/labels: columns, headers, ids, codes, damage, matching and writing. */
#include "data/data.h"
#include "data/labels.h"
#include "support/files.h"
#include "support/npy.h"

static int read_memory(scdc_labels **out, const void *bytes, size_t size, const char *column,
                       const scdc_data *items)
{
    file_bytes file;
    file_from_memory(&file, bytes, size, "t.csv");
    return labels_read(out, &file, column, items);
}

/* expected: the values as text, "0 1 2". */
static void assert_values(const scdc_labels *labels, const char *expected)
{
    char got[256] = "";
    for (size_t i = 0; i < scdc_labels_count(labels); i++) {
        sprintf(got + strlen(got), "%s%lld", i ? " " : "",
                (long long)scdc_labels_values(labels)[i]);
    }
    assert_string_equal(got, expected);
}

static void assert_labels(const char *text, const char *column, const scdc_data *items,
                          const char *expected)
{
    scdc_labels *labels;
    assert_ok(read_memory(&labels, text, strlen(text), column, items));
    assert_values(labels, expected);
    scdc_labels_free(labels);
}

/* n items of one value; with names when ids is not NULL. */
static scdc_data *make_items(size_t n, const char *const *ids)
{
    static const uint8_t zeros[16];
    scdc_data *items;
    assert_ok(scdc_data_from_memory(&items, zeros, SCDC_U8, n, 1, 0));
    for (size_t i = 0; ids && i < n; i++) {
        size_t number;
        assert_ok(names_add(&number, NULL, &items->names, ids[i], strlen(ids[i])));
    }
    return items;
}

/* Which column was taken when others might be meant; NULL when there was no doubt. */
static void assert_guess(const char *text, const char *column, const scdc_data *items,
                         const char *guess)
{
    scdc_labels *labels;
    assert_ok(read_memory(&labels, text, strlen(text), column, items));
    if (guess) {
        assert_non_null(scdc_labels_guess(labels));
        assert_string_equal(scdc_labels_guess(labels), guess);
    } else {
        assert_null(scdc_labels_guess(labels));
    }
    scdc_labels_free(labels);
}

static void doubtful_columns_are_told(void **state)
{
    (void)state;
    static const char *const ids[] = {"ann", "bob"};
    scdc_data *named = make_items(2, ids);
    assert_guess("x,pose\n9,4\n9,5\n", NULL, NULL, "pose");
    assert_guess("item,x,pose\n0,9,4\n1,9,5\n", NULL, NULL, "pose");
    assert_guess("7,9,4\n8,9,5\n", NULL, NULL, "column 3");
    assert_guess("who,x,pose\nann,9,4\nbob,9,5\n", NULL, named, "pose");
    /* Told by its name, by the caller, or the only one that is no id. */
    assert_guess("x,truth\n9,4\n9,5\n", NULL, NULL, NULL);
    assert_guess("truth,x\n4,9\n5,9\n", NULL, NULL, NULL);
    assert_guess("x,pose\n9,4\n9,5\n", "x", NULL, NULL);
    assert_guess("item,pose\n0,4\n1,5\n", NULL, NULL, NULL);
    assert_guess("0,4\n1,5\n", NULL, NULL, NULL);
    assert_guess("who,pose\nann,4\nbob,5\n", NULL, named, NULL);
    assert_guess("who,pose\nann,4\nbob,5\n", NULL, NULL, NULL);
    assert_guess("4\n5\n", NULL, NULL, NULL);
    assert_labels("truth,x\n4,9\n5,8\n", NULL, NULL, "4 5");
    assert_null(scdc_labels_guess(NULL));
    scdc_data_free(named);
}

static void columns_and_headers(void **state)
{
    (void)state;
    scdc_data *three = make_items(3, NULL);
    assert_labels("item,label\n0,5\n1,6\n2,7\n", NULL, NULL, "5 6 7");
    assert_labels("item,cluster,probability,component\n0,2,0.9,7\n1,1,0.8,3\n", NULL, NULL, "2 1");
    assert_labels("item,true_cluster\n0,0\n1,1\n", NULL, NULL, "0 1");
    assert_labels("class,x\n4,0.5\n5,0.5\n", NULL, NULL, "4 5");
    assert_labels("x,y\n9,4\n9,5\n", "x", NULL, "9 9");
    assert_labels("x,Pose\n9,4\n9,5\n", "pose", NULL, "4 5");
    assert_labels("label,item\n5,1\n6,0\n", NULL, NULL, "6 5");
    assert_labels("a,b,item\n1,5,0\n1,6,1\n", NULL, NULL, "5 6"); /* ids last: labels before them */
    /* One column, with and without a header. */
    assert_labels("label\n5\n-6\n", NULL, NULL, "5 -6");
    assert_labels("5\n6\n", NULL, NULL, "5 6");
    assert_labels("whatever\n5\n6\n", NULL, NULL, "5 6");
    assert_labels("cat\ndog\ncat\n", NULL, three, "0 1 0");
    assert_labels("pet\ncat\ndog\ncat\n", NULL, three, "0 1 0"); /* one row too many: a header */
    assert_labels("name\ncat\ndog\n", NULL, NULL, "0 1");
    /* No header, two columns: ids first. */
    assert_labels("0,5\n1,6\n2,7\n", NULL, three, "5 6 7");
    assert_labels("2,5\n1,6\n0,7\n", NULL, three, "7 6 5");
    assert_labels("a.pgm,cat\nb.pgm,dog\n", NULL, NULL, "0 1");
    /* Features before the label are no ids. */
    assert_labels("5.1,3.5,setosa\n5.1,3.0,other\n7,1,setosa\n", NULL, three, "1 0 1");
    assert_labels("\xef\xbb\xbfitem\tlabel\r\n0\t5\r\n1\t6\r\n", NULL, NULL, "5 6");
    scdc_data_free(three);
}

static void text_labels_are_coded_in_sorted_order(void **state)
{
    (void)state;
    scdc_labels *labels;
    static const char text[] = "item,label\n0,zebra\n1,ant\n2,\"bee, big\"\n3,zebra\n";
    assert_ok(read_memory(&labels, text, sizeof text - 1, NULL, NULL));
    assert_values(labels, "2 0 1 2");
    assert_string_equal(scdc_labels_name(labels, 0), "ant");
    assert_string_equal(scdc_labels_name(labels, 1), "bee, big");
    assert_string_equal(scdc_labels_name(labels, 2), "zebra");
    assert_null(scdc_labels_name(labels, 3));
    assert_null(scdc_labels_name(labels, -1));
    scdc_labels_free(labels);
    assert_ok(read_memory(&labels, "1\n2\n", 4, NULL, NULL));
    assert_null(scdc_labels_name(labels, 1));
    scdc_labels_free(labels);
}

static void rows_find_their_items(void **state)
{
    (void)state;
    static const char *const ids[] = {"c.png", "a.png", "b.png"};
    static const char *const numbers[] = {"7", "3", "5"};
    scdc_data *named = make_items(3, ids), *numbered = make_items(3, numbers);
    scdc_data *plain = make_items(3, NULL);
    assert_labels("file,label\na.png,1\nb.png,2\nc.png,3\n", NULL, named, "3 1 2");
    assert_labels("a.png,1\nb.png,2\nc.png,3\n", NULL, named, "3 1 2");
    assert_labels("photo,label\na.png,1\nb.png,2\nc.png,3\n", NULL, named, "3 1 2");
    assert_labels("id,label\n3,1\n5,2\n7,3\n", NULL, numbered, "3 1 2");
    assert_labels("item,label\n2,1\n0,2\n1,3\n", NULL, named, "2 3 1"); /* by number after all */
    assert_labels("item,label\n2,1\n0,2\n1,3\n", NULL, plain, "2 3 1");
    assert_labels("label\n1\n2\n3\n", NULL, named, "1 2 3");
    assert_labels("file,label\nx,1\ny,2\nz,3\n", NULL, plain, "1 2 3"); /* nothing to match with */
    scdc_labels *labels = NULL;
#define REFUSED(text, items, expected)                                                             \
    assert_fails(read_memory(&labels, text, sizeof text - 1, NULL, items), SCDC_ERR_INPUT, expected)
    REFUSED("file,label\na.png,1\nd.png,2\nc.png,3\n", named,
            "t.csv: line 3: item id 'd.png' is the name of no item");
    REFUSED("file,label\na.png,1\na.png,2\nc.png,3\n", named,
            "line 3: item id 'a.png' has a label already");
    REFUSED("item,label\n0,1\n2,2\n3,3\n", plain,
            "line 4: item id '3' is not the number of an item");
    REFUSED("item,label\n0,1\n1,2\n1,3\n", plain, "line 4: item id '1' has a label already");
    REFUSED("item,label\n0,1\n1,2\n-1,3\n", plain, "item id '-1' is not the number");
    REFUSED("item,label\na,1\na,2\n", NULL, "line 3: item id 'a' has a label already");
    REFUSED("item,label\na,1\n,2\n", NULL, "line 3: item id '' is empty");
    REFUSED("item,label\n0,1\n1,2\n", plain, "t.csv: 2 labels, but there are 3 items");
    REFUSED("1\n2\n3\n4\n5\n", plain, "5 labels, but there are 3 items");
    assert_null(labels);
    scdc_data_free(named);
    scdc_data_free(numbered);
    scdc_data_free(plain);
}

static void damage_is_named(void **state)
{
    (void)state;
    scdc_labels *labels = NULL;
    REFUSED("", NULL, "t.csv: the file is empty");
    REFUSED("item,label\n", NULL, "only a header row");
    REFUSED("item,label\n0,1\n1\n", NULL, "line 3: 1 fields, expected 2");
    REFUSED("item,label\n0,1\n1,\n", NULL, "line 3: column 2: the label is empty");
    REFUSED("item,label\n0,\"1\n", NULL, "never closed");
    REFUSED("item,label\n0,1\n\n1,2\n", NULL, "line 3: is blank");
    static const char two[] = "item,label\n0,1\n";
    assert_fails(read_memory(&labels, two, sizeof two - 1, "pose", NULL), SCDC_ERR_INPUT,
                 "no column is called 'pose'; there are: item, label");
    assert_fails(scdc_labels_open(NULL, "x", NULL), SCDC_ERR_ARGUMENT, "out is NULL");
    assert_fails(scdc_labels_open(&labels, NULL, NULL), SCDC_ERR_ARGUMENT, "path is NULL");
    assert_fails(scdc_labels_open(&labels, scratch_path("none.csv"), NULL), SCDC_ERR_INPUT,
                 "none.csv: cannot open");
    assert_fails(scdc_labels_open(&labels, scratch_path("none.csv:x"), NULL), SCDC_ERR_INPUT,
                 "none.csv: cannot open");
    assert_fails(scdc_labels_open(&labels, scratch_dir, NULL), SCDC_ERR_INPUT, "is a directory");
    assert_null(labels);
}

static void paths_pick_columns(void **state)
{
    (void)state;
    scratch_text("two.csv", "item,label,pose\n0,1,up\n1,2,down\n");
    scratch_text("two.csv:odd", "label\n8\n");
    scdc_labels *labels;
    assert_ok(scdc_labels_open(&labels, scratch_path("two.csv"), NULL));
    assert_values(labels, "1 2");
    scdc_labels_free(labels);
    assert_ok(scdc_labels_open(&labels, scratch_path("two.csv:pose"), NULL));
    assert_values(labels, "1 0");
    scdc_labels_free(labels);
    assert_ok(scdc_labels_open(&labels, scratch_path("two.csv:odd"), NULL));
    assert_values(labels, "8");
    scdc_labels_free(labels);
}

static void arrays_of_labels(void **state)
{
    (void)state;
    static unsigned char bytes[4 * 3073];
    static const char *const types[] = {"|u1", "<i4", ">i4", "<i8", ">i8"};
    static const size_t sizes[] = {1, 4, 4, 8, 8};
    scdc_labels *labels = NULL;
    for (int t = 0; t < 5; t++) {
        for (int column = 0; column < 2; column++) {
            static const unsigned char bytes_of[] = {9, 8, 7};
            static const int32_t narrow[] = {9, 8, 7};
            static const int64_t wide[] = {9, 8, 7};
            const void *values = sizes[t] == 1   ? (const void *)bytes_of
                                 : sizes[t] == 4 ? (const void *)narrow
                                                 : (const void *)wide;
            size_t size =
                compose_npy(bytes, types[t], 0, column ? "(3, 1)" : "(3,)", values, 3 * sizes[t]);
            assert_ok(read_memory(&labels, bytes, size, NULL, NULL));
            assert_values(labels, "9 8 7");
            scdc_labels_free(labels);
            labels = NULL;
        }
    }
    int64_t negative[] = {-1, INT64_MIN};
    size_t size = compose_npy(bytes, "<i8", 0, "(2,)", negative, 16);
    assert_ok(read_memory(&labels, bytes, size, NULL, NULL));
    assert_values(labels, "-1 -9223372036854775808");
    scdc_labels_free(labels);
    labels = NULL;
    scdc_data *three = make_items(3, NULL);
#define REFUSED_ARRAY(size, column, expected)                                                      \
    assert_fails(read_memory(&labels, bytes, size, column, three), SCDC_ERR_INPUT, expected)
    REFUSED_ARRAY(size, NULL, "2 labels, but there are 3 items");
    REFUSED_ARRAY(size, "x", "has no columns");
    REFUSED_ARRAY(size - 1, NULL, "truncated");
    REFUSED_ARRAY(compose_npy(bytes, "<f4", 0, "(3,)", negative, 12), NULL, "type float32");
    REFUSED_ARRAY(compose_npy(bytes, "|u1", 0, "(3,2)", negative, 6), NULL, "2 dimensions");
    REFUSED_ARRAY(compose_npy(bytes, "|u1", 0, "()", negative, 1), NULL, "a single number");
    REFUSED_ARRAY(compose_npy(bytes, "|u1", 0, "(0,)", negative, 0), NULL, "0 labels");
    static const uint32_t shape[] = {3}, square[] = {3, 3};
    size = compose_idx(bytes, 8, 1, shape, "\7\1\3", 3);
    assert_ok(read_memory(&labels, bytes, size, NULL, three));
    assert_values(labels, "7 1 3");
    scdc_labels_free(labels);
    size = compose_idx(bytes, 12, 1, shape, (const int32_t[]){256, -1, 2}, 12);
    assert_ok(read_memory(&labels, bytes, size, NULL, three));
    assert_values(labels, "256 -1 2");
    scdc_labels_free(labels);
    REFUSED_ARRAY(compose_idx(bytes, 8, 2, square, "123456789", 9), NULL, "are these the items?");
    REFUSED_ARRAY(compose_idx(bytes, 13, 1, shape, "............", 12), NULL, "float32");
    memset(bytes, 200, sizeof bytes);
    for (size_t i = 0; i < 4; i++) bytes[i * 3073] = (unsigned char)(i * 3);
    file_bytes file;
    file_from_memory(&file, bytes, sizeof bytes, "x.bin");
    assert_ok(labels_read(&labels, &file, NULL, NULL));
    assert_values(labels, "0 3 6 9");
    scdc_labels_free(labels);
    scdc_data_free(three);
}

static void memory_match_and_writing(void **state)
{
    (void)state;
    scdc_labels *labels = NULL, *other = NULL, *matched = NULL;
    int64_t values[] = {3, -1, 3};
    assert_fails(scdc_labels_from_memory(NULL, values, 3), SCDC_ERR_ARGUMENT, "out");
    assert_fails(scdc_labels_from_memory(&labels, NULL, 3), SCDC_ERR_ARGUMENT, "values");
    assert_fails(scdc_labels_from_memory(&labels, values, 0), SCDC_ERR_ARGUMENT, "0 labels");
    assert_ok(scdc_labels_from_memory(&labels, values, 3));
    values[0] = 99;
    assert_values(labels, "3 -1 3");
    assert_int_equal(scdc_labels_count(NULL), 0);
    assert_null(scdc_labels_values(NULL));
    assert_null(scdc_labels_name(NULL, 0));

    static const char *const ids[] = {"a,1", "b", "c"};
    scdc_data *named = make_items(3, ids), *two = make_items(2, NULL);
    const char *path = scratch_path("out.csv");
    assert_fails(scdc_labels_write_csv(NULL, NULL, path), SCDC_ERR_ARGUMENT, "labels");
    assert_fails(scdc_labels_write_csv(labels, NULL, NULL), SCDC_ERR_ARGUMENT, "path");
    assert_fails(scdc_labels_write_csv(labels, two, path), SCDC_ERR_ARGUMENT, "3 labels for 2");
    assert_ok(scdc_labels_write_csv(labels, named, path));
    file_bytes file;
    assert_ok(file_open(&file, path));
    assert_int_equal(file.size, strlen("item,label\n\"a,1\",3\nb,-1\nc,3\n"));
    assert_memory_equal(file.bytes, "item,label\n\"a,1\",3\nb,-1\nc,3\n", file.size);
    file_close(&file);
    assert_ok(scdc_labels_open(&other, path, NULL)); /* keeps its ids */
    assert_fails(scdc_labels_match(NULL, other, other), SCDC_ERR_ARGUMENT, "out");
    assert_fails(scdc_labels_match(&matched, NULL, other), SCDC_ERR_ARGUMENT, "labels");
    assert_fails(scdc_labels_match(&matched, other, NULL), SCDC_ERR_ARGUMENT, "reference");
    scdc_labels_free(labels);

    static const char truth[] = "file,pose\nc,up\n\"a,1\",left\nb,up\n";
    assert_ok(read_memory(&labels, truth, sizeof truth - 1, NULL, NULL));
    assert_values(labels, "1 0 1");
    assert_ok(scdc_labels_match(&matched, labels, other));
    assert_values(matched, "0 1 1"); /* now in the order a, b, c */
    assert_string_equal(scdc_labels_name(matched, 0), "left");
    assert_ok(scdc_labels_write_csv(matched, NULL, path));
    scdc_labels_free(matched);
    matched = NULL;
    scdc_labels_free(other);
    assert_ok(scdc_labels_open(&other, path, named)); /* text labels come back as they were */
    assert_values(other, "0 1 1");
    scdc_labels_free(other);
    static const char stranger[] = "file,pose\nc,up\na,left\nb,up\n";
    assert_ok(read_memory(&other, stranger, sizeof stranger - 1, NULL, NULL));
    assert_fails(scdc_labels_match(&matched, labels, other), SCDC_ERR_INPUT,
                 "item 'a' has a label");
    scdc_labels_free(other);
    assert_ok(read_memory(&other, "1\n2\n", 4, NULL, NULL));
    assert_fails(scdc_labels_match(&matched, labels, other), SCDC_ERR_INPUT, "3 labels cannot");
    assert_null(matched);
    scdc_labels_free(other);
    scdc_labels_free(labels);
    scdc_labels_free(NULL);
    scdc_data_free(named);
    scdc_data_free(two);
}

static size_t count_of(const scdc_labels *labels, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < scdc_labels_count(labels); i++) {
        const char *text = scdc_labels_name(labels, scdc_labels_values(labels)[i]);
        count += text && strcmp(text, name) == 0;
    }
    return count;
}

static void faces_and_their_poses(void **state)
{
    (void)state;
    const char *index = shared_path("cmu_faces/index.csv");
    if (!index) {
        skip();
        return;
    }
    char path[4200], folder[4200];
    snprintf(path, sizeof path, "%s:pose", index);
    snprintf(folder, sizeof folder, "%.*sfaces_4", (int)(strlen(index) - 9), index);
    scdc_data *items;
    scdc_labels *labels;
    assert_ok(scdc_data_open(&items, folder));
    assert_ok(scdc_labels_open(&labels, path, items));
    assert_int_equal(scdc_labels_count(labels), 624);
    assert_int_equal(count_of(labels, "left"), 157);
    assert_int_equal(count_of(labels, "straight"), 156);
    assert_int_equal(count_of(labels, "up"), 156);
    assert_int_equal(count_of(labels, "right"), 155);
    for (size_t i = 0; i < 624; i++) { /* the pose is in the file's name too */
        const char *pose = scdc_labels_name(labels, scdc_labels_values(labels)[i]);
        assert_non_null(strstr(scdc_data_name(items, i), pose));
    }
    scdc_labels_free(labels);
    scdc_data_free(items);
}

static void other_real_labels(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t count;
        int64_t first, most;
    } files[] = {{"mnist/train-labels-idx1-ubyte.gz", 60000, 5, 9},
                 {"dogs3/truth.csv", 473, 0, 2},
                 {"cifar10/data_batch_1.bin", 10000, 6, 9}};
    for (int i = 0; i < 3; i++) {
        const char *path = shared_path(files[i].name);
        if (!path) skip();
        scdc_labels *labels;
        assert_ok(scdc_labels_open(&labels, path, NULL));
        assert_int_equal(scdc_labels_count(labels), files[i].count);
        const int64_t *values = scdc_labels_values(labels);
        assert_int_equal(values[0], files[i].first);
        int64_t most = 0;
        for (size_t j = 0; j < files[i].count; j++) most = values[j] > most ? values[j] : most;
        assert_int_equal(most, files[i].most);
        scdc_labels_free(labels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_and_headers),
        cmocka_unit_test(doubtful_columns_are_told),
        cmocka_unit_test(text_labels_are_coded_in_sorted_order),
        cmocka_unit_test(rows_find_their_items),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(paths_pick_columns),
        cmocka_unit_test(arrays_of_labels),
        cmocka_unit_test(memory_match_and_writing),
        cmocka_unit_test(faces_and_their_poses),
        cmocka_unit_test(other_real_labels),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
