/* q(x | o) under a standard normal prior: the encoder's potential r(o) = (h, -softplus(j)/2) times
 * N(0, I) is a Gaussian with precision P = 1 + softplus(j) and mean h / P. The plain variational
 * autoencoder that the default recipe starts with. */
#ifndef SCDC_MODEL_UNIT_PRIOR_H
#define SCDC_MODEL_UNIT_PRIOR_H

#include "base/real.h"

#include <stddef.h>

/* encoded [rows][2d] = (h, j), noise [rows][d] -> x [rows][d] one draw, kl [rows] KL(q || N(0,I)).
 */
void unit_prior_forward(real *x, double *kl, const real *encoded, const real *noise, size_t rows,
                        size_t d);
/* Gradient by encoded of J, where gx [rows][d] is the gradient of J by x and J also holds
 * - sum_rows weight kl. */
void unit_prior_backward(real *gencoded, const real *encoded, const real *noise, const real *gx,
                         const real *weight, size_t rows, size_t d);
/* mean and variance [rows][d]; either may be NULL. */
void unit_prior_moments(double *mean, double *variance, const real *encoded, size_t rows, size_t d);

#endif
