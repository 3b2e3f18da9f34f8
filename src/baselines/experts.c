/* Closed-form updates of experts and their views. */
#include "baselines/experts.h"

#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "expfam/beta.h"
#include "expfam/special.h"

#include <math.h>
#include <string.h>

static const double ACCURACY_PRIOR[2] = {10, 1};
static const double CONCENTRATION = 1;

/* ---- set-up ---------------------------------------------------------------------------------- */

int experts_check_options(const scdc_baseline_options *options)
{
    if (options->view < options->views) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "view must be below views (%zu), not %zu", options->views,
                     options->view);
}

int experts_create(experts *out, arena *a, const baseline_input *in, const crowd_graph *graph,
                   size_t k, size_t views)
{
    *out = (experts){.answers = in->answers,
                     .graph = graph,
                     .n_answers = in->n_answers,
                     .n_workers = in->n_workers,
                     .n = graph->nodes,
                     .k = k,
                     .views = views};
    size_t table, pairs, each;
    if (!size_mul(&table, out->n * k, views) || !size_mul(&pairs, in->n_answers, views) ||
        !size_mul(&each, in->n_workers, views)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu views are too many", views);
    }
    out->eta = arena_new(a, table, sizeof(double), "cluster probabilities");
    out->same = arena_new(a, pairs, sizeof(double), "pair probabilities");
    out->sensitivity = arena_new(a, 2 * in->n_workers, sizeof(double), "accuracies");
    out->specificity = arena_new(a, 2 * in->n_workers, sizeof(double), "accuracies");
    out->coin = arena_new(a, in->n_workers, sizeof(two_coin), "workers");
    out->view = arena_new(a, each, sizeof(double), "views of workers");
    out->stick = arena_new(a, 2 * views, sizeof(double), "sticks");
    out->log_share = arena_new(a, views, sizeof(double), "proportions");
    return arena_status(a);
}

/* E ln p and E ln (1 - p) under a Beta. */
static void expected_logs(double out[2], const double beta[2])
{
    double eta[2];
    beta_from_standard(eta, beta);
    beta_mean_stats(out, eta);
}

static void refresh_coin(experts *e, size_t worker)
{
    double a[2], b[2];
    expected_logs(a, e->sensitivity + 2 * worker);
    expected_logs(b, e->specificity + 2 * worker);
    e->coin[worker] =
        (two_coin){.ln_alpha = a[0], .ln_not_alpha = a[1], .ln_beta = b[0], .ln_not_beta = b[1]};
}

static void refresh_shares(experts *e)
{
    double before = 0; /* what the sticks so far left over */
    for (size_t g = 0; g < e->views; g++) {
        double logs[2] = {0, 0};
        if (g + 1 < e->views) expected_logs(logs, e->stick + 2 * g);
        e->log_share[g] = before + logs[0];
        before += logs[1];
    }
}

void experts_start(experts *e, uint64_t seed, size_t start)
{
    rng r;
    rng_init(&r, seed, RNG_BASELINE, 8, start);
    for (size_t m = 0; m < e->n_workers; m++) {
        memcpy(e->sensitivity + 2 * m, ACCURACY_PRIOR, sizeof ACCURACY_PRIOR);
        memcpy(e->specificity + 2 * m, ACCURACY_PRIOR, sizeof ACCURACY_PRIOR);
        refresh_coin(e, m);
        double total = 0, *view = e->view + m * e->views;
        for (size_t g = 0; g < e->views; g++) total += view[g] = rng_gamma(&r, 1);
        for (size_t g = 0; g < e->views; g++) view[g] /= total;
    }
    for (size_t g = 0; g < e->views; g++) e->stick[2 * g] = e->stick[2 * g + 1] = 1;
    refresh_shares(e);
}

/* ---- updates --------------------------------------------------------------------------------- */

static const double *probabilities(const experts *e, size_t view, size_t item)
{
    return e->eta + (view * e->n + item) * e->k;
}

static void refresh_same(experts *e)
{
    for (size_t t = 0; t < e->n_answers; t++) {
        for (size_t g = 0; g < e->views; g++) {
            const double *p = probabilities(e, g, e->graph->left[t]);
            const double *q = probabilities(e, g, e->graph->right[t]);
            double sum = 0;
            for (size_t c = 0; c < e->k; c++) sum += p[c] * q[c];
            e->same[t * e->views + g] = sum;
        }
    }
}

static void update_accuracies(experts *e)
{
    for (size_t m = 0; m < e->n_workers; m++) {
        memcpy(e->sensitivity + 2 * m, ACCURACY_PRIOR, sizeof ACCURACY_PRIOR);
        memcpy(e->specificity + 2 * m, ACCURACY_PRIOR, sizeof ACCURACY_PRIOR);
    }
    for (size_t t = 0; t < e->n_answers; t++) {
        size_t m = e->answers[t].worker;
        double same = 0;
        for (size_t g = 0; g < e->views; g++) {
            same += e->view[m * e->views + g] * e->same[t * e->views + g];
        }
        e->sensitivity[2 * m + !e->answers[t].same] += same;
        e->specificity[2 * m + (e->answers[t].same != 0)] += 1 - same;
    }
    for (size_t m = 0; m < e->n_workers; m++) refresh_coin(e, m);
}

static double log_likelihood(const experts *e, size_t t, size_t g)
{
    return two_coin_log_likelihood(&e->coin[e->answers[t].worker], e->answers[t].same,
                                   e->same[t * e->views + g]);
}

static void update_views(experts *e)
{
    for (size_t m = 0; m < e->n_workers; m++) {
        memcpy(e->view + m * e->views, e->log_share, e->views * sizeof *e->view);
    }
    for (size_t t = 0; t < e->n_answers; t++) {
        double *view = e->view + e->answers[t].worker * e->views;
        for (size_t g = 0; g < e->views; g++) view[g] += log_likelihood(e, t, g);
    }
    for (size_t m = 0; m < e->n_workers; m++) {
        softmax(e->view + m * e->views, e->view + m * e->views, e->views);
    }
}

static double holders(const experts *e, size_t view)
{
    double sum = 0;
    for (size_t m = 0; m < e->n_workers; m++) sum += e->view[m * e->views + view];
    return sum;
}

static void update_sticks(experts *e)
{
    double after = 0;
    for (size_t g = e->views; g-- > 0;) {
        double here = holders(e, g);
        e->stick[2 * g] = 1 + here;
        e->stick[2 * g + 1] = CONCENTRATION + after;
        after += here;
    }
    refresh_shares(e);
}

static double beta_divergence(const double q[2], const double p[2])
{
    double eta_q[2], eta_p[2];
    beta_from_standard(eta_q, q);
    beta_from_standard(eta_p, p);
    return beta_kl(eta_q, eta_p);
}

static double bound(const experts *e)
{
    const double stick_prior[2] = {1, CONCENTRATION};
    double sum = 0;
    for (size_t t = 0; t < e->n_answers; t++) {
        const double *view = e->view + e->answers[t].worker * e->views;
        for (size_t g = 0; g < e->views; g++) sum += view[g] * log_likelihood(e, t, g);
    }
    for (size_t m = 0; m < e->n_workers; m++) {
        sum -= beta_divergence(e->sensitivity + 2 * m, ACCURACY_PRIOR);
        sum -= beta_divergence(e->specificity + 2 * m, ACCURACY_PRIOR);
        for (size_t g = 0; g < e->views; g++) {
            double p = e->view[m * e->views + g];
            if (p > 0) sum += p * (e->log_share[g] - log(p));
        }
    }
    for (size_t g = 0; g + 1 < e->views; g++) sum -= beta_divergence(e->stick + 2 * g, stick_prior);
    return sum;
}

double experts_update(experts *e)
{
    refresh_same(e);
    update_accuracies(e);
    update_views(e);
    update_sticks(e);
    return bound(e);
}

double experts_gradient(experts *e, double *d_eta)
{
    double sum = 0;
    refresh_same(e);
    memset(d_eta, 0, e->views * e->n * e->k * sizeof *d_eta);
    for (size_t t = 0; t < e->n_answers; t++) {
        const scdc_answer *answer = &e->answers[t];
        double weight = two_coin_weight(&e->coin[answer->worker], answer->same);
        for (size_t g = 0; g < e->views; g++) {
            double share = e->view[answer->worker * e->views + g];
            const double *p = probabilities(e, g, e->graph->left[t]);
            const double *q = probabilities(e, g, e->graph->right[t]);
            double *dp = d_eta + (g * e->n + e->graph->left[t]) * e->k;
            double *dq = d_eta + (g * e->n + e->graph->right[t]) * e->k;
            for (size_t c = 0; c < e->k; c++) {
                dp[c] += share * weight * q[c];
                dq[c] += share * weight * p[c];
            }
            sum += share * log_likelihood(e, t, g);
        }
    }
    return sum;
}

/* ---- what was found -------------------------------------------------------------------------- */

/* How many views more experts hold. */
static size_t rank_of(const experts *e, size_t view)
{
    size_t before = 0;
    double own = holders(e, view);
    for (size_t h = 0; h < e->views; h++) {
        double other = holders(e, h);
        before += other > own || (other == own && h < view);
    }
    return before;
}

size_t experts_ranked_view(const experts *e, size_t rank)
{
    for (size_t g = 0; g < e->views; g++) {
        if (rank_of(e, g) == rank) return g;
    }
    return 0;
}

static void report_views(int64_t *out, const experts *e)
{
    for (size_t g = 0; g < e->views; g++) {
        int64_t rank = (int64_t)rank_of(e, g);
        for (size_t m = 0; m < e->n_workers; m++) {
            const double *view = e->view + m * e->views;
            size_t likeliest = 0;
            for (size_t h = 1; h < e->views; h++)
                likeliest = view[h] > view[likeliest] ? h : likeliest;
            if (likeliest == g) out[m] = rank;
        }
    }
}

void experts_report(baseline_result *out, const experts *e)
{
    for (size_t m = 0; m < e->n_workers && out->sensitivity; m++) {
        const double *a = e->sensitivity + 2 * m, *b = e->specificity + 2 * m;
        out->sensitivity[m] = a[0] / (a[0] + a[1]);
        out->specificity[m] = b[0] / (b[0] + b[1]);
    }
    if (out->worker_views) report_views(out->worker_views, e);
}
