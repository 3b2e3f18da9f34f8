/* Networks without anything but their products. */
#include "bare.h"

#include "base/rng.h"
#include "base/status.h"

#include <cblas.h>

extern void openblas_set_num_threads(int threads) __attribute__((weak));

void bare_library_threads(int threads)
{
    if (openblas_set_num_threads) openblas_set_num_threads(threads);
}

void bare_library(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                  const real *a, const real *b, real beta, real *c)
{
    bool ta = op_a == GEMM_TRANSPOSED, tb = op_b == GEMM_TRANSPOSED;
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                (int)m, (int)n, (int)k, alpha, a, (int)(ta ? m : k), b, (int)(tb ? k : n), beta, c,
                (int)n);
}

static int create_values(real **out, arena *a, size_t count, double spread, rng *r)
{
    *out = arena_new(a, count, sizeof **out, "operands");
    SCDC_TRY(arena_status(a));
    for (size_t i = 0; i < count; i++) (*out)[i] = (real)(spread * (2 * rng_uniform(r) - 1));
    return SCDC_OK;
}

int bare_create(bare_net *out, arena *a, const size_t *size, size_t depth, size_t max_rows)
{
    bare_net n = {.depth = depth};
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, depth);
    for (size_t l = 0; l <= depth; l++) {
        n.size[l] = size[l];
        SCDC_TRY(create_values(&n.value[l], a, max_rows * size[l], 1, &r));
        SCDC_TRY(create_values(&n.delta[l], a, max_rows * size[l], 1, &r));
        if (l == depth) break;
        size_t weights = size[l] * size[l + 1];
        /* Weights that neither blow values up nor let them die out. */
        SCDC_TRY(create_values(&n.w[l], a, weights, sqrt(3.0 / (double)size[l]), &r));
        SCDC_TRY(create_values(&n.dw[l], a, weights, 1, &r));
    }
    *out = n;
    return SCDC_OK;
}

void bare_forward(const bare_net *n, bare_product product, size_t rows)
{
    for (size_t l = 0; l < n->depth; l++) {
        product(GEMM_NONE, GEMM_NONE, rows, n->size[l + 1], n->size[l], 1, n->value[l], n->w[l], 0,
                n->value[l + 1]);
    }
}

void bare_backward(const bare_net *n, bare_product product, size_t rows, bool to_input, bool add)
{
    for (size_t l = n->depth; l-- > 0;) {
        product(GEMM_TRANSPOSED, GEMM_NONE, n->size[l], n->size[l + 1], rows, 1, n->value[l],
                n->delta[l + 1], add, n->dw[l]);
        if (l == 0 && !to_input) break;
        product(GEMM_NONE, GEMM_TRANSPOSED, rows, n->size[l], n->size[l + 1], 1, n->delta[l + 1],
                n->w[l], 0, n->delta[l]);
    }
}
