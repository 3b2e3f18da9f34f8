/* Gaussian mixtures: likelihoods in closed form of each family, planted groups, parameters. */
#include "base/rng.h"
#include "mixture/mixture.h"
#include "support/check.h"

enum { N = 300, D = 3 };

/* Group g lies at 20 g in every column; columns have their own widths. */
static void plant(float *x, size_t groups)
{
    for (size_t i = 0; i < N; i++) {
        rng r;
        rng_init(&r, 3, RNG_TEST, 0, i);
        for (size_t d = 0; d < D; d++) {
            x[i * D + d] = (float)(20 * (double)(i % groups) + (1 + (double)d) * rng_normal(&r));
        }
    }
}

static const mixture_options HOW = {.iterations = 100, .tolerance = 1e-9, .floor = 1e-9, .seed = 1};

static double likelihood(const float *x, mixture_family family, size_t k)
{
    double share[N * 4];
    mixture m;
    mixture_report report;
    assert_ok(mixture_create(&m, family, k, D));
    assert_ok(mixture_fit(&m, share, &report, x, N, &HOW));
    mixture_free(&m);
    return report.log_likelihood;
}

/* Covariance of all items around their mean (divided by N). */
static void covariance(double s[D][D], const float *x)
{
    double mean[D] = {0};
    memset(s, 0, D * D * sizeof(double));
    for (size_t i = 0; i < N * D; i++) mean[i % D] += (double)x[i] / N;
    for (size_t i = 0; i < N; i++) {
        for (size_t a = 0; a < D; a++) {
            for (size_t b = 0; b < D; b++) {
                s[a][b] += ((double)x[i * D + a] - mean[a]) * ((double)x[i * D + b] - mean[b]) / N;
            }
        }
    }
}

static void one_component_has_its_closed_form(void **state)
{
    (void)state;
    float x[N * D];
    double s[D][D];
    plant(x, 1);
    covariance(s, x);
    double full = s[0][0] * (s[1][1] * s[2][2] - s[1][2] * s[2][1]) -
                  s[0][1] * (s[1][0] * s[2][2] - s[1][2] * s[2][0]) +
                  s[0][2] * (s[1][0] * s[2][1] - s[1][1] * s[2][0]);
    double diagonal = s[0][0] * s[1][1] * s[2][2];
    double mean = (s[0][0] + s[1][1] + s[2][2]) / 3;
    double constant = -.5 * N * D * (log(2 * M_PI) + 1);
    assert_near(likelihood(x, MIXTURE_FULL, 1), constant - .5 * N * log(full), 1e-6);
    assert_near(likelihood(x, MIXTURE_TIED, 1), constant - .5 * N * log(full), 1e-6);
    assert_near(likelihood(x, MIXTURE_DIAGONAL, 1), constant - .5 * N * log(diagonal), 1e-6);
    assert_near(likelihood(x, MIXTURE_SPHERICAL, 1), constant - .5 * N * 3 * log(mean), 1e-6);
}

static void planted_groups_are_found_by_every_family(void **state)
{
    (void)state;
    float x[N * D];
    plant(x, 3);
    for (int family = 0; family < MIXTURE_FAMILIES; family++) {
        double share[N * 3];
        uint32_t component[N];
        mixture m;
        mixture_report report;
        assert_ok(mixture_create(&m, (mixture_family)family, 3, D));
        assert_ok(mixture_fit(&m, share, &report, x, N, &HOW));
        assert_ok(mixture_assign(component, &m, x, N));
        assert_true(report.converged);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(component[i], component[i % 3]);
            assert_close(share[i * 3 + component[i]], 1, 1e-6);
        }
        assert_true(component[0] != component[1] && component[1] != component[2]);
        mixture_free(&m);
    }
}

static double sum(const double *values)
{
    double total = 0;
    for (size_t i = 0; i < N; i++) total += values[i];
    return total;
}

static void densities_add_up_to_the_likelihood(void **state)
{
    (void)state;
    float x[N * D];
    plant(x, 3);
    for (int family = 0; family < MIXTURE_FAMILIES; family++) {
        double share[N * 3], density[N];
        mixture m;
        mixture_report report;
        assert_ok(mixture_create(&m, (mixture_family)family, 3, D));
        assert_ok(mixture_fit(&m, share, &report, x, N, &HOW));
        assert_ok(mixture_densities(density, &m, x, N));
        assert_near(sum(density), report.log_likelihood, 1e-6);
        mixture_free(&m);
    }
}

static void parameters_are_counted(void **state)
{
    (void)state;
    /* proportions 3, means 4 x 3, and 4 x 6, 6, 4 x 3 or 4 */
    const double expected[MIXTURE_FAMILIES] = {39, 21, 27, 19};
    for (int family = 0; family < MIXTURE_FAMILIES; family++) {
        mixture m;
        assert_ok(mixture_create(&m, (mixture_family)family, 4, D));
        assert_close(mixture_parameters(&m), expected[family], 0);
        mixture_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_component_has_its_closed_form),
        cmocka_unit_test(planted_groups_are_found_by_every_family),
        cmocka_unit_test(densities_add_up_to_the_likelihood),
        cmocka_unit_test(parameters_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
