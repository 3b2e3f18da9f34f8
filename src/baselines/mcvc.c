/* Multiple clustering views from uncertain experts: items are clustered by a softmax of their
 * features, one per view; experts.h models who answers what.
 *
 * Chang, Chen, Cho, Castaldi, Silverman and Dy, "Multiple clustering views from multiple uncertain
 * experts", ICML 2017. p(z_i = k) = softmax(W'x_i + b)_k, W and b ~ N(0, 1); q(W), q(b) factorised
 * Gaussians; q(z_i) is the softmax at the mean of W and b, as in the authors' published program;
 * the expectation of the softmax's denominator is bounded by that of the lognormal. Priors:
 * Beta(10, 1) accuracies, concentration 1. Open choices: columns are standardised; only annotated
 * items enter the bound (the others are leaves of the model and say nothing); closed-form rounds of
 * the experts alternate with STEPS of L-BFGS in the means and log deviations, where the authors run
 * one projected quasi-Newton search over all; starts are drawn as theirs, means N(0, 1/D),
 * deviations 1e-3; the best bound wins. The labels are those of one view: that of most experts, or
 * the one asked for by `view`.
 *
 * Time O(starts * iterations * STEPS * views * (n_l D + answers) k), memory O(n D + views n_l k).
 */
#include "base/memory.h"
#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "baselines/baseline.h"
#include "baselines/experts.h"
#include "baselines/standardise.h"
#include "baselines/starts.h"
#include "kernels/lbfgs.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { STARTS = 20, ITERATIONS = 50, STEPS = 10 };
static const double TOLERANCE = 1e-5;

/* The parameters of all views in one vector: means, then log deviations, each views x (D + 1) x k;
 * the last row of a view is the bias. */
typedef struct mcvc {
    experts people;
    size_t rows;                    /* D + 1 */
    size_t per_view;                /* rows * k */
    double *x;                      /* n_l x rows: standardised features and a one */
    double *squared;                /* the same, squared */
    double *logits;                 /* n_l x k */
    double *variance;               /* n_l x k: of the logits */
    double *d_eta;                  /* views x n_l x k */
    double *deviation, *d_variance; /* rows x k: squared deviations and their gradient */
    double *parameters;
    lbfgs search;
    baseline_result run;
} mcvc;

typedef struct mcvc_job {
    const baseline_input *in;
    const scdc_baseline_options *options;
    crowd_graph graph;
    standard_scale scale;
    mcvc workspaces[STARTS_AT_A_TIME];
    baseline_result *out;
    double *x, *squared;
    double *best; /* (D + 1) x k: weights of the view to return */
    arena memory;
} mcvc_job;

static const double *means(const mcvc *m, const double *p, size_t view)
{
    return p + view * m->per_view;
}
static const double *log_deviations(const mcvc *m, const double *p, size_t view)
{
    return p + (m->people.views + view) * m->per_view;
}

/* out (n_l x k) = a (n_l x rows) b (rows x k) */
static void product(double *out, const mcvc *m, const double *a, const double *b)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m->people.n, (int)m->people.k,
                (int)m->rows, 1, a, (int)m->rows, b, (int)m->people.k, 0, out, (int)m->people.k);
}

/* out (rows x k) = a' (rows x n_l) g (n_l x k) */
static void product_back(double *out, const mcvc *m, const double *a, const double *g)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)m->rows, (int)m->people.k,
                (int)m->people.n, 1, a, (int)m->rows, g, (int)m->people.k, 0, out,
                (int)m->people.k);
}

static void set_probabilities(mcvc *m, const double *p)
{
    size_t n = m->people.n, k = m->people.k;
    for (size_t g = 0; g < m->people.views; g++) {
        double *eta = m->people.eta + g * n * k;
        product(eta, m, m->x, means(m, p, g));
        for (size_t i = 0; i < n; i++) softmax(eta + i * k, eta + i * k, k);
    }
}

/* The part of the bound that items and weights of one view own, and all gradients of the view: of
 * means into d_mean, of log deviations into d_log (both of the negative bound). */
static double view_terms(mcvc *m, double *d_mean, double *d_log, const double *p, size_t view)
{
    size_t n = m->people.n, k = m->people.k;
    const double *mean = means(m, p, view), *log_deviation = log_deviations(m, p, view);
    const double *eta = m->people.eta + view * n * k, *d_eta = m->d_eta + view * n * k;
    double sum = 0;
    for (size_t j = 0; j < m->per_view; j++) m->deviation[j] = exp(2 * log_deviation[j]);
    product(m->logits, m, m->x, mean);
    product(m->variance, m, m->squared, m->deviation);
    for (size_t i = 0; i < n; i++) {
        double *logit = m->logits + i * k, *spread = m->variance + i * k, mix = 0;
        for (size_t c = 0; c < k; c++) {
            spread[c] = logit[c] + .5 * spread[c];
            mix += eta[i * k + c] * d_eta[i * k + c];
        }
        sum += log_sum_exp(logit, k) - softmax(spread, spread, k);
        for (size_t c = 0; c < k; c++) {
            double own = eta[i * k + c];
            logit[c] = -(own * (d_eta[i * k + c] - mix) + own - spread[c]);
            spread[c] = .5 * spread[c];
        }
    }
    product_back(d_mean, m, m->x, m->logits);
    product_back(m->d_variance, m, m->squared, m->variance);
    for (size_t j = 0; j < m->per_view; j++) { /* KL from N(0, 1) */
        sum -= .5 * (m->deviation[j] + mean[j] * mean[j] - 1) - log_deviation[j];
        d_mean[j] += mean[j];
        d_log[j] = 2 * m->deviation[j] * (m->d_variance[j] + .5) - 1;
    }
    return sum;
}

/* The negative bound as far as it depends on the weights, with its gradient. */
static double negative_bound(void *context, double *gradient, const double *p)
{
    mcvc *m = context;
    set_probabilities(m, p);
    double sum = experts_gradient(&m->people, m->d_eta);
    for (size_t g = 0; g < m->people.views; g++) {
        double *d_mean = gradient + g * m->per_view;
        double *d_log = gradient + (m->people.views + g) * m->per_view;
        sum += view_terms(m, d_mean, d_log, p, g);
    }
    return -sum;
}

/* What negative_bound leaves out: the bound's terms of experts, without the answers it counted. */
static double whole_bound(mcvc *m, double weights_and_answers)
{
    double answers = experts_gradient(&m->people, m->d_eta);
    return experts_update(&m->people) + weights_and_answers - answers;
}

static void start_weights(mcvc *m, uint64_t seed, size_t start)
{
    rng r;
    rng_init(&r, seed, RNG_BASELINE, 9, start);
    size_t half = m->people.views * m->per_view;
    double scale = 1 / sqrt((double)(m->rows - 1));
    for (size_t j = 0; j < half; j++) m->parameters[j] = scale * rng_normal(&r);
    for (size_t j = half; j < 2 * half; j++) m->parameters[j] = log(1e-3);
}

static void run_start(void *context, size_t workspace, size_t start)
{
    mcvc_job *job = context;
    mcvc *m = &job->workspaces[workspace];
    const scdc_baseline_options *o = job->options;
    size_t limit = chosen_count(o->max_iterations, ITERATIONS);
    double tolerance = chosen_tolerance(o->tolerance, TOLERANCE);
    m->run = (baseline_result){.objective = -INFINITY};
    experts_start(&m->people, o->seed, start);
    start_weights(m, o->seed, start);
    while (m->run.iterations < limit && !m->run.converged) {
        double before = m->run.objective;
        double value = -lbfgs_minimise(&m->search, m->parameters, negative_bound, m, STEPS, 1e-6);
        set_probabilities(m, m->parameters);
        m->run.objective = whole_bound(m, value);
        m->run.iterations++;
        double gain = m->run.objective - before;
        m->run.converged = isfinite(gain) && gain <= tolerance * (1 + fabs(before));
    }
}

static int workspace_create(mcvc *m, mcvc_job *job)
{
    arena *a = &job->memory;
    const baseline_input *in = job->in;
    size_t k = job->options->k, views = job->options->views, values;
    SCDC_TRY(experts_create(&m->people, a, in, &job->graph, k, views));
    size_t n = m->people.n;
    m->rows = in->dims + 1;
    if (!size_mul(&m->per_view, m->rows, k) || !size_mul(&values, 2 * views, m->per_view)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu views of %zu values are too many", views,
                         in->dims);
    }
    m->logits = arena_new(a, n * k, sizeof(double), "logits");
    m->variance = arena_new(a, n * k, sizeof(double), "variances");
    m->d_eta = arena_new(a, views * n * k, sizeof(double), "gradients");
    m->deviation = arena_new(a, m->per_view, sizeof(double), "deviations");
    m->d_variance = arena_new(a, m->per_view, sizeof(double), "gradients");
    m->parameters = arena_new(a, values, sizeof(double), "weights");
    SCDC_TRY(arena_status(a));
    return lbfgs_create(&m->search, a, values);
}

/* Standardised features of the annotated items, once for all workspaces. */
static int gather_annotated(mcvc_job *job, size_t workspaces)
{
    const baseline_input *in = job->in;
    const experts *people = &job->workspaces[0].people;
    size_t rows = in->dims + 1, table;
    if (!size_mul(&table, people->n, rows)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu items of %zu values are too many", in->n,
                         in->dims);
    }
    SCDC_TRY(standard_scale_of(&job->scale, &job->memory, in->x, in->n, in->dims));
    job->x = arena_new(&job->memory, table, sizeof(double), "features");
    job->squared = arena_new(&job->memory, table, sizeof(double), "features");
    SCDC_TRY(arena_status(&job->memory));
    for (size_t i = 0; i < people->n; i++) {
        standardise_row(job->x + i * rows, in->x + job->graph.item[i] * in->dims, &job->scale);
        job->x[i * rows + in->dims] = 1;
    }
    for (size_t j = 0; j < table; j++) job->squared[j] = job->x[j] * job->x[j];
    for (size_t w = 0; w < workspaces; w++) {
        job->workspaces[w].x = job->x;
        job->workspaces[w].squared = job->squared;
    }
    return SCDC_OK;
}

/* Labels and probabilities of all items from the weights of one view. */
static int predict(baseline_result *out, const mcvc_job *job)
{
    const baseline_input *in = job->in;
    size_t k = job->options->k, rows = in->dims + 1;
    double *row = NULL, *p = NULL;
    SCDC_TRY(mem_zeroed(&row, rows + k, sizeof *row, "row"));
    p = row + rows;
    row[in->dims] = 1;
    for (size_t i = 0; i < in->n; i++) {
        standardise_row(row, in->x + i * in->dims, &job->scale);
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)rows, (int)k, 1, job->best, (int)k, row, 1, 0,
                    p, 1);
        softmax(p, p, k);
        out->labels[i] = (int64_t)argmax(p, k);
        if (out->probabilities) memcpy(out->probabilities + i * k, p, k * sizeof *p);
    }
    mem_free(row);
    return SCDC_OK;
}

static int keep_if_better(void *context, size_t workspace)
{
    mcvc_job *job = context;
    const mcvc *m = &job->workspaces[workspace];
    if (!starts_improve(job->out, &m->run)) return SCDC_OK;
    size_t view = experts_ranked_view(&m->people, job->options->view);
    memcpy(job->best, means(m, m->parameters, view), m->per_view * sizeof *job->best);
    experts_report(job->out, &m->people);
    return SCDC_OK;
}

static int run_job(baseline_result *out, mcvc_job *job)
{
    size_t starts = chosen_count(job->options->starts, STARTS);
    size_t workspaces = starts_workspaces(starts);
    const starts_body body = {run_start, keep_if_better};
    for (size_t w = 0; w < workspaces; w++) SCDC_TRY(workspace_create(&job->workspaces[w], job));
    SCDC_TRY(gather_annotated(job, workspaces));
    job->best = arena_new(&job->memory, job->workspaces[0].per_view, sizeof(double), "weights");
    SCDC_TRY(arena_status(&job->memory));
    out->objective = -INFINITY;
    SCDC_TRY(starts_run(starts, &body, job));
    if (!isfinite(out->objective)) {
        return fail_with(SCDC_ERR_NUMERIC, "the bound is not finite; scale the values");
    }
    return predict(out, job);
}

int baseline_mcvc(baseline_result *out, const baseline_input *in, const scdc_baseline_options *o)
{
    SCDC_TRY(experts_check_options(o));
    mcvc_job job = {.in = in, .options = o, .out = out};
    int status = crowd_graph_build(&job.graph, in->answers, in->n_answers);
    if (status == SCDC_OK) status = run_job(out, &job);
    crowd_graph_free(&job.graph);
    arena_free(&job.memory);
    return status;
}
