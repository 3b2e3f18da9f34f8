/* data: from memory, shape, rows, the gather against its plain twin, the scan, writing. */
#include "base/parallel.h"
#include "data/data.h"
#include "io/byte_order.h"
#include "io/npy.h"
#include "support/files.h"

#include <float.h>

static void arguments_are_checked(void **state)
{
    (void)state;
    scdc_data *data = NULL;
    float x[6] = {1, 2, 3, 4, 5, 6};
    assert_fails(scdc_data_from_memory(NULL, x, SCDC_F32, 2, 3, 1), SCDC_ERR_ARGUMENT, "out");
    assert_fails(scdc_data_from_memory(&data, NULL, SCDC_F32, 2, 3, 1), SCDC_ERR_ARGUMENT,
                 "values is NULL");
    assert_fails(scdc_data_from_memory(&data, x, 0, 2, 3, 1), SCDC_ERR_ARGUMENT, "dtype");
    assert_fails(scdc_data_from_memory(&data, x, SCDC_F32, 0, 3, 1), SCDC_ERR_ARGUMENT, "0 rows");
    assert_fails(scdc_data_from_memory(&data, x, SCDC_F32, 2, 0, 1), SCDC_ERR_ARGUMENT, "0 values");
    assert_fails(scdc_data_from_memory(&data, x, SCDC_F32, 2, SIZE_MAX / 4, 1), SCDC_ERR_ARGUMENT,
                 "rows of");
    assert_fails(scdc_data_from_memory(&data, x, SCDC_F32, UINT32_MAX, 1, 1), SCDC_ERR_ARGUMENT,
                 "rows of");
    assert_fails(scdc_data_from_memory(&data, (char *)x + 1, SCDC_F32, 1, 1, 0), SCDC_ERR_ARGUMENT,
                 "aligned");
    assert_null(data);

    scdc_data_info info;
    assert_ok(scdc_data_from_memory(&data, x, SCDC_F32, 2, 3, 1));
    assert_fails(scdc_data_get_info(NULL, data), SCDC_ERR_ARGUMENT, "out");
    assert_fails(scdc_data_get_info(&info, NULL), SCDC_ERR_ARGUMENT, "data");
    assert_fails(scdc_data_set_shape(NULL, 1, 1, 3), SCDC_ERR_ARGUMENT, "data");
    assert_fails(scdc_data_set_shape(data, 1, 2, 3), SCDC_ERR_ARGUMENT, "1 x 2 x 3");
    assert_fails(scdc_data_set_shape(data, SIZE_MAX, 3, 3), SCDC_ERR_ARGUMENT, "shape");
    assert_ok(scdc_data_set_shape(data, 1, 3, 1));
    float out[6];
    assert_fails(scdc_data_rows(NULL, data, 0, 1), SCDC_ERR_ARGUMENT, "out");
    assert_fails(scdc_data_rows(out, NULL, 0, 1), SCDC_ERR_ARGUMENT, "data");
    assert_fails(scdc_data_rows(out, data, 1, 2), SCDC_ERR_ARGUMENT, "rows 1 to 3");
    assert_fails(scdc_data_rows(out, data, 3, 0), SCDC_ERR_ARGUMENT, "rows 3");
    assert_fails(scdc_data_rows(out, data, 1, SIZE_MAX), SCDC_ERR_ARGUMENT, "rows");
    assert_ok(scdc_data_rows(out, data, 1, 1));
    assert_true(out[0] == 4 && out[2] == 6);
    assert_null(scdc_data_name(data, 0));
    assert_null(scdc_data_name(NULL, 0));
    assert_fails(scdc_data_write_npy(NULL, "x"), SCDC_ERR_ARGUMENT, "data");
    assert_fails(scdc_data_write_npy(data, NULL), SCDC_ERR_ARGUMENT, "path");
    scdc_data_free(data);
    scdc_data_free(NULL);
}

static void borrowed_values_are_seen_copied_are_kept(void **state)
{
    (void)state;
    int32_t x[] = {1, 2, 3, 4};
    scdc_data *copied, *borrowed;
    assert_ok(scdc_data_from_memory(&copied, x, SCDC_I32, 2, 2, 1));
    assert_ok(scdc_data_from_memory(&borrowed, x, SCDC_I32, 2, 2, 0));
    x[3] = -9;
    float out[2];
    assert_ok(scdc_data_rows(out, copied, 1, 1));
    assert_true(out[1] == 4);
    assert_ok(scdc_data_rows(out, borrowed, 1, 1));
    assert_true(out[1] == -9);
    scdc_data_free(copied);
    scdc_data_free(borrowed);
}

/* Values of every type from one integer pattern. */
static void fill(void *values, scdc_dtype dtype, size_t count)
{
    uint32_t bits = 12345;
    for (size_t i = 0; i < count; i++) {
        bits = bits * 1664525 + 1013904223;
        int32_t v = (int32_t)(bits >> 8) - (1 << 23);
        switch (dtype) {
        case SCDC_U8: ((uint8_t *)values)[i] = (uint8_t)(bits >> 24); break;
        case SCDC_I32: ((int32_t *)values)[i] = v * 101; break;
        case SCDC_I64: ((int64_t *)values)[i] = (int64_t)v * 1000003 * 1009; break;
        case SCDC_F32: ((float *)values)[i] = (float)v / 3; break;
        case SCDC_F64: ((double *)values)[i] = (double)v / 7; break;
        }
    }
}
static const scdc_dtype every_type[] = {SCDC_U8, SCDC_I32, SCDC_I64, SCDC_F32, SCDC_F64};

static void gather_equals_its_reference(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 2, 7, 33, 784};
    for (size_t t = 0; t < 5; t++) {
        for (size_t w = 0; w < 5; w++) {
            enum { ROWS = 300, PICKS = 257 };
            size_t cols = widths[w];
            double *values = malloc(ROWS * cols * 8);
            fill(values, every_type[t], ROWS * cols);
            scdc_data *data;
            assert_ok(scdc_data_from_memory(&data, values, every_type[t], ROWS, cols, 0));
            uint32_t items[PICKS];
            for (uint32_t i = 0; i < PICKS; i++) items[i] = i * 7919 % ROWS;
            real *fast = malloc(PICKS * cols * sizeof *fast);
            real *plain = malloc(PICKS * cols * sizeof *plain);
            data_gather(fast, data, items, PICKS, 1 / 255.0, -0.25);
            data_gather_reference(plain, data, items, PICKS, 1 / 255.0, -0.25);
            assert_memory_equal(fast, plain, PICKS * cols * sizeof *fast);
            data_gather(NULL, data, NULL, 0, 1, 0); /* nothing to do */
            for (int threads = 1; threads < 4; threads += 2) {
                parallel_set_threads(threads);
                memset(fast, 0, PICKS * cols * sizeof *fast);
                data_gather(fast, data, items, PICKS, 1 / 255.0, -0.25);
                assert_memory_equal(fast, plain, PICKS * cols * sizeof *fast);
            }
            parallel_set_threads(0);
            /* Plain rows: scale 1, shift 0. */
            float *rows = malloc(PICKS * cols * sizeof *rows);
            double *wide = malloc(PICKS * cols * sizeof *wide);
            for (uint32_t i = 0; i < PICKS; i++) items[i] = i + 10;
            data_gather_reference(plain, data, items, PICKS, 1, 0);
            assert_ok(scdc_data_rows(rows, data, 10, PICKS));
            data_rows_f64(wide, data, 10, PICKS, NULL);
            for (size_t i = 0; i < PICKS * cols; i++) {
                assert_true(rows[i] == (float)plain[i] && (real)wide[i] == plain[i]);
            }
            free(rows), free(wide), free(fast), free(plain), free(values);
            scdc_data_free(data);
        }
    }
}

/* A large mean is shifted away without losing what varies. */
static void gather_keeps_small_differences(void **state)
{
    (void)state;
    float x[] = {10000000, 10000001, 10000002};
    scdc_data *data;
    assert_ok(scdc_data_from_memory(&data, x, SCDC_F32, 3, 1, 0));
    uint32_t items[] = {0, 1, 2};
    real out[3];
    data_gather(out, data, items, 3, 1 / 0.3, -10000001 / 0.3);
    assert_close(out[0], -1 / 0.3, 1e-6);
    assert_close(out[1], 0, 1e-6);
    assert_close(out[2], 1 / 0.3, 1e-6);
    scdc_data_free(data);
}

static void info_scans_all_values(void **state)
{
    (void)state;
    enum { ROWS = 2003, COLS = 301 };
    for (size_t t = 0; t < 5; t++) {
        double *values = malloc(ROWS * COLS * 8), mean = 0, min = INFINITY, max = -INFINITY;
        fill(values, every_type[t], ROWS * COLS);
        scdc_data *data;
        assert_ok(scdc_data_from_memory(&data, values, every_type[t], ROWS, COLS, 0));
        double *wide = malloc(ROWS * COLS * sizeof *wide);
        data_rows_f64(wide, data, 0, ROWS, NULL);
        for (size_t i = 0; i < ROWS * COLS; i++) {
            mean += wide[i] / (ROWS * COLS);
            min = fmin(min, wide[i]);
            max = fmax(max, wide[i]);
        }
        scdc_data_info first, info;
        for (int threads = 1; threads < 5; threads++) {
            parallel_set_threads(threads);
            assert_ok(scdc_data_get_info(&info, data));
            if (threads == 1) first = info;
            assert_true(info.mean == first.mean);
        }
        parallel_set_threads(0);
        assert_true(info.min == min && info.max == max);
        assert_close(info.mean, mean, 1e-9 * fmax(fabs(min), fabs(max)));
        assert_int_equal(info.rows, ROWS);
        assert_int_equal(info.cols, COLS);
        assert_int_equal(info.channels, COLS);
        assert_int_equal(info.height * info.width, 1);
        assert_string_equal(info.format, "memory");
        assert_int_equal(info.mapped + info.named, 0);
        free(values), free(wide);
        scdc_data_free(data);
    }
}

static void what_is_not_finite_is_named(void **state)
{
    (void)state;
    enum { ROWS = 3000, COLS = 257 };
    float *x = calloc(ROWS * COLS, sizeof *x);
    double *y = calloc(ROWS * COLS, sizeof *y);
    scdc_data *data = NULL;
    x[2999 * COLS + 4] = INFINITY; /* a later one does not matter */
    x[1234 * COLS + 56] = NAN;
    assert_fails(scdc_data_from_memory(&data, x, SCDC_F32, ROWS, COLS, 0), SCDC_ERR_ARGUMENT,
                 "row 1234, column 56 (counted from 0) is nan, expected a finite number");
    y[7 * COLS + 256] = -INFINITY;
    assert_fails(scdc_data_from_memory(&data, y, SCDC_F64, ROWS, COLS, 1), SCDC_ERR_ARGUMENT,
                 "row 7, column 256 (counted from 0) is -inf");
    y[7 * COLS + 256] = 1e39;
    assert_fails(scdc_data_from_memory(&data, y, SCDC_F64, ROWS, COLS, 1), SCDC_ERR_ARGUMENT,
                 "1e+39, too large for a float");
    y[7 * COLS + 256] = FLT_MAX;
    assert_null(data);
    assert_ok(scdc_data_from_memory(&data, y, SCDC_F64, ROWS, COLS, 1));
    scdc_data_free(data);
    free(x), free(y);
}

static void npy_files_have_the_shape(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{24, 1, 1}, {1, 4, 6}, {2, 4, 3}};
    const char *path = scratch_path("shape.npy");
    for (size_t s = 0; s < 3; s++) {
        int64_t x[2 * 24];
        fill(x, SCDC_I64, 2 * 24);
        scdc_data *data;
        assert_ok(scdc_data_from_memory(&data, x, SCDC_I64, 2, 24, 0));
        assert_ok(scdc_data_set_shape(data, shapes[s][0], shapes[s][1], shapes[s][2]));
        assert_ok(scdc_data_write_npy(data, path));
        file_bytes file;
        npy_header h;
        assert_ok(file_open(&file, path));
        assert_ok(npy_parse(&h, &file));
        assert_int_equal(h.ndim, s + 2);
        assert_int_equal(h.shape[0], 2);
        assert_int_equal(h.shape[h.ndim - 1], s == 0 ? 24 : shapes[s][2]);
        if (needs_swap(h.big_endian, sizeof *x)) swap_values(x, 2 * 24, sizeof *x);
        assert_memory_equal(file.bytes + h.data_offset, x, sizeof x);
        file_close(&file);
        scdc_data_free(data);
    }
    assert_int_equal(scratch_entries(), 1);
    float x = 1;
    scdc_data *data;
    assert_ok(scdc_data_from_memory(&data, &x, SCDC_F32, 1, 1, 0));
    const char *full = full_device();
    if (full) assert_fails(scdc_data_write_npy(data, full), SCDC_ERR_OUTPUT, "No space left");
    scdc_data_free(data);
}

static void checksum_is_of_the_values(void **state)
{
    (void)state;
    scdc_data *flat, *square;
    assert_ok(scdc_data_from_memory(&flat, "123456789", SCDC_U8, 1, 9, 1));
    assert_ok(scdc_data_from_memory(&square, "123456789", SCDC_U8, 3, 3, 1));
    assert_int_equal(scdc_data_checksum(flat), 0xCBF43926); /* the check value of CRC-32 */
    assert_int_equal(scdc_data_checksum(square), 0xCBF43926);
    assert_int_equal(scdc_data_checksum(NULL), 0);
    scdc_data_free(flat);
    scdc_data_free(square);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_is_of_the_values),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(borrowed_values_are_seen_copied_are_kept),
        cmocka_unit_test(gather_equals_its_reference),
        cmocka_unit_test(gather_keeps_small_differences),
        cmocka_unit_test(info_scans_all_values),
        cmocka_unit_test(what_is_not_finite_is_named),
        cmocka_unit_test(npy_files_have_the_shape),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
