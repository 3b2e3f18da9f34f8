/* crowd readers: good files of every form, and every kind of bad one with what its message says. */
#include "crowd/crowd.h"
#include "crowd/read.h"
#include "data/data.h"
#include "io/byte_order.h"
#include "io/npy.h"
#include "support/files.h"

static int read_text(scdc_crowd **out, const char *text, const scdc_data *items)
{
    file_bytes file;
    file_from_memory(&file, text, strlen(text), "in.csv");
    int status = crowd_from_files(out, &file, 1, items);
    file_close(&file);
    return status;
}

/* Reads text and compares the answers: left, right, worker, task, same each. */
static scdc_crowd *expect(const char *text, const scdc_data *items, const scdc_answer *wanted,
                          size_t count)
{
    scdc_crowd *crowd = NULL;
    assert_ok(read_text(&crowd, text, items));
    assert_int_equal(crowd->count, count);
    assert_memory_equal(crowd->answers, wanted, count * sizeof *wanted);
    return crowd;
}

static void refuse(const char *text, const scdc_data *items, const char *message)
{
    scdc_crowd *crowd = NULL;
    assert_fails(read_text(&crowd, text, items), SCDC_ERR_INPUT, message);
    assert_non_null(strstr(scdc_last_error(), "in.csv"));
    assert_null(crowd);
}

static scdc_data *some_items(size_t n, const char *const *given)
{
    scdc_data *data;
    float *values = calloc(n, sizeof *values);
    assert_ok(scdc_data_from_memory(&data, values, SCDC_F32, n, 1, 1));
    free(values);
    for (size_t i = 0; given && i < n; i++) {
        size_t number;
        assert_ok(names_add(&number, NULL, &data->names, given[i], strlen(given[i])));
    }
    return data;
}

#define NONE SCDC_NO_TASK

static void pairs_in_any_column_order(void **state)
{
    (void)state;
    const scdc_answer wanted[] = {{3, 5, 0, NONE, 1}, {5, 9, 1, NONE, 0}, {9, 3, 0, NONE, 1}};
    const char *texts[] = {
        "worker,left,right,label\nann,3,5,1\nbob,5,9,0\nann,9,3,1\n",
        "Label;RIGHT;Left;Worker\nsame;5;3;ann\nDifferent;9;5;bob\nYES;3;9;ann\n",
        "\xef\xbb\xbfi\tj\tannotator\tcomment\tanswer\r\n3\t5\tann\tx\ttrue\r\n5\t9\tbob\t\tno\r\n"
        "9\t3\tann\ty, z\t1.0\r\n\r\n",
        "\"user\",\"item1\",\"item2\",\"same\"\n\"ann\",\"3\",\"5\",\"y\"\nbob, 5 , 9 "
        ",f\nann,9,3,T",
        "same,label,worker,left,right\n7,1,ann,3,5\n8,0,bob,5,9\n9,1,ann,9,3\n",
        "ann,3,5,same\nbob,5,9,different\nann,9,3,same\n", /* no header */
        "ann,3,5,1\nbob,5,9,0\nann,9,3,1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scdc_crowd *crowd = expect(texts[i], NULL, wanted, 3);
        assert_int_equal(crowd->workers.count, 2);
        assert_string_equal(scdc_crowd_worker_name(crowd, 0), "ann");
        assert_string_equal(scdc_crowd_worker_name(crowd, 1), "bob");
        assert_null(scdc_crowd_item_name(crowd, 3));
        assert_int_equal(crowd->tasks, 0);
        scdc_crowd_free(crowd);
    }
}

static void rows_without_an_answer_are_counted(void **state)
{
    (void)state;
    const scdc_answer wanted[] = {{0, 1, 0, NONE, 1}};
    scdc_crowd_info info;
    scdc_crowd *crowd = expect("worker,left,right,label\nmute,0,1,unsure\na,0,1,1\na,0,2,?\n"
                               "b,1,2,\nb,1,2,NA\nb,3,3,n/a\n",
                               NULL, wanted, 1);
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.unsure, 5);
    assert_int_equal(info.workers, 1); /* who never answered is no worker */
    assert_int_equal(info.single_answer_workers, 1);
    assert_string_equal(scdc_crowd_worker_name(crowd, 0), "a");
    scdc_crowd_free(crowd);
    refuse("worker,left,right,label\na,0,1,unsure\n", NULL, "1 rows are unsure or empty");
}

static void repeated_answers_are_kept_and_counted(void **state)
{
    (void)state;
    scdc_crowd *crowd;
    scdc_crowd_info info;
    assert_ok(read_text(
        &crowd, "worker,left,right,label\na,0,1,1\na,1,0,1\na,0,1,0\nb,0,1,1\na,0,1,1\nb,0,2,1\n",
        NULL));
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.answers, 6);
    assert_int_equal(info.repeated, 2);
    assert_int_equal(info.conflicts, 1);
    assert_int_equal(info.pairs, 2);
    scdc_crowd_free(crowd);
}

static void pairs_may_have_tasks(void **state)
{
    (void)state;
    /* Task 1 of ann and task 1 of bob are two; an empty task is a single question. */
    const scdc_answer wanted[] = {
        {0, 1, 0, 0, 1}, {1, 2, 1, 1, 0}, {2, 0, 0, 0, 0}, {0, 3, 0, NONE, 1}, {0, 3, 1, 2, 1}};
    scdc_crowd *crowd = expect("worker,task,left,right,label\nann,1,0,1,1\nbob,1,1,2,0\n"
                               "ann,1,2,0,0\nann,,0,3,1\nbob,2,0,3,1\n",
                               NULL, wanted, 5);
    assert_int_equal(crowd->tasks, 3);
    scdc_crowd_free(crowd);
}

static void groupings_are_expanded(void **state)
{
    (void)state;
    /* Rows of tasks may be mixed; item 8 is left out by bob; task t2 of ann has one item only. */
    const scdc_answer wanted[] = {
        {4, 5, 0, 0, 1}, {4, 6, 0, 0, 0}, {5, 6, 0, 0, 0}, {4, 6, 1, 1, 1}};
    scdc_crowd *crowd = expect("group,item,task,worker\na,4,t1,ann\n1,4,t1,bob\na,5,t1,ann\n"
                               "a,5,t2,ann\n1,6,t1,bob\n,8,t1,bob\nb,6,t1,ann\n9,1,x,carl\n",
                               NULL, wanted, 4);
    assert_int_equal(crowd->tasks, 2);
    assert_int_equal(crowd->workers.count, 2); /* carl grouped one item: no answer */
    assert_int_equal(crowd->unsure, 1);
    scdc_crowd_free(crowd);
}

static void bad_groupings_are_refused(void **state)
{
    (void)state;
    refuse("worker,task,item,group\nw,t,1,a\nv,t,1,a\nw,t,2,a\nw,t,1,b\n", NULL,
           "line 5: the item was in this task already, on line 2");
    refuse("worker,task,item,group\nw,,1,a\n", NULL, "line 2: the task is missing");
    refuse("worker,task,item,group\n,t,1,a\n", NULL, "line 2: the worker is missing");
    refuse("worker,task,item,group\nw,t,,a\n", NULL, "line 2: an item is missing");
    refuse("worker,task,item,group\n", NULL, "no groupings");
    refuse("worker,task,item,group\nw,t,1,a\n", NULL, "no answers");
    refuse("worker,task,item\nw,t,1\n", NULL, "no column group");
    char *text = malloc(40000), *end = text;
    end += sprintf(end, "worker,task,item,group\n");
    for (int i = 0; i <= TASK_MOST_ITEMS; i++) end += sprintf(end, "w,t,%d,a\n", i);
    refuse(text, NULL, "line 2: the task that begins here groups 2001 items, at most 2000");
    free(text);
}

static void items_by_number_are_bounded(void **state)
{
    (void)state;
    scdc_data *items = some_items(10, NULL);
    const scdc_answer wanted[] = {{0, 9, 0, NONE, 1}};
    scdc_crowd_free(expect("worker,left,right,label\nw,0,9,1\n", items, wanted, 1));
    refuse("worker,left,right,label\nw,0,9,1\nw,3,10,1\n", items,
           "line 3: item 10 does not exist: there are 10 items");
    refuse("worker,left,right,label\nw,-1,9,1\n", items, "line 2: item -1 does not exist");
    refuse("worker,left,right,label\nw,0,cat,1\n", items,
           "line 2: item \"cat\" is not a number, and the items have no names");
    refuse("worker,left,right,label\nw,0,1.5,1\n", items, "\"1.5\" is not a number");
    scdc_crowd_free(expect("worker,left,right,label\nw,0.0,9.,1\n", items, wanted, 1));
    refuse("worker,left,right,label\nw,0,99999999999999999999,1\n", items,
           "item 99999999999999999999 does not exist: there are");
    refuse("worker,task,item,group\nw,t,9,a\nw,t,10,a\n", items, "line 3: item 10 does not exist");
    scdc_data_free(items);
    refuse("worker,left,right,label\nw,0,4294967295,1\n", NULL, "0 to 4294967294");
    refuse("worker,left,right,label\nw,0,-7,1\n", NULL, "item -7 does not exist");
}

static void items_by_name_are_found(void **state)
{
    (void)state;
    const char *const given[] = {"cat.png", "dog.png", "a,b"};
    scdc_data *items = some_items(3, given);
    const scdc_answer wanted[] = {{1, 0, 0, NONE, 1}, {2, 0, 0, NONE, 0}};
    const char *text = "worker,left,right,label\nw,dog.png,cat.png,1\nw,\"a,b\",cat.png,0\n";
    scdc_crowd *crowd = expect(text, items, wanted, 2);
    scdc_crowd_info info;
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.named_items, 1);
    assert_null(scdc_crowd_item_name(crowd, 0)); /* the item matrix knows them */
    scdc_crowd_free(crowd);
    /* No name looks like a number, so numbers are rows. */
    const scdc_answer mixed[] = {{1, 0, 0, NONE, 1}};
    scdc_crowd_free(expect("worker,left,right,label\nw,dog.png,0,1\n", items, mixed, 1));
    refuse("worker,left,right,label\nw,dog.png,3,1\n", items, "item 3 does not exist");
    refuse("worker,left,right,label\nw,dog.png,Cat.png,1\n", items,
           "line 2: item \"Cat.png\" does not exist: none of the 3 items");
    refuse("worker,left,right,label\nw,dog.png,1,1\n", items, "compared with itself");
    scdc_data_free(items);
    /* Numeric ids are names, never row numbers. */
    const char *const ids[] = {"1", "2", "x3"};
    items = some_items(3, ids);
    const scdc_answer by_id[] = {{0, 1, 0, NONE, 1}};
    scdc_crowd_free(expect("worker,left,right,label\nw,1,2,1\n", items, by_id, 1));
    refuse("worker,left,right,label\nw,1,0,1\n", items, "item \"0\" does not exist");
    scdc_data_free(items);
    /* Without items, names are numbered as they come; one name makes all ids names. */
    const scdc_answer coded[] = {{0, 1, 0, NONE, 1}, {2, 0, 0, NONE, 0}};
    crowd = expect("worker,left,right,label\nw,12,0\xc3\xa4,1\nw,7,12,0\n", NULL, coded, 2);
    assert_string_equal(scdc_crowd_item_name(crowd, 0), "12");
    assert_string_equal(scdc_crowd_item_name(crowd, 1), "0\xc3\xa4");
    assert_string_equal(scdc_crowd_item_name(crowd, 2), "7");
    assert_null(scdc_crowd_item_name(crowd, 3));
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.named_items, 1);
    scdc_crowd_free(crowd);
}

static void bad_pairs_are_refused(void **state)
{
    (void)state;
    refuse("", NULL, "is empty: expected a header line");
    refuse("\n\n", NULL, "is empty");
    refuse("worker,left,right,label\n", NULL, "holds a header but no answers");
    refuse("worker,left,right,label\nw,1,2,1\nw,3,3,0\n", NULL,
           "line 3: item \"3\" is compared with itself");
    refuse("worker,left,right,label\nw,07,7,0\n", NULL, "compared with itself");
    refuse("worker,left,right,label\nw,1,2,maybe\n", NULL,
           "line 2: the label \"maybe\" is no answer: expected 1 or 0");
    refuse("worker,left,right,label\nw,1,2,-1\n", NULL, "the label \"-1\" is no answer");
    refuse("worker,left,right,label\nw,1,2,2.5\n", NULL, "the label \"2.5\" is no answer");
    refuse("worker,left,right,label\nw,1,2\n", NULL,
           "line 2: has 3 fields, but the first line has 4");
    refuse("worker,left,right,label\nw,1,2,1\nw,1,2,1,5\n", NULL, "line 3: has 5 fields");
    refuse("worker,left,right,label\n,1,2,1\n", NULL, "line 2: the worker is missing");
    refuse("worker,left,right,label\nw,,2,1\n", NULL, "line 2: an item is missing");
    refuse("worker,left,right,label\nw,\"1,2,1\n", NULL, "line 2");
    refuse("worker,left,right,label,Left\nw,1,2,1,3\n", NULL, "two columns are called left");
    refuse("worker,left,label\nw,1,1\n", NULL, "no column right");
    refuse("left,right,label\n1,2,1\n", NULL, "no column worker");
    /* A quoted label with a line break: the row counts from where it begins. */
    refuse("worker,left,right,label\nw,1,2,1\nw,1,2,\"so\nso\"\n", NULL, "line 3: the label");
}

static void rankings_are_refused(void **state)
{
    (void)state;
    refuse("worker,left,right,label\nw,93,71,71\nw,283,269,283\n", NULL,
           "line 2: the label \"71\" is one of the two items: this looks like a ranking");
    refuse("worker,left,right,label\nw,1,0,1\nw,5,1,1\nw,1,8,8\n", NULL, "line 4: the label \"8\"");
    refuse("worker,left,right,label\nw,a.png,b.png,a.png\n", NULL, "ranking");
}

static void tables_without_header_must_be_plain(void **state)
{
    (void)state;
    refuse("1,2,3,1\n2,3,1,0\n", NULL, "which of the numbers are workers");
    /* Task 0 and items: these may be groupings. */
    refuse("w,0,49387,0\nw,0,55029,1\n", NULL, "pairs or groupings");
    refuse("w,5,6,7\n", NULL, "neither known column names nor");
    refuse("a,b\n1,2\n", NULL, "no known column names: expected a header line");
    refuse("person,photo_a,photo_b,verdict\nw,1,2,1\n", NULL, "expected a header line");
    refuse("w,1,2,same\nw,2,3\n", NULL, "line 2: has 3 fields");
    refuse("w,1,2,same\nw,2,3,often\n", NULL, "line 2: the label \"often\"");
}

/* ---- npy ------------------------------------------------------------------------------------ */

static const char *write_npy(scdc_dtype dtype, size_t rows, size_t cols, const void *values)
{
    const char *path = scratch_path("answers.npy");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    size_t shape[2] = {rows, cols};
    assert_ok(npy_write_header(file, dtype, shape, cols ? 2 : 1));
    size_t count = rows * (cols ? cols : 1);
    write_values(file, values, count, dtype_size(dtype));
    assert_int_equal(fclose(file), 0);
    return path;
}

static int open_one(scdc_crowd **out, const char *path, const scdc_data *items)
{
    return scdc_crowd_open(out, &path, 1, items);
}

static void npy_rows_are_answers(void **state)
{
    (void)state;
    const int64_t wide[] = {3, 5, 40, 1, 5, 9, 7, 0, 9, 3, 40, 1};
    const int32_t narrow[] = {3, 5, 40, 1, 5, 9, 7, 0, 9, 3, 40, 1};
    const unsigned char bytes[] = {3, 5, 40, 1, 5, 9, 7, 0, 9, 3, 40, 1};
    const scdc_answer wanted[] = {{3, 5, 0, NONE, 1}, {5, 9, 1, NONE, 0}, {9, 3, 0, NONE, 1}};
    for (int i = 0; i < 3; i++) {
        scdc_crowd *crowd;
        const char *path = i == 0   ? write_npy(SCDC_I64, 3, 4, wide)
                           : i == 1 ? write_npy(SCDC_I32, 3, 4, narrow)
                                    : write_npy(SCDC_U8, 3, 4, bytes);
        assert_ok(open_one(&crowd, path, NULL));
        assert_int_equal(crowd->count, 3);
        assert_memory_equal(crowd->answers, wanted, sizeof wanted);
        assert_string_equal(scdc_crowd_worker_name(crowd, 0), "40");
        assert_string_equal(scdc_crowd_worker_name(crowd, 1), "7");
        scdc_crowd_free(crowd);
    }
    /* Fortran order, big endian: the same numbers, column by column, high byte first. */
    char header[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '>i4', 'fortran_order': True, "
                    "'shape': (3, 4), }";
    unsigned char file[128 + 48];
    memset(file, ' ', 128);
    memcpy(file, header, sizeof header - 1);
    file[127] = '\n';
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 3; r++) {
            unsigned char *at = file + 128 + 4 * (3 * c + r);
            memset(at, 0, 3);
            at[3] = bytes[4 * r + c];
        }
    }
    scdc_crowd *crowd;
    assert_ok(open_one(&crowd, scratch_write("turned.npy", file, sizeof file), NULL));
    assert_memory_equal(crowd->answers, wanted, sizeof wanted);
    scdc_crowd_free(crowd);
}

static void refuse_row(int64_t i, int64_t j, int64_t worker, int64_t same, const char *message)
{
    int64_t rows[] = {0, 1, 0, 1, i, j, worker, same};
    scdc_crowd *crowd = NULL;
    scdc_data *items = some_items(10, NULL);
    assert_fails(open_one(&crowd, write_npy(SCDC_I64, 2, 4, rows), items), SCDC_ERR_INPUT, message);
    assert_non_null(strstr(scdc_last_error(), "answers.npy: row 1"));
    scdc_data_free(items);
}

static void bad_npy_is_refused(void **state)
{
    (void)state;
    refuse_row(0, 10, 0, 1, "item 10 does not exist: there are 10 items");
    refuse_row(-1, 2, 0, 1, "item -1 does not exist");
    refuse_row(3, 3, 0, 1, "item 3 is compared with itself");
    refuse_row(3, 4, -2, 1, "worker -2 is negative");
    refuse_row(3, 4, 2, 2, "not 2");
    refuse_row(3, 4, 2, -1, "not -1");
    double zeros[12] = {0};
    scdc_crowd *crowd = NULL;
    assert_fails(open_one(&crowd, write_npy(SCDC_I64, 3, 3, zeros), NULL), SCDC_ERR_INPUT,
                 "rows of 4 integers");
    assert_fails(open_one(&crowd, write_npy(SCDC_I64, 12, 0, zeros), NULL), SCDC_ERR_INPUT,
                 "1 dimensions");
    assert_fails(open_one(&crowd, write_npy(SCDC_F64, 3, 4, zeros), NULL), SCDC_ERR_INPUT,
                 "float64");
    assert_fails(open_one(&crowd, write_npy(SCDC_I64, 0, 4, zeros), NULL), SCDC_ERR_INPUT,
                 "no answers");
    assert_null(crowd);
}

/* ---- several files, writing ----------------------------------------------------------------- */

static void several_files_are_joined(void **state)
{
    (void)state;
    const int64_t rows[] = {8, 9, 7, 1};
    const char *paths[] = {
        scratch_text("one.csv", "worker,task,left,right,label\nann,1,0,1,1\n7,1,0,1,1\n"),
        scratch_text("two.csv", "worker,task,item,group\nbob,1,4,x\nann,1,5,x\nann,1,6,x\n"
                                "bob,1,7,y\n"),
        write_npy(SCDC_I64, 1, 4, rows),
    };
    const scdc_answer wanted[] = {
        {0, 1, 0, 0, 1}, {0, 1, 1, 1, 1}, {4, 7, 2, 2, 0}, {5, 6, 0, 3, 1}, {8, 9, 1, NONE, 1}};
    scdc_crowd *crowd;
    assert_ok(scdc_crowd_open(&crowd, paths, 3, NULL));
    assert_int_equal(crowd->count, 5);
    assert_memory_equal(crowd->answers, wanted, sizeof wanted);
    assert_int_equal(crowd->workers.count, 3);
    assert_int_equal(crowd->tasks, 4); /* task 1 of ann is another one in each file */
    scdc_crowd_free(crowd);
    /* A file of names makes the numbers of the other files names, too. */
    paths[0] = scratch_text("one.csv", "worker,left,right,label\nann,cat,8,1\n");
    assert_ok(scdc_crowd_open(&crowd, paths, 3, NULL));
    assert_string_equal(scdc_crowd_item_name(crowd, 1), "8");
    assert_int_equal(crowd->answers[crowd->count - 1].left, 1);
    scdc_crowd_free(crowd);
}

static void missing_files_and_arguments(void **state)
{
    (void)state;
    scdc_crowd *crowd = NULL;
    const char *path = scratch_text("good.csv", "worker,left,right,label\nw,1,2,1\n");
    const char *paths[] = {path, scratch_path("absent.csv")}, *null = NULL;
    assert_fails(scdc_crowd_open(&crowd, paths, 2, NULL), SCDC_ERR_INPUT, "absent.csv");
    assert_fails(scdc_crowd_open(&crowd, paths, 0, NULL), SCDC_ERR_ARGUMENT, "path");
    assert_fails(scdc_crowd_open(&crowd, NULL, 1, NULL), SCDC_ERR_ARGUMENT, "path");
    assert_fails(scdc_crowd_open(&crowd, &null, 1, NULL), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_crowd_open(NULL, paths, 1, NULL), SCDC_ERR_ARGUMENT, "NULL");
    assert_null(crowd);
}

static void written_answers_read_back(void **state)
{
    (void)state;
    const char *texts[] = {
        "worker,left,right,label\n\"a, b\",3,5,1\n\"q\"\"x\",5,9,0\n",
        "worker,task,item,group\nw,t,3,a\nw,t,5,b\nw,t,9,a\nv,t,3,a\nv,t,4,a\n",
        "worker,task,left,right,label\nw,,3,5,1\nw,9,3,4,0\n",
        "worker,left,right,label\nw,cat,\"d,og\",1\n",
    };
    for (int i = 0; i < 4; i++) {
        scdc_crowd *a, *b;
        const char *path = scratch_path("written.csv");
        assert_ok(read_text(&a, texts[i], NULL));
        assert_ok(scdc_crowd_write_csv(a, NULL, path));
        assert_ok(open_one(&b, path, NULL));
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->answers, b->answers, a->count * sizeof *a->answers);
        assert_int_equal(a->tasks, b->tasks);
        for (size_t w = 0; w < a->workers.count; w++) {
            assert_string_equal(scdc_crowd_worker_name(a, w), scdc_crowd_worker_name(b, w));
        }
        scdc_crowd_free(a);
        scdc_crowd_free(b);
    }
}

static void written_answers_use_the_items_names(void **state)
{
    (void)state;
    const char *const given[] = {"cat", "dog", "eel"};
    scdc_data *items = some_items(3, given), *few = some_items(2, NULL);
    scdc_crowd *crowd;
    assert_ok(read_text(&crowd, "worker,left,right,label\nw,0,2,1\n", items));
    assert_ok(scdc_crowd_write_csv(crowd, items, scratch_path("named.csv")));
    char text[100] = {0};
    FILE *file = fopen(scratch_path("named.csv"), "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "worker,left,right,label\nw,cat,eel,1\n");
    assert_fails(scdc_crowd_write_csv(crowd, few, scratch_path("x.csv")), SCDC_ERR_ARGUMENT,
                 "item 2, but there are only 2 items");
    assert_fails(scdc_crowd_write_csv(crowd, NULL, scratch_path("no/dir.csv")), SCDC_ERR_OUTPUT,
                 "dir.csv");
    assert_fails(scdc_crowd_write_csv(NULL, NULL, "x"), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_crowd_write_csv(crowd, NULL, NULL), SCDC_ERR_ARGUMENT, "NULL");
    scdc_crowd_free(crowd);
    scdc_data_free(items);
    scdc_data_free(few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_in_any_column_order),
        cmocka_unit_test(rows_without_an_answer_are_counted),
        cmocka_unit_test(repeated_answers_are_kept_and_counted),
        cmocka_unit_test(pairs_may_have_tasks),
        cmocka_unit_test(groupings_are_expanded),
        cmocka_unit_test(bad_groupings_are_refused),
        cmocka_unit_test(items_by_number_are_bounded),
        cmocka_unit_test(items_by_name_are_found),
        cmocka_unit_test(bad_pairs_are_refused),
        cmocka_unit_test(rankings_are_refused),
        cmocka_unit_test(tables_without_header_must_be_plain),
        cmocka_unit_test(npy_rows_are_answers),
        cmocka_unit_test(bad_npy_is_refused),
        cmocka_unit_test(several_files_are_joined),
        cmocka_unit_test(missing_files_and_arguments),
        cmocka_unit_test(written_answers_read_back),
        cmocka_unit_test(written_answers_use_the_items_names),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
