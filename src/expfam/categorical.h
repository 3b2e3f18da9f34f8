/* Categorical distribution over k outcomes in natural parameters.
 * eta = ln p up to a constant, t(z) = one-hot z, E t = softmax(eta), ln Z = log-sum-exp(eta). An
 * outcome may be impossible (eta = -inf), not all of them. */
#ifndef SCDC_EXPFAM_CATEGORICAL_H
#define SCDC_EXPFAM_CATEGORICAL_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

void categorical_from_standard(double *eta, const double *p, size_t k);
void categorical_to_standard(double *p, const double *eta, size_t k);
bool categorical_in_domain(const double *eta, size_t k);
void categorical_mean_stats(double *mean, const double *eta, size_t k);
double categorical_log_partition(const double *eta, size_t k);
/* KL(q || p); infinite when q allows what p does not. */
double categorical_kl(const double *eta_q, const double *eta_p, size_t k);
size_t categorical_sample(rng *r, const double *eta, size_t k);

#endif
