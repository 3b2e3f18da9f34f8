/* Dirichlet, Beta and categorical: densities and divergences against scipy, mean statistics
 * against differences of the log partition function, draws by their moments. */
#include "base/numeric.h"
#include "expfam/beta.h"
#include "expfam/categorical.h"
#include "expfam/dirichlet.h"
#include "golden/expfam.h"
#include "support/check.h"

static void dirichlet_matches(void **state)
{
    (void)state;
    double q[4], p[4], back[4], density;
    dirichlet_from_standard(q, golden_dirichlet_q, 4);
    dirichlet_from_standard(p, golden_dirichlet_p, 4);
    dirichlet_to_standard(back, q, 4);
    for (int i = 0; i < 4; i++) assert_close(back[i], golden_dirichlet_q[i], 1e-15);
    density = -dirichlet_log_partition(q, 4);
    for (int i = 0; i < 4; i++) density += q[i] * log(golden_dirichlet_pi[i]);
    assert_near(density, golden_dirichlet_log_density, 1e-12);
    assert_near(dirichlet_kl(q, p, 4), golden_dirichlet_kl, 1e-12);
    assert_true(dirichlet_kl(q, q, 4) == 0);
}

static void dirichlet_mean_is_the_gradient_of_its_partition(void **state)
{
    (void)state;
    double eta[4], mean[4];
    dirichlet_from_standard(eta, golden_dirichlet_q, 4);
    dirichlet_mean_stats(mean, eta, 4);
    for (int i = 0; i < 4; i++) {
        double step = 1e-5 * (eta[i] + 1), at = eta[i];
        eta[i] = at + step;
        double above = dirichlet_log_partition(eta, 4);
        eta[i] = at - step;
        double below = dirichlet_log_partition(eta, 4);
        eta[i] = at;
        assert_near((above - below) / (2 * step), mean[i], 1e-8);
    }
}

static void dirichlet_draws_have_their_moments(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    double alpha[] = {0.02, 2, 5}, eta[3], mean[3] = {0}, log_mean[3] = {0}, pi[3];
    dirichlet_from_standard(eta, alpha, 3);
    rng r;
    rng_init(&r, 7, RNG_TEST, 0, 0);
    for (int n = 0; n < DRAWS; n++) {
        dirichlet_sample(pi, &r, eta, 3);
        assert_close(pi[0] + pi[1] + pi[2], 1, 1e-14);
        for (int i = 0; i < 3; i++) mean[i] += pi[i] / DRAWS;
        for (int i = 1; i < 3; i++) log_mean[i] += log(pi[i]) / DRAWS;
    }
    for (int i = 0; i < 3; i++) {
        double expected = alpha[i] / 7.02, variance = expected * (1 - expected) / 8.02;
        assert_close(mean[i], expected, 5 * sqrt(variance / DRAWS));
    }
    double stats[3];
    dirichlet_mean_stats(stats, eta, 3);
    for (int i = 1; i < 3; i++) assert_close(log_mean[i], stats[i], 5 * sqrt(1.0 / DRAWS));
    /* All alphas so small that plain gamma draws would underflow to 0/0. */
    double tiny[] = {1e-6 - 1, 1e-6 - 1, 1e-6 - 1};
    dirichlet_sample(pi, &r, tiny, 3);
    assert_close(pi[0] + pi[1] + pi[2], 1, 1e-14);
}

static void beta_matches(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_beta / sizeof *golden_beta; i++) {
        const double *row = golden_beta[i];
        double q[2], p[2], tau[2], mean[2];
        beta_from_standard(q, row);
        beta_from_standard(p, row + 2);
        beta_to_standard(tau, q);
        assert_close(tau[0], row[0], 1e-13);
        assert_close(tau[1], row[1], 1e-13);
        assert_near(beta_kl(q, p), row[4], 1e-11);
        assert_true(beta_kl(q, q) == 0);
        assert_near(q[0] * log(0.3) + q[1] * log(0.7) - beta_log_partition(q), row[5], 1e-11);
        /* The same numbers as the Dirichlet with two proportions. */
        double other[2];
        beta_mean_stats(mean, q);
        dirichlet_mean_stats(other, q, 2);
        assert_close(mean[0], other[0], 1e-14 * fabs(other[0]));
        assert_close(mean[1], other[1], 1e-14 * fabs(other[1]));
    }
}

/* Partition function, mean statistics and divergence are integrals over (0, 1): midpoints in the
 * logit, where the integrand falls off fast at both ends. */
static void beta_integrals(void **state)
{
    (void)state;
    double q[] = {1.5, -0.25}, p[] = {0.2, 3}, mass = 0, first = 0, kl = 0, mean[2];
    beta_mean_stats(mean, q);
    double log_q = beta_log_partition(q), log_p = beta_log_partition(p), step = 1e-2;
    for (double u = -60 + step / 2; u < 60; u += step) {
        double ln_x = -log1p(exp(-u)), ln_y = -log1p(exp(u));
        double weight = exp((q[0] + 1) * ln_x + (q[1] + 1) * ln_y) * step;
        mass += weight;
        first += weight * ln_x;
        kl += weight * ((q[0] - p[0]) * ln_x + (q[1] - p[1]) * ln_y - log_q + log_p);
    }
    assert_close(log(mass), log_q, 1e-10);
    assert_close(first / mass, mean[0], 1e-10);
    assert_close(kl / mass, beta_kl(q, p), 1e-10);
    assert_true(beta_kl(q, p) > 0 && beta_kl(p, q) > 0);
}

static void beta_intervals_hold_their_mass(void **state)
{
    (void)state;
    enum { DRAWS = 50000 };
    double eta[] = {29, 4}, ends[2], mean = 0;
    beta_interval(ends, eta, 0.95);
    rng r;
    rng_init(&r, 8, RNG_TEST, 0, 0);
    int below = 0, above = 0;
    for (int n = 0; n < DRAWS; n++) {
        double x = beta_sample(&r, eta);
        mean += x / DRAWS;
        below += x < ends[0];
        above += x > ends[1];
    }
    double error = 5 * sqrt(0.025 * 0.975 / DRAWS);
    assert_close((double)below / DRAWS, 0.025, error);
    assert_close((double)above / DRAWS, 0.025, error);
    assert_close(mean, 30.0 / 35, 5 * sqrt(30.0 * 5 / 35 / 35 / 36 / DRAWS));
}

static void categorical_matches(void **state)
{
    (void)state;
    const double *q = golden_categorical_eta, *p = golden_categorical_eta + 5;
    assert_near(categorical_kl(q, p, 5), golden_categorical_kl, 1e-12);
    assert_true(categorical_kl(q, q, 5) == 0);
    assert_true(categorical_kl(p, q, 5) > 0);
    double mean[5], standard[5], back[5];
    categorical_mean_stats(mean, p, 5);
    categorical_to_standard(standard, p, 5);
    categorical_from_standard(back, standard, 5);
    for (int i = 0; i < 5; i++) {
        double eta[5], step = 1e-5;
        memcpy(eta, p, sizeof eta);
        eta[i] += step;
        double above = categorical_log_partition(eta, 5);
        eta[i] -= 2 * step;
        assert_near((above - categorical_log_partition(eta, 5)) / (2 * step), mean[i], 1e-9);
        assert_close(back[i] + categorical_log_partition(p, 5), p[i], 1e-13);
    }
    /* What q never does costs nothing; what p cannot do costs everything. */
    double none[] = {0, -INFINITY}, both[] = {0, 0};
    assert_close(categorical_kl(none, both, 2), log(2), 1e-15);
    assert_true(categorical_kl(both, none, 2) == INFINITY);
}

static void categorical_draws_by_weight(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    double eta[] = {700, -INFINITY, 700 + log(3), 0};
    int seen[4] = {0};
    rng r;
    rng_init(&r, 9, RNG_TEST, 0, 0);
    for (int n = 0; n < DRAWS; n++) seen[categorical_sample(&r, eta, 4)]++;
    assert_close(seen[0], DRAWS * 0.25, 5 * sqrt(DRAWS * 0.1875));
    assert_int_equal(seen[1] + seen[3], 0);
}

static void domains_are_told(void **state)
{
    (void)state;
    double bad[] = {-1, -3, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        double eta[] = {0.5, bad[i]};
        assert_false(dirichlet_in_domain(eta, 2));
        assert_false(beta_in_domain(eta));
    }
    double fine[] = {-0.999, 1e8};
    assert_true(dirichlet_in_domain(fine, 2) && beta_in_domain(fine));
    double half[] = {-INFINITY, 3}, none[] = {-INFINITY, -INFINITY}, nan[] = {0, NAN},
           infinite[] = {0, INFINITY};
    assert_true(categorical_in_domain(half, 2));
    assert_false(categorical_in_domain(none, 2) || categorical_in_domain(nan, 2) ||
                 categorical_in_domain(infinite, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dirichlet_matches),
        cmocka_unit_test(dirichlet_mean_is_the_gradient_of_its_partition),
        cmocka_unit_test(dirichlet_draws_have_their_moments),
        cmocka_unit_test(beta_matches),
        cmocka_unit_test(beta_integrals),
        cmocka_unit_test(beta_intervals_hold_their_mass),
        cmocka_unit_test(categorical_matches),
        cmocka_unit_test(categorical_draws_by_weight),
        cmocka_unit_test(domains_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
