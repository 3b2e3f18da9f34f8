/* Half of an inverse: what a symmetric positive definite matrix is divided by in the end. */
#ifndef SCDC_KERNELS_FACTOR_H
#define SCDC_KERNELS_FACTOR_H

#include <stddef.h>

/* a [n][n] row-major, of which the half up to the diagonal is read: a = L L^T becomes L^-1, with
 * zeros above the diagonal, so that a^-1 = (L^-1)^T L^-1. Bitwise the same for any number of
 * threads. Returns 0, or the number of LAPACK when there is no inverse. */
int factor_inverse(double *a, size_t n);

/* out [n][columns] = L^-1 x, and its second half (L^-1)^T x. */
void factor_apply(double *out, const double *l, const double *x, size_t n, size_t columns);
void factor_apply_transposed(double *out, const double *l, const double *x, size_t n,
                             size_t columns);

#endif
