/* Matrix product over CBLAS, bitwise the same for any number of threads. */
#ifndef SCDC_KERNELS_GEMM_H
#define SCDC_KERNELS_GEMM_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum gemm_op { GEMM_NONE = 0, GEMM_TRANSPOSED } gemm_op;

/* C = alpha op(A) op(B) + beta C, all row-major and dense (no gaps between rows).
 * op(A): [m][k], op(B): [k][n], C: [m][n]. beta 0 overwrites C whatever it held. Sizes below 2^31.
 * C is cut into pieces that depend on the shape only; each is one single-threaded BLAS call. */
void gemm(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha, const real *a,
          const real *b, real beta, real *c);

/* The same, with rows of A, B and C lda, ldb, ldc values apart. */
void gemm_strided(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                  const real *a, size_t lda, const real *b, size_t ldb, real beta, real *c,
                  size_t ldc);

/* The same as gemm by one BLAS call on the calling thread, for use inside of pieces: whoever runs
 * them holds BLAS at one thread (blas_serial_begin). */
void gemm_serial(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                 const real *a, const real *b, real beta, real *c);

#endif
