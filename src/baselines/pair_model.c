/* Coordinate steps of the pair model. With B_p the symmetric matrix of parameter p, an answer's
 * activation is A = sum_p w_p x_a' B_p x_b + tau: linear in the worker's parameters, in x_a and in
 * x_b, so that each has a Gaussian posterior given the others. */
#include "baselines/pair_model.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "expfam/mvn.h"
#include "expfam/smallmat.h"

#include <math.h>
#include <string.h>

enum { WORKERS_PER_PIECE = 16, ANSWERS_PER_PIECE = 2048 };

/* Room a worker's update needs. */
static size_t scratch_size(size_t p)
{
    return 2 * packed_size(p) + p + (p - 1) * (p - 1);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static int list_by_worker(pair_model *m, arena *a)
{
    m->worker_first = arena_new(a, m->n_workers + 2, sizeof *m->worker_first, "workers");
    m->worker_list = arena_new(a, m->n_answers, sizeof *m->worker_list, "answers");
    SCDC_TRY(arena_status(a));
    for (size_t t = 0; t < m->n_answers; t++) m->worker_first[m->answers[t].worker + 2]++;
    for (size_t j = 2; j < m->n_workers + 2; j++) m->worker_first[j] += m->worker_first[j - 1];
    for (size_t t = 0; t < m->n_answers; t++) {
        m->worker_list[m->worker_first[m->answers[t].worker + 1]++] = (uint32_t)t;
    }
    return SCDC_OK;
}

int pair_model_create(pair_model *out, arena *a, const baseline_input *in, const crowd_graph *graph,
                      size_t d)
{
    size_t s = packed_size(d), p = s + 1, n = graph->nodes, workers = in->n_workers, squares;
    *out = (pair_model){.answers = in->answers,
                        .graph = graph,
                        .n_answers = in->n_answers,
                        .n_workers = workers,
                        .n = n,
                        .d = d,
                        .p = p};
    pair_model *m = out;
    if (!size_mul(&squares, workers, p * p)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu workers are too many", workers);
    }
    SCDC_TRY(list_by_worker(m, a));
    m->mean = arena_new(a, n * d, sizeof(double), "item vectors");
    m->stats = arena_new(a, n * mvn_size(d), sizeof(double), "item statistics");
    m->entropy = arena_new(a, n, sizeof(double), "entropies");
    m->weight = arena_new(a, workers * p, sizeof(double), "worker parameters");
    m->moment = arena_new(a, squares, sizeof(double), "worker moments");
    m->matrix = arena_new(a, workers * 2 * d * d, sizeof(double), "worker matrices");
    m->tensor = arena_new(a, workers * s * s, sizeof(double), "worker tensors");
    m->divergence = arena_new(a, workers, sizeof(double), "divergences");
    m->bend = arena_new(a, m->n_answers, sizeof(double), "bounds");
    m->curve = arena_new(a, m->n_answers, sizeof(double), "bounds");
    m->scratch = arena_new(a, parallel_slots() * scratch_size(p), sizeof(double), "scratch");
    return arena_status(a);
}

/* ---- moments --------------------------------------------------------------------------------- */

static size_t parameter(size_t i, size_t j)
{
    return i >= j ? packed_index(i, j) : packed_index(j, i);
}

static void refresh_matrices(pair_model *m, size_t worker)
{
    size_t d = m->d, p = m->p;
    const double *weight = m->weight + worker * p,
                 *with_tau = m->moment + worker * p * p + (p - 1) * p;
    double *matrix = m->matrix + worker * 2 * d * d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            matrix[i * d + j] = weight[parameter(i, j)];
            matrix[d * d + i * d + j] = with_tau[parameter(i, j)];
        }
    }
}

/* E[W M W]_il = sum_jk E[W_ij W_kl] M_jk as a map between lower triangles. */
static void refresh_tensor(pair_model *m, size_t worker)
{
    size_t d = m->d, p = m->p, s = p - 1;
    const double *moment = m->moment + worker * p * p;
    double *tensor = m->tensor + worker * s * s;
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k <= j; k++) {
            for (size_t i = 0; i < d; i++) {
                for (size_t l = 0; l <= i; l++) {
                    double sum = moment[parameter(i, j) * p + parameter(k, l)];
                    if (j != k) sum += moment[parameter(i, k) * p + parameter(j, l)];
                    *tensor++ = sum;
                }
            }
        }
    }
}

enum { MOST_D = 8, MOST_S = MOST_D * (MOST_D + 1) / 2 };

/* out (packed) = E[W M W] for the other item's second moment M (packed). */
static void sandwich(double *out, const double *tensor, const double *second, size_t s)
{
    memset(out, 0, s * sizeof *out);
    for (size_t e = 0; e < s; e++) {
        for (size_t o = 0; o < s; o++) out[o] += tensor[e * s + o] * second[e];
    }
}

static const double *packed_second(const pair_model *m, size_t item)
{
    return m->stats + item * mvn_size(m->d) + m->d;
}

/* out = A x */
static void times(double *out, const double *a, const double *x, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        double sum = 0;
        for (size_t j = 0; j < d; j++) sum += a[i * d + j] * x[j];
        out[i] = sum;
    }
}

static const double *mean_matrix(const pair_model *m, size_t worker)
{
    return m->matrix + worker * 2 * m->d * m->d;
}
static const double *tau_matrix(const pair_model *m, size_t worker)
{
    return m->matrix + (worker * 2 + 1) * m->d * m->d;
}

static double expected_activation(const pair_model *m, size_t t)
{
    double y[MOST_D];
    size_t worker = m->answers[t].worker;
    times(y, mean_matrix(m, worker), m->mean + m->graph->right[t] * m->d, m->d);
    return small_dot(y, m->mean + m->graph->left[t] * m->d, m->d) +
           m->weight[(worker + 1) * m->p - 1];
}

static double expected_square(const pair_model *m, size_t t)
{
    double y[MOST_D], square[MOST_S], sum = 0;
    size_t d = m->d, p = m->p, s = p - 1, worker = m->answers[t].worker;
    size_t a = m->graph->left[t], b = m->graph->right[t];
    const double *moment = m->moment + worker * p * p, *second = packed_second(m, a);
    sandwich(square, m->tensor + worker * s * s, packed_second(m, b), s);
    for (size_t i = 0; i < d; i++) { /* trace of the product of two symmetric matrices */
        for (size_t j = 0; j < i; j++)
            sum += 2 * square[packed_index(i, j)] * second[packed_index(i, j)];
        sum += square[packed_index(i, i)] * second[packed_index(i, i)];
    }
    times(y, tau_matrix(m, worker), m->mean + b * d, d);
    return sum + 2 * small_dot(y, m->mean + a * d, d) + moment[p * p - 1];
}

/* ---- items ----------------------------------------------------------------------------------- */

/* Adds what one answer says about item `item`, compared with `other`: h and J (packed). */
static void add_answer_to_item(const pair_model *m, double *h, double *j, size_t t, size_t other)
{
    double y[MOST_D], square[MOST_S];
    size_t d = m->d, p = m->p, s = p - 1, worker = m->answers[t].worker;
    double half = m->answers[t].same ? .5 : -.5, scale = -2 * m->curve[t];
    times(y, mean_matrix(m, worker), m->mean + other * d, d);
    for (size_t i = 0; i < d; i++) h[i] += half * y[i];
    times(y, tau_matrix(m, worker), m->mean + other * d, d);
    for (size_t i = 0; i < d; i++) h[i] -= scale * y[i];
    sandwich(square, m->tensor + worker * s * s, packed_second(m, other), s);
    for (size_t e = 0; e < s; e++) j[e] += scale * square[e];
}

int pair_model_update_items(pair_model *m, const double *natural)
{
    size_t d = m->d, size = mvn_size(d);
    double h[MOST_D], j[MOST_S], eta[MOST_D + MOST_S];
    for (size_t i = 0; i < m->n; i++) {
        memset(h, 0, sizeof h);
        memset(j, 0, sizeof j);
        for (size_t e = m->graph->start[i]; e < m->graph->start[i + 1]; e++) {
            add_answer_to_item(m, h, j, m->graph->answer[e], m->graph->neighbour[e]);
        }
        memcpy(eta, natural + i * size, size * sizeof *eta);
        for (size_t r = 0; r < d; r++) {
            eta[r] += h[r];
            for (size_t c = 0; c <= r; c++) {
                eta[d + packed_index(r, c)] -= (r == c ? .5 : 1) * j[packed_index(r, c)];
            }
        }
        double log_partition, *stats = m->stats + i * size;
        if (!mvn_mean_stats(stats, &log_partition, eta, d)) {
            return fail_with(SCDC_ERR_NUMERIC, "the vector of an item has no posterior");
        }
        m->entropy[i] = log_partition - small_dot(eta, stats, size);
        memcpy(m->mean + i * d, stats, d * sizeof *stats);
    }
    return SCDC_OK;
}

/* ---- workers --------------------------------------------------------------------------------- */

/* products (s x s) += scale * M_a M_b', both second moments packed into vectors: all that E[f f']
 * needs, f being the features x_a' B_p x_b of the pair. */
static void add_products(double *products, const pair_model *m, size_t t, double scale)
{
    size_t s = m->p - 1;
    const double *x = packed_second(m, m->graph->left[t]);
    const double *y = packed_second(m, m->graph->right[t]);
    for (size_t e = 0; e < s; e++) {
        double value = scale * x[e];
        for (size_t o = 0; o < s; o++) products[e * s + o] += value * y[o];
    }
}

/* precision (packed, p) += the sum of E[f f'] over the answers, from their products. */
static void add_precision(double *precision, const double *products, size_t d)
{
    size_t s = packed_size(d);
    double *out = precision;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            for (size_t k = 0; k <= i; k++) {
                for (size_t l = 0; l <= k; l++) {
                    if (k == i && l > j) break;
                    double sum = products[parameter(i, k) * s + parameter(j, l)];
                    if (i != j) sum += products[parameter(j, k) * s + parameter(i, l)];
                    if (k != l) sum += products[parameter(i, l) * s + parameter(j, k)];
                    if (i != j && k != l) sum += products[parameter(j, l) * s + parameter(i, k)];
                    *out++ += sum;
                }
            }
        }
    }
}

/* h += scale * E f */
static void add_mean_features(double *h, const pair_model *m, size_t t, double scale)
{
    size_t d = m->d;
    const double *u = m->mean + m->graph->left[t] * d, *v = m->mean + m->graph->right[t] * d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            *h++ += scale * (i == j ? u[i] * v[i] : u[i] * v[j] + u[j] * v[i]);
        }
    }
    *h += scale;
}

static double prior_mean(const pair_prior *prior, size_t parameter_index, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        if (packed_index(i, i) == parameter_index) return prior->diagonal;
    }
    return 0;
}

static double prior_variance(const pair_prior *prior, const pair_model *m, size_t index)
{
    return index + 1 < m->p ? prior->weight_variance : prior->bias_variance;
}

/* Moments from mean and covariance (packed), and the divergence from the prior. */
static void keep_worker(pair_model *m, size_t worker, const pair_prior *prior,
                        const double *covariance, double log_det_precision)
{
    size_t p = m->p;
    double *w = m->weight + worker * p, *moment = m->moment + worker * p * p;
    double divergence = log_det_precision;
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j <= i; j++) {
            double value = covariance[packed_index(i, j)] + w[i] * w[j];
            moment[i * p + j] = moment[j * p + i] = value;
        }
        double variance = prior_variance(prior, m, i), off = w[i] - prior_mean(prior, i, m->d);
        divergence += log(variance) - 1 + (covariance[packed_index(i, i)] + off * off) / variance;
    }
    m->divergence[worker] = .5 * divergence;
    refresh_matrices(m, worker);
    refresh_tensor(m, worker);
}

typedef struct worker_update {
    pair_model *model;
    const pair_prior *prior;
} worker_update;

/* Leaves NaN in the divergence when there is no posterior. */
static void update_worker(worker_update *u, size_t worker, double *scratch)
{
    pair_model *m = u->model;
    size_t p = m->p;
    double *precision = scratch, *factor = precision + packed_size(p), *h = factor + packed_size(p);
    double *products = h + p;
    packed_identity(precision, 0, p);
    for (size_t i = 0; i < p; i++) {
        double variance = prior_variance(u->prior, m, i);
        precision[packed_index(i, i)] = 1 / variance;
        h[i] = prior_mean(u->prior, i, m->d) / variance;
    }
    memset(products, 0, (p - 1) * (p - 1) * sizeof *products);
    for (size_t e = m->worker_first[worker]; e < m->worker_first[worker + 1]; e++) {
        size_t t = m->worker_list[e];
        add_products(products, m, t, -2 * m->curve[t]);
        /* the last row of the precision: tau with everything */
        add_mean_features(precision + packed_size(p - 1), m, t, -2 * m->curve[t]);
        add_mean_features(h, m, t, m->answers[t].same ? .5 : -.5);
    }
    add_precision(precision, products, m->d);
    if (!chol_factor(factor, precision, p)) {
        m->divergence[worker] = NAN;
        return;
    }
    chol_solve(h, factor, p);
    memcpy(m->weight + worker * p, h, p * sizeof *h);
    double log_det = chol_log_det(factor, p);
    chol_inverse(factor, factor, p);
    keep_worker(m, worker, u->prior, factor, log_det);
}

static void update_worker_piece(void *context, size_t begin, size_t end, size_t piece)
{
    worker_update *u = context;
    (void)piece;
    double *scratch = u->model->scratch + parallel_slot() * scratch_size(u->model->p);
    for (size_t worker = begin; worker < end; worker++) update_worker(u, worker, scratch);
}

int pair_model_update_workers(pair_model *m, const pair_prior *prior)
{
    worker_update u = {.model = m, .prior = prior};
    parallel_for(m->n_workers, WORKERS_PER_PIECE, update_worker_piece, &u);
    for (size_t worker = 0; worker < m->n_workers; worker++) {
        if (!isnan(m->divergence[worker])) continue;
        return fail_with(SCDC_ERR_NUMERIC, "the model of worker %zu has no posterior", worker);
    }
    return SCDC_OK;
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* ln sigma(x), for x >= 0 */
static double log_sigma(double x)
{
    return -log1p(exp(-x));
}

/* (1/2 - sigma(x)) / (2 x), which tends to -1/8 at 0 */
static double curve_at(double x)
{
    return x < 1e-4 ? -.125 + x * x / 96 : -tanh(.5 * x) / (4 * x);
}

static double bend_piece(void *context, size_t begin, size_t end)
{
    pair_model *m = context;
    double sum = 0;
    for (size_t t = begin; t < end; t++) {
        double square = expected_square(m, t), sign = m->answers[t].same ? 1 : -1;
        double bend = sqrt(square > 0 ? square : 0);
        m->bend[t] = bend;
        m->curve[t] = curve_at(bend);
        sum += log_sigma(bend) + .5 * (sign * expected_activation(m, t) - bend);
    }
    return sum;
}

double pair_model_update_bends(pair_model *m)
{
    double sum = parallel_sum(m->n_answers, ANSWERS_PER_PIECE, bend_piece, m);
    for (size_t worker = 0; worker < m->n_workers; worker++) sum -= m->divergence[worker];
    return sum;
}

void pair_model_start(pair_model *m, const pair_prior *prior, uint64_t seed, size_t start)
{
    size_t d = m->d, size = mvn_size(d);
    rng r;
    rng_init(&r, seed, RNG_BASELINE, 11, start);
    for (size_t i = 0; i < m->n; i++) {
        double x[MOST_D];
        for (size_t c = 0; c < d; c++) x[c] = rng_normal(&r);
        mvn_stats(m->stats + i * size, x, d);
        memcpy(m->mean + i * d, x, d * sizeof *x);
        m->entropy[i] = 0;
    }
    double covariance[MOST_D * MOST_D * MOST_D];
    for (size_t worker = 0; worker < m->n_workers; worker++) {
        double *w = m->weight + worker * m->p;
        memset(w, 0, m->p * sizeof *w);
        for (size_t i = 0; i < d; i++) w[packed_index(i, i)] = 1;
        packed_identity(covariance, 1e-2, m->p);
        keep_worker(m, worker, prior, covariance, (double)m->p * log(1e2));
    }
    pair_model_update_bends(m);
}

/* ---- coming back ----------------------------------------------------------------------------- */

int pair_state_create(pair_state *out, arena *a, const pair_model *m)
{
    size_t p = m->p;
    out->stats = arena_new(a, m->n * mvn_size(m->d), sizeof(double), "statistics");
    out->entropy = arena_new(a, m->n, sizeof(double), "entropies");
    out->weight = arena_new(a, m->n_workers * p, sizeof(double), "parameters");
    out->moment = arena_new(a, m->n_workers * p * p, sizeof(double), "moments");
    out->divergence = arena_new(a, m->n_workers, sizeof(double), "divergences");
    return arena_status(a);
}

static void copy_state(pair_state *to, const pair_state *from, const pair_model *m)
{
    size_t p = m->p;
    memcpy(to->stats, from->stats, m->n * mvn_size(m->d) * sizeof(double));
    memcpy(to->entropy, from->entropy, m->n * sizeof(double));
    memcpy(to->weight, from->weight, m->n_workers * p * sizeof(double));
    memcpy(to->moment, from->moment, m->n_workers * p * p * sizeof(double));
    memcpy(to->divergence, from->divergence, m->n_workers * sizeof(double));
}

static pair_state state_of(const pair_model *m)
{
    return (pair_state){m->stats, m->entropy, m->weight, m->moment, m->divergence};
}

void pair_state_keep(pair_state *s, const pair_model *m)
{
    pair_state own = state_of(m);
    copy_state(s, &own, m);
}

void pair_state_restore(pair_model *m, const pair_state *s)
{
    pair_state own = state_of(m);
    copy_state(&own, s, m);
    for (size_t i = 0; i < m->n; i++) {
        memcpy(m->mean + i * m->d, m->stats + i * mvn_size(m->d), m->d * sizeof *m->mean);
    }
    for (size_t worker = 0; worker < m->n_workers; worker++) {
        refresh_matrices(m, worker);
        refresh_tensor(m, worker);
    }
    pair_model_update_bends(m);
}
