/* Matrix product: the cut into pieces, each one a single-threaded BLAS call. */
#include "kernels/gemm.h"
#include "kernels/blas.h"
#include "kernels/loop.h"

#include <cblas.h>

/* A piece should stay long enough for BLAS to be near its full speed, and there should be enough
 * pieces for a few threads. Many rows are best cut by rows, few rows by columns; where and how long
 * was measured with OpenBLAS. Products below SMALL_FLOPS are not worth waking a second thread. */
enum {
    PIECES = 4,
    SHORTEST_ROWS = 64,
    SHORTEST_COLUMNS = 128,
    FEW_ROWS = 400,
    LONGEST_PIECE = 1024,
    PIECE_MULTIPLE = 8
};
#define SMALL_FLOPS 1.5e6

typedef struct product {
    gemm_op op_a, op_b;
    size_t m, n, k, lda, ldb, ldc;
    real alpha, beta;
    const real *a, *b;
    real *c;
} product;

static void blas_gemm(const product *p, size_t m, size_t n, const real *a, const real *b, real *c)
{
    CBLAS_TRANSPOSE ta = p->op_a == GEMM_TRANSPOSED ? CblasTrans : CblasNoTrans;
    CBLAS_TRANSPOSE tb = p->op_b == GEMM_TRANSPOSED ? CblasTrans : CblasNoTrans;
#ifdef SCDC_REAL_DOUBLE
    cblas_dgemm(CblasRowMajor, ta, tb, (int)m, (int)n, (int)p->k, p->alpha, a, (int)p->lda, b,
                (int)p->ldb, p->beta, c, (int)p->ldc);
#else
    cblas_sgemm(CblasRowMajor, ta, tb, (int)m, (int)n, (int)p->k, p->alpha, a, (int)p->lda, b,
                (int)p->ldb, p->beta, c, (int)p->ldc);
#endif
}

static void rows_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const product *p = context;
    (void)piece;
    const real *a = p->op_a == GEMM_TRANSPOSED ? p->a + begin : p->a + begin * p->lda;
    blas_gemm(p, end - begin, p->n, a, p->b, p->c + begin * p->ldc);
}

static void columns_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const product *p = context;
    (void)piece;
    const real *b = p->op_b == GEMM_TRANSPOSED ? p->b + begin * p->ldb : p->b + begin;
    blas_gemm(p, p->m, end - begin, p->a, b, p->c + begin);
}

/* Length of a piece along a side of `length`; depends on the shape only. */
static size_t piece_length(size_t length, size_t shortest)
{
    size_t piece = (length + PIECES - 1) / PIECES;
    if (piece < shortest) piece = shortest;
    if (piece > LONGEST_PIECE) piece = LONGEST_PIECE;
    return (piece + PIECE_MULTIPLE - 1) / PIECE_MULTIPLE * PIECE_MULTIPLE;
}

void gemm_strided(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                  const real *a, size_t lda, const real *b, size_t ldb, real beta, real *c,
                  size_t ldc)
{
    if (m == 0 || n == 0) return;
    product p = {op_a, op_b, m, n, k, lda, ldb, ldc, alpha, beta, a, b, c};
    bool by_rows = m >= FEW_ROWS || n < 2 * SHORTEST_COLUMNS;
    size_t length = by_rows ? m : n;
    bool small = 2.0 * (double)m * (double)n * (double)k < SMALL_FLOPS;
    size_t piece =
        small ? length : piece_length(length, by_rows ? SHORTEST_ROWS : SHORTEST_COLUMNS);
    blas_serial_begin();
    kernel_for(length, piece, by_rows ? rows_piece : columns_piece, &p);
    blas_serial_end();
}

void gemm(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha, const real *a,
          const real *b, real beta, real *c)
{
    gemm_strided(op_a, op_b, m, n, k, alpha, a, op_a == GEMM_TRANSPOSED ? m : k, b,
                 op_b == GEMM_TRANSPOSED ? k : n, beta, c, n);
}

void gemm_serial(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                 const real *a, const real *b, real beta, real *c)
{
    product p = {
        op_a,  op_b, m, n, k, op_a == GEMM_TRANSPOSED ? m : k, op_b == GEMM_TRANSPOSED ? k : n, n,
        alpha, beta, a, b, c};
    blas_gemm(&p, m, n, a, b, c);
}
