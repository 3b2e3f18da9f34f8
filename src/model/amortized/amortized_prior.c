/* The prior p(x|k) = N(mu_k, Sigma_k) and its KL from q(x|k,o) = N(m, diag(exp v)).
 *
 * Sigma_k^-1 = R R' with R lower triangular, so that nothing has to be solved or inverted:
 *   KL = 1/2 [ sum_j e^v_j (R R')_jj + |R'(m - mu)|^2 - d - 2 sum_j ln R_jj - sum_j v_j ] */
#include "model/amortized/amortized.h"
#include "kernels/loop.h"

#include <math.h>
#include <string.h>

/* Work per latent value of a pair, in units of a plain kernel's work per value. */
enum { PAIR_COST = 16 };

static bool is_full(const amortized *a)
{
    return a->base.spec.options.covariance == SCDC_COVARIANCE_FULL;
}

/* Where row j of the packed lower triangle begins. */
static size_t packed_row(size_t j)
{
    return j * (j + 1) / 2;
}

void amortized_prior_roots(amortized *a)
{
    size_t d = a->d;
    if (!is_full(a)) {
        for (size_t i = 0; i < a->K * d; i++) a->root[i] = real_exp(a->factor.value[i]);
        return;
    }
    for (size_t k = 0; k < a->K; k++) {
        const real *packed = a->factor.value + k * packed_row(d);
        real *R = a->root + k * d * d;
        for (size_t j = 0; j < d; j++) {
            for (size_t c = 0; c < j; c++) R[j * d + c] = packed[packed_row(j) + c];
            R[j * d + j] = real_exp(packed[packed_row(j) + j]);
        }
    }
}

/* One pair in its component: q(x|k,o), and where its KL and gradients go. */
typedef struct pair_kl {
    const real *mean, *log_variance, *d_x, *noise;
    real *d_mean, *d_log_variance; /* NULL: value only */
    double weight;
} pair_kl;

static double diagonal_kl(const amortized *a, size_t k, const pair_kl *p)
{
    const real *mu = a->mu.value + k * a->d, *root = a->root + k * a->d;
    const real *log_root = a->factor.value + k * a->d;
    real *d_mu = a->mu.grad + k * a->d, *d_factor = a->factor.grad + k * a->d;
    real w = (real)p->weight;
    double sum = 0;
    for (size_t j = 0; j < a->d; j++) {
        real precision = root[j] * root[j], variance = real_exp(p->log_variance[j]);
        real error = p->mean[j] - mu[j], pull = precision * error;
        real spread = precision * variance;
        sum += (double)(spread + error * pull - 1 - 2 * log_root[j] - p->log_variance[j]);
        if (!p->d_mean) continue;
        real deviation = real_exp(REAL(0.5) * p->log_variance[j]);
        p->d_mean[j] = p->d_x[j] - w * pull;
        p->d_log_variance[j] = REAL(0.5) * (p->d_x[j] * deviation * p->noise[j] - w * (spread - 1));
        d_mu[j] += w * pull;
        d_factor[j] -= w * (spread + error * pull - 1);
    }
    return 0.5 * sum;
}

static double full_kl(const amortized *a, size_t k, const pair_kl *p, real *scratch)
{
    size_t d = a->d;
    const real *mu = a->mu.value + k * d, *R = a->root + k * d * d;
    const real *packed = a->factor.value + k * packed_row(d);
    real *error = scratch, *y = scratch + d, *variance = scratch + 2 * d;
    double sum = 0;
    for (size_t j = 0; j < d; j++) {
        error[j] = p->mean[j] - mu[j];
        variance[j] = real_exp(p->log_variance[j]);
        y[j] = 0;
    }
    for (size_t j = 0; j < d; j++) { /* y = R' error */
        for (size_t c = 0; c <= j; c++) y[c] += R[j * d + c] * error[j];
    }
    for (size_t j = 0; j < d; j++) {
        sum += (double)(y[j] * y[j] - 1 - 2 * packed[packed_row(j) + j] - p->log_variance[j]);
    }
    real *d_mu = a->mu.grad + k * d, *d_packed = a->factor.grad + k * packed_row(d);
    real w = (real)p->weight;
    for (size_t j = 0; j < d; j++) {
        const real *row = R + j * d;
        real precision = 0, pull = 0; /* (R R')_jj and (R y)_j */
        for (size_t c = 0; c <= j; c++) {
            precision += row[c] * row[c];
            pull += row[c] * y[c];
        }
        real spread = precision * variance[j];
        sum += (double)spread;
        if (!p->d_mean) continue;
        p->d_mean[j] = p->d_x[j] - w * pull;
        p->d_log_variance[j] =
            REAL(0.5) * (p->d_x[j] * real_sqrt(variance[j]) * p->noise[j] - w * (spread - 1));
        d_mu[j] += w * pull;
        real *d_row = d_packed + packed_row(j);
        for (size_t c = 0; c < j; c++) d_row[c] -= w * (error[j] * y[c] + variance[j] * row[c]);
        d_row[j] -= w * (row[j] * (error[j] * y[j] + variance[j] * row[j]) - 1);
    }
    return 0.5 * sum;
}

typedef struct kl_job {
    amortized *a;
    const real *outputs;
    real *d_outputs;
} kl_job;

/* A piece is one component and all its pairs, so that no two pieces add to one gradient. */
static void component_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const kl_job *j = context;
    amortized *a = j->a;
    chunk_work *w = &a->chunk;
    size_t d = a->d;
    (void)piece;
    for (size_t k = begin; k < end; k++) {
        for (size_t i = w->first[k]; i < w->first[k + 1]; i++) {
            size_t r = w->order[i];
            const real *out = j->outputs + r * 2 * d;
            pair_kl p = {.mean = out,
                         .log_variance = out + d,
                         .d_x = w->d_x + r * d,
                         .noise = w->noise + r * d,
                         .weight = (double)w->weight[r]};
            if (j->d_outputs) {
                p.d_mean = j->d_outputs + r * 2 * d;
                p.d_log_variance = p.d_mean + d;
            }
            w->kl[r] = is_full(a) ? full_kl(a, k, &p, a->prior_scratch + k * 3 * d)
                                  : diagonal_kl(a, k, &p);
        }
    }
}

void amortized_prior_kl(amortized *a, real *d_outputs, const real *outputs,
                        const uint32_t *component, size_t pairs)
{
    chunk_work *w = &a->chunk;
    size_t K = a->K;
    /* Counting sort: first[k + 1] counts, then ends, of component k. */
    for (size_t k = 0; k <= K; k++) w->first[k] = 0;
    for (size_t r = 0; r < pairs; r++) w->first[component[r] + 1]++;
    for (size_t k = 0; k < K; k++) w->first[k + 1] += w->first[k];
    for (size_t r = 0; r < pairs; r++) w->order[w->first[component[r]]++] = (uint32_t)r;
    for (size_t k = K; k > 0; k--) w->first[k] = w->first[k - 1];
    w->first[0] = 0;
    kl_job j = {a, outputs, d_outputs};
    size_t per_component = (pairs / K + 1) * a->d * (is_full(a) ? a->d + PAIR_COST : PAIR_COST);
    kernel_for(K, rows_per_piece(per_component, PIECE_VALUES), component_piece, &j);
}

typedef struct fit_job {
    amortized *a;
    const real *outputs;
    double *out;
    size_t rows;
} fit_job;

static void fit_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const fit_job *j = context;
    amortized *a = j->a;
    size_t d = a->d;
    (void)piece;
    for (size_t k = begin; k < end; k++) {
        for (size_t r = 0; r < j->rows; r++) {
            const real *out = j->outputs + r * 2 * d;
            pair_kl p = {.mean = out, .log_variance = out + d};
            j->out[r * a->K + k] = is_full(a) ? -full_kl(a, k, &p, a->prior_scratch + k * 3 * d)
                                              : -diagonal_kl(a, k, &p);
        }
    }
}

void amortized_prior_fit(double *out, amortized *a, const real *outputs, size_t rows)
{
    fit_job j = {a, outputs, out, rows};
    size_t per_component = rows * a->d * (is_full(a) ? a->d + PAIR_COST : PAIR_COST);
    kernel_for(a->K, rows_per_piece(per_component, PIECE_VALUES), fit_piece, &j);
}

void amortized_prior_fit_backward(amortized *a, real *d_outputs, const real *outputs,
                                  const real *d_out, size_t rows)
{
    size_t d = a->d, K = a->K;
    chunk_work *w = &a->chunk;
    real *part = w->noise; /* [2d] of one row and component; no draw is at hand here */
    memset(d_outputs, 0, rows * 2 * d * sizeof *d_outputs);
    memset(w->d_x, 0, 2 * d * sizeof *w->d_x); /* and nothing flows in from a draw */
    for (size_t r = 0; r < rows; r++) {
        const real *out = outputs + r * 2 * d;
        for (size_t k = 0; k < K; k++) {
            if (d_out[r * K + k] == 0) continue;
            pair_kl p = {.mean = out,
                         .log_variance = out + d,
                         .d_x = w->d_x,
                         .noise = w->d_x,
                         .d_mean = part,
                         .d_log_variance = part + d,
                         .weight = (double)d_out[r * K + k]};
            if (is_full(a)) full_kl(a, k, &p, a->prior_scratch + k * 3 * d);
            else diagonal_kl(a, k, &p);
            for (size_t i = 0; i < 2 * d; i++) d_outputs[r * 2 * d + i] += part[i];
        }
    }
}

void amortized_prior_draw(const amortized *a, real *x, size_t k, const real *noise)
{
    size_t d = a->d;
    const real *mu = a->mu.value + k * d;
    for (size_t j = d; j-- > 0;) { /* R' (x - mu) = noise, from the last row up */
        if (is_full(a)) {
            const real *R = a->root + k * d * d;
            real sum = noise[j];
            for (size_t c = j + 1; c < d; c++) sum -= R[c * d + j] * (x[c] - mu[c]);
            x[j] = mu[j] + sum / R[j * d + j];
        } else {
            x[j] = mu[j] + noise[j] / a->root[k * d + j];
        }
    }
}
