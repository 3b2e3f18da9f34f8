/* Columns and directions, scaled. */
#include "model/classes/class_views.h"
#include "base/status.h"
#include "data/data.h"
#include "model/tuning.h"
#include "nets/params.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static int make_room(class_view *out, arena *m, size_t nodes, size_t columns)
{
    out->rows = columns + 1;
    out->x = arena_new(m, nodes, out->rows * sizeof *out->x, "a guess");
    SCDC_TRY(arena_status(m));
    for (size_t i = 0; i < nodes; i++) out->x[i * out->rows + columns] = 1;
    return SCDC_OK;
}

/* Columns to mean 0 and deviation 1. */
static void standardise(class_view *v, const real *x, size_t nodes)
{
    size_t dims = v->rows - 1;
    for (size_t d = 0; d < dims; d++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < nodes; i++) mean += (double)x[i * dims + d] / (double)nodes;
        for (size_t i = 0; i < nodes; i++) {
            double value = (double)x[i * dims + d] - mean;
            square += value * value / (double)nodes;
        }
        double factor = square > 0 ? 1 / sqrt(square) : 0;
        for (size_t i = 0; i < nodes; i++) {
            v->x[i * v->rows + d] = ((double)x[i * dims + d] - mean) * factor;
        }
    }
}

/* Rows of standardised columns times the inverse of R, their correlations being R' R. false: there
 * is none. */
static int whiten(bool *done, class_view *v, size_t nodes)
{
    size_t rows = v->rows, dims = rows - 1;
    double *r;
    SCDC_TRY(mem_zeroed(&r, dims, dims * sizeof *r, "correlations"));
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)dims, (int)nodes, 1 / (double)nodes,
                v->x, (int)rows, 0, r, (int)dims);
    for (size_t d = 0; d < dims; d++) r[d * dims + d] += GUESS_LEAST_VARIANCE;
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)dims, r, (int)dims);
    if (!info) {
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)nodes,
                    (int)dims, 1, r, (int)dims, v->x, (int)rows);
    }
    mem_free(r);
    *done = !info;
    return SCDC_OK;
}

/* Items along directions, each brought to deviation 1, or all together. */
static void look_along(class_view *v, const scdc_data *items, const double *direction,
                       const double *mean, const double *variance, bool apart)
{
    size_t count = v->rows - 1, dims = items->cols;
    double sum = 0;
    for (size_t a = 0; a < count; a++) sum += variance[a] / (double)count;
    for (size_t a = 0; a < count; a++) {
        double width = sqrt(apart ? variance[a] : sum);
        for (size_t i = 0; i < items->rows; i++) {
            double along = 0;
            for (size_t d = 0; d < dims; d++)
                along += (data_value(items, i, d) - mean[d]) * direction[a * dims + d];
            v->x[i * v->rows + a] = width > 0 ? along / width : 0;
        }
    }
}

/* Few directions at one width, more of them in their proportions: widths of many directions tell
 * which are noise. */
static int principal_views(class_view *few, class_view *more, arena *m, const real *x, size_t nodes,
                           size_t dims)
{
    size_t most = GUESS_DIRECTIONS;
    scdc_data *items = NULL;
    arena scratch = {0};
    double *direction = arena_new(&scratch, most, dims * sizeof *direction, "directions");
    double *mean = arena_new(&scratch, dims, sizeof *mean, "directions");
    double *variance = arena_new(&scratch, most, sizeof *variance, "directions");
    int status;
    SCDC_TRY_OR(done, status, arena_status(&scratch));
    SCDC_TRY_OR(done, status, scdc_data_from_memory(&items, x, param_dtype, nodes, dims, 1));
    SCDC_TRY_OR(done, status, data_principal(direction, mean, variance, items, most));
    SCDC_TRY_OR(done, status, make_room(few, m, nodes, most / 2));
    SCDC_TRY_OR(done, status, make_room(more, m, nodes, most));
    look_along(few, items, direction, mean, variance, true);
    look_along(more, items, direction, mean, variance, false);
done:
    scdc_data_free(items);
    arena_free(&scratch);
    return status;
}

int class_views_make(class_view views[CLASS_VIEWS], size_t *count, arena *m, const real *x,
                     size_t nodes, size_t dims)
{
    *count = 1;
    SCDC_TRY(make_room(&views[0], m, nodes, dims));
    standardise(&views[0], x, nodes);
    if (dims <= GUESS_WHITE_DIMS && nodes >= GUESS_WHITE_ITEMS * dims) {
        bool white;
        SCDC_TRY(make_room(&views[1], m, nodes, dims));
        memcpy(views[1].x, views[0].x, nodes * (dims + 1) * sizeof *views[1].x);
        SCDC_TRY(whiten(&white, &views[1], nodes));
        *count += white;
    }
    if (dims > GUESS_DIRECTIONS && nodes >= GUESS_WHITE_ITEMS * GUESS_DIRECTIONS) {
        SCDC_TRY(principal_views(&views[*count], &views[*count + 1], m, x, nodes, dims));
        *count += 2;
    }
    return SCDC_OK;
}
