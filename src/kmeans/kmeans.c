/* Lloyd's k-means with matrix products for the distances and bounds that skip most of them.
 * Starts are in kmeans_start.c.
 *
 * Lloyd, "Least squares quantization in PCM", 1982. Distances are ||x||^2 - 2 x.c + ||c||^2 on
 * fixed pieces of rows, with the mean of the data subtracted first because the form loses digits
 * when the origin is far away. An item is only compared with the centres when the triangle
 * inequality leaves doubt: an upper bound to its own centre and a lower bound per group of other
 * centres, as in Elkan 2003 (one group per centre, up to MOST_GROUPS) and Yinyang k-means (Ding et
 * al. 2015). Bounds are widened by the rounding error of the products, so that skipping never
 * changes a label that was clear. A cluster that loses all items gets the item farthest from its
 * own centre. */
#include "kmeans/kmeans.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/watch.h"
#include "kernels/blas.h"
#include "kmeans/distance.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { MOST_GROUPS = 64, SCAN_ROWS = 1024, COLUMNS = 64, PIECE_FLOATS = 131072 };
static const uint32_t NO_LABEL = UINT32_MAX;
static const float PRODUCT_ERROR = 4e-6f; /* of a squared distance, relative to the two norms */
static const float WIDEN = 1e-6f;         /* covers the rounding of bounds that are carried on */

typedef struct change {
    uint32_t item, from, to;
} change;

typedef struct lloyd {
    const float *x;
    size_t n, dims, k, groups, rows; /* rows: of a matrix product */
    float *mean, *norms;             /* dims; n: squared norm of x - mean */
    float *centres, *shifted;        /* k x dims; shifted = centres - mean */
    float *centre_norms, *moves;     /* k */
    float *group_moves;              /* groups */
    double *sums;                    /* k x dims: of x - mean */
    size_t *counts;                  /* k */
    uint32_t *labels, *before;       /* n */
    float *upper, *lower;            /* n; n x groups */
    uint32_t *active;                /* items whose bounds leave doubt, piece after piece */
    size_t *piece_active;            /* how many per SCAN_ROWS piece */
    size_t n_active, n_changes;
    change *changes;
    float *gathered, *products; /* per thread: rows x dims, rows x k */
    arena memory;
} lloyd;

static size_t group_of(const lloyd *l, size_t centre)
{
    return centre * l->groups / l->k;
}

/* ---- assignment ------------------------------------------------------------------------------ */

/* Moves the bounds of the rows and lists those that must be compared with all centres. */
static void scan_bounds(void *context, size_t begin, size_t end, size_t piece)
{
    lloyd *l = context;
    size_t count = 0;
    for (size_t i = begin; i < end; i++) {
        float *lower = l->lower + i * l->groups, least = INFINITY;
        for (size_t g = 0; g < l->groups; g++) {
            lower[g] = (lower[g] - l->group_moves[g]) * (1 - WIDEN);
            least = lower[g] < least ? lower[g] : least;
        }
        float upper = (l->upper[i] + l->moves[l->labels[i]]) * (1 + WIDEN);
        if (upper > least && isfinite(upper)) {
            const float *own = l->centres + l->labels[i] * l->dims;
            upper = sqrtf(squared_distance(l->x + i * l->dims, own, l->dims)) * (1 + WIDEN);
        }
        l->upper[i] = upper;
        if (upper > least) l->active[begin + count++] = (uint32_t)i;
    }
    l->piece_active[piece] = count;
}

static void compact_active(lloyd *l)
{
    l->n_active = 0;
    for (size_t piece = 0; piece < parallel_pieces(l->n, SCAN_ROWS); piece++) {
        memmove(l->active + l->n_active, l->active + piece * SCAN_ROWS,
                l->piece_active[piece] * sizeof *l->active);
        l->n_active += l->piece_active[piece];
    }
}

/* Nearest centre of one item from its row of -2 x.c, and fresh bounds. */
static void settle(lloyd *l, size_t item, const float *product)
{
    size_t best = 0;
    float least = INFINITY;
    for (size_t c = 0; c < l->k; c++) {
        float value = product[c] + l->centre_norms[c];
        if (value < least) {
            least = value;
            best = c;
        }
    }
    float norm = l->norms[item], *lower = l->lower + item * l->groups;
    for (size_t g = 0; g < l->groups; g++) lower[g] = INFINITY;
    for (size_t c = 0; c < l->k; c++) {
        if (c == best) continue;
        size_t g = group_of(l, c);
        float error = PRODUCT_ERROR * (norm + l->centre_norms[c]);
        float value = product[c] + l->centre_norms[c] + norm - error;
        if (value < lower[g]) lower[g] = value;
    }
    for (size_t g = 0; g < l->groups; g++) lower[g] = lower[g] > 0 ? sqrtf(lower[g]) : 0;
    float own = least + norm + PRODUCT_ERROR * (norm + l->centre_norms[best]);
    l->upper[item] = own > 0 ? sqrtf(own) : 0;
    l->labels[item] = (uint32_t)best;
}

static void compare_piece(void *context, size_t begin, size_t end, size_t piece)
{
    lloyd *l = context;
    (void)piece;
    float *gathered = l->gathered + parallel_slot() * l->rows * l->dims;
    float *products = l->products + parallel_slot() * l->rows * l->k;
    for (size_t a = begin; a < end; a++) {
        const float *row = l->x + l->active[a] * l->dims;
        float *copy = gathered + (a - begin) * l->dims;
        for (size_t d = 0; d < l->dims; d++) copy[d] = row[d] - l->mean[d];
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - begin), (int)l->k,
                (int)l->dims, -2, gathered, (int)l->dims, l->shifted, (int)l->dims, 0, products,
                (int)l->k);
    for (size_t a = begin; a < end; a++) settle(l, l->active[a], products + (a - begin) * l->k);
}

static void assign(lloyd *l)
{
    parallel_for(l->n, SCAN_ROWS, scan_bounds, l);
    compact_active(l);
    for (size_t a = 0; a < l->n_active; a++) l->before[a] = l->labels[l->active[a]];
    parallel_for(l->n_active, l->rows, compare_piece, l);
    l->n_changes = 0;
    for (size_t a = 0; a < l->n_active; a++) {
        uint32_t item = l->active[a], now = l->labels[item];
        if (now == l->before[a]) continue;
        l->changes[l->n_changes++] = (change){item, l->before[a], now};
    }
}

/* Everything in doubt: as after new starting centres. */
static void assign_afresh(lloyd *l)
{
    for (size_t i = 0; i < l->n; i++) {
        l->labels[i] = 0;
        l->upper[i] = INFINITY;
    }
    memset(l->lower, 0, l->n * l->groups * sizeof *l->lower);
    memset(l->moves, 0, l->k * sizeof *l->moves);
    memset(l->group_moves, 0, l->groups * sizeof *l->group_moves);
    assign(l);
    memset(l->sums, 0, l->k * l->dims * sizeof *l->sums);
    memset(l->counts, 0, l->k * sizeof *l->counts);
    for (size_t i = 0; i < l->n; i++) {
        l->changes[i] = (change){(uint32_t)i, NO_LABEL, l->labels[i]};
    }
    l->n_changes = l->n;
}

/* ---- centres --------------------------------------------------------------------------------- */

static void distances_to_own(void *context, size_t begin, size_t end, size_t piece)
{
    lloyd *l = context;
    (void)piece;
    for (size_t i = begin; i < end; i++) {
        const float *own = l->centres + l->labels[i] * l->dims;
        l->upper[i] = sqrtf(squared_distance(l->x + i * l->dims, own, l->dims)) * (1 + WIDEN);
    }
}

/* Gives each empty cluster the item farthest from its centre, of clusters with two or more. */
static void refill_empty(lloyd *l)
{
    int measured = 0;
    for (size_t c = 0; c < l->k; c++) {
        if (l->counts[c]) continue;
        if (!measured) parallel_for(l->n, SCAN_ROWS, distances_to_own, l);
        measured = 1;
        size_t far = l->n;
        for (size_t i = 0; i < l->n; i++) {
            if (l->counts[l->labels[i]] < 2 || !isfinite(l->upper[i])) continue;
            if (far == l->n || l->upper[i] > l->upper[far]) far = i;
        }
        if (far == l->n || l->upper[far] <= 0) return; /* fewer distinct items than clusters */
        l->changes[l->n_changes++] = (change){(uint32_t)far, l->labels[far], (uint32_t)c};
        l->counts[l->labels[far]]--;
        l->counts[c] = 1;
        l->labels[far] = (uint32_t)c;
        l->upper[far] = INFINITY; /* its bounds say nothing about the new centre */
    }
}

static void sum_columns(void *context, size_t begin, size_t end, size_t piece)
{
    lloyd *l = context;
    (void)piece;
    for (size_t m = 0; m < l->n_changes; m++) {
        const change *move = &l->changes[m];
        const float *row = l->x + move->item * l->dims;
        double *to = l->sums + move->to * l->dims;
        if (move->from == NO_LABEL) {
            for (size_t d = begin; d < end; d++) to[d] += row[d] - l->mean[d];
            continue;
        }
        double *from = l->sums + move->from * l->dims;
        for (size_t d = begin; d < end; d++) {
            double value = row[d] - l->mean[d];
            to[d] += value;
            from[d] -= value;
        }
    }
}

static void place_centres(lloyd *l, const float *centres)
{
    memmove(l->centres, centres, l->k * l->dims * sizeof *centres);
    for (size_t c = 0; c < l->k; c++) {
        double norm = 0;
        for (size_t d = 0; d < l->dims; d++) {
            float value = l->centres[c * l->dims + d] - l->mean[d];
            l->shifted[c * l->dims + d] = value;
            norm += (double)value * value;
        }
        l->centre_norms[c] = (float)norm;
    }
}

/* Applies the changes of label, moves each centre to the mean of its items and returns the sum of
 * squared moves. */
static double update_centres(lloyd *l)
{
    for (size_t m = 0; m < l->n_changes; m++) {
        if (l->changes[m].from != NO_LABEL) l->counts[l->changes[m].from]--;
        l->counts[l->changes[m].to]++;
    }
    refill_empty(l);
    parallel_for(l->dims, COLUMNS, sum_columns, l);
    double total = 0;
    memset(l->group_moves, 0, l->groups * sizeof *l->group_moves);
    for (size_t c = 0; c < l->k; c++) {
        float *centre = l->centres + c * l->dims;
        double squared = 0;
        for (size_t d = 0; d < l->dims && l->counts[c]; d++) {
            float value = (float)(l->mean[d] + l->sums[c * l->dims + d] / (double)l->counts[c]);
            squared += ((double)value - centre[d]) * ((double)value - centre[d]);
            centre[d] = value;
        }
        l->moves[c] = (float)sqrt(squared) * (1 + WIDEN);
        float *group = &l->group_moves[group_of(l, c)];
        if (l->moves[c] > *group) *group = l->moves[c];
        total += squared;
    }
    place_centres(l, l->centres);
    return total;
}

/* ---- the method ------------------------------------------------------------------------------ */

static double inertia_piece(void *context, size_t begin, size_t end)
{
    lloyd *l = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const float *own = l->centres + l->labels[i] * l->dims;
        sum += squared_distance(l->x + i * l->dims, own, l->dims);
    }
    return sum;
}

static int run_from_centres(kmeans_report *out, lloyd *l, size_t max_iterations, double least_shift)
{
    kmeans_report report = {0};
    assign_afresh(l);
    while (report.iterations < max_iterations && !report.converged) {
        SCDC_TRY(watch_tick("looking for centres", report.iterations, max_iterations));
        double shift = update_centres(l);
        assign(l);
        report.iterations++;
        report.converged = l->n_changes == 0 || shift <= least_shift;
    }
    report.inertia = parallel_sum(l->n, SCAN_ROWS, inertia_piece, l);
    *out = report;
    return SCDC_OK;
}

static void mean_columns(void *context, size_t begin, size_t end, size_t piece)
{
    lloyd *l = context;
    (void)piece;
    double sum[COLUMNS] = {0};
    for (size_t i = 0; i < l->n; i++) {
        for (size_t d = begin; d < end; d++) sum[d - begin] += l->x[i * l->dims + d];
    }
    for (size_t d = begin; d < end; d++) l->mean[d] = (float)(sum[d - begin] / (double)l->n);
}

static void norm_rows(void *context, size_t begin, size_t end, size_t piece)
{
    lloyd *l = context;
    (void)piece;
    for (size_t i = begin; i < end; i++) {
        l->norms[i] = squared_distance(l->x + i * l->dims, l->mean, l->dims);
    }
}

/* Mean and norms of the items; the mean variance of a column through *variance. */
static int measure_items(lloyd *l, double *variance)
{
    parallel_for(l->dims, COLUMNS, mean_columns, l);
    parallel_for(l->n, SCAN_ROWS, norm_rows, l);
    double sum = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (!isfinite(l->norms[i])) {
            return fail_with(SCDC_ERR_INPUT,
                             "item %zu is not finite or lies too far away; expected finite "
                             "values of magnitude below 1e15",
                             i);
        }
        sum += l->norms[i];
    }
    *variance = sum / (double)l->n / (double)l->dims;
    return SCDC_OK;
}

static int check_arguments(size_t n, size_t dims, const kmeans_options *o)
{
    if (o->k < 1) return fail_with(SCDC_ERR_ARGUMENT, "k must be 1 or more, not 0");
    if (o->starts < 1) {
        return fail_with(SCDC_ERR_ARGUMENT, "starts must be 1 or more, not 0");
    }
    if (!(o->tolerance >= 0)) {
        return fail_with(SCDC_ERR_ARGUMENT, "tolerance must be 0 or more, not %g", o->tolerance);
    }
    if (dims < 1) return fail_with(SCDC_ERR_ARGUMENT, "the items have no values");
    if (n < o->k) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "%zu items cannot make %zu clusters; choose a k of %zu or less", n, o->k,
                         n);
    }
    size_t values;
    if (n >= UINT32_MAX || !size_mul(&values, n, dims) || dims > INT32_MAX || o->k > INT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu items of %zu values are too many", n, dims);
    }
    return SCDC_OK;
}

static int lloyd_allocate(lloyd *l)
{
    arena *a = &l->memory;
    size_t slots = parallel_slots(), per_item = kmeans_candidates(l->k), buffer, values;
    if (per_item < l->groups) per_item = l->groups;
    l->rows = PIECE_FLOATS / (l->dims + l->k);
    l->rows = l->rows < 32 ? 32 : l->rows > 1024 ? 1024 : l->rows;
    if (!size_mul(&buffer, l->n, per_item) || !size_mul(&values, l->k, l->dims)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu clusters of %zu items are too many", l->k, l->n);
    }
    l->mean = arena_new(a, l->dims, sizeof *l->mean, "mean");
    l->norms = arena_new(a, l->n, sizeof *l->norms, "norms");
    l->centres = arena_new(a, values, sizeof *l->centres, "centres");
    l->shifted = arena_new(a, values, sizeof *l->shifted, "shifted centres");
    l->centre_norms = arena_new(a, l->k, sizeof *l->centre_norms, "norms");
    l->moves = arena_new(a, l->k, sizeof *l->moves, "moves");
    l->group_moves = arena_new(a, l->groups, sizeof *l->group_moves, "moves");
    l->sums = arena_new(a, values, sizeof *l->sums, "sums");
    l->counts = arena_new(a, l->k, sizeof *l->counts, "counts");
    l->labels = arena_new(a, l->n, sizeof *l->labels, "labels");
    l->before = arena_new(a, l->n, sizeof *l->before, "labels before");
    l->upper = arena_new(a, l->n, sizeof *l->upper, "upper bounds");
    l->lower = arena_new(a, buffer, sizeof *l->lower, "lower bounds");
    l->active = arena_new(a, l->n, sizeof *l->active, "active items");
    l->piece_active = arena_new(a, parallel_pieces(l->n, SCAN_ROWS), sizeof *l->piece_active,
                                "active items per piece");
    l->changes = arena_new(a, l->n + l->k, sizeof *l->changes, "changes");
    l->gathered = arena_new(a, slots * l->rows * l->dims, sizeof *l->gathered, "gathered rows");
    l->products = arena_new(a, slots * l->rows * l->k, sizeof *l->products, "products");
    return arena_status(a);
}

int kmeans_fit(uint32_t *labels, float *centres, kmeans_report *report, const float *x, size_t n,
               size_t dims, const kmeans_options *options)
{
    SCDC_TRY(check_arguments(n, dims, options));
    lloyd l = {.x = x, .n = n, .dims = dims, .k = options->k};
    l.groups = l.k < MOST_GROUPS ? l.k : MOST_GROUPS;
    kmeans_report best = {.inertia = INFINITY};
    double variance = 0;
    int status;
    SCDC_TRY_OR(done, status, lloyd_allocate(&l));
    SCDC_TRY_OR(done, status, measure_items(&l, &variance));
    blas_serial_begin();
    for (size_t start = 0; start < options->starts && status == SCDC_OK; start++) {
        kmeans_plus_plus(l.centres, l.upper, l.lower, x, n, dims, l.k, options->seed, start);
        place_centres(&l, l.centres);
        kmeans_report run;
        status = run_from_centres(&run, &l, options->max_iterations, options->tolerance * variance);
        if (status != SCDC_OK || !(run.inertia < best.inertia)) continue;
        best = run;
        memcpy(labels, l.labels, n * sizeof *labels);
        if (centres) memcpy(centres, l.centres, l.k * dims * sizeof *centres);
    }
    blas_serial_end();
    SCDC_TRY_OR(done, status, status);
    if (report) *report = best;
    if (!isfinite(best.inertia)) {
        status = fail_with(SCDC_ERR_NUMERIC, "the squared distances overflow; scale the "
                                             "values down");
    }
done:
    arena_free(&l.memory);
    return status;
}
