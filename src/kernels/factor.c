/* Cholesky factor and its inverse, tile by tile: the work between two tiles is cut into pieces that
 * depend on the size only, each of them single-threaded BLAS calls. */
#include "kernels/factor.h"

#include "base/parallel.h"
#include "kernels/blas.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

enum { TILE = 256, ROWS = 128, STRIP = 128 };

typedef struct factoring {
    double *a;
    size_t n, first, last; /* rows and columns [first, last) of the tile at hand */
} factoring;

static double *at(const factoring *f, size_t row, size_t column)
{
    return f->a + row * f->n + column;
}

/* Rows below the tile: divided by its factor. */
static void divide_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const factoring *f = context;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)(end - begin),
                (int)(f->last - f->first), 1, at(f, f->first, f->first), (int)f->n,
                at(f, f->last + begin, f->first), (int)f->n);
}

/* What the tile's columns explain of the rest, up to the diagonal and a bit beyond it. */
static void subtract_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const factoring *f = context;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - begin), (int)end,
                (int)(f->last - f->first), -1, at(f, f->last + begin, f->first), (int)f->n,
                at(f, f->last, f->first), (int)f->n, 1, at(f, f->last + begin, f->last), (int)f->n);
}

/* Some columns of the rows below the tile: times the inverse that is there already. */
static void multiply_columns(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const factoring *f = context;
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit,
                (int)(f->n - f->last), (int)(end - begin), 1, at(f, f->last, f->last), (int)f->n,
                at(f, f->last, f->first + begin), (int)f->n);
}

/* Rows below the tile: divided by its factor from the other side. */
static void finish_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const factoring *f = context;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit,
                (int)(end - begin), (int)(f->last - f->first), -1, at(f, f->first, f->first),
                (int)f->n, at(f, f->last + begin, f->first), (int)f->n);
}

static void next_tile(factoring *f, size_t first)
{
    f->first = first;
    f->last = f->n - first < TILE ? f->n : first + TILE;
}

/* Row-major lower is LAPACK's upper. */
static int factorise(factoring *f)
{
    for (size_t first = 0; first < f->n; first += TILE) {
        next_tile(f, first);
        lapack_int width = (lapack_int)(f->last - first);
        lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', width, at(f, first, first),
                                              (lapack_int)f->n);
        if (info) return (int)info;
        parallel_for(f->n - f->last, ROWS, divide_rows, f);
        parallel_for(f->n - f->last, ROWS, subtract_rows, f);
    }
    return 0;
}

static int invert(factoring *f)
{
    for (size_t tiles = (f->n + TILE - 1) / TILE; tiles > 0; tiles--) {
        next_tile(f, (tiles - 1) * TILE);
        lapack_int width = (lapack_int)(f->last - f->first);
        if (f->last < f->n) {
            parallel_for((size_t)width, STRIP, multiply_columns, f);
            parallel_for(f->n - f->last, ROWS, finish_rows, f);
        }
        lapack_int info = LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', width,
                                              at(f, f->first, f->first), (lapack_int)f->n);
        if (info) return (int)info;
    }
    return 0;
}

int factor_inverse(double *a, size_t n)
{
    factoring f = {.a = a, .n = n};
    blas_serial_begin();
    int info = factorise(&f);
    if (!info) info = invert(&f);
    blas_serial_end();
    for (size_t i = 0; i < n; i++) memset(a + i * n + i + 1, 0, (n - i - 1) * sizeof *a);
    return info;
}

/* ---- products ------------------------------------------------------------------------------- */

typedef struct applying {
    double *out;
    const double *l, *x;
    size_t n, columns;
} applying;

static void apply_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const applying *p = context;
    int columns = (int)p->columns;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - begin), columns, (int)end, 1,
                p->l + begin * p->n, (int)p->n, p->x, columns, 0, p->out + begin * p->columns,
                columns);
}

static void apply_columns(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const applying *p = context;
    int columns = (int)p->columns;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(end - begin), columns,
                (int)(p->n - begin), 1, p->l + begin * p->n + begin, (int)p->n,
                p->x + begin * p->columns, columns, 0, p->out + begin * p->columns, columns);
}

void factor_apply(double *out, const double *l, const double *x, size_t n, size_t columns)
{
    applying p = {out, l, x, n, columns};
    blas_serial_begin();
    parallel_for(n, ROWS, apply_rows, &p);
    blas_serial_end();
}

void factor_apply_transposed(double *out, const double *l, const double *x, size_t n,
                             size_t columns)
{
    applying p = {out, l, x, n, columns};
    blas_serial_begin();
    parallel_for(n, ROWS, apply_columns, &p);
    blas_serial_end();
}
