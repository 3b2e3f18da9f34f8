/* Expectation maximisation from k-means. */
#include "mixture/mixture.h"

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/watch.h"
#include "kernels/blas.h"
#include "kmeans/kmeans.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { ROWS = 256, KMEANS_ITERATIONS = 100 };

/* A component with fewer items than this keeps its place and loses its weight. */
#define NOBODY 1e-9

static bool has_matrix(mixture_family family)
{
    return family == MIXTURE_FULL || family == MIXTURE_TIED;
}

static size_t stride_of(const mixture *m)
{
    return has_matrix(m->family) ? m->dims * m->dims : m->dims;
}

/* Where the covariance of component c lies. */
static double *factor_of(const mixture *m, size_t c)
{
    return m->factor + (m->family == MIXTURE_TIED ? 0 : c * stride_of(m));
}

int mixture_create(mixture *out, mixture_family family, size_t k, size_t dims)
{
    mixture m = {.family = family, .k = k, .dims = dims};
    size_t table;
    if (!size_mul(&table, family == MIXTURE_TIED ? 1 : k, stride_of(&m))) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu components of %zu values are too many", k, dims);
    }
    m.weight = arena_new(&m.memory, k, sizeof *m.weight, "shares");
    m.mean = arena_new(&m.memory, k, dims * sizeof *m.mean, "means");
    m.factor = arena_new(&m.memory, table, sizeof *m.factor, "covariances");
    m.log_det = arena_new(&m.memory, k, sizeof *m.log_det, "determinants");
    int status = arena_status(&m.memory);
    if (status == SCDC_OK) *out = m;
    else arena_free(&m.memory);
    return status;
}

void mixture_free(mixture *m)
{
    arena_free(&m->memory);
    *m = (mixture){0};
}

double mixture_parameters(const mixture *m)
{
    double k = (double)m->k, d = (double)m->dims, matrix = d * (d + 1) / 2;
    double spread = m->family == MIXTURE_FULL       ? k * matrix
                    : m->family == MIXTURE_TIED     ? matrix
                    : m->family == MIXTURE_DIAGONAL ? k * d
                                                    : k;
    return k - 1 + k * d + spread;
}

double mixture_mean_variance(const float *x, size_t n, size_t dims)
{
    double total = 0;
    for (size_t d = 0; d < dims; d++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++) sum += (double)x[i * dims + d];
        for (size_t i = 0; i < n; i++) {
            double v = (double)x[i * dims + d] - sum / (double)n;
            squares += v * v;
        }
        total += squares / (double)n;
    }
    return total / (double)dims;
}

/* ---- expectation ---- */

typedef struct fitting {
    mixture *m;
    const mixture_options *options;
    const float *x;
    size_t n;
    double *share;     /* [n][k] */
    double *rows;      /* per thread: [ROWS][dims] */
    double *scatter;   /* tied: [k][dims][dims] sums of each component */
    double *total;     /* [k] items of each component */
    double *piece_sum; /* per piece of rows: log likelihood */
    int *broken;       /* [k] */
    uint32_t *label;
    arena memory;
} fitting;

/* rows = x[begin:end] - mean of component c. */
static void centre_rows(double *rows, const mixture *m, const float *x, size_t c, size_t count)
{
    const double *mean = m->mean + c * m->dims;
    for (size_t i = 0; i < count; i++) {
        for (size_t d = 0; d < m->dims; d++) {
            rows[i * m->dims + d] = (double)x[i * m->dims + d] - mean[d];
        }
    }
}

/* out[i * k + c] = ln p(x_i, c) for `count` items. */
static void log_joint(double *out, double *rows, const mixture *m, const float *x, size_t c,
                      size_t count)
{
    size_t dims = m->dims;
    const double *factor = factor_of(m, c);
    bool matrix = has_matrix(m->family);
    centre_rows(rows, m, x, c, count);
    if (matrix) { /* rows := rows L^-T, so that a squared row is a Mahalanobis distance */
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)count,
                    (int)dims, 1, factor, (int)dims, rows, (int)dims);
    }
    double constant = m->weight[c] - .5 * (m->log_det[c] + (double)dims * log(2 * M_PI));
    for (size_t i = 0; i < count; i++) {
        const double *row = rows + i * dims;
        double squared = 0;
        for (size_t d = 0; d < dims; d++) {
            squared += matrix ? row[d] * row[d] : row[d] * row[d] / factor[d];
        }
        out[i * m->k + c] = constant - .5 * squared;
    }
}

static void expect_piece(void *context, size_t begin, size_t end, size_t piece)
{
    fitting *f = context;
    mixture *m = f->m;
    double *rows = f->rows + parallel_slot() * ROWS * m->dims, *share = f->share + begin * m->k;
    const float *x = f->x + begin * m->dims;
    for (size_t c = 0; c < m->k; c++) log_joint(share, rows, m, x, c, end - begin);
    double sum = 0;
    for (size_t i = 0; i < end - begin; i++) {
        sum += softmax(share + i * m->k, share + i * m->k, m->k);
    }
    f->piece_sum[piece] = sum;
}

static double expect(fitting *f)
{
    parallel_for(f->n, ROWS, expect_piece, f);
    double sum = 0;
    for (size_t piece = 0; piece < parallel_pieces(f->n, ROWS); piece++) sum += f->piece_sum[piece];
    return sum;
}

/* ---- maximisation ---- */

/* Adds the weighted scatter of a stretch of items around the mean of component c. */
static void add_scatter(double *out, double *rows, const fitting *f, size_t c, size_t begin,
                        size_t end)
{
    const mixture *m = f->m;
    size_t dims = m->dims;
    bool matrix = has_matrix(m->family);
    centre_rows(rows, m, f->x + begin * dims, c, end - begin);
    for (size_t i = begin; i < end; i++) {
        double root = sqrt(f->share[i * m->k + c]), *row = rows + (i - begin) * dims;
        for (size_t d = 0; d < dims; d++) row[d] *= root;
        for (size_t d = 0; d < dims && !matrix; d++) out[d] += row[d] * row[d];
    }
    if (matrix) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)dims, (int)(end - begin), 1, rows,
                    (int)dims, 1, out, (int)dims);
    }
}

/* Variances or a matrix of mean squares become what densities need: floor, factor, determinant. */
static int finish_covariance(double *log_det, double *factor, const mixture *m, double floor)
{
    size_t dims = m->dims;
    *log_det = 0;
    if (!has_matrix(m->family)) {
        double sum = 0;
        for (size_t d = 0; d < dims; d++) sum += factor[d];
        for (size_t d = 0; d < dims; d++) {
            if (m->family == MIXTURE_SPHERICAL) factor[d] = sum / (double)dims;
            factor[d] += floor;
            *log_det += log(factor[d]);
        }
        return 0;
    }
    for (size_t d = 0; d < dims; d++) factor[d * dims + d] += floor;
    /* the lower triangle by rows is the upper one by columns */
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)dims, factor, (int)dims);
    for (size_t d = 0; d < dims; d++) *log_det += 2 * log(factor[d * dims + d]);
    return info;
}

static void maximise_component(void *context, size_t c, size_t end, size_t piece)
{
    (void)end;
    (void)piece;
    fitting *f = context;
    mixture *m = f->m;
    size_t dims = m->dims, stride = stride_of(m);
    double *rows = f->rows + parallel_slot() * ROWS * dims, *mean = m->mean + c * dims, total = 0;
    double *scatter = m->family == MIXTURE_TIED ? f->scatter + c * stride : factor_of(m, c);
    for (size_t i = 0; i < f->n; i++) total += f->share[i * m->k + c];
    f->total[c] = total;
    m->weight[c] = log((total + 1e-300) / (double)f->n);
    if (total < NOBODY) return;
    memset(mean, 0, dims * sizeof *mean);
    for (size_t i = 0; i < f->n; i++) {
        double share = f->share[i * m->k + c] / total;
        for (size_t d = 0; d < dims; d++) mean[d] += share * (double)f->x[i * dims + d];
    }
    memset(scatter, 0, stride * sizeof *scatter);
    for (size_t begin = 0; begin < f->n; begin += ROWS) {
        add_scatter(scatter, rows, f, c, begin, begin + ROWS < f->n ? begin + ROWS : f->n);
    }
    if (m->family == MIXTURE_TIED) return;
    for (size_t j = 0; j < stride; j++) scatter[j] /= total;
    f->broken[c] = finish_covariance(&m->log_det[c], scatter, m, f->options->floor);
}

/* The scatter of all components is one covariance. */
static void tie_components(fitting *f)
{
    mixture *m = f->m;
    size_t stride = stride_of(m);
    memset(m->factor, 0, stride * sizeof *m->factor);
    for (size_t c = 0; c < m->k; c++) {
        for (size_t j = 0; j < stride && f->total[c] >= NOBODY; j++) {
            m->factor[j] += f->scatter[c * stride + j] / (double)f->n;
        }
    }
    f->broken[0] = finish_covariance(&m->log_det[0], m->factor, m, f->options->floor);
    for (size_t c = 1; c < m->k; c++) m->log_det[c] = m->log_det[0];
}

static int maximise(fitting *f)
{
    parallel_for(f->m->k, 1, maximise_component, f);
    if (f->m->family == MIXTURE_TIED) tie_components(f);
    for (size_t c = 0; c < f->m->k; c++) {
        if (!f->broken[c]) continue;
        return fail_with(SCDC_ERR_NUMERIC,
                         "the covariance of component %zu is not positive definite; raise ridge",
                         c);
    }
    return SCDC_OK;
}

/* ---- a fit ---- */

/* A component that k-means left without items: a tight one at the origin, of no weight. */
static void clear_components(mixture *m, double floor)
{
    size_t dims = m->dims, blocks = m->family == MIXTURE_TIED ? 1 : m->k;
    bool matrix = has_matrix(m->family);
    memset(m->mean, 0, m->k * dims * sizeof *m->mean);
    memset(m->factor, 0, blocks * stride_of(m) * sizeof *m->factor);
    for (size_t c = 0; c < m->k; c++) {
        for (size_t d = 0; d < dims; d++) {
            factor_of(m, c)[matrix ? d * dims + d : d] = matrix ? sqrt(floor) : floor;
        }
        m->log_det[c] = (double)dims * log(floor);
    }
}

static int fitting_create(fitting *f)
{
    size_t k = f->m->k, dims = f->m->dims, buffer;
    arena *a = &f->memory;
    if (!size_mul(&buffer, parallel_slots() * ROWS, dims)) return fail_memory(SIZE_MAX, "rows");
    f->rows = arena_new(a, buffer, sizeof *f->rows, "rows");
    f->total = arena_new(a, k, sizeof *f->total, "shares");
    f->broken = arena_new(a, k, sizeof *f->broken, "marks");
    f->label = arena_new(a, f->n, sizeof *f->label, "labels");
    if (f->m->family == MIXTURE_TIED) {
        f->scatter = arena_new(a, k * dims, dims * sizeof *f->scatter, "covariances");
    }
    f->piece_sum =
        arena_new(a, parallel_pieces(f->n, ROWS), sizeof *f->piece_sum, "sums of pieces");
    return arena_status(a);
}

static int run(mixture_report *report, fitting *f)
{
    mixture *m = f->m;
    kmeans_options first = {.k = m->k,
                            .starts = 1,
                            .max_iterations = KMEANS_ITERATIONS,
                            .tolerance = 1e-4,
                            .seed = f->options->seed};
    if (f->options->first) memcpy(f->label, f->options->first, f->n * sizeof *f->label);
    else SCDC_TRY(kmeans_fit(f->label, NULL, NULL, f->x, f->n, m->dims, &first));
    memset(f->share, 0, f->n * m->k * sizeof *f->share);
    for (size_t i = 0; i < f->n; i++) f->share[i * m->k + f->label[i]] = 1;
    clear_components(m, f->options->floor);
    SCDC_TRY(maximise(f));
    *report = (mixture_report){.log_likelihood = -INFINITY};
    while (report->iterations < f->options->iterations && !report->converged) {
        double before = report->log_likelihood;
        if (report->iterations) SCDC_TRY(maximise(f));
        SCDC_TRY(watch_tick("fitting a mixture", report->iterations, f->options->iterations));
        report->log_likelihood = expect(f);
        report->iterations++;
        report->converged =
            fabs(report->log_likelihood - before) <= f->options->tolerance * (double)f->n;
    }
    if (isfinite(report->log_likelihood)) return SCDC_OK;
    return fail_with(SCDC_ERR_NUMERIC, "the likelihood is not finite; scale the values");
}

int mixture_fit(mixture *m, double *share, mixture_report *report, const float *x, size_t n,
                const mixture_options *options)
{
    fitting f = {.m = m, .options = options, .x = x, .n = n, .share = share};
    int status = fitting_create(&f);
    blas_serial_begin();
    if (status == SCDC_OK) status = run(report, &f);
    blas_serial_end();
    arena_free(&f.memory);
    return status;
}

/* ---- placing any items ---- */

struct placing {
    const mixture *m;
    const float *x;
    double *rows, *joint; /* per thread */
    uint32_t *component;  /* one of these three is asked for */
    double *share, *density;
};

static void place_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const struct placing *p = context;
    const mixture *m = p->m;
    double *rows = p->rows + parallel_slot() * ROWS * m->dims;
    double *joint = p->joint + parallel_slot() * ROWS * m->k;
    for (size_t c = 0; c < m->k; c++) {
        log_joint(joint, rows, m, p->x + begin * m->dims, c, end - begin);
    }
    for (size_t i = begin; i < end; i++) {
        const double *row = joint + (i - begin) * m->k;
        if (p->share) softmax(p->share + i * m->k, row, m->k);
        else if (p->density) p->density[i] = log_sum_exp(row, m->k);
        else p->component[i] = (uint32_t)argmax(row, m->k);
    }
}

static int place(struct placing *p, size_t n)
{
    arena memory = {0};
    size_t slots = parallel_slots() * ROWS;
    p->rows = arena_new(&memory, slots, p->m->dims * sizeof *p->rows, "rows");
    p->joint = arena_new(&memory, slots, p->m->k * sizeof *p->joint, "densities");
    int status = arena_status(&memory);
    blas_serial_begin();
    if (status == SCDC_OK) parallel_for(n, ROWS, place_piece, p);
    blas_serial_end();
    arena_free(&memory);
    return status;
}

int mixture_assign(uint32_t *component, const mixture *m, const float *x, size_t n)
{
    return place(&(struct placing){.m = m, .x = x, .component = component}, n);
}

int mixture_shares(double *share, const mixture *m, const float *x, size_t n)
{
    return place(&(struct placing){.m = m, .x = x, .share = share}, n);
}

int mixture_densities(double *density, const mixture *m, const float *x, size_t n)
{
    return place(&(struct placing){.m = m, .x = x, .density = density}, n);
}
