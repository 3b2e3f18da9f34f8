/* Dirichlet distribution over k proportions in natural parameters.
 * eta_i = alpha_i - 1, t(pi) = ln pi, E t = psi(alpha_i) - psi(sum alpha),
 * ln Z = sum ln Gamma(alpha_i) - ln Gamma(sum alpha). */
#ifndef SCDC_EXPFAM_DIRICHLET_H
#define SCDC_EXPFAM_DIRICHLET_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

void dirichlet_from_standard(double *eta, const double *alpha, size_t k);
void dirichlet_to_standard(double *alpha, const double *eta, size_t k);
bool dirichlet_in_domain(const double *eta, size_t k);
void dirichlet_mean_stats(double *mean, const double *eta, size_t k);
double dirichlet_log_partition(const double *eta, size_t k);
/* KL(q || p) */
double dirichlet_kl(const double *eta_q, const double *eta_p, size_t k);
void dirichlet_sample(double *pi, rng *r, const double *eta, size_t k);

#endif
