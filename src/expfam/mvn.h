/* Multivariate normal N(mu, J^-1) of d values in natural parameters.
 *
 * eta = [h = J mu (d); -1/2 J packed, off-diagonal elements doubled], t(x) = [x; x x' packed, each
 * product once], so <eta, t(x)> is a plain dot product. The base measure (2 pi)^(-d/2) is left
 * out: ln Z = 1/2 (mu' J mu - ln |J|). Packed as in smallmat.h. */
#ifndef SCDC_EXPFAM_MVN_H
#define SCDC_EXPFAM_MVN_H

#include "base/rng.h"
#include "expfam/smallmat.h"

/* Length of eta and of t(x): d + d(d+1)/2. */
static inline size_t mvn_size(size_t d)
{
    return d + packed_size(d);
}

/* t(x) */
void mvn_stats(double *t, const double *x, size_t d);
/* J (packed, each element once) of the second part of eta. */
void mvn_precision(double *j, const double *eta, size_t d);
/* sigma packed. False when sigma is not positive definite. */
bool mvn_from_standard(double *eta, const double *mu, const double *sigma, size_t d);
/* False when outside the domain. */
bool mvn_to_standard(double *mu, double *sigma, const double *eta, size_t d);
/* work: mvn_size(d) numbers, here and below. */
bool mvn_in_domain(const double *eta, size_t d, double *work);
/* mean = E t(x) = [mu; sigma + mu mu' packed]. log_partition may be NULL. False when outside the
 * domain. */
bool mvn_mean_stats(double *mean, double *log_partition, const double *eta, size_t d);
/* NaN when outside the domain. */
double mvn_log_partition(const double *eta, size_t d, double *work);
/* KL(q || p); NaN when one of them is outside the domain. */
double mvn_kl(const double *eta_q, const double *eta_p, size_t d, double *work);
/* x = mu + L^-T noise, J = L L'. False when outside the domain. */
bool mvn_sample(double *x, rng *r, const double *eta, size_t d, double *work);

#endif
