/* Multivariate normal and normal-inverse-Wishart: densities and divergences against scipy, mean
 * statistics against differences of the log partition function, integrals in one dimension, draws
 * by their moments. */
#include "expfam/mvn.h"
#include "expfam/niw.h"
#include "golden/expfam.h"
#include "support/check.h"

enum { D = 3, T = 9, P = 11 };

static void mvn_pair(double q[T], double p[T])
{
    assert_true(mvn_from_standard(q, golden_mvn_mu, golden_mvn_sigma, D));
    assert_true(mvn_from_standard(p, golden_mvn_mu + D, golden_mvn_sigma + 6, D));
}

static void niw_pair(double q[P], double p[P])
{
    const double *s = golden_niw_scalars;
    niw_from_standard(q, golden_mvn_mu, golden_mvn_sigma, (niw_scalars){s[0], s[1]}, D);
    niw_from_standard(p, golden_mvn_mu + D, golden_mvn_sigma + 6, (niw_scalars){s[2], s[3]}, D);
}

static void mvn_matches(void **state)
{
    (void)state;
    double q[T], p[T], t[T], work[T], mu[D], sigma[6], mean[T];
    mvn_pair(q, p);
    mvn_stats(t, golden_mvn_x, D);
    double density = small_dot(q, t, T) - mvn_log_partition(q, D, work) - 0.5 * D * log(2 * M_PI);
    assert_near(density, golden_mvn_log_density, 1e-12);
    assert_near(mvn_kl(q, p, D, work), golden_mvn_kl, 1e-12);
    assert_close(mvn_kl(p, p, D, work), 0, 1e-14);
    assert_true(mvn_to_standard(mu, sigma, q, D));
    assert_true(mvn_mean_stats(mean, NULL, q, D));
    for (size_t i = 0; i < D; i++) {
        assert_close(mu[i], golden_mvn_mu[i], 1e-12);
        assert_close(mean[i], mu[i], 1e-14);
        for (size_t j = 0; j <= i; j++) {
            size_t at = packed_index(i, j);
            assert_close(sigma[at], golden_mvn_sigma[at], 1e-12);
            assert_close(mean[D + at], sigma[at] + mu[i] * mu[j], 1e-12);
        }
    }
}

static void niw_matches(void **state)
{
    (void)state;
    double q[P], p[P], work[P], m[D], s[6], l[6], h[D], t[P];
    niw_pair(q, p);
    assert_near(niw_kl(q, p, D, work), golden_niw_kl, 1e-12);
    assert_close(niw_kl(q, q, D, work), 0, 1e-13);
    niw_scalars c;
    niw_to_standard(m, s, &c, q, D);
    assert_close(c.kappa, golden_niw_scalars[0], 0);
    assert_close(c.nu, golden_niw_scalars[1], 1e-14);
    for (int i = 0; i < D; i++) assert_close(m[i], golden_mvn_mu[i], 1e-14);
    for (int i = 0; i < 6; i++) assert_close(s[i], golden_mvn_sigma[i], 1e-13);
    /* t(mu, Sigma): the natural parameters of the Gaussian, then minus its two partition terms. */
    assert_true(mvn_from_standard(t, golden_niw_mu, golden_niw_sigma, D));
    assert_true(chol_factor(l, golden_niw_sigma, D));
    memcpy(h, golden_niw_mu, sizeof h);
    chol_solve(h, l, D);
    t[9] = -0.5 * small_dot(h, golden_niw_mu, D);
    t[10] = -0.5 * chol_log_det(l, D);
    double density = small_dot(q, t, P) - niw_log_partition(q, D, work) - 0.5 * D * log(2 * M_PI);
    assert_near(density, golden_niw_log_density, 1e-12);
}

typedef double (*partition)(const double *eta, size_t d, double *work);

static void check_gradient(double *eta, const double *mean, size_t n, partition log_partition)
{
    double work[P];
    for (size_t i = 0; i < n; i++) {
        double at = eta[i], step = 2e-5 * fmax(fabs(at), 0.1);
        eta[i] = at + step;
        double above = log_partition(eta, D, work);
        eta[i] = at - step;
        double below = log_partition(eta, D, work);
        eta[i] = at;
        assert_near((above - below) / (2 * step), mean[i], 2e-8);
    }
}

static void means_are_gradients_of_partitions(void **state)
{
    (void)state;
    double q[P], p[P], mean[P], work[P], log_partition;
    mvn_pair(q, p);
    assert_true(mvn_mean_stats(mean, &log_partition, p, D));
    assert_close(log_partition, mvn_log_partition(p, D, work), 1e-12);
    check_gradient(p, mean, T, mvn_log_partition);
    niw_pair(q, p);
    assert_true(niw_mean_stats(mean, &log_partition, q, D));
    assert_close(log_partition, niw_log_partition(q, D, work), 1e-12);
    check_gradient(q, mean, P, niw_log_partition);
}

/* With d = 1 the base measure and the kernel integrate to (2 pi)^(1/2) Z, over mu and ln Sigma. */
static void niw_integral(void **state)
{
    (void)state;
    double m = 0.7, s = 2.5, eta[4], mean[4], log_partition, sums[5] = {0};
    niw_from_standard(eta, &m, &s, (niw_scalars){1.5, 4.2}, 1);
    assert_true(niw_mean_stats(mean, &log_partition, eta, 1));
    double h = 0.02;
    for (double u = -6; u < 12; u += h) {
        double variance = exp(u), reach = 9 * sqrt(variance / 1.5);
        for (double mu = m - reach; mu < m + reach; mu += h * reach / 2) {
            double t[] = {mu / variance, -0.5 / variance, -0.5 * mu * mu / variance, -0.5 * u};
            double weight = exp(small_dot(eta, t, 4)) * h * (h * reach / 2) * variance;
            sums[4] += weight;
            for (int i = 0; i < 4; i++) sums[i] += weight * t[i];
        }
    }
    assert_close(log(sums[4]), log_partition + 0.5 * log(2 * M_PI), 1e-8);
    for (int i = 0; i < 4; i++) assert_close(sums[i] / sums[4], mean[i], 1e-6);
}

static void mvn_draws_have_their_moments(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    double q[T], p[T], mean[T], got[T] = {0}, x[D], t[T], work[T];
    mvn_pair(q, p);
    assert_true(mvn_mean_stats(mean, NULL, q, D));
    rng r;
    rng_init(&r, 3, RNG_TEST, 0, 0);
    double squares[T] = {0};
    for (int n = 0; n < DRAWS; n++) {
        assert_true(mvn_sample(x, &r, q, D, work));
        mvn_stats(t, x, D);
        for (int i = 0; i < T; i++) {
            got[i] += t[i] / DRAWS;
            squares[i] += (t[i] - mean[i]) * (t[i] - mean[i]) / DRAWS;
        }
    }
    for (int i = 0; i < T; i++) assert_close(got[i], mean[i], 5 * sqrt(squares[i] / DRAWS));
}

/* Draws have the expected statistics, and the mean log ratio of two densities is the divergence. */
static void niw_draws_have_their_moments(void **state)
{
    (void)state;
    enum { DRAWS = 50000 };
    double q[P], p[P], mean[P], got[P] = {0}, squares[P] = {0}, work[2 * D * D + D];
    niw_pair(q, p);
    assert_true(niw_mean_stats(mean, NULL, q, D));
    double kl = 0, kl_squares = 0, expected = niw_kl(q, p, D, work);
    double constant = niw_log_partition(p, D, work) - niw_log_partition(q, D, work);
    rng r;
    rng_init(&r, 4, RNG_TEST, 0, 0);
    for (int n = 0; n < DRAWS; n++) {
        double mu[D], sigma[6], t[P];
        assert_true(niw_sample(mu, sigma, &r, q, D, work));
        assert_true(mvn_from_standard(t, mu, sigma, D));
        assert_true(chol_factor(sigma, sigma, D));
        t[9] = -0.5 * small_dot(t, mu, D);
        t[10] = -0.5 * chol_log_det(sigma, D);
        double ratio = constant + small_dot(q, t, P) - small_dot(p, t, P);
        kl += ratio / DRAWS;
        kl_squares += (ratio - expected) * (ratio - expected) / DRAWS;
        for (int i = 0; i < P; i++) {
            got[i] += t[i] / DRAWS;
            squares[i] += (t[i] - mean[i]) * (t[i] - mean[i]) / DRAWS;
        }
    }
    for (int i = 0; i < P; i++) assert_close(got[i], mean[i], 5 * sqrt(squares[i] / DRAWS));
    assert_close(kl, expected, 5 * sqrt(kl_squares / DRAWS));
}

static void divergences_are_positive(void **state)
{
    (void)state;
    rng r;
    rng_init(&r, 5, RNG_TEST, 0, 0);
    for (int n = 0; n < 200; n++) {
        double eta[2][P], gauss[2][T], work[P];
        for (int side = 0; side < 2; side++) {
            double m[D], s[6];
            packed_identity(s, 0.3, D);
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < D; j++) m[j] = rng_normal(&r);
                packed_add_outer(s, 1, m, D);
            }
            niw_scalars c = {rng_gamma(&r, 1) + 0.01, D - 0.9 + rng_gamma(&r, 2)};
            niw_from_standard(eta[side], m, s, c, D);
            assert_true(mvn_from_standard(gauss[side], m, s, D));
        }
        assert_true(niw_kl(eta[0], eta[1], D, work) > 0);
        assert_true(mvn_kl(gauss[0], gauss[1], D, work) > 0);
    }
}

/* (t(x), 1, 1) added to the natural parameters is the textbook posterior of one observation. */
static void observing_is_the_conjugate_update(void **state)
{
    (void)state;
    double q[P], p[P], t[T], m[D], s[6], expected[6];
    niw_pair(q, p);
    mvn_stats(t, golden_mvn_x, D);
    niw_observe(q, 1, t, D);
    niw_scalars c;
    niw_to_standard(m, s, &c, q, D);
    double kappa = golden_niw_scalars[0], off[D];
    assert_close(c.kappa, kappa + 1, 1e-14);
    assert_close(c.nu, golden_niw_scalars[1] + 1, 1e-14);
    memcpy(expected, golden_mvn_sigma, sizeof expected);
    for (int i = 0; i < D; i++) off[i] = golden_mvn_x[i] - golden_mvn_mu[i];
    packed_add_outer(expected, kappa / (kappa + 1), off, D);
    for (int i = 0; i < D; i++) {
        assert_close(m[i], (kappa * golden_mvn_mu[i] + golden_mvn_x[i]) / (kappa + 1), 1e-14);
    }
    for (int i = 0; i < 6; i++) assert_close(s[i], expected[i], 1e-13);
}

static void domains_are_told(void **state)
{
    (void)state;
    double good[P], other[P], work[P], bad[P];
    niw_pair(good, other);
    assert_true(niw_in_domain(good, D, work));
    const struct {
        size_t at;
        double value;
    } spoil[] = {{0, 1e6},    {3, -1},   {9, 0},   {9, -1},
                 {10, 2 + 5}, {10, NAN}, {0, NAN}, {9, INFINITY}};
    for (size_t i = 0; i < sizeof spoil / sizeof *spoil; i++) {
        memcpy(bad, good, sizeof bad);
        bad[spoil[i].at] = spoil[i].value;
        double mean[P];
        assert_false(niw_in_domain(bad, D, work));
        assert_false(niw_mean_stats(mean, NULL, bad, D));
        assert_true(isnan(niw_log_partition(bad, D, work)));
        assert_true(isnan(niw_kl(bad, good, D, work)) && isnan(niw_kl(good, bad, D, work)));
    }
    mvn_pair(good, other);
    assert_true(mvn_in_domain(good, D, work));
    memcpy(bad, good, sizeof bad);
    bad[D] = 0.1; /* J(0,0) = -0.2 */
    assert_false(mvn_in_domain(bad, D, work));
    assert_true(isnan(mvn_kl(bad, good, D, work)) && isnan(mvn_kl(good, bad, D, work)));
    memcpy(bad, good, sizeof bad);
    bad[0] = NAN;
    assert_false(mvn_in_domain(bad, D, work));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mvn_matches),
        cmocka_unit_test(niw_matches),
        cmocka_unit_test(means_are_gradients_of_partitions),
        cmocka_unit_test(niw_integral),
        cmocka_unit_test(mvn_draws_have_their_moments),
        cmocka_unit_test(niw_draws_have_their_moments),
        cmocka_unit_test(divergences_are_positive),
        cmocka_unit_test(observing_is_the_conjugate_update),
        cmocka_unit_test(domains_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
