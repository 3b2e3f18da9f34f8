/* Normal-inverse-Wishart in natural parameters: see niw.h. */
#include "expfam/niw.h"
#include "expfam/special.h"

#include <math.h>
#include <string.h>

void niw_from_standard(double *eta, const double *m, const double *s, niw_scalars c, size_t d)
{
    size_t n = packed_size(d);
    for (size_t i = 0; i < d; i++) eta[i] = c.kappa * m[i];
    memcpy(eta + d, s, n * sizeof *eta);
    packed_add_outer(eta + d, c.kappa, m, d);
    eta[d + n] = c.kappa;
    eta[d + n + 1] = c.nu + (double)d + 2;
}

void niw_to_standard(double *m, double *s, niw_scalars *c, const double *eta, size_t d)
{
    size_t n = packed_size(d);
    c->kappa = eta[d + n];
    c->nu = eta[d + n + 1] - (double)d - 2;
    for (size_t i = 0; i < d; i++) m[i] = eta[i] / c->kappa;
    memcpy(s, eta + d, n * sizeof *s);
    packed_add_outer(s, -c->kappa, m, d);
}

/* m, kappa, nu, and the factor L of S = L L'. */
static bool factor(double *m, double *l, niw_scalars *c, const double *eta, size_t d)
{
    niw_to_standard(m, l, c, eta, d);
    if (!(c->kappa > 0) || !isfinite(c->kappa)) return false;
    if (!(c->nu > (double)d - 1) || !isfinite(c->nu)) return false;
    /* A mean that is not finite makes S so, and the factorisation refuses it. */
    return chol_factor(l, l, d);
}

static double log_partition_of(niw_scalars c, double log_det, size_t d)
{
    double dims = (double)d;
    return 0.5 * c.nu * (dims * M_LN2 - log_det) + log_multigamma(0.5 * c.nu, d) -
           0.5 * dims * log(c.kappa);
}

bool niw_in_domain(const double *eta, size_t d, double *work)
{
    niw_scalars c;
    return factor(work, work + d, &c, eta, d);
}

double niw_log_partition(const double *eta, size_t d, double *work)
{
    niw_scalars c;
    if (!factor(work, work + d, &c, eta, d)) return NAN;
    return log_partition_of(c, chol_log_det(work + d, d), d);
}

bool niw_mean_stats(double *mean, double *log_partition, const double *eta, size_t d)
{
    double *precision = mean + d, *tail = precision + packed_size(d);
    niw_scalars c;
    if (!factor(mean, precision, &c, eta, d)) return false;
    double log_det = chol_log_det(precision, d);
    if (log_partition) *log_partition = log_partition_of(c, log_det, d);
    chol_solve(mean, precision, d); /* S^-1 m */
    tail[0] = -0.5 * ((double)d / c.kappa + c.nu * small_dot(eta, mean, d) / c.kappa);
    tail[1] = 0.5 * (multidigamma(0.5 * c.nu, d) + (double)d * M_LN2 - log_det);
    chol_inverse(precision, precision, d);
    for (size_t i = 0; i < d; i++) {
        mean[i] *= c.nu;
        for (size_t j = 0; j < i; j++) *precision++ *= -c.nu;
        *precision++ *= -0.5 * c.nu;
    }
    return true;
}

double niw_kl(const double *eta_q, const double *eta_p, size_t d, double *work)
{
    double log_p = niw_log_partition(eta_p, d, work), log_q;
    if (!niw_mean_stats(work, &log_q, eta_q, d)) return NAN;
    double kl = log_p - log_q;
    for (size_t i = 0; i < niw_size(d); i++) kl += (eta_q[i] - eta_p[i]) * work[i];
    return kl;
}

bool niw_sample(double *mu, double *sigma, rng *r, const double *eta, size_t d, double *work)
{
    double *l = work, *a = work + packed_size(d), *x = a + packed_size(d);
    niw_scalars c;
    if (!factor(mu, l, &c, eta, d)) return false;
    /* Bartlett: A A' ~ Wishart(I, nu). Then Sigma = L (A A')^-1 L' = X'X with X = A^-1 L'. */
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i; j++) a[packed_index(i, j)] = rng_normal(r);
        a[packed_index(i, i)] = sqrt(2 * rng_gamma(r, 0.5 * (c.nu - (double)i)));
    }
    /* Row j of x is column j of X: A^-1 times row j of L. */
    memset(x, 0, d * d * sizeof *x);
    for (size_t j = 0; j < d; j++) {
        memcpy(x + j * d, l + packed_index(j, 0), (j + 1) * sizeof *x);
        chol_solve_lower(x + j * d, a, d);
    }
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            sigma[packed_index(i, j)] = small_dot(x + i * d, x + j * d, d);
        }
    }
    double *noise = work; /* L is no longer needed */
    for (size_t i = 0; i < d; i++) noise[i] = rng_normal(r) / sqrt(c.kappa);
    for (size_t i = 0; i < d; i++) mu[i] += small_dot(x + i * d, noise, d);
    return true;
}

void niw_observe(double *stats, double weight, const double *t, size_t d)
{
    size_t n = d + packed_size(d);
    for (size_t i = 0; i < n; i++) stats[i] += weight * t[i];
    stats[n] += weight;
    stats[n + 1] += weight;
}
