/* The judge's lesson: kernel ridge regression with closed-form leave-one-out. With M = (kernel +
 * ridge)^-1 and targets y, alpha = M y, and what item i would get from all others is
 * y_i - alpha_i / M_ii. */
#include "model/judge.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "kernels/blas.h"
#include "kernels/gemm.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEDIAN_PAIRS = 4096 };

static const double SHARPNESS[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16};
enum { SHARPNESSES = sizeof SHARPNESS / sizeof *SHARPNESS };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the squared distances of pairs spread evenly over all. */
static double median_distance(const judge *j)
{
    double found[MEDIAN_PAIRS];
    size_t n = j->items, pairs = n * (n - 1) / 2,
           count = pairs < MEDIAN_PAIRS ? pairs : MEDIAN_PAIRS;
    size_t a = 0, b = 0, row_ends = 0, used = 0;
    for (size_t s = 0; s < count; s++) {
        size_t pair = (size_t)((double)s * (double)pairs / (double)count);
        while (pair >= row_ends) row_ends += ++a; /* pairs (a, 0 .. a-1) end there */
        b = pair - (row_ends - a);
        found[used++] = judge_distance(j, j->x + a * j->dims, j->x + b * j->dims, 0, 0);
    }
    qsort(found, used, sizeof *found, compare);
    return used ? found[used / 2] : 0;
}

static void kernel_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    lesson *l = context;
    const judge *j = l->judge;
    for (size_t a = begin; a < end; a++) {
        for (size_t b = 0; b < j->items; b++) {
            double *k = &l->kernel[a * j->items + b];
            double distance = judge_distance(j, j->x + a * j->dims, j->x + b * j->dims,
                                             j->square[a] + j->square[b], *k);
            *k = exp(-j->scale[JUDGE_WIDTH] * distance);
        }
    }
}

/* Products of all items, JUDGE_ROWS rows at a time. */
static void multiply_items(lesson *l)
{
    judge *j = l->judge;
    for (size_t first = 0; first < j->items; first += JUDGE_ROWS) {
        size_t left = j->items - first, rows = left < JUDGE_ROWS ? left : JUDGE_ROWS;
        gemm(GEMM_NONE, GEMM_TRANSPOSED, rows, j->items, j->dims, 1, j->x + first * j->dims, j->x,
             0, j->product);
        for (size_t i = 0; i < rows * j->items; i++) {
            l->kernel[first * j->items + i] = (double)j->product[i];
        }
    }
}

int lesson_create(lesson *out, judge *j)
{
    lesson l = {.judge = j};
    size_t n = j->items, C = j->classes;
    arena *m = &l.memory;
    int status;
    SCDC_TRY_OR(error, status, arena_zeroed(&l.kernel, m, n, n * sizeof *l.kernel, "a kernel"));
    SCDC_TRY_OR(error, status, arena_zeroed(&l.inverse, m, n, n * sizeof *l.inverse, "a kernel"));
    SCDC_TRY_OR(error, status, arena_zeroed(&l.others, m, n, C * sizeof *l.others, "a lesson"));
    SCDC_TRY_OR(error, status, arena_zeroed(&l.target, m, n, C * sizeof *l.target, "a lesson"));
    judge_restore(j);
    double median = median_distance(j);
    j->scale[JUDGE_WIDTH] = median > 0 ? 1 / (2 * median) : 1;
    multiply_items(&l);
    parallel_for(n, 16, kernel_rows, &l);
    *out = l;
    return SCDC_OK;
error:
    arena_free(m);
    return status;
}

void lesson_free(lesson *l)
{
    arena_free(&l->memory);
}

int lesson_set_ridge(lesson *l, double ridge)
{
    size_t n = l->judge->items;
    lapack_int order = (lapack_int)n;
    memcpy(l->inverse, l->kernel, n * n * sizeof *l->inverse);
    for (size_t i = 0; i < n; i++) l->inverse[i * n + i] += ridge;
    blas_serial_begin();
    lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', order, l->inverse, order);
    if (!info) info = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', order, l->inverse, order);
    blas_serial_end();
    if (info)
        return fail_with(SCDC_ERR_NUMERIC, "the kernel has no inverse (LAPACK %d)", (int)info);
    /* Column-major upper is row-major lower: fill the other half. */
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < a; b++) l->inverse[b * n + a] = l->inverse[a * n + b];
    }
    l->ridge = ridge;
    return SCDC_OK;
}

/* Of r under the softmax of the leave-one-out values in others, at this sharpness. */
static double fit_of(const lesson *l, const double *r, double sharpness)
{
    size_t n = l->judge->items, C = l->judge->classes;
    double sum = 0, logits[64];
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < C; c++) logits[c] = sharpness * l->others[i * C + c];
        double all = log_sum_exp(logits, C);
        for (size_t c = 0; c < C; c++) sum += r[i * C + c] * (logits[c] - all);
    }
    return sum / (double)n;
}

double lesson_learn(lesson *l, const double *r)
{
    judge *j = l->judge;
    size_t n = j->items, C = j->classes;
    memset(j->base, 0, C * sizeof *j->base);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < C; c++) j->base[c] += r[i * C + c] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < C; c++) l->target[i * C + c] = r[i * C + c] - j->base[c];
    }
    blas_serial_begin();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)C, (int)n, 1, l->inverse,
                (int)n, l->target, (int)C, 0, j->alpha, (int)C);
    blas_serial_end();
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < C; c++) {
            size_t at = i * C + c;
            l->others[at] = j->base[c] + l->target[at] - j->alpha[at] / l->inverse[i * n + i];
        }
    }
    double best = -INFINITY;
    for (size_t s = 0; s < SHARPNESSES; s++) {
        double fit = fit_of(l, r, SHARPNESS[s]);
        if (!(fit > best)) continue;
        best = fit;
        j->scale[JUDGE_SHARPNESS] = SHARPNESS[s];
    }
    for (size_t i = 0; i < n; i++) {
        double *p = l->others + i * C;
        for (size_t c = 0; c < C; c++) p[c] *= j->scale[JUDGE_SHARPNESS];
        softmax(p, p, C);
    }
    return best;
}
