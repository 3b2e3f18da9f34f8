/* factor_inverse: halves that make up the inverse, bitwise the same for any number of threads. */
#include "base/parallel.h"
#include "kernels/factor.h"
#include "support/values.h"

#include <string.h>

enum { COLUMNS = 3, LARGE = 700 };

/* Positive definite: a kernel of random points on a line, and a ridge. Junk above the diagonal is
 * not read. */
static double *make_kernel(size_t n)
{
    real *x = random_values(n, 1, 1);
    double *a;
    assert_int_equal(mem_zeroed(&a, n * n, sizeof *a, "a matrix"), SCDC_OK);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double d = (double)x[i] - (double)x[j];
            a[i * n + j] = j > i ? 1e9 : exp(-d * d) + (i == j ? .05 : 0);
        }
    }
    mem_free(x);
    return a;
}

static double entry(const double *a, size_t n, size_t i, size_t j)
{
    return i > j ? a[i * n + j] : a[j * n + i];
}

static void halves_make_the_inverse(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 63, 255, 256, 257, 530};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        double *a = make_kernel(n), *half = make_kernel(n), x[530 * COLUMNS], y[530 * COLUMNS],
               back[530 * COLUMNS];
        for (size_t i = 0; i < n * COLUMNS; i++) x[i] = (double)(i * i % 17) - 8;
        assert_int_equal(factor_inverse(half, n), 0);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = i + 1; j < n; j++) assert_true(half[i * n + j] == 0);
        }
        factor_apply(y, half, x, n, COLUMNS);
        factor_apply_transposed(back, half, y, n, COLUMNS);
        for (size_t i = 0; i < n; i++) { /* a times its inverse times x is x */
            for (size_t c = 0; c < COLUMNS; c++) {
                double sum = 0;
                for (size_t j = 0; j < n; j++) sum += entry(a, n, i, j) * back[j * COLUMNS + c];
                assert_close(sum, x[i * COLUMNS + c], 1e-8);
            }
        }
        mem_free(a), mem_free(half);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    double *one = make_kernel(LARGE), *three = make_kernel(LARGE);
    parallel_set_threads(1);
    assert_int_equal(factor_inverse(one, LARGE), 0);
    parallel_set_threads(3);
    assert_int_equal(factor_inverse(three, LARGE), 0);
    parallel_set_threads(0);
    assert_memory_equal(one, three, (size_t)LARGE * LARGE * sizeof *one);
    mem_free(one), mem_free(three);
}

static void what_has_no_inverse_is_told(void **state)
{
    (void)state;
    double *a = make_kernel(LARGE);
    a[600 * LARGE + 600] = -1;
    assert_true(factor_inverse(a, LARGE) != 0);
    mem_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(halves_make_the_inverse),
                                       cmocka_unit_test(threads_do_not_change_a_bit),
                                       cmocka_unit_test(what_has_no_inverse_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
