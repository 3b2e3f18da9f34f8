/* Special functions against mpmath, and the quantiles of Beta against its distribution function. */
#include "base/rng.h"
#include "expfam/special.h"
#include "golden/expfam.h"
#include "support/check.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* Relative to |b| alone, however small. */
#define assert_relative(a, b, tolerance) assert_close(a, b, (tolerance)*fabs(b))

static void gamma_functions_match(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(golden_gamma); i++) {
        const double *row = golden_gamma[i];
        /* Near its zero at 1.4616 digamma is a difference of larger numbers. */
        assert_close(digamma(row[0]), row[1], 1e-15 * fmax(fabs(row[1]), 1));
        assert_relative(trigamma(row[0]), row[2], 1e-15);
        assert_relative(log_gamma(row[0]), row[3], 1e-15);
        if (row[0] >= 10) {
            double x = row[0];
            double plain = (x - 0.5) * log(x) - x + 0.5 * log(2 * M_PI);
            assert_close(plain + stirling_rest(x), row[3], 1e-15 * plain);
        }
    }
}

static void beta_and_multivariate_forms_match(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(golden_log_beta); i++) {
        const double *row = golden_log_beta[i];
        assert_near(log_beta(row[0], row[1]), row[2], 1e-12);
    }
    for (size_t i = 0; i < ROWS(golden_multi); i++) {
        const double *row = golden_multi[i];
        assert_relative(log_multigamma(row[0], (size_t)row[1]), row[2], 1e-12);
        assert_relative(multidigamma(row[0], (size_t)row[1]), row[3], 1e-12);
    }
}

static void outside_the_domain_is_nan(void **state)
{
    (void)state;
    double bad[] = {0, -1, -2.5, NAN, -INFINITY};
    for (int i = 0; i < 5; i++) {
        assert_true(isnan(digamma(bad[i])) && isnan(trigamma(bad[i])) && isnan(log_gamma(bad[i])));
        assert_true(isnan(log_beta(bad[i], 1)) && isnan(log_beta(1, bad[i])));
        assert_true(isnan(beta_distribution(0.5, bad[i], 1)) &&
                    isnan(beta_quantile(0.5, 1, bad[i])));
    }
    assert_true(isnan(beta_distribution(NAN, 1, 1)) && isnan(beta_quantile(NAN, 1, 1)));
    assert_true(isnan(log_multigamma(3.5, 8)));
}

static void distribution_function_matches(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(golden_incbeta); i++) {
        const double *row = golden_incbeta[i];
        /* The exponent is a product of the parameters and their rounding errors. */
        double tolerance = fmax(row[0], row[1]) < 1e6 ? 1e-13 : 1e-11;
        assert_close(beta_distribution(row[2], row[0], row[1]), row[3],
                     tolerance * fmax(row[3], 0.05));
    }
    assert_true(beta_distribution(0, 2, 3) == 0 && beta_distribution(-1, 2, 3) == 0);
    assert_true(beta_distribution(1, 2, 3) == 1 && beta_distribution(2, 2, 3) == 1);
}

static void quantiles_match(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(golden_quantile); i++) {
        const double *row = golden_quantile[i];
        double got = beta_quantile(row[2], row[0], row[1]);
        assert_relative(got, row[3], 1e-10);
        /* Above one half what counts is the distance from 1. */
        assert_close(1 - got, 1 - row[3], 1e-10 * (1 - row[3]) + 2e-16);
    }
    assert_true(beta_quantile(0, 2, 3) == 0 && beta_quantile(1, 2, 3) == 1);
}

static void quantiles_of_workers_match(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(golden_worker_quantile); i++) {
        const double *row = golden_worker_quantile[i];
        assert_relative(beta_quantile(0.025, row[0], row[1]), row[2], 1e-10);
        assert_relative(beta_quantile(0.975, row[0], row[1]), row[3], 1e-10);
    }
}

/* A search that ends on its own bracket must not leave it: seen in one of 240 random pairs. */
static void quantiles_of_many_pairs_return(void **state)
{
    (void)state;
    rng r;
    rng_init(&r, 7, RNG_TEST, 0, 0);
    for (int i = 0; i < 100000; i++) {
        double a = exp(8 * rng_uniform(&r)), b = exp(8 * rng_uniform(&r));
        double p = i % 2 ? 0.975 : 0.025;
        assert_close(beta_distribution(beta_quantile(p, a, b), a, b), p, 1e-11);
    }
}

/* Any parameters from 1e-8 to 1e8: the quantile lies in [0, 1], grows with p, and the distribution
 * function there is p unless the true quantile is nearer to an end than a double can say. */
static void quantiles_are_robust(void **state)
{
    (void)state;
    for (double a = 1e-8; a < 2e8; a *= 46) {
        for (double b = 1e-8; b < 2e8; b *= 46) {
            double before = 0;
            for (double p = 0.025; p < 1; p += 0.095) {
                double x = beta_quantile(p, a, b);
                assert_true(x >= before && x <= 1);
                before = x;
                if (x > 1e-290 && x < 1 - 1e-7) assert_close(beta_distribution(x, a, b), p, 2e-8);
                if (x > 1e-290 && x < 0.9) assert_close(beta_distribution(x, a, b), p, 1e-11);
            }
        }
    }
}

/* Of any size they end, lie in order around the mean, and meet the exact ones where those end. */
static void large_parameters_end(void **state)
{
    static const double sizes[] = {1e11, 1e15, 1e100, 1e300, 1e308};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int k = 0; k < 3; k++) {
            double a = k == 1 ? 1 : sizes[i], b = k == 2 ? 1 : sizes[i];
            double low = beta_quantile(0.025, a, b), high = beta_quantile(0.975, a, b);
            assert_true(low >= 0 && low <= high && high <= 1);
            assert_close(0.5 * (low + high), k == 0 ? 0.5 : k == 1 ? 0 : 1, 1e-5);
        }
    }
    double exact = beta_quantile(0.975, 9.9e9, 9.9e9),
           above = beta_quantile(0.975, 1.01e10, 1.01e10);
    assert_close((exact - 0.5) / (above - 0.5), sqrt(1.01 / 0.99), 1e-6);
    assert_close(beta_distribution(exact, 9.9e9, 9.9e9), 0.975, 1e-9);
    assert_close(beta_distribution(above, 1.01e10, 1.01e10), 0.975, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gamma_functions_match),
        cmocka_unit_test(beta_and_multivariate_forms_match),
        cmocka_unit_test(outside_the_domain_is_nan),
        cmocka_unit_test(distribution_function_matches),
        cmocka_unit_test(quantiles_match),
        cmocka_unit_test(large_parameters_end),
        cmocka_unit_test(quantiles_of_workers_match),
        cmocka_unit_test(quantiles_of_many_pairs_return),
        cmocka_unit_test(quantiles_are_robust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
