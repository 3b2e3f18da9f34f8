/* Crowdclustering: clusters from answers alone, without any features.
 *
 * Gomes, Welinder, Krause and Perona, "Crowdclustering", NIPS 2011: items are vectors drawn from a
 * Dirichlet process mixture of Gaussians; worker j answers "same" with probability
 * sigma(x_a' W_j x_b + tau_j), W_j symmetric; all posteriors variational.
 *
 * Open choices: q(x_i) and q(W_j, tau_j) have full covariance, which is closer than the paper's
 * factorised one; entries of W_j have prior N(identity, .1) instead of N(0, .), that is, workers
 * share one idea of "same" until their answers say otherwise (the bound prefers it clearly on real
 * answers, where a worker gives few); tau ~ N(0, 1); components have prior covariance WITHIN of the
 * items' overall 1, concentration 1, at most k of them. A start draws item vectors at random, runs
 * EMBEDDING rounds under a single Gaussian, takes clusters from k-means of the vectors and then
 * updates everything, joining clusters as long as that raises the bound; the best bound wins. A
 * worker's sensitivity and specificity are how often its answers agree with the clusters found.
 * Items without answers get no label (-1).
 *
 * Time O(starts * iterations * (answers d^4 + workers d^6 + n k d^2)), memory O(answers + workers
 * d^4 + n (k + d^2)) per start at a time. */
#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "baselines/baseline.h"
#include "baselines/dp_mixture.h"
#include "kmeans/kmeans.h"
#include "baselines/pair_model.h"
#include "baselines/starts.h"
#include "crowd/two_coin.h"
#include "expfam/mvn.h"
#include "expfam/smallmat.h"

#include <math.h>
#include <string.h>

enum { STARTS = 4, ITERATIONS = 300, EMBEDDING = 50, TRIAL = 10 };
static const double TOLERANCE = 1e-5, CONCENTRATION = 1, WITHIN = .05;
static const pair_prior PRIOR = {.diagonal = 1, .weight_variance = .1, .bias_variance = 1};

typedef struct crowdcluster {
    pair_model pairs;
    dp_mixture mixture;
    double *natural; /* n x mvn_size(d) */
    float *vectors;  /* n x d */
    uint32_t *labels;
    pair_state kept; /* while joining two clusters is tried */
    double *kept_share;
    baseline_result run;
    int status;
} crowdcluster;

typedef struct crowd_job {
    const baseline_input *in;
    const scdc_baseline_options *options;
    crowd_graph graph;
    crowdcluster workspaces[STARTS_AT_A_TIME];
    baseline_result *out;
    double *share;     /* n x k: of the best start */
    double *log_share; /* k */
    arena memory;
} crowd_job;

/* Every vector from N(0, 1): before there are clusters. */
static void standard_naturals(double *natural, size_t n, size_t d)
{
    size_t size = mvn_size(d);
    memset(natural, 0, n * size * sizeof *natural);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < d; c++) natural[i * size + d + packed_index(c, c)] = -.5;
    }
}

static int embed(crowdcluster *m, uint64_t seed, size_t start)
{
    pair_model_start(&m->pairs, &PRIOR, seed, start);
    standard_naturals(m->natural, m->pairs.n, m->pairs.d);
    for (size_t iteration = 0; iteration < EMBEDDING; iteration++) {
        SCDC_TRY(pair_model_update_items(&m->pairs, m->natural));
        pair_model_update_bends(&m->pairs);
        SCDC_TRY(pair_model_update_workers(&m->pairs, &PRIOR));
        pair_model_update_bends(&m->pairs);
    }
    return SCDC_OK;
}

static int start_mixture(crowdcluster *m, uint64_t seed, size_t start)
{
    size_t n = m->pairs.n, d = m->pairs.d, k = m->mixture.k < n ? m->mixture.k : n;
    kmeans_options o = {
        .k = k, .starts = 5, .max_iterations = 100, .seed = baseline_seed(seed, 12, start)};
    for (size_t j = 0; j < n * d; j++) m->vectors[j] = (float)m->pairs.mean[j];
    SCDC_TRY(kmeans_fit(m->labels, NULL, NULL, m->vectors, n, d, &o));
    dp_mixture_start(&m->mixture, m->labels);
    return SCDC_OK;
}

/* One round of everything; the bound of the state it began with. */
static int run_round(crowdcluster *m)
{
    double mixture;
    SCDC_TRY(dp_mixture_update(&mixture, &m->mixture, m->pairs.stats));
    m->run.objective = pair_model_update_bends(&m->pairs) + mixture;
    for (size_t i = 0; i < m->pairs.n; i++) m->run.objective += m->pairs.entropy[i];
    dp_mixture_naturals(m->natural, &m->mixture);
    SCDC_TRY(pair_model_update_items(&m->pairs, m->natural));
    pair_model_update_bends(&m->pairs);
    return pair_model_update_workers(&m->pairs, &PRIOR);
}

/* Rounds until the bound settles or the limit is reached. */
static int settle(crowdcluster *m, const scdc_baseline_options *o)
{
    size_t limit = chosen_count(o->max_iterations, ITERATIONS);
    double tolerance = chosen_tolerance(o->tolerance, TOLERANCE), before = -INFINITY;
    m->run.converged = 0;
    while (m->run.iterations < limit && !m->run.converged) {
        SCDC_TRY(run_round(m));
        m->run.iterations++;
        double gain = m->run.objective - before;
        m->run.converged = isfinite(gain) && gain <= tolerance * (1 + fabs(before));
        before = m->run.objective;
    }
    return SCDC_OK;
}

/* Joins component c with the nearest other; undone unless the bound is higher after some rounds,
 * when vectors and workers have followed. */
static int try_join(bool *joined, crowdcluster *m, size_t c)
{
    *joined = false;
    size_t other = dp_mixture_nearest(&m->mixture, c);
    if (other == m->mixture.k) return SCDC_OK;
    double before = m->run.objective;
    pair_state_keep(&m->kept, &m->pairs);
    memcpy(m->kept_share, m->mixture.share, m->pairs.n * m->mixture.k * sizeof *m->kept_share);
    dp_mixture_join(&m->mixture, other, c);
    for (size_t round = 0; round < TRIAL; round++) SCDC_TRY(run_round(m));
    *joined = m->run.objective > before;
    if (*joined) return SCDC_OK;
    m->run.objective = before;
    pair_state_restore(&m->pairs, &m->kept);
    memcpy(m->mixture.share, m->kept_share, m->pairs.n * m->mixture.k * sizeof *m->kept_share);
    double ignored;
    return dp_mixture_update(&ignored, &m->mixture, m->pairs.stats);
}

static int run_iterations(crowdcluster *m, const scdc_baseline_options *o)
{
    m->run = (baseline_result){.objective = -INFINITY};
    SCDC_TRY(settle(m, o));
    for (size_t c = m->mixture.k; c-- > 0;) { /* smallest first */
        bool joined;
        SCDC_TRY(try_join(&joined, m, c));
        if (!joined) continue;
        SCDC_TRY(settle(m, o));
        c = m->mixture.k; /* components are numbered anew */
    }
    return SCDC_OK;
}

static void run_start(void *context, size_t workspace, size_t start)
{
    crowd_job *job = context;
    crowdcluster *m = &job->workspaces[workspace];
    m->status = embed(m, job->options->seed, start);
    if (m->status == SCDC_OK) m->status = start_mixture(m, job->options->seed, start);
    if (m->status == SCDC_OK) m->status = run_iterations(m, job->options);
}

static int workspace_create(crowdcluster *m, crowd_job *job)
{
    arena *a = &job->memory;
    size_t n = job->graph.nodes, d = job->options->latent;
    SCDC_TRY(pair_model_create(&m->pairs, a, job->in, &job->graph, d));
    SCDC_TRY(dp_mixture_create(&m->mixture, a, n, d, job->options->k, CONCENTRATION, WITHIN));
    m->natural = arena_new(a, n * mvn_size(d), sizeof(double), "item priors");
    SCDC_TRY(arena_status(a));
    SCDC_TRY(pair_state_create(&m->kept, a, &m->pairs));
    m->kept_share = arena_new(a, n * job->options->k, sizeof(double), "shares");
    m->vectors = arena_new(a, n * d, sizeof(float), "item vectors");
    m->labels = arena_new(a, n, sizeof *m->labels, "labels");
    return arena_status(a);
}

static int keep_if_better(void *context, size_t workspace)
{
    crowd_job *job = context;
    const crowdcluster *m = &job->workspaces[workspace];
    SCDC_TRY(m->status);
    if (!starts_improve(job->out, &m->run)) return SCDC_OK;
    memcpy(job->share, m->mixture.share, m->mixture.n * m->mixture.k * sizeof *job->share);
    memcpy(job->log_share, m->mixture.log_share, m->mixture.k * sizeof *job->log_share);
    return SCDC_OK;
}

/* Labels of annotated items; -1 and the clusters' proportions for the others. */
static void label_items(baseline_result *out, const crowd_job *job)
{
    size_t n = job->in->n, k = job->options->k;
    double total = 0;
    for (size_t c = 0; c < k; c++) total += exp(job->log_share[c]);
    for (size_t i = 0; i < n; i++) {
        out->labels[i] = -1;
        for (size_t c = 0; c < k && out->probabilities; c++) {
            out->probabilities[i * k + c] = exp(job->log_share[c]) / total;
        }
    }
    for (size_t node = 0; node < job->graph.nodes; node++) {
        const double *share = job->share + node * k;
        size_t item = job->graph.item[node];
        out->labels[item] = (int64_t)argmax(share, k);
        if (out->probabilities) memcpy(out->probabilities + item * k, share, k * sizeof *share);
    }
}

/* How often a worker's answers agree with the clusters found, with one imaginary answer each way.
 */
static int rate_workers(baseline_result *out, crowd_job *job)
{
    two_coin_counts *counts = NULL;
    size_t k = job->options->k;
    if (!out->sensitivity) return SCDC_OK;
    counts = arena_new(&job->memory, job->in->n_workers, sizeof *counts, "counts");
    SCDC_TRY(arena_status(&job->memory));
    for (size_t t = 0; t < job->in->n_answers; t++) {
        const double *a = job->share + job->graph.left[t] * k;
        const double *b = job->share + job->graph.right[t] * k;
        two_coin_count(&counts[job->in->answers[t].worker], job->in->answers[t].same,
                       small_dot(a, b, k));
    }
    for (size_t w = 0; w < job->in->n_workers; w++) {
        const double *a = counts[w].alpha, *b = counts[w].beta;
        out->sensitivity[w] = (a[0] + 1) / (a[0] + a[1] + 2);
        out->specificity[w] = (b[0] + 1) / (b[0] + b[1] + 2);
    }
    return SCDC_OK;
}

static int run_job(baseline_result *out, crowd_job *job)
{
    size_t starts = chosen_count(job->options->starts, STARTS), k = job->options->k;
    const starts_body body = {run_start, keep_if_better};
    for (size_t w = 0; w < starts_workspaces(starts); w++) {
        SCDC_TRY(workspace_create(&job->workspaces[w], job));
    }
    job->share = arena_new(&job->memory, job->graph.nodes * k, sizeof(double), "shares");
    job->log_share = arena_new(&job->memory, k, sizeof(double), "proportions");
    SCDC_TRY(arena_status(&job->memory));
    out->objective = -INFINITY;
    SCDC_TRY(starts_run(starts, &body, job));
    if (!isfinite(out->objective)) return fail_with(SCDC_ERR_NUMERIC, "the bound is not finite");
    label_items(out, job);
    return rate_workers(out, job);
}

int baseline_crowdclustering(baseline_result *out, const baseline_input *in,
                             const scdc_baseline_options *o)
{
    crowd_job job = {.in = in, .options = o, .out = out};
    int status = crowd_graph_build(&job.graph, in->answers, in->n_answers);
    if (status == SCDC_OK) status = run_job(out, &job);
    crowd_graph_free(&job.graph);
    arena_free(&job.memory);
    return status;
}
