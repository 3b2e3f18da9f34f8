/* Multivariate normal in natural parameters: see mvn.h. */
#include "expfam/mvn.h"

#include <math.h>
#include <string.h>

void mvn_stats(double *t, const double *x, size_t d)
{
    memcpy(t, x, d * sizeof *t);
    double *product = t + d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) *product++ = x[i] * x[j];
    }
}

void mvn_precision(double *j, const double *eta, size_t d)
{
    const double *half = eta + d;
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < i; k++) *j++ = -*half++;
        *j++ = -2 * *half++;
    }
}

bool mvn_from_standard(double *eta, const double *mu, const double *sigma, size_t d)
{
    double *j = eta + d;
    if (!chol_factor(j, sigma, d)) return false;
    memcpy(eta, mu, d * sizeof *eta);
    chol_solve(eta, j, d);
    chol_inverse(j, j, d);
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < i; k++) *j++ *= -1;
        *j++ *= -0.5;
    }
    return true;
}

bool mvn_to_standard(double *mu, double *sigma, const double *eta, size_t d)
{
    mvn_precision(sigma, eta, d);
    if (!chol_factor(sigma, sigma, d)) return false;
    memcpy(mu, eta, d * sizeof *mu);
    chol_solve(mu, sigma, d);
    chol_inverse(sigma, sigma, d);
    return true;
}

bool mvn_in_domain(const double *eta, size_t d, double *work)
{
    for (size_t i = 0; i < d; i++) {
        if (!isfinite(eta[i])) return false;
    }
    mvn_precision(work, eta, d);
    return chol_factor(work, work, d);
}

bool mvn_mean_stats(double *mean, double *log_partition, const double *eta, size_t d)
{
    double *sigma = mean + d;
    mvn_precision(sigma, eta, d);
    if (!chol_factor(sigma, sigma, d)) return false;
    memcpy(mean, eta, d * sizeof *mean);
    chol_solve(mean, sigma, d);
    if (log_partition) {
        *log_partition = 0.5 * (small_dot(eta, mean, d) - chol_log_det(sigma, d));
    }
    chol_inverse(sigma, sigma, d);
    packed_add_outer(sigma, 1, mean, d);
    return true;
}

double mvn_log_partition(const double *eta, size_t d, double *work)
{
    double *l = work + d;
    mvn_precision(l, eta, d);
    if (!chol_factor(l, l, d)) return NAN;
    memcpy(work, eta, d * sizeof *work);
    chol_solve_lower(work, l, d);
    return 0.5 * (small_dot(work, work, d) - chol_log_det(l, d));
}

double mvn_kl(const double *eta_q, const double *eta_p, size_t d, double *work)
{
    double log_p = mvn_log_partition(eta_p, d, work), log_q;
    if (!mvn_mean_stats(work, &log_q, eta_q, d)) return NAN;
    double kl = log_p - log_q;
    for (size_t i = 0; i < mvn_size(d); i++) kl += (eta_q[i] - eta_p[i]) * work[i];
    return kl;
}

bool mvn_sample(double *x, rng *r, const double *eta, size_t d, double *work)
{
    mvn_precision(work, eta, d);
    if (!chol_factor(work, work, d)) return false;
    /* L^-T (L^-1 h + noise) = mu + L^-T noise: one backward solve for both. */
    memcpy(x, eta, d * sizeof *x);
    chol_solve_lower(x, work, d);
    for (size_t i = 0; i < d; i++) x[i] += rng_normal(r);
    chol_solve_upper(x, work, d);
    return true;
}
