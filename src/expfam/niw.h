/* Normal-inverse-Wishart distribution of a Gaussian's mean and covariance in natural parameters:
 * Sigma ~ inverse Wishart(S, nu), mu | Sigma ~ N(m, Sigma / kappa).
 *
 * eta (length P) = [kappa m (d); S + kappa m m' packed, each element once; kappa; nu + d + 2]
 * t(mu, Sigma)   = [Sigma^-1 mu; -1/2 Sigma^-1 packed, off-diagonal elements doubled;
 *                   -1/2 mu' Sigma^-1 mu; -1/2 ln |Sigma|]
 * The first d + d(d+1)/2 numbers of t are the natural parameters of N(mu, Sigma) (mvn.h), and
 * <t(mu, Sigma), (t(x), 1, 1)> = ln N(x; mu, Sigma) without its (2 pi)^(-d/2). The same factor is
 * left out of ln Z = nu/2 (d ln 2 - ln |S|) + ln Gamma_d(nu/2) - d/2 ln kappa.
 * Domain: S positive definite, kappa > 0, nu > d - 1. */
#ifndef SCDC_EXPFAM_NIW_H
#define SCDC_EXPFAM_NIW_H

#include "base/rng.h"
#include "expfam/smallmat.h"

typedef struct niw_scalars {
    double kappa, nu;
} niw_scalars;

/* P = d + d(d+1)/2 + 2 */
static inline size_t niw_size(size_t d)
{
    return d + packed_size(d) + 2;
}

/* s packed. */
void niw_from_standard(double *eta, const double *m, const double *s, niw_scalars c, size_t d);
/* Defined for kappa != 0; says nothing about the domain. */
void niw_to_standard(double *m, double *s, niw_scalars *c, const double *eta, size_t d);
/* work: niw_size(d) numbers, here and below. */
bool niw_in_domain(const double *eta, size_t d, double *work);
/* mean = E t(mu, Sigma), length P. log_partition may be NULL. False when outside the domain (mean
 * is then half written): one factorisation serves check, statistics and partition function. */
bool niw_mean_stats(double *mean, double *log_partition, const double *eta, size_t d);
/* NaN when outside the domain. */
double niw_log_partition(const double *eta, size_t d, double *work);
/* KL(q || p); NaN when one of them is outside the domain. */
double niw_kl(const double *eta_q, const double *eta_p, size_t d, double *work);
/* mu (d) and sigma (packed); work: 2 d^2 + d numbers. False when outside the domain. */
bool niw_sample(double *mu, double *sigma, rng *r, const double *eta, size_t d, double *work);

/* stats += weight * (t, 1, 1), where t is t(x) or E t(x) of mvn.h: what an item adds to the natural
 * parameters of its component. */
void niw_observe(double *stats, double weight, const double *t, size_t d);

#endif
