/* The amortised bound and its gradient, on one page:
 *
 *   L_local(n) = sum_k q(z=k|o) [ ln pi_k - ln q(z=k|o) + E log p(o|x) - KL(q(x|k,o) || p(x|k)) ]
 *
 * with one sample of x per component (the KL is exact), plus the answers. All components of all
 * items go through the nets together, a chunk of (item, component) pairs at a time: value and
 * gradient of a pair need nothing of another pair. */
#include "model/amortized/amortized.h"
#include "base/stages.h"
#include "base/status.h"
#include "kernels/loop.h"
#include "kernels/noise.h"

#include <math.h>
#include <string.h>

/* A normal draw costs as much as so many values of a plain kernel. */
enum { NORMAL_COST = 64 };

typedef struct sample_job {
    const amortized *a;
    const minibatch *b;
    const real *outputs;
    const uint32_t *item, *component;
} sample_job;

/* x = mean + deviation * noise; the noise is named by the item and the component. */
static void sample_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const sample_job *j = context;
    size_t d = j->a->d;
    (void)piece;
    for (size_t r = begin; r < end; r++) {
        real *noise = j->a->chunk.noise + r * d, *x = j->a->chunk.x + r * d;
        const real *mean = j->outputs + r * 2 * d, *log_variance = mean + d;
        normal_noise(noise, d, j->b->seed, RNG_LATENT_NOISE, j->b->epoch, j->b->item[j->item[r]],
                     j->component[r]);
        for (size_t i = 0; i < d; i++) {
            x[i] = mean[i] + real_exp(REAL(0.5) * log_variance[i]) * noise[i];
        }
    }
}

/* Values, and with gradients everything that flows into the nets of x and into mu and Sigma. */
static void chunk_forward_backward(amortized *a, const minibatch *b, const pair_list *pairs,
                                   size_t begin, size_t count, bool gradients)
{
    chunk_work *w = &a->chunk;
    const uint32_t *item = pairs->item + begin, *component = pairs->component + begin;
    stage_enter(STAGE_ENCODER);
    conditional_expand(&a->x_first, w->hidden, item, component, count);
    real *outputs = net_forward(&a->x_rest, w->hidden, count);
    stage_enter(STAGE_SAMPLE);
    sample_job sample = {a, b, outputs, item, component};
    kernel_for(count, rows_per_piece(NORMAL_COST * a->d, PIECE_VALUES), sample_piece, &sample);
    for (size_t r = 0; r < count; r++) {
        double q = a->q[item[r] * a->K + component[r]];
        w->weight[r] = (real)(b->weight[item[r]] / (double)a->base.spec.items * q *
                              (double)pairs->scale[begin + r]);
    }
    if (!gradients) {
        decoder_value(w->log_likelihood, &a->decode, w->x, b->o, item, count);
        amortized_prior_kl(a, NULL, outputs, component, count);
        return;
    }
    bool add = begin > 0;
    decoder_gradient(w->log_likelihood, w->d_x, &a->decode, w->x, w->weight, b->o, item, count,
                     add);
    stage_enter(STAGE_MESSAGES_BACK);
    amortized_prior_kl(a, w->d_outputs, outputs, component, count);
    stage_enter(STAGE_BACKWARD);
    net_backward(&a->x_rest, w->d_hidden, w->d_outputs, w->hidden, count, add);
    conditional_backward_rows(&a->x_first, w->d_hidden, w->hidden, item, component, count);
}

static void add_chunk(bound_terms *terms, amortized *a, const minibatch *b, const pair_list *pairs,
                      size_t begin, size_t count)
{
    const chunk_work *w = &a->chunk;
    for (size_t r = 0; r < count; r++) {
        size_t item = pairs->item[begin + r], at = item * a->K + pairs->component[begin + r];
        double share = b->weight[item] * a->q[at] * (double)pairs->scale[begin + r];
        a->f[begin + r] = w->log_likelihood[r] - w->kl[r];
        terms->reconstruction += share * w->log_likelihood[r];
        terms->kl_x += share * w->kl[r];
    }
}

/* d (bound / N) / dq from the pairs. The gradient of q sums to zero over the components, so any
 * constant may be taken off f: with the mean over the components that were summed exactly, the one
 * drawn for the rest adds little noise. It must not depend on the draw. */
static void pairs_to_dq(amortized *a, const minibatch *b, const pair_list *pairs)
{
    bool baseline = a->base.spec.options.sum == SCDC_SUM_TOP && !a->no_baseline;
    for (size_t begin = 0, end; begin < pairs->count; begin = end) {
        size_t item = pairs->item[begin];
        double share = b->weight[item] / (double)a->base.spec.items, sum = 0, mass = 0;
        for (end = begin; end < pairs->count && pairs->item[end] == item; end++) {
            if (pairs->scale[end] != 1) continue;
            double q = a->q[item * a->K + pairs->component[end]];
            mass += q;
            sum += q * a->f[end];
        }
        double constant = baseline && mass > 0 ? sum / mass : 0;
        for (size_t p = begin; p < end; p++) {
            a->dq[item * a->K + pairs->component[p]] +=
                share * (double)pairs->scale[p] * (a->f[p] - constant);
        }
    }
}

/* KL(q(z|o) || pi), with gradients in dq and pi. */
static double prior_of_z(amortized *a, const minibatch *b, bool gradients)
{
    size_t K = a->K;
    double total = 0, items = (double)a->base.spec.items;
    for (size_t r = 0; r < b->rows; r++) {
        const double *q = a->q + r * K, *log_q = a->log_q + r * K;
        double share = b->weight[r] / items, kl = 0;
        if (b->weight[r] == 0) continue;
        for (size_t k = 0; k < K; k++) {
            if (q[k] == 0) continue;
            double ratio = log_q[k] - a->log_pi[k];
            kl += q[k] * ratio;
            if (gradients) a->dq[r * K + k] -= share * ratio;
        }
        total += b->weight[r] * kl;
        for (size_t k = 0; k < K && gradients; k++) {
            a->pi.grad[k] += (real)(share * (q[k] - exp(a->log_pi[k])));
        }
    }
    return total;
}

/* Messages to a row (the default recipe) from answers about it: <q, field>, by half in the bound,
 * since each answer is seen from both of its ends, and in full in the gradient. */
static double messages_of_answers(amortized *a, const minibatch *b, bool gradients)
{
    size_t K = a->K;
    double total = 0, items = (double)a->base.spec.items;
    for (size_t r = b->field_from; r < b->rows && b->field; r++) {
        for (size_t k = 0; k < K; k++) {
            double field = b->field[r * K + k];
            total += 0.5 * b->weight[r] * a->q[r * K + k] * field;
            if (gradients) a->dq[r * K + k] += b->weight[r] / items * field;
        }
    }
    return total;
}

/* q(z) of a row with messages is softmax(net(o) + field), and its own gradient cannot teach the net
 * what the field has already decided. So the net also climbs - KL(q(z) || q(z|o)), q(z) held fixed:
 * gradient q(z) - q(z|o) by its outputs. */
static void learn_from_messages(amortized *a, const minibatch *b, size_t r)
{
    size_t K = a->K;
    const real *out = a->z_out + r * K;
    real largest = out[0], total = 0, share = (real)(b->weight[r] / (double)a->base.spec.items);
    for (size_t k = 1; k < K; k++) largest = out[k] > largest ? out[k] : largest;
    for (size_t k = 0; k < K; k++) total += real_exp(out[k] - largest);
    for (size_t k = 0; k < K; k++) {
        real own = real_exp(out[k] - largest) / total;
        a->logits[r * K + k] += share * ((real)a->q[r * K + k] - own);
    }
}

/* Back through the softmax, to what its logits are made of. */
static void z_backward(amortized *a, const minibatch *b, size_t reached)
{
    size_t K = a->K;
    for (size_t r = 0; r < b->rows; r++) {
        const double *q = a->q + r * K, *dq = a->dq + r * K;
        double mean = 0;
        for (size_t k = 0; k < K; k++) mean += q[k] * dq[k];
        for (size_t k = 0; k < K; k++) a->logits[r * K + k] = (real)(q[k] * (dq[k] - mean));
        if (b->field && r >= b->field_from) learn_from_messages(a, b, r);
    }
    if (a->uses_evidence) amortized_evidence_backward(a, a->logits, b->rows, reached > 0);
    net_backward(&a->z_net, NULL, a->logits, b->o, b->rows, false);
}

int amortized_check_terms(const bound_terms *t)
{
    const struct {
        const char *name;
        double value;
    } terms[] = {{"reconstruction", t->reconstruction},
                 {"kl_z", t->kl_z},
                 {"kl_x", t->kl_x},
                 {"answers", t->answers}};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        if (isfinite(terms[i].value)) continue;
        return fail_with(SCDC_ERR_NUMERIC, "the %s term of the bound is not finite (%g)",
                         terms[i].name, terms[i].value);
    }
    return SCDC_OK;
}

/* Zeroes what is added to; nets overwrite theirs, provided there is at least one pair. */
static void begin_gradients(amortized *a, const minibatch *b, size_t items)
{
    const theta_part *parts[] = {&a->pi, &a->mu, &a->factor, &a->alpha, &a->beta};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memset(parts[i]->grad, 0, parts[i]->count * sizeof(real));
    }
    if (items == 0) memset(a->block.grads, 0, a->block.count * sizeof(real));
    conditional_backward_begin(&a->x_first, b->rows);
}

size_t amortized_pairs(bound_terms *terms, amortized *a, const minibatch *b, const pair_list *pairs,
                       bool gradients)
{
    /* Rows that only lend their q(z) to the answers come last and need no x. */
    size_t items = pairs->count ? pairs->item[pairs->count - 1] + 1 : 0;
    amortized_prior_roots(a);
    stage_enter(STAGE_ENCODER);
    amortized_base(a, b->o, items);
    if (gradients) begin_gradients(a, b, items);
    for (size_t begin = 0; begin < pairs->count; begin += a->chunk.capacity) {
        size_t left = pairs->count - begin;
        size_t count = left < a->chunk.capacity ? left : a->chunk.capacity;
        chunk_forward_backward(a, b, pairs, begin, count, gradients);
        stage_enter(STAGE_MESSAGES);
        add_chunk(terms, a, b, pairs, begin, count);
    }
    return items;
}

int amortized_evaluate(bound_terms *terms, amortized *a, const minibatch *b, bool gradients)
{
    bound_terms t = {0};
    t.skipped = amortized_q(a, b->o, b->rows, b->field);
    if (!a->fixed_pairs) amortized_select(a, b);
    const pair_list *pairs = a->fixed_pairs ? a->fixed_pairs : &a->pairs;
    amortized_log_pi(a->log_pi, a);
    size_t reached = amortized_pairs(&t, a, b, pairs, gradients);
    memset(a->dq, 0, b->rows * a->K * sizeof *a->dq);
    if (gradients) pairs_to_dq(a, b, pairs);
    t.kl_z = prior_of_z(a, b, gradients);
    t.answers = amortized_answers(a, b, gradients);
    t.answers += messages_of_answers(a, b, gradients);
    if (gradients) {
        stage_enter(STAGE_BACKWARD);
        z_backward(a, b, reached);
        amortized_base_backward(a, b->o, a->uses_evidence ? b->rows : reached);
    }
    *terms = t;
    return amortized_check_terms(&t);
}
