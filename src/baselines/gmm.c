/* Gaussian mixture by expectation maximisation: features only, answers are not looked at.
 *
 * Dempster, Laird and Rubin, "Maximum likelihood from incomplete data via the EM algorithm", 1977.
 * Open choices: each start is one run of k-means (hard assignments give the first M step); the best
 * log likelihood wins; `ridge` times the mean variance of a column is added to every variance, so
 * that a component can neither collapse nor become singular; it stops when the log likelihood per
 * item rises by less than `tolerance`.
 *
 * Time O(starts * iterations * n * k * D^2) with full, O(... D) with diagonal covariance; memory
 * O(n k + k D^2). */
#include "baselines/baseline.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/watch.h"
#include "kmeans/kmeans.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { ROWS = 256, STARTS = 5, ITERATIONS = 200 };
static const double TOLERANCE = 1e-5;

typedef struct mixture {
    const float *x;
    size_t n, dims, k;
    bool full;
    double floor;      /* added to variances */
    double *weight;    /* k: log proportions */
    double *mean;      /* k x D */
    double *factor;    /* full: k x D x D, lower Cholesky factor; diagonal: k x D variances */
    double *log_det;   /* k: of the covariance */
    double *share;     /* n x k: responsibilities */
    double *piece_sum; /* per piece of rows: log likelihood */
    double *rows;      /* per thread: ROWS x D */
    int *broken;       /* k: the covariance is not positive definite */
    arena memory;
} mixture;

/* rows = x[begin:end] - mean of component c. */
static void centre_rows(double *rows, const mixture *m, size_t c, size_t begin, size_t end)
{
    const double *mean = m->mean + c * m->dims;
    for (size_t i = begin; i < end; i++) {
        for (size_t d = 0; d < m->dims; d++) {
            rows[(i - begin) * m->dims + d] = m->x[i * m->dims + d] - mean[d];
        }
    }
}

/* share[i][c] = ln p(x_i, c) for the rows. */
static void log_joint(mixture *m, double *rows, size_t c, size_t begin, size_t end)
{
    size_t dims = m->dims;
    const double *factor = m->factor + c * (m->full ? dims * dims : dims);
    centre_rows(rows, m, c, begin, end);
    if (m->full) { /* rows := rows L^-T, so that a squared row is a Mahalanobis distance */
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                    (int)(end - begin), (int)dims, 1, factor, (int)dims, rows, (int)dims);
    }
    double constant = m->weight[c] - .5 * (m->log_det[c] + (double)dims * log(2 * M_PI));
    for (size_t i = begin; i < end; i++) {
        const double *row = rows + (i - begin) * dims;
        double squared = 0;
        for (size_t d = 0; d < dims; d++) {
            squared += m->full ? row[d] * row[d] : row[d] * row[d] / factor[d];
        }
        m->share[i * m->k + c] = constant - .5 * squared;
    }
}

static void expect_piece(void *context, size_t begin, size_t end, size_t piece)
{
    mixture *m = context;
    double *rows = m->rows + parallel_slot() * ROWS * m->dims;
    for (size_t c = 0; c < m->k; c++) log_joint(m, rows, c, begin, end);
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        sum += softmax(m->share + i * m->k, m->share + i * m->k, m->k);
    }
    m->piece_sum[piece] = sum;
}

static double expect(mixture *m)
{
    parallel_for(m->n, ROWS, expect_piece, m);
    double sum = 0;
    for (size_t piece = 0; piece < parallel_pieces(m->n, ROWS); piece++) sum += m->piece_sum[piece];
    return sum;
}

/* Covariance of component c (unscaled sums) into its place. */
static void add_scatter(mixture *m, double *rows, size_t c, size_t begin, size_t end)
{
    size_t dims = m->dims;
    double *out = m->factor + c * (m->full ? dims * dims : dims);
    centre_rows(rows, m, c, begin, end);
    for (size_t i = begin; i < end; i++) {
        double root = sqrt(m->share[i * m->k + c]), *row = rows + (i - begin) * dims;
        for (size_t d = 0; d < dims; d++) row[d] *= root;
        for (size_t d = 0; d < dims && !m->full; d++) out[d] += row[d] * row[d];
    }
    if (m->full) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)dims, (int)(end - begin), 1, rows,
                    (int)dims, 1, out, (int)dims);
    }
}

static void maximise_component(void *context, size_t c, size_t end, size_t piece)
{
    mixture *m = context;
    (void)end;
    (void)piece;
    size_t dims = m->dims, stride = m->full ? dims * dims : dims;
    double *rows = m->rows + parallel_slot() * ROWS * dims;
    double *mean = m->mean + c * dims, *factor = m->factor + c * stride, total = 0;
    for (size_t i = 0; i < m->n; i++) total += m->share[i * m->k + c];
    m->weight[c] = log((total + 1e-300) / (double)m->n);
    if (total < 1e-9) return; /* nobody's component: stays where it is, with no weight */
    memset(mean, 0, dims * sizeof *mean);
    for (size_t i = 0; i < m->n; i++) {
        double share = m->share[i * m->k + c] / total;
        for (size_t d = 0; d < dims; d++) mean[d] += share * m->x[i * dims + d];
    }
    memset(factor, 0, stride * sizeof *factor);
    for (size_t begin = 0; begin < m->n; begin += ROWS) {
        add_scatter(m, rows, c, begin, begin + ROWS < m->n ? begin + ROWS : m->n);
    }
    for (size_t j = 0; j < stride; j++) factor[j] /= total;
    m->log_det[c] = 0;
    if (!m->full) {
        for (size_t d = 0; d < dims; d++) {
            factor[d] += m->floor;
            m->log_det[c] += log(factor[d]);
        }
        return;
    }
    for (size_t d = 0; d < dims; d++) factor[d * dims + d] += m->floor;
    /* the lower triangle by rows is the upper one by columns */
    m->broken[c] = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)dims, factor, (int)dims) != 0;
    for (size_t d = 0; d < dims; d++) m->log_det[c] += 2 * log(factor[d * dims + d]);
}

static int maximise(mixture *m)
{
    parallel_for(m->k, 1, maximise_component, m);
    for (size_t c = 0; c < m->k; c++) {
        if (!m->broken[c]) continue;
        return fail_with(SCDC_ERR_NUMERIC,
                         "the covariance of component %zu is not positive definite; raise ridge",
                         c);
    }
    return SCDC_OK;
}

/* A component that k-means left without items: a tight one at the origin, of no weight. */
static void clear_components(mixture *m)
{
    size_t dims = m->dims, stride = m->full ? dims * dims : dims;
    memset(m->mean, 0, m->k * dims * sizeof *m->mean);
    memset(m->factor, 0, m->k * stride * sizeof *m->factor);
    for (size_t c = 0; c < m->k; c++) {
        for (size_t d = 0; d < dims; d++) {
            m->factor[c * stride + (m->full ? d * dims + d : d)] =
                m->full ? sqrt(m->floor) : m->floor;
        }
        m->log_det[c] = (double)dims * log(m->floor);
    }
}

/* One start: k-means, then EM. The responsibilities of the last E step stay in m->share. */
static int run_start(baseline_result *out, mixture *m, uint32_t *labels,
                     const scdc_baseline_options *o, size_t start)
{
    kmeans_options first = {.k = m->k,
                            .starts = 1,
                            .max_iterations = 100,
                            .tolerance = 1e-4,
                            .seed = baseline_seed(o->seed, 1, start)};
    SCDC_TRY(kmeans_fit(labels, NULL, NULL, m->x, m->n, m->dims, &first));
    memset(m->share, 0, m->n * m->k * sizeof *m->share);
    for (size_t i = 0; i < m->n; i++) m->share[i * m->k + labels[i]] = 1;
    clear_components(m);
    SCDC_TRY(maximise(m));
    double tolerance = chosen_tolerance(o->tolerance, TOLERANCE) * (double)m->n;
    size_t limit = chosen_count(o->max_iterations, ITERATIONS);
    *out = (baseline_result){.objective = -INFINITY};
    while (out->iterations < limit && !out->converged) {
        double before = out->objective;
        SCDC_TRY(watch_tick("fitting the mixture", out->iterations, limit));
        if (out->iterations) SCDC_TRY(maximise(m));
        out->objective = expect(m);
        out->iterations++;
        out->converged = fabs(out->objective - before) <= tolerance;
    }
    if (!isfinite(out->objective)) {
        return fail_with(SCDC_ERR_NUMERIC, "the likelihood is not finite; scale the values");
    }
    return SCDC_OK;
}

static int mixture_allocate(mixture *m)
{
    size_t shares, table, buffer;
    if (!size_mul(&shares, m->n, m->k) ||
        !size_mul(&table, m->k * m->dims, m->full ? m->dims : 1) ||
        !size_mul(&buffer, parallel_slots() * ROWS, m->dims)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu components of %zu values are too many", m->k,
                         m->dims);
    }
    arena *a = &m->memory;
    m->weight = arena_new(a, m->k, sizeof *m->weight, "proportions");
    m->mean = arena_new(a, m->k * m->dims, sizeof *m->mean, "means");
    m->factor = arena_new(a, table, sizeof *m->factor, "covariances");
    m->log_det = arena_new(a, m->k, sizeof *m->log_det, "determinants");
    m->broken = arena_new(a, m->k, sizeof *m->broken, "marks");
    m->share = arena_new(a, shares, sizeof *m->share, "responsibilities");
    m->rows = arena_new(a, buffer, sizeof *m->rows, "rows");
    m->piece_sum =
        arena_new(a, parallel_pieces(m->n, ROWS), sizeof *m->piece_sum, "sums of pieces");
    return arena_status(a);
}

static double mean_variance(const float *x, size_t n, size_t dims)
{
    double total = 0;
    for (size_t d = 0; d < dims; d++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++) sum += x[i * dims + d];
        for (size_t i = 0; i < n; i++) {
            double v = x[i * dims + d] - sum / (double)n;
            squares += v * v;
        }
        total += squares / (double)n;
    }
    return total / (double)dims;
}

static void keep_best(baseline_result *out, const baseline_result *run, const mixture *m)
{
    out->objective = run->objective;
    out->iterations = run->iterations;
    out->converged = run->converged;
    for (size_t i = 0; i < m->n; i++) {
        out->labels[i] = (int64_t)argmax(m->share + i * m->k, m->k);
    }
    if (out->probabilities) {
        memcpy(out->probabilities, m->share, m->n * m->k * sizeof *m->share);
    }
}

int baseline_gmm(baseline_result *out, const baseline_input *in, const scdc_baseline_options *o)
{
    mixture m = {.x = in->x,
                 .n = in->n,
                 .dims = in->dims,
                 .k = o->k,
                 .full = o->covariance == SCDC_COVARIANCE_FULL};
    m.floor = o->ridge * mean_variance(in->x, in->n, in->dims);
    if (!(m.floor > 0)) m.floor = 1e-6;
    uint32_t *labels = NULL;
    int status;
    SCDC_TRY_OR(done, status, mixture_allocate(&m));
    labels = arena_new(&m.memory, m.n, sizeof *labels, "labels");
    SCDC_TRY_OR(done, status, arena_status(&m.memory));
    size_t starts = chosen_count(o->starts, STARTS);
    for (size_t start = 0; start < starts; start++) {
        baseline_result run;
        SCDC_TRY_OR(done, status, run_start(&run, &m, labels, o, start));
        if (start == 0 || run.objective > out->objective) keep_best(out, &run, &m);
    }
done:
    arena_free(&m.memory);
    return status;
}
