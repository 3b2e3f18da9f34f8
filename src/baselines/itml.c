/* Information-theoretic metric learning, then k-means in the learned metric.
 *
 * Davis, Kulis, Jain, Sra and Dhillon, "Information-theoretic metric learning", ICML 2007,
 * algorithm 1: cyclic Bregman projections of a LogDet-regularised Mahalanobis matrix A onto
 * d_A(i,j) <= u for pairs answered "same" and d_A(i,j) >= l for "different", with slack gamma.
 * The step is gamma / (gamma + 1) (1/p - 1/xi), which is what the projection on the constraint with
 * slack works out to; the paper prints it for gamma = 1, where both agree. Open choices: the prior
 * is the identity; u and l are the 5th and 95th percentile of squared
 * distances, as in the paper's experiments, over at most SAMPLE random pairs; the crowd speaks by
 * its majority per pair and undecided pairs are left out; passes end when the multipliers change by
 * less than `tolerance` in relative 1-norm, or when their number is reached: PASSES, fewer for
 * wide items, and never fewer than the authors' limit of PROJECTIONS single steps. For wide items
 * the projections of a block share their matrix products; the sequence of projections is the same.
 * Clustering is k-means on x A^(1/2).
 *
 * Time O(passes * pairs * D^2) + D^3 + n D^2 + k-means; memory O(D^2 + pairs + n D). */
#include "baselines/itml.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "baselines/baseline.h"
#include "kmeans/distance.h"
#include "baselines/kmeans_method.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 50000, PASSES = 1000, PROJECTIONS = 100000, BLOCK = 64, WIDE = 64, ROWS = 64 };
static const double TOLERANCE = 1e-3, WORK = 1e10;

typedef struct learner {
    const float *x;
    size_t dims;
    const pairs *constraints;
    const itml_options *options;
    double *metric;             /* D x D: only the upper triangle is right */
    double *bound, *multiplier; /* per constraint */
    size_t *chosen;             /* block: constraints of the block */
    double *v, *av, *scaled;    /* block x D: differences, A v, beta A v */
} learner;

/* The next constraints with a majority, at most a block of them; *at moves past them. */
static size_t choose_block(learner *l, size_t *at)
{
    size_t count = 0;
    for (; *at < l->constraints->count && count < l->options->block; ++*at) {
        const pair *p = &l->constraints->list[*at];
        if (pair_majority(p) == 0) continue;
        double *v = l->v + count * l->dims;
        for (size_t d = 0; d < l->dims; d++) {
            v[d] = (double)l->x[p->left * l->dims + d] - l->x[p->right * l->dims + d];
        }
        l->chosen[count++] = *at;
    }
    return count;
}

/* The projection's step in the dual, p being the pair's distance: returns the move of the
 * multiplier and sets beta, for A += beta (A v)(A v)'. */
static double dual_step(double *beta, learner *l, size_t constraint, double p)
{
    *beta = 0;
    if (!(p > 0)) return 0; /* the same place: no metric can tell the two apart */
    double *bound = &l->bound[constraint], *multiplier = &l->multiplier[constraint];
    double slack = l->options->slack;
    int sign = pair_majority(&l->constraints->list[constraint]);
    double alpha = sign * slack / (slack + 1) * (1 / p - 1 / *bound);
    if (*multiplier < alpha) alpha = *multiplier;
    *beta = sign * alpha / (1 - sign * alpha * p);
    *bound = slack * *bound / (slack + sign * alpha * *bound);
    *multiplier -= alpha;
    return fabs(alpha);
}

/* Projects on the constraints of the block one after the other. The products with A come from one
 * matrix product and are corrected by what the block has changed so far. */
static double project_block(learner *l, size_t count)
{
    int d = (int)l->dims, changes = 0;
    double moved = 0;
    if (count == 1) {
        cblas_dsymv(CblasRowMajor, CblasUpper, d, 1, l->metric, d, l->v, 1, 0, l->av, 1);
    } else {
        cblas_dsymm(CblasRowMajor, CblasRight, CblasUpper, (int)count, d, 1, l->metric, d, l->v, d,
                    0, l->av, d);
    }
    for (size_t c = 0; c < count; c++) {
        double *v = l->v + c * l->dims, *av = l->av + c * l->dims, beta;
        for (int e = 0; e < changes; e++) { /* the rows before hold changes, the others are free */
            double *scaled = l->scaled + (size_t)e * l->dims, *old = l->av + (size_t)e * l->dims;
            cblas_daxpy(d, cblas_ddot(d, old, 1, v, 1), scaled, 1, av, 1);
        }
        moved += dual_step(&beta, l, l->chosen[c], cblas_ddot(d, v, 1, av, 1));
        if (beta == 0) continue;
        double *keep = l->av + (size_t)changes * l->dims;
        double *scaled = l->scaled + (size_t)changes * l->dims;
        for (size_t j = 0; j < l->dims; j++) {
            keep[j] = av[j];
            scaled[j] = beta * av[j];
        }
        changes++;
    }
    if (changes == 1) {
        cblas_dger(CblasRowMajor, d, d, 1, l->av, 1, l->scaled, 1, l->metric, d);
    } else if (changes) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, d, d, changes, 1, l->av, d, l->scaled,
                    d, 1, l->metric, d);
    }
    return moved;
}

static int learner_allocate(learner *l, arena *a)
{
    size_t count = l->constraints->count, rows;
    if (!size_mul(&rows, l->options->block, l->dims)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu values per item are too many", l->dims);
    }
    l->bound = arena_new(a, count, sizeof *l->bound, "bounds");
    l->multiplier = arena_new(a, count, sizeof *l->multiplier, "multipliers");
    l->chosen = arena_new(a, l->options->block, sizeof *l->chosen, "constraints");
    l->v = arena_new(a, rows, sizeof *l->v, "differences");
    l->av = arena_new(a, rows, sizeof *l->av, "products");
    l->scaled = arena_new(a, rows, sizeof *l->scaled, "products");
    return arena_status(a);
}

int itml_learn(double *metric, size_t *passes, int *converged, const float *x, size_t dims,
               const pairs *constraints, const itml_options *options)
{
    arena memory = {0};
    learner l = {
        .x = x, .dims = dims, .constraints = constraints, .options = options, .metric = metric};
    int status;
    SCDC_TRY_OR(done, status, learner_allocate(&l, &memory));
    for (size_t c = 0; c < constraints->count; c++) {
        l.bound[c] = pair_majority(&constraints->list[c]) > 0 ? options->near : options->far;
    }
    *converged = 0;
    for (*passes = 0; *passes < options->max_passes && !*converged; ++*passes) {
        double moved = 0, size = 0;
        for (size_t at = 0, count; (count = choose_block(&l, &at)) > 0;) {
            moved += project_block(&l, count);
        }
        for (size_t c = 0; c < constraints->count; c++) size += fabs(l.multiplier[c]);
        *converged = moved <= options->tolerance * size || moved == 0;
    }
    for (size_t i = 0; i < dims; i++) {
        for (size_t j = 0; j < i; j++) metric[i * dims + j] = metric[j * dims + i];
    }
done:
    arena_free(&memory);
    return status;
}

size_t itml_block(size_t dims)
{
    return dims < WIDE ? 1 : BLOCK;
}

/* PASSES, or fewer when they would cost more than WORK multiplications, but at least as many as
 * make PROJECTIONS. */
static size_t usual_passes(size_t pairs_count, size_t dims)
{
    double each = (double)pairs_count, affordable = WORK / ((double)dims * (double)dims);
    double passes = ceil(fmax(affordable, PROJECTIONS) / fmax(each, 1));
    return passes < PASSES ? (size_t)passes : PASSES;
}

static int by_value(const void *a, const void *b)
{
    float p = *(const float *)a, q = *(const float *)b;
    return p < q ? -1 : p > q;
}

int itml_thresholds(double *near, double *far, const float *x, size_t n, size_t dims, uint64_t seed)
{
    float *distances = NULL;
    size_t count = 0;
    SCDC_TRY(mem_zeroed(&distances, SAMPLE, sizeof *distances, "distances"));
    if (n < 2 || n * (n - 1) / 2 <= SAMPLE) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++) {
                distances[count++] = squared_distance(x + i * dims, x + j * dims, dims);
            }
        }
    } else {
        rng r;
        rng_init(&r, seed, RNG_BASELINE, 2, 0);
        while (count < SAMPLE) {
            size_t i = rng_below(&r, n), j = rng_below(&r, n);
            if (i == j) continue;
            distances[count++] = squared_distance(x + i * dims, x + j * dims, dims);
        }
    }
    qsort(distances, count, sizeof *distances, by_value);
    *near = count ? distances[(count - 1) * 5 / 100] : 0;
    *far = count ? distances[(count - 1) * 95 / 100] : 0;
    mem_free(distances);
    if (!(*far > 0) || !isfinite(*far)) {
        return fail_with(
            SCDC_ERR_INPUT,
            "the items do not differ, or by values whose squares single precision cannot "
            "hold: there is no distance to learn");
    }
    /* Many copies of one item: the tightest bound that still is one. */
    if (!(*near > 0)) *near = 1e-6 * *far;
    return SCDC_OK;
}

typedef struct mapping {
    float *mapped;
    const float *x;
    const double *root; /* D x D */
    double *rows;       /* per thread: ROWS x D, twice */
    size_t dims;
} mapping;

static void map_rows(void *context, size_t begin, size_t end, size_t piece)
{
    const mapping *m = context;
    (void)piece;
    size_t dims = m->dims, values = (end - begin) * dims;
    double *rows = m->rows + parallel_slot() * 2 * ROWS * dims, *product = rows + ROWS * dims;
    for (size_t j = 0; j < values; j++) rows[j] = m->x[begin * dims + j];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - begin), (int)dims, (int)dims,
                1, rows, (int)dims, m->root, (int)dims, 0, product, (int)dims);
    for (size_t j = 0; j < values; j++) m->mapped[begin * dims + j] = (float)product[j];
}

/* mapped = x V sqrt(S) for metric = V S V': Euclidean there is the metric here. Spoils the metric.
 */
static int map_items(float *mapped, double *metric, const float *x, size_t n, size_t dims)
{
    arena memory = {0};
    double *values = NULL;
    mapping m = {.mapped = mapped, .x = x, .root = metric, .dims = dims};
    int status, info;
    values = arena_new(&memory, dims, sizeof *values, "eigenvalues");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    m.rows = arena_new(&memory, parallel_slots() * 2 * ROWS * dims, sizeof *m.rows, "rows");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    info = LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (int)dims, metric, (int)dims, values);
    if (info) {
        status = fail_with(SCDC_ERR_NUMERIC, "the metric has no eigenvalues (LAPACK %d)", info);
        goto done;
    }
    for (size_t j = 0; j < dims; j++) {
        double root = values[j] > 0 ? sqrt(values[j]) : 0;
        for (size_t d = 0; d < dims; d++) metric[d * dims + j] *= root;
    }
    parallel_for(n, ROWS, map_rows, &m);
done:
    arena_free(&memory);
    return status;
}

int baseline_itml(baseline_result *out, const baseline_input *in, const scdc_baseline_options *o)
{
    arena memory = {0};
    pairs constraints = {0};
    double *metric = NULL;
    float *mapped = NULL;
    size_t dims = in->dims, square, values, passes;
    int status, converged;
    itml_options learn = {.slack = o->slack,
                          .tolerance = chosen_tolerance(o->tolerance, TOLERANCE),
                          .block = itml_block(dims)};
    kmeans_options cluster = kmeans_last_step(o);
    if (!size_mul(&square, dims, dims) || !size_mul(&values, in->n, dims)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu values per item are too many", dims);
    }
    SCDC_TRY_OR(done, status, pairs_collect(&constraints, in->answers, in->n_answers, ALL_WORKERS));
    learn.max_passes = chosen_count(o->max_iterations, usual_passes(constraints.count, dims));
    SCDC_TRY_OR(done, status,
                itml_thresholds(&learn.near, &learn.far, in->x, in->n, dims, o->seed));
    metric = arena_new(&memory, square, sizeof *metric, "metric");
    mapped = arena_new(&memory, values, sizeof *mapped, "items");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    for (size_t d = 0; d < dims; d++) metric[d * dims + d] = 1;
    SCDC_TRY_OR(done, status,
                itml_learn(metric, &passes, &converged, in->x, dims, &constraints, &learn));
    SCDC_TRY_OR(done, status, map_items(mapped, metric, in->x, in->n, dims));
    SCDC_TRY_OR(done, status, kmeans_result(out, mapped, in->n, dims, &cluster));
    out->iterations = passes;
    out->converged = converged;
done:
    pairs_free(&constraints);
    arena_free(&memory);
    return status;
}
