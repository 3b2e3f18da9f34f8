/* The vector softmax against its plain twin: ordinary and extreme values, any length, in place. */
#include "base/numeric.h"
#include "kernels/softmax.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { MOST = 203 };

static void check_row(const double *x, size_t n)
{
    double fast[MOST], plain[MOST], place[MOST];
    double a = softmax_vector(fast, x, n), b = softmax(plain, x, n);
    assert_true(fabs(a - b) <= 4e-16 * fabs(b) + 1e-15);
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(fast[i] - plain[i]) <= 3e-15 * plain[i] + 1e-300)) {
            fail_msg("value %zu of %zu: %.17g, plainly %.17g", i, n, fast[i], plain[i]);
        }
    }
    memcpy(place, x, n * sizeof *x);
    softmax_vector(place, place, n);
    assert_memory_equal(place, fast, n * sizeof *fast);
}

static void matches_the_plain_one(void **state)
{
    (void)state;
    double x[MOST];
    for (size_t n = 1; n <= MOST; n += n < 40 ? 1 : 27) {
        for (int spread = -3; spread <= 3; spread++) {
            for (size_t i = 0; i < n; i++) {
                x[i] = pow(10, spread) * sin((double)(i * i + n)) + 100 * cos((double)n);
            }
            check_row(x, n);
        }
    }
}

static void extremes(void **state)
{
    (void)state;
    double p[4];
    check_row((double[]){0, 0, 0}, 3);
    check_row((double[]){-1e300, 0, 1e300}, 3);
    check_row((double[]){-706.9, 0, -300}, 3);
    check_row((double[]){-INFINITY, 2, 3}, 3);
    assert_true(softmax_vector(p, (double[]){7}, 1) == 7 && p[0] == 1);
    softmax_vector(p, (double[]){0, -708, -5000}, 3);
    assert_true(p[0] == 1 && p[1] == 0 && p[2] == 0);
    /* What is not finite must show, or the guard of the training loop would not see it. */
    softmax_vector(p, (double[]){0, NAN, 1, 2}, 4);
    for (int i = 0; i < 4; i++) assert_true(isnan(p[i]));
    softmax_vector(p, (double[]){0, INFINITY, 1, 2}, 4);
    assert_true(isnan(p[1]));
}

static void softplus_matches_the_plain_one(void **state)
{
    (void)state;
    enum { N = 20001 };
    static double x[N], y[N];
    for (size_t i = 0; i < N; i++) x[i] = -700 + 0.07 * (double)i + 1e-4 * sin((double)i);
    softplus_vector(y, x, N);
    for (size_t i = 0; i < N; i++) {
        double plain = fmax(x[i], 0) + log1p(exp(-fabs(x[i])));
        if (!(fabs(y[i] - plain) <= 9e-16 * plain)) {
            fail_msg("softplus of %.17g: %.17g, plainly %.17g", x[i], y[i], plain);
        }
    }
    softplus_vector(y, (double[]){0, -INFINITY, INFINITY, NAN, -1e9, 1e9}, 6);
    assert_true(fabs(y[0] - log(2)) < 2e-16 && y[1] == 0 && y[2] == INFINITY && isnan(y[3]));
    assert_true(y[4] == 0 && y[5] == 1e9);
    softplus_vector(y, x, N);
    softplus_vector(x, x, N);
    assert_memory_equal(x, y, sizeof x);
}

static void decay_matches_the_plain_one(void **state)
{
    (void)state;
    enum { N = 2001 };
    static double x[N], y[N];
    for (size_t i = 0; i < N; i++) x[i] = 0.17 * (double)i + 1e-4 * fabs(sin((double)i));
    decay_vector(y, x, 2, N);
    for (size_t i = 0; i < N; i++) {
        double plain = exp(-2 * x[i]);
        if (!(fabs(y[i] - plain) <= 5e-16 * plain)) {
            fail_msg("decay by %.17g: %.17g, plainly %.17g", x[i], y[i], plain);
        }
    }
    decay_vector(y, (double[]){0, INFINITY, 1e9, NAN}, 0.5, 4);
    assert_true(y[0] == 1 && y[1] == 0 && y[2] == 0 && isnan(y[3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_matches_the_plain_one),
        cmocka_unit_test(softplus_matches_the_plain_one),
        cmocka_unit_test(matches_the_plain_one),
        cmocka_unit_test(extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
