/* q(z|o) of a minibatch, and which components of an item are sampled and decoded. */
#include "model/amortized/amortized.h"
#include "base/numeric.h"
#include "base/rng.h"
#include "base/stages.h"
#include "kernels/activation.h"

#include <math.h>
#include <string.h>

/* Keeps the components with q >= threshold (and always the likeliest) and normalises again. The
 * bound is then that of the restricted q: still a lower bound of the evidence, below the exact one
 * by m (ELBO of the kept - ELBO of the skipped) - H(m), m the skipped share. Returns m. */
static double restrict_row(double *q, double *log_q, size_t n, double threshold)
{
    size_t best = argmax(q, n);
    double kept = 0;
    for (size_t k = 0; k < n; k++) {
        if (q[k] >= threshold || k == best) kept += q[k];
        else q[k] = 0;
    }
    double log_kept = log(kept);
    for (size_t k = 0; k < n; k++) {
        q[k] /= kept;
        log_q[k] -= log_kept;
    }
    return kept < 1 ? 1 - kept : 0;
}

double amortized_q(amortized *a, const real *o, size_t rows, const double *field)
{
    size_t K = a->K;
    stage_enter(STAGE_ENCODER);
    const real *logits = net_forward(&a->z_net, o, rows);
    memcpy(a->z_out, logits, rows * K * sizeof *a->z_out);
    if (a->uses_evidence) {
        amortized_evidence(a->evidence, a, o, rows);
        for (size_t i = 0; i < rows * K; i++) a->z_out[i] += (real)a->evidence[i];
    }
    stage_enter(STAGE_MESSAGES);
    memcpy(a->logits, a->z_out, rows * K * sizeof *a->logits);
    for (size_t i = 0; field && i < rows * K; i++) a->logits[i] += (real)field[i];
    log_softmax_rows(a->logits, a->logits, rows, K);
    double skipped = 0;
    bool restricted = a->base.spec.options.sum == SCDC_SUM_THRESHOLD;
    for (size_t r = 0; r < rows; r++) {
        double *q = a->q + r * K, *log_q = a->log_q + r * K;
        for (size_t k = 0; k < K; k++) {
            log_q[k] = (double)a->logits[r * K + k];
            q[k] = exp(log_q[k]);
        }
        if (restricted) {
            skipped += restrict_row(q, log_q, K, a->base.spec.options.sum_threshold);
        }
    }
    return rows ? skipped / (double)rows : 0;
}

static void add_pair(pair_list *pairs, size_t item, size_t component, double scale)
{
    pairs->item[pairs->count] = (uint32_t)item;
    pairs->component[pairs->count] = (uint32_t)component;
    pairs->scale[pairs->count++] = (real)scale;
}

/* The likeliest component not yet taken; n when there is none. */
static size_t likeliest(const double *q, const bool *taken, size_t n)
{
    size_t best = n;
    for (size_t k = 0; k < n; k++) {
        if (!taken[k] && (best == n || q[k] > q[best])) best = k;
    }
    return best;
}

/* The `top` likeliest components, and one of the others drawn by q, which stands for all of them:
 * with the weight rest / q its expectation is their sum. */
static void select_top(pair_list *pairs, bool *taken, const double *q, size_t n, size_t top,
                       size_t row, rng *r)
{
    double rest = 0;
    memset(taken, 0, n * sizeof *taken);
    for (size_t t = 0; t < top; t++) {
        size_t best = likeliest(q, taken, n);
        taken[best] = true;
        add_pair(pairs, row, best, 1);
    }
    for (size_t k = 0; k < n; k++) rest += taken[k] ? 0 : q[k];
    if (!(rest > 0)) return;
    double u = rng_uniform(r) * rest;
    size_t drawn = n;
    for (size_t k = 0; k < n && !(u < 0); k++) {
        if (taken[k] || q[k] == 0) continue;
        drawn = k;
        u -= q[k];
    }
    add_pair(pairs, row, drawn, rest / q[drawn]);
}

void amortized_select(amortized *a, const minibatch *b)
{
    const scdc_options *options = &a->base.spec.options;
    bool top = options->sum == SCDC_SUM_TOP && options->sum_top < a->K;
    a->pairs.count = 0;
    for (size_t row = 0; row < b->rows; row++) {
        const double *q = a->q + row * a->K;
        if (b->weight[row] == 0) continue;
        if (top) {
            rng r;
            rng_init(&r, b->seed, RNG_SAMPLE_COMPONENT, b->epoch, b->item[row]);
            select_top(&a->pairs, a->taken, q, a->K, options->sum_top, row, &r);
            continue;
        }
        for (size_t k = 0; k < a->K; k++) {
            if (q[k] != 0) add_pair(&a->pairs, row, k, 1);
        }
    }
}
