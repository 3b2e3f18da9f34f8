/* crowd/detect: every kind of file is told by its header. */
#include "support/files.h"

#include "io/npy.h"

static scdc_kind kind_of(const char *path)
{
    scdc_kind kind = (scdc_kind)99;
    assert_ok(scdc_detect(&kind, path));
    return kind;
}

/* An npy file of zeros. */
static const char *npy(const char *name, scdc_dtype type, size_t rows, size_t cols)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    size_t shape[2] = {rows, cols};
    assert_ok(npy_write_header(file, type, shape, cols ? 2 : 1));
    for (size_t i = 0; i < rows * (cols ? cols : 1) * dtype_size(type); i++) putc(0, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void csv_by_its_columns(void **state)
{
    (void)state;
    assert_int_equal(kind_of(scratch_text("a", "worker,left,right,label\nw,0,1,1\n")),
                     SCDC_KIND_ANSWERS);
    assert_int_equal(kind_of(scratch_text("a", "Label\tRight\tLeft\tWorker\n1\t0\t1\tw\n")),
                     SCDC_KIND_ANSWERS);
    assert_int_equal(kind_of(scratch_text("a", "worker,task,item,group\nw,0,1,1\n")),
                     SCDC_KIND_ANSWERS);
    assert_int_equal(kind_of(scratch_text("a", "annotator,i,j,same\nw,0,1,1\n")),
                     SCDC_KIND_ANSWERS);
    /* Who has workers has answers, be they broken: the reader says what is missing. */
    const char *broken = scratch_text("a", "worker,left,label\nw,0,1\n");
    scdc_crowd *crowd;
    assert_int_equal(kind_of(broken), SCDC_KIND_ANSWERS);
    assert_fails(scdc_crowd_open(&crowd, &broken, 1, NULL), SCDC_ERR_INPUT, "no column right");
    assert_int_equal(kind_of(scratch_text("a", "annotator,item,group\nw,0,1\n")),
                     SCDC_KIND_ANSWERS);
    assert_int_equal(kind_of(scratch_text("a", "item,label\n0,3\n")), SCDC_KIND_LABELS);
    assert_int_equal(kind_of(scratch_text("a", "item,cluster,probability\n0,3,.5\n")),
                     SCDC_KIND_LABELS);
    assert_int_equal(kind_of(scratch_text("a", "x,y\n1,2\n")), SCDC_KIND_ITEMS);
    assert_int_equal(kind_of(scratch_text("a", "1,2\n3,4\n")), SCDC_KIND_ITEMS);
    assert_int_equal(kind_of(scratch_text("a", "worker,age\n1,2\n")), SCDC_KIND_ITEMS);
    assert_int_equal(kind_of(scratch_text("a", "")), SCDC_KIND_ITEMS);
}

static void npy_by_its_shape(void **state)
{
    (void)state;
    assert_int_equal(kind_of(npy("n", SCDC_I64, 3, 4)), SCDC_KIND_ANSWERS);
    assert_int_equal(kind_of(npy("n", SCDC_I32, 3, 4)), SCDC_KIND_ANSWERS);
    assert_int_equal(kind_of(npy("n", SCDC_F32, 3, 4)), SCDC_KIND_ITEMS);
    assert_int_equal(kind_of(npy("n", SCDC_U8, 3, 4)), SCDC_KIND_ITEMS);
    assert_int_equal(kind_of(npy("n", SCDC_I64, 3, 5)), SCDC_KIND_ITEMS);
    assert_int_equal(kind_of(npy("n", SCDC_I64, 3, 0)), SCDC_KIND_LABELS);
    assert_int_equal(kind_of(npy("n", SCDC_F64, 3, 0)), SCDC_KIND_ITEMS);
}

static void other_forms(void **state)
{
    (void)state;
    const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 9};
    const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5};
    assert_int_equal(kind_of(scratch_write("i", labels, sizeof labels)), SCDC_KIND_LABELS);
    assert_int_equal(kind_of(scratch_write("i", images, sizeof images)), SCDC_KIND_ITEMS);
    /* CIFAR-10: records of a label and 3072 bytes, here without a zero byte that tells binary. */
    unsigned char record[3073];
    memset(record, '"', sizeof record);
    record[0] = 3;
    assert_int_equal(kind_of(scratch_write("c.bin", record, sizeof record)), SCDC_KIND_ITEMS);
    assert_int_equal(kind_of(scratch_dir), SCDC_KIND_ITEMS);
    assert_int_equal(kind_of("index.csv:pose"), SCDC_KIND_LABELS);
}

static void what_cannot_be_told(void **state)
{
    (void)state;
    scdc_kind kind;
    assert_fails(scdc_detect(NULL, "x"), SCDC_ERR_ARGUMENT, "out is NULL");
    assert_fails(scdc_detect(&kind, NULL), SCDC_ERR_ARGUMENT, "path is NULL");
    assert_fails(scdc_detect(&kind, "-"), SCDC_ERR_ARGUMENT, "standard input");
    assert_fails(scdc_detect(&kind, scratch_path("absent")), SCDC_ERR_INPUT, "absent");
    assert_fails(scdc_detect(&kind, scratch_text("q", "a,\"b\n")), SCDC_ERR_INPUT, "line 1");
    /* A header that lies about the size is refused here already. */
    assert_int_equal(truncate(npy("n", SCDC_I64, 3, 4), 130), 0);
    assert_fails(scdc_detect(&kind, scratch_path("n")), SCDC_ERR_INPUT, "n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_by_its_columns),
        cmocka_unit_test(npy_by_its_shape),
        cmocka_unit_test(other_forms),
        cmocka_unit_test(what_cannot_be_told),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
