/* The floor: networks of which only the matrix products are left. Same shapes, order and operands
 * of their own as the networks of a model have; no biases, activations, likelihood or optimiser.
 * Through our gemm, or through the BLAS library with its own threads. */
#ifndef SCDC_BENCH_BARE_H
#define SCDC_BENCH_BARE_H

#include "base/memory.h"
#include "kernels/gemm.h"

typedef void (*bare_product)(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                             const real *a, const real *b, real beta, real *c);
/* cblas_sgemm on as many threads as the library has been given. */
void bare_library(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                  const real *a, const real *b, real beta, real *c);
/* Threads of the BLAS library outside of our own pieces. */
void bare_library_threads(int threads);

enum { BARE_DEPTH = 4 };
typedef struct bare_net {
    size_t depth, size[BARE_DEPTH + 1]; /* values at the input, after each layer */
    real *w[BARE_DEPTH], *dw[BARE_DEPTH];
    real *value[BARE_DEPTH + 1], *delta[BARE_DEPTH + 1]; /* [rows][size] */
} bare_net;

int bare_create(bare_net *out, arena *a, const size_t *size, size_t depth, size_t max_rows);
void bare_forward(const bare_net *n, bare_product product, size_t rows);
/* Weight gradients, overwritten or added to, and the gradient by each layer's input, by the first
 * one's only when asked. */
void bare_backward(const bare_net *n, bare_product product, size_t rows, bool to_input, bool add);

#endif
