/* data/pca: numpy's SVD as golden numbers, both sides of the matrix, threads, arguments. */
#include "base/parallel.h"
#include "data/data.h"
#include "golden/data.h"
#include "support/check.h"

/* The matrices of tests/golden/data.py. */
static double *make_matrix(size_t rows, size_t cols, uint64_t state)
{
    double *x = malloc(rows * cols * sizeof *x);
    for (size_t r = 0; r < rows; r++) {
        double common = 0;
        for (size_t c = 0; c < cols; c++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            common = 0.75 * common + ((double)(state >> 40) / 16777216 - 0.5);
            x[r * cols + c] = 100 + (double)(c % 7 + 1) * common;
        }
    }
    return x;
}

static void assert_golden(size_t rows, size_t cols, uint64_t seed, size_t k, const double *golden)
{
    double *x = make_matrix(rows, cols, seed);
    scdc_data *data, *out;
    assert_ok(scdc_data_from_memory(&data, x, SCDC_F64, rows, cols, 0));
    assert_ok(scdc_data_pca(&out, data, k));
    assert_int_equal(out->rows, rows);
    assert_int_equal(out->cols, k);
    assert_int_equal(out->dtype, SCDC_F32);
    const float *got = out->values;
    for (size_t i = 0; i < rows * k; i++) assert_close(got[i], golden[i], 1e-5);
    scdc_data_free(out);
    scdc_data_free(data);
    free(x);
}

static void golden_projections(void **state)
{
    (void)state;
    assert_golden(40, 9, 1, 4, golden_pca_tall[0]);
    assert_golden(9, 40, 2, 5, golden_pca_wide[0]);
    assert_golden(6, 6, 3, 6, golden_pca_square[0]);
}

/* Many pieces: more rows than one piece holds, more columns than one block. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{9000, 130}, {130, 300}};
    for (int s = 0; s < 2; s++) {
        size_t rows = shapes[s][0], cols = shapes[s][1];
        double *x = make_matrix(rows, cols, 4);
        scdc_data *data, *out[3];
        assert_ok(scdc_data_from_memory(&data, x, SCDC_F64, rows, cols, 0));
        for (int threads = 1; threads <= 3; threads++) {
            parallel_set_threads(threads);
            assert_ok(scdc_data_pca(&out[threads - 1], data, 5));
        }
        parallel_set_threads(0);
        for (int i = 1; i < 3; i++) {
            assert_memory_equal(out[0]->values, out[i]->values, rows * 5 * sizeof(float));
        }
        /* Centred, uncorrelated, variances falling: what makes them principal. */
        const float *y = out[0]->values;
        double cross[5][5] = {{0}}, mean[5] = {0};
        for (size_t r = 0; r < rows; r++) {
            for (int i = 0; i < 5; i++) {
                mean[i] += (double)y[r * 5 + (size_t)i] / (double)rows;
                for (int j = 0; j < 5; j++) {
                    cross[i][j] += (double)y[r * 5 + (size_t)i] * (double)y[r * 5 + (size_t)j];
                }
            }
        }
        for (int i = 0; i < 5; i++) {
            assert_close(mean[i], 0, 1e-5);
            if (i) assert_true(cross[i][i] <= cross[i - 1][i - 1]);
            for (int j = 0; j < i; j++) assert_close(cross[i][j] / cross[0][0], 0, 1e-6);
        }
        for (int i = 0; i < 3; i++) scdc_data_free(out[i]);
        scdc_data_free(data);
        free(x);
    }
}

static void other_types_and_no_variance(void **state)
{
    (void)state;
    /* On a line: one component carries all, the second is exactly zero. */
    uint8_t line[] = {0, 0, 3, 4, 6, 8, 9, 12};
    scdc_data *data, *out;
    assert_ok(scdc_data_from_memory(&data, line, SCDC_U8, 4, 2, 0));
    assert_ok(scdc_data_pca(&out, data, 2));
    const float *y = out->values;
    static const double expected[] = {-7.5, -2.5, 2.5, 7.5};
    for (int i = 0; i < 4; i++) {
        assert_close(y[2 * i], expected[i], 1e-6);
        assert_true(y[2 * i + 1] == 0);
    }
    scdc_data_free(out);
    scdc_data_free(data);
    float same[] = {5, 6, 7, 5, 6, 7};
    assert_ok(scdc_data_from_memory(&data, same, SCDC_F32, 2, 3, 0));
    assert_ok(scdc_data_pca(&out, data, 2));
    y = out->values;
    for (int i = 0; i < 4; i++) assert_true(y[i] == 0);
    scdc_data_free(out);
    scdc_data_free(data);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    double *x = make_matrix(4, 6, 1);
    scdc_data *data, *out = NULL;
    assert_ok(scdc_data_from_memory(&data, x, SCDC_F64, 4, 6, 0));
    assert_fails(scdc_data_pca(NULL, data, 1), SCDC_ERR_ARGUMENT, "out");
    assert_fails(scdc_data_pca(&out, NULL, 1), SCDC_ERR_ARGUMENT, "data");
    assert_fails(scdc_data_pca(&out, data, 0), SCDC_ERR_ARGUMENT, "1 to 4 components, not 0");
    assert_fails(scdc_data_pca(&out, data, 5), SCDC_ERR_ARGUMENT, "1 to 4 components, not 5");
    assert_null(out);
    scdc_data_free(data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_projections),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(other_types_and_no_variance),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
