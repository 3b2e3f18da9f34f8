/* Small dense symmetric matrices in packed storage: Cholesky factor, solves, inverse, determinant.
 *
 * Packed means the lower triangle by rows, (0,0),(1,0),(1,1),(2,0)...: d(d+1)/2 numbers. Plain
 * loops: for the sizes here (d of 2 to 64) they beat a LAPACK call and need no workspace. Not for
 * matrices of items or networks. */
#ifndef SCDC_EXPFAM_SMALLMAT_H
#define SCDC_EXPFAM_SMALLMAT_H

#include <stdbool.h>
#include <stddef.h>

static inline size_t packed_size(size_t d)
{
    return d * (d + 1) / 2;
}
/* Place of element (i, j); needs j <= i. */
static inline size_t packed_index(size_t i, size_t j)
{
    return i * (i + 1) / 2 + j;
}

/* full [d][d], both triangles. */
void packed_to_full(double *full, const double *packed, size_t d);
/* Reads the lower triangle of full [d][d]. */
void packed_from_full(double *packed, const double *full, size_t d);
/* packed = scale * identity. */
void packed_identity(double *packed, double scale, size_t d);
/* packed += scale * x x'. */
void packed_add_outer(double *packed, double scale, const double *x, size_t d);
/* y = A x for symmetric A; y must not be x. */
void packed_times(double *y, const double *a, const double *x, size_t d);
double small_dot(const double *x, const double *y, size_t n);

/* A = L L', L lower triangular, packed. False when A is not positive definite to working precision
 * (or holds a NaN); l is then half written. l may be a. */
bool chol_factor(double *l, const double *a, size_t d);
void chol_solve_lower(double *x, const double *l, size_t d); /* x := L^-1 x    */
void chol_solve_upper(double *x, const double *l, size_t d); /* x := L^-T x    */
void chol_solve(double *x, const double *l, size_t d);       /* x := (LL')^-1 x */
double chol_log_det(const double *l, size_t d);              /* ln |LL'| */
/* inverse := (LL')^-1, packed. inverse may be l. */
void chol_inverse(double *inverse, const double *l, size_t d);

#endif
