/* data readers of binary arrays: npy, IDX, CIFAR-10; every type, order and lie. */
#include "data/readers.h"
#include "io/byte_order.h"
#include "support/files.h"
#include "support/npy.h"

#include <zlib.h>

/* Reads from memory under a name; SCDC_OK leaves the matrix in *out. */
static int read_memory(scdc_data **out, const void *bytes, size_t size, const char *name)
{
    file_bytes file;
    file_from_memory(&file, bytes, size, name);
    int status = data_read(out, &file);
    file_close(&file);
    return status;
}

static void assert_shape(const scdc_data *d, size_t rows, size_t c, size_t h, size_t w)
{
    assert_int_equal(d->rows, rows);
    assert_int_equal(d->cols, c * h * w);
    assert_int_equal(d->channels, c);
    assert_int_equal(d->height, h);
    assert_int_equal(d->width, w);
}

/* The numbers 0, 1, 2, ... in a type. */
static void count_up(void *out, const char *code, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(code, "u1")) ((uint8_t *)out)[i] = (uint8_t)i;
        if (!strcmp(code, "i4")) ((int32_t *)out)[i] = (int32_t)i;
        if (!strcmp(code, "i8")) ((int64_t *)out)[i] = (int64_t)i;
        if (!strcmp(code, "f4")) ((float *)out)[i] = (float)i;
        if (!strcmp(code, "f8")) ((double *)out)[i] = (double)i;
    }
}

static void npy_of_every_type_order_and_shape(void **state)
{
    (void)state;
    static const char *const codes[] = {"u1", "i4", "i8", "f4", "f8"};
    static const size_t sizes[] = {1, 4, 8, 4, 8};
    static const struct {
        const char *text;
        size_t ndim, shape[4];
    } shapes[] = {{"(120,)", 1, {120}},
                  {"(5, 24)", 2, {5, 24}},
                  {"(5, 4, 6)", 3, {5, 4, 6}},
                  {"(5, 2, 4, 3)", 4, {5, 2, 4, 3}},
                  {"(1, 10, 12)", 3, {1, 10, 12}},
                  {"(120, 1)", 2, {120, 1}}};
    static unsigned char bytes[4096];
    for (size_t t = 0; t < 5; t++) {
        for (size_t s = 0; s < 6; s++) {
            for (int swap = 0; swap < 2; swap++) {
                for (int fortran = 0; fortran < 2; fortran++) {
                    double values[120];
                    char descr[4];
                    count_up(values, codes[t], 120);
                    snprintf(descr, sizeof descr, "%c%s",
                             sizes[t] == 1 ? '|'
                             : swap        ? '>'
                                           : '<',
                             codes[t]);
                    size_t size =
                        compose_npy(bytes, descr, fortran, shapes[s].text, values, 120 * sizes[t]);
                    scdc_data *d;
                    assert_ok(read_memory(&d, bytes, size, "t.npy"));
                    const size_t *sh = shapes[s].shape;
                    size_t n = shapes[s].ndim;
                    assert_shape(d, sh[0],
                                 n == 4   ? sh[1]
                                 : n == 2 ? sh[1]
                                          : 1,
                                 n >= 3 ? sh[n - 2] : 1, n >= 3 ? sh[n - 1] : 1);
                    float got[120];
                    assert_ok(scdc_data_rows(got, d, 0, d->rows));
                    for (size_t i = 0; i < 120; i++) {
                        size_t want = i;
                        if (fortran) { /* the place of C index i, counted first index fastest */
                            size_t rest = i, index[4], place = 0;
                            for (size_t k = n; k-- > 0;) index[k] = rest % sh[k], rest /= sh[k];
                            for (size_t k = n; k-- > 0;) place = place * sh[k] + index[k];
                            want = place;
                        }
                        assert_true(got[i] == (float)want);
                    }
                    scdc_data_free(d);
                }
            }
        }
    }
}

static void npy_files_are_mapped_and_round_trip(void **state)
{
    (void)state;
    float x[12];
    count_up(x, "f4", 12);
    scdc_data *made, *read;
    assert_ok(scdc_data_from_memory(&made, x, SCDC_F32, 3, 4, 0));
    const char *path = scratch_path("x.npy");
    assert_ok(scdc_data_write_npy(made, path));
    assert_ok(scdc_data_open(&read, path));
    scdc_data_info info;
    assert_ok(scdc_data_get_info(&info, read));
    assert_int_equal(info.mapped, !needs_swap(false, sizeof *x));
    assert_string_equal(info.format, "npy");
    assert_close(info.mean, 5.5, 0);
    assert_memory_equal(read->values, x, sizeof x);
    scdc_data_free(made);
    scdc_data_free(read);
}

static void refused_npy(const char *descr, const char *shape, const void *values, size_t bytes,
                        const char *expected)
{
    unsigned char file[2048];
    scdc_data *d = NULL;
    size_t size = compose_npy(file, descr, 0, shape, values, bytes);
    assert_fails(read_memory(&d, file, size, "t.npy"), SCDC_ERR_INPUT, expected);
    assert_null(d);
}

static void bad_npy(void **state)
{
    (void)state;
    double x[8] = {0};
    refused_npy("<f8", "()", x, 8, "0 dimensions, expected 1 to 4");
    refused_npy("<f8", "(1,1,1,1,1)", x, 8, "5 dimensions, expected 1 to 4");
    refused_npy("<f8", "(0, 4)", x, 0, "0 rows of 4 values");
    refused_npy("<f8", "(4, 0)", x, 0, "4 rows of 0 values");
    refused_npy("<f8", "(4, 2)", x, 63, "truncated");
    refused_npy("|u1", "(4294967295,)", x, 8, "truncated");
    x[5] = NAN;
    refused_npy("<f8", "(4, 2)", x, 64, "t.npy: row 2, column 1 (counted from 0) is nan");
    x[5] = INFINITY;
    refused_npy("<f8", "(2, 2, 2)", x, 64, "row 1, column 1 (counted from 0) is inf");
    refused_npy(">f8", "(8,)", x, 64, "row 5, column 0 (counted from 0) is inf");
    float y[2] = {0, -INFINITY};
    refused_npy("<f4", "(1,2)", y, 8, "row 0, column 1 (counted from 0) is -inf");
}

static void idx_of_every_type(void **state)
{
    (void)state;
    static const struct {
        int type;
        const char *code;
        size_t size;
        scdc_dtype dtype;
    } types[] = {{8, "u1", 1, SCDC_U8},
                 {12, "i4", 4, SCDC_I32},
                 {13, "f4", 4, SCDC_F32},
                 {14, "f8", 8, SCDC_F64}};
    static unsigned char bytes[4096];
    static const uint32_t shapes[4][4] = {{24}, {4, 6}, {2, 3, 4}, {2, 2, 3, 2}};
    for (size_t t = 0; t < 4; t++) {
        for (size_t n = 1; n <= 4; n++) {
            double values[24];
            count_up(values, types[t].code, 24);
            size_t size =
                compose_idx(bytes, types[t].type, n, shapes[n - 1], values, 24 * types[t].size);
            scdc_data *d;
            assert_ok(read_memory(&d, bytes, size, "t.idx"));
            const uint32_t *sh = shapes[n - 1];
            assert_shape(d, sh[0],
                         n == 4   ? sh[1]
                         : n == 2 ? sh[1]
                                  : 1,
                         n >= 3 ? sh[n - 2] : 1, n >= 3 ? sh[n - 1] : 1);
            assert_int_equal(d->dtype, types[t].dtype);
            assert_string_equal(d->format, "idx");
            float got[24];
            assert_ok(scdc_data_rows(got, d, 0, d->rows));
            for (size_t i = 0; i < 24; i++) assert_true(got[i] == (float)i);
            scdc_data_free(d);
            for (size_t cut = 1; cut < size; cut++) { /* no shorter file passes */
                unsigned char *exact = malloc(size - cut);
                memcpy(exact, bytes, size - cut);
                assert_int_equal(read_memory(&d, exact, size - cut, "t.idx"), SCDC_ERR_INPUT);
                free(exact);
            }
        }
    }
}

static void bad_idx(void **state)
{
    (void)state;
    unsigned char bytes[256];
    double values[4] = {0};
    scdc_data *d = NULL;
    static const uint32_t shape[4] = {2, 2, 1, 1};
    static const uint32_t huge[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    static const uint32_t none[1] = {0};
#define REFUSED_IDX(type, ndim, shape, size, expected)                                             \
    assert_fails(                                                                                  \
        read_memory(&d, bytes, compose_idx(bytes, type, ndim, shape, values, size), "t.idx"),      \
        SCDC_ERR_INPUT, expected)
    REFUSED_IDX(9, 2, shape, 4, "type 0x09 (signed byte) is not supported");
    REFUSED_IDX(11, 2, shape, 8, "type 0x0B (short) is not supported");
    REFUSED_IDX(8, 2, shape, 3,
                "shape 2 x 2 of uint8 does not match the 3 bytes after byte 12: "
                "the file is truncated");
    REFUSED_IDX(8, 2, shape, 5, "longer than it says");
    REFUSED_IDX(8, 4, huge, 4, "truncated");
    REFUSED_IDX(14, 4, huge, 4, "truncated");
    REFUSED_IDX(8, 1, none, 0, "0 rows");
    values[3] = NAN;
    REFUSED_IDX(14, 2, shape, 32, "t.idx: row 1, column 1 (counted from 0) is nan");
    bytes[3] = 5;
    assert_fails(read_memory(&d, bytes, 200, "t.idx"), SCDC_ERR_INPUT, "5 dimensions");
    assert_fails(read_memory(&d, bytes, 4, "t.idx"), SCDC_ERR_INPUT, "5 dimensions");
    bytes[3] = 3;
    assert_fails(read_memory(&d, bytes, 15, "t.idx"), SCDC_ERR_INPUT, "the file ends at byte 15");
    assert_null(d);
}

static void gzipped_idx(void **state)
{
    (void)state;
    unsigned char bytes[64];
    static const uint32_t shape[2] = {2, 3};
    size_t size = compose_idx(bytes, 8, 2, shape, "abcdef", 6);
    const char *path = scratch_path("t.idx.gz");
    gzFile gz = gzopen(path, "wb");
    assert_int_equal(gzwrite(gz, bytes, (unsigned)size), size);
    gzclose(gz);
    scdc_data *d;
    assert_ok(scdc_data_open(&d, path));
    assert_shape(d, 2, 3, 1, 1);
    float x[6];
    assert_ok(scdc_data_rows(x, d, 0, 2));
    assert_true(x[0] == 'a' && x[5] == 'f');
    scdc_data_free(d);
}

static void cifar_records(void **state)
{
    (void)state;
    unsigned char *bytes = calloc(3, CIFAR_RECORD);
    for (size_t i = 0; i < 3; i++) {
        bytes[i * CIFAR_RECORD] = (unsigned char)(9 - i);
        for (size_t j = 0; j < CIFAR_PIXELS; j++) {
            bytes[i * CIFAR_RECORD + 1 + j] = (unsigned char)(i * 50 + j % 41);
        }
    }
    scdc_data *d = NULL;
    assert_ok(read_memory(&d, bytes, 3 * CIFAR_RECORD, "batch.bin"));
    assert_shape(d, 3, 3, 32, 32);
    assert_string_equal(d->format, "cifar10");
    float *x = malloc(CIFAR_PIXELS * sizeof *x);
    assert_ok(scdc_data_rows(x, d, 2, 1));
    for (size_t j = 0; j < CIFAR_PIXELS; j++) assert_true(x[j] == (float)(100 + j % 41));
    const char *path = scratch_path("cifar.npy");
    assert_ok(scdc_data_write_npy(d, path)); /* without the label bytes between the rows */
    scdc_data_free(d);
    assert_ok(scdc_data_open(&d, path));
    assert_shape(d, 3, 3, 32, 32);
    float *y = malloc(CIFAR_PIXELS * sizeof *y);
    assert_ok(scdc_data_rows(y, d, 2, 1));
    assert_memory_equal(x, y, CIFAR_PIXELS * sizeof *x);
    scdc_data_free(d);
    d = NULL;
    free(x), free(y);

    assert_ok(read_memory(&d, bytes, 3 * CIFAR_RECORD, "standard input"));
    scdc_data_free(d);
    d = NULL;
    bytes[5] = 0;
    assert_fails(read_memory(&d, bytes, 3 * CIFAR_RECORD - 1, "batch.bin"), SCDC_ERR_INPUT,
                 "a .bin file of 3073-byte records with labels 0 to 9; this one has 9218 bytes");
    bytes[CIFAR_RECORD] = 10;
    assert_fails(read_memory(&d, bytes, 3 * CIFAR_RECORD, "batch.bin"), SCDC_ERR_INPUT,
                 "neither .npy, IDX");
    bytes[CIFAR_RECORD] = 1;
    assert_fails(read_memory(&d, bytes, 3 * CIFAR_RECORD, "batch.dat"), SCDC_ERR_INPUT,
                 "neither .npy, IDX");
    /* The first record looks like IDX by chance. */
    memcpy(bytes, "\0\0\x08\x03", 4);
    assert_ok(read_memory(&d, bytes, 3 * CIFAR_RECORD, "batch.bin"));
    assert_string_equal(d->format, "cifar10");
    scdc_data_free(d);
    free(bytes);
}

static void what_is_not_data(void **state)
{
    (void)state;
    scdc_data *d = NULL;
    assert_fails(scdc_data_open(NULL, "x"), SCDC_ERR_ARGUMENT, "out is NULL");
    assert_fails(scdc_data_open(&d, NULL), SCDC_ERR_ARGUMENT, "path is NULL");
    assert_fails(scdc_data_open(&d, scratch_path("missing")), SCDC_ERR_INPUT, "cannot open");
    assert_fails(scdc_data_open(&d, scratch_text("empty", "")), SCDC_ERR_INPUT, "is empty");
    assert_fails(read_memory(&d, "PK\3\4....", 8, "t"), SCDC_ERR_INPUT, ".npz archive");
    assert_fails(read_memory(&d, "\x89HDF\r\n\x1a\n..", 10, "t"), SCDC_ERR_INPUT, "HDF5");
    assert_fails(read_memory(&d, "a\0b\0", 4, "t"), SCDC_ERR_INPUT, "neither .npy");
    assert_fails(read_memory(&d,
                             "\xff\xfe"
                             "a\0",
                             4, "t"),
                 SCDC_ERR_INPUT, "UTF-16");
    assert_null(d);
}

static void mnist(void **state)
{
    (void)state;
    const char *path = shared_path("mnist/train-images-idx3-ubyte.gz");
    if (!path) skip();
    scdc_data *d;
    scdc_data_info info;
    assert_ok(scdc_data_open(&d, path));
    assert_ok(scdc_data_get_info(&info, d));
    assert_shape(d, 60000, 1, 28, 28);
    assert_int_equal(info.cols, 784);
    assert_true(info.min == 0 && info.max == 255);
    assert_close(info.mean, 33.318421449829934, 1e-9);
    scdc_data_free(d);
}

static void cifar10(void **state)
{
    (void)state;
    static const char *const files[] = {"cifar10/data_batch_1.bin", "cifar10/test_batch_2000.bin"};
    for (int i = 0; i < 2; i++) {
        const char *path = shared_path(files[i]);
        if (!path) skip();
        scdc_data *d;
        scdc_data_info info;
        assert_ok(scdc_data_open(&d, path));
        assert_ok(scdc_data_get_info(&info, d));
        assert_shape(d, i ? 2000 : 10000, 3, 32, 32);
        assert_int_equal(info.mapped, 1);
        assert_true(info.min == 0 && info.max == 255 && info.mean > 110 && info.mean < 130);
        scdc_data_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_of_every_type_order_and_shape),
        cmocka_unit_test(npy_files_are_mapped_and_round_trip),
        cmocka_unit_test(bad_npy),
        cmocka_unit_test(idx_of_every_type),
        cmocka_unit_test(bad_idx),
        cmocka_unit_test(gzipped_idx),
        cmocka_unit_test(cifar_records),
        cmocka_unit_test(what_is_not_data),
        cmocka_unit_test(mnist),
        cmocka_unit_test(cifar10),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
