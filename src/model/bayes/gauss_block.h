/* Gaussians of 32 rows at once: natural parameters to mean and covariance, and the way back for
 * gradients. Rows are SIMD lanes: every array is [feature][BLOCK], so each loop over lanes is one
 * contiguous vector operation, whatever d is. The same for one row, in plain loops, is
 * expfam/mvn.h; tests compare the two.
 *
 * Symmetric matrices are packed as in smallmat.h, q = d(d+1)/2 values. eta = [h; -1/2 J,
 * off-diagonals doubled], J the precision. */
#ifndef SCDC_MODEL_GAUSS_BLOCK_H
#define SCDC_MODEL_GAUSS_BLOCK_H

#include "base/variant.h"
#include "expfam/smallmat.h"

#define gauss_from_natural VARIANT(gauss_from_natural)
#define gauss_statistics VARIANT(gauss_statistics)
#define gauss_sample VARIANT(gauss_sample)
#define gauss_backward VARIANT(gauss_backward)
#define gauss_sample_backward VARIANT(gauss_sample_backward)

enum { BLOCK = 32 };

static inline size_t packed_at(size_t a, size_t b) /* any order */
{
    return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

/* gauss = [mu (d); Sigma packed (q)], factor = L^-1 packed (q) where J = L L', log_partition
 * [BLOCK] = mu' h / 2 - sum ln L_aa (NULL: not asked for). A J that is not positive definite gives
 * NaN in its lane. */
void gauss_from_natural(double *gauss, double *factor, double *log_partition, const double *eta,
                        size_t d);
/* The first d + q features of s = (E t(x), 1): mu, packed Sigma + mu mu' (each product once). */
void gauss_statistics(double *s, const double *gauss, size_t d);
/* x [d] = mu + L^-T noise. */
void gauss_sample(double *x, const double *gauss, const double *factor, const double *noise,
                  size_t d);

/* In: g = gradient by the statistics of gauss_statistics. Out: g = gradient by eta.
 * scratch: [d*d + 2d]. */
void gauss_backward(double *g, double *scratch, const double *gauss, size_t d);
/* Adds to g (gradient by eta) what reaches it through L^-T noise from a gradient gx [d] by x; what
 * goes through mu is added to g before gauss_backward. scratch: as there. */
void gauss_sample_backward(double *g, double *scratch, const double *factor, const double *noise,
                           const double *gx, size_t d);

#endif
