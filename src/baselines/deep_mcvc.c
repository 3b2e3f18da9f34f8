/* Deep MCVC: as mcvc.c, with a network in place of the linear softmax.
 *
 * Luo, Tian, Shi, Zhu and Zhang, "Semi-crowdsourced clustering with deep generative models",
 * NeurIPS 2018, appendix: MCVC (Chang et al. 2017) whose softmax is that of a network with two
 * hidden layers of 40 rectified units. Open choices: one network per view; weights are point
 * estimates under a N(0, 1) prior; Adam on all annotated items at once (they are few), one
 * closed-form round of the experts per step; starts from the networks' own first weights, the best
 * posterior wins; a start has converged when WINDOW steps gain less than `tolerance` of the
 * objective.
 *
 * Time O(starts * steps * views * (n_l (40 D + 1600 + 40 k) + answers k)), memory O(n D). */
#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "baselines/baseline.h"
#include "baselines/experts.h"
#include "baselines/standardise.h"
#include "baselines/starts.h"
#include "nets/net.h"

#include <math.h>
#include <string.h>

enum { STARTS = 20, ITERATIONS = 2000, WINDOW = 20, PREDICT_ROWS = 256 };
static const double TOLERANCE = 1e-4;
static const size_t HIDDEN[2] = {40, 40};

typedef struct deep {
    experts people;
    param_block block;
    net *nets;     /* one per view */
    const real *x; /* n_l x D: standardised annotated items; shared */
    real *d_out;   /* n_l x k */
    double *d_eta; /* views x n_l x k */
    baseline_result run;
} deep;

typedef struct deep_job {
    const baseline_input *in;
    const scdc_baseline_options *options;
    crowd_graph graph;
    standard_scale scale;
    deep workspaces[STARTS_AT_A_TIME];
    baseline_result *out;
    real *x;     /* n_l x D; then PREDICT_ROWS of any items */
    double *row; /* D */
    real *best;  /* weights of the best start */
    size_t best_view;
    arena memory;
} deep_job;

static void fill_rows(deep_job *job, const uint32_t *items, size_t first, size_t count)
{
    size_t dims = job->in->dims;
    for (size_t i = 0; i < count; i++) {
        size_t item = items ? items[i] : first + i;
        standardise_row(job->row, job->in->x + item * dims, &job->scale);
        for (size_t d = 0; d < dims; d++) job->x[i * dims + d] = (real)job->row[d];
    }
}

static void set_probabilities(deep *m)
{
    size_t n = m->people.n, k = m->people.k;
    for (size_t g = 0; g < m->people.views; g++) {
        const real *logits = net_forward(&m->nets[g], m->x, n);
        double *eta = m->people.eta + g * n * k;
        for (size_t j = 0; j < n * k; j++) eta[j] = (double)logits[j];
        for (size_t i = 0; i < n; i++) softmax(eta + i * k, eta + i * k, k);
    }
}

/* Gradients of the answers' expected log likelihood in all weights, and of the prior. */
static void set_gradients(deep *m)
{
    size_t n = m->people.n, k = m->people.k;
    experts_gradient(&m->people, m->d_eta);
    for (size_t g = 0; g < m->people.views; g++) {
        const double *eta = m->people.eta + g * n * k, *d_eta = m->d_eta + g * n * k;
        for (size_t i = 0; i < n; i++) {
            double mix = 0;
            for (size_t c = 0; c < k; c++) mix += eta[i * k + c] * d_eta[i * k + c];
            for (size_t c = 0; c < k; c++) {
                m->d_out[i * k + c] = (real)(eta[i * k + c] * (d_eta[i * k + c] - mix));
            }
        }
        net_backward(&m->nets[g], NULL, m->d_out, m->x, n, false);
    }
    for (size_t j = 0; j < m->block.count; j++) m->block.grads[j] -= m->block.params[j];
}

static double log_prior(const deep *m)
{
    double sum = 0;
    for (size_t j = 0; j < m->block.count; j++) {
        sum -= .5 * (double)m->block.params[j] * (double)m->block.params[j];
    }
    return sum;
}

static void start_weights(deep *m, const scdc_baseline_options *o, size_t start)
{
    uint64_t number = 0;
    memset(m->block.params, 0, m->block.count * sizeof *m->block.params);
    param_block_reset(&m->block);
    for (size_t g = 0; g < m->people.views; g++) {
        net_init(&m->nets[g], baseline_seed(o->seed, 10, start), &number);
    }
}

static void run_start(void *context, size_t workspace, size_t start)
{
    deep_job *job = context;
    deep *m = &job->workspaces[workspace];
    const scdc_baseline_options *o = job->options;
    size_t limit = chosen_count(o->max_iterations, ITERATIONS);
    double tolerance = chosen_tolerance(o->tolerance, TOLERANCE), before = -INFINITY;
    m->run = (baseline_result){.objective = -INFINITY};
    start_weights(m, o, start);
    experts_start(&m->people, o->seed, start);
    for (;;) {
        set_probabilities(m);
        m->run.objective = experts_update(&m->people) + log_prior(m);
        if (m->run.iterations % WINDOW == 0) {
            double gain = m->run.objective - before;
            m->run.converged = isfinite(gain) && gain <= tolerance * (1 + fabs(before));
            before = m->run.objective;
        }
        if (m->run.converged || m->run.iterations == limit) break;
        set_gradients(m);
        param_block_step(&m->block, SCDC_OPTIMIZER_ADAM, o->learning_rate, 0);
        m->run.iterations++;
    }
}

static int workspace_create(deep *m, deep_job *job)
{
    arena *a = &job->memory;
    size_t k = job->options->k, views = job->options->views, room = 0, offset = 0;
    SCDC_TRY(experts_create(&m->people, a, job->in, &job->graph, k, views));
    size_t n = m->people.n, max_rows = n > PREDICT_ROWS ? n : PREDICT_ROWS;
    m->nets = arena_new(a, views, sizeof *m->nets, "networks");
    SCDC_TRY(arena_status(a));
    for (size_t g = 0; g < views; g++) {
        SCDC_TRY(net_mlp(&m->nets[g], a, shape_vector(job->in->dims), HIDDEN, 2, k, max_rows));
        room += net_room(&m->nets[g]);
    }
    SCDC_TRY(param_block_create(&m->block, a, room));
    for (size_t g = 0; g < views; g++) net_bind(&m->nets[g], &m->block, &offset);
    m->d_out = arena_new(a, n * k, sizeof *m->d_out, "gradients");
    m->d_eta = arena_new(a, views * n * k, sizeof *m->d_eta, "gradients");
    return arena_status(a);
}

/* Standardised features of the annotated items, once for all workspaces. */
static int gather_annotated(deep_job *job, size_t workspaces)
{
    const baseline_input *in = job->in;
    const experts *people = &job->workspaces[0].people;
    size_t values;
    if (!size_mul(&values, people->n > PREDICT_ROWS ? people->n : PREDICT_ROWS, in->dims)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu items of %zu values are too many", in->n,
                         in->dims);
    }
    SCDC_TRY(standard_scale_of(&job->scale, &job->memory, in->x, in->n, in->dims));
    job->x = arena_new(&job->memory, values, sizeof *job->x, "features");
    job->row = arena_new(&job->memory, in->dims, sizeof *job->row, "row");
    SCDC_TRY(arena_status(&job->memory));
    fill_rows(job, job->graph.item, 0, people->n);
    for (size_t w = 0; w < workspaces; w++) job->workspaces[w].x = job->x;
    return SCDC_OK;
}

static int keep_if_better(void *context, size_t workspace)
{
    deep_job *job = context;
    const deep *m = &job->workspaces[workspace];
    if (!starts_improve(job->out, &m->run)) return SCDC_OK;
    job->best_view = experts_ranked_view(&m->people, job->options->view);
    memcpy(job->best, m->block.params, m->block.count * sizeof *job->best);
    experts_report(job->out, &m->people);
    return SCDC_OK;
}

static void predict(baseline_result *out, deep_job *job)
{
    deep *m = &job->workspaces[0];
    size_t k = job->options->k, n = job->in->n;
    memcpy(m->block.params, job->best, m->block.count * sizeof *job->best);
    for (size_t first = 0; first < n; first += PREDICT_ROWS) {
        size_t count = n - first < PREDICT_ROWS ? n - first : PREDICT_ROWS;
        fill_rows(job, NULL, first, count);
        const real *logits = net_forward(&m->nets[job->best_view], job->x, count);
        for (size_t i = 0; i < count; i++) {
            const real *row = logits + i * k;
            out->labels[first + i] = (int64_t)argmax(row, k);
            if (!out->probabilities) continue;
            double *p = out->probabilities + (first + i) * k;
            for (size_t c = 0; c < k; c++) p[c] = (double)row[c];
            softmax(p, p, k);
        }
    }
}

static int run_job(baseline_result *out, deep_job *job)
{
    size_t starts = chosen_count(job->options->starts, STARTS);
    size_t workspaces = starts_workspaces(starts);
    const starts_body body = {run_start, keep_if_better};
    for (size_t w = 0; w < workspaces; w++) SCDC_TRY(workspace_create(&job->workspaces[w], job));
    SCDC_TRY(gather_annotated(job, workspaces));
    job->best =
        arena_new(&job->memory, job->workspaces[0].block.count, sizeof *job->best, "weights");
    SCDC_TRY(arena_status(&job->memory));
    out->objective = -INFINITY;
    SCDC_TRY(starts_run(starts, &body, job));
    if (!isfinite(out->objective)) {
        return fail_with(SCDC_ERR_NUMERIC, "the weights are not finite; lower learning_rate");
    }
    predict(out, job);
    return SCDC_OK;
}

int baseline_deep_mcvc(baseline_result *out, const baseline_input *in,
                       const scdc_baseline_options *o)
{
    SCDC_TRY(experts_check_options(o));
    deep_job job = {.in = in, .options = o, .out = out};
    int status = crowd_graph_build(&job.graph, in->answers, in->n_answers);
    if (status == SCDC_OK) status = run_job(out, &job);
    crowd_graph_free(&job.graph);
    arena_free(&job.memory);
    return status;
}
