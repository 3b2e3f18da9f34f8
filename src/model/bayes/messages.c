/* Local messages, forward: the start of q(z), T alternations of eq. etax and etaz, one draw of
 * q(x). The reverse pass is in messages_backward.c, the bound in bayes_bound.c, the shorter way for
 * rows that are only placed in messages_place.c. */
#include "model/bayes/messages.h"
#include "model/bayes/messages_internal.h"

#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "kernels/blas.h"
#include "kernels/loop.h"
#include "kernels/softmax.h"

#include <string.h>

/* An array of the workspace: `count` per unit, `units` units. */
static double *take(arena *memory, size_t units, size_t count)
{
    return arena_new(memory, units, count * sizeof(double), "local messages");
}

static void take_answers(messages *m, arena *memory, size_t max_answers)
{
    m->first = arena_new(memory, m->max_rows + 2, sizeof *m->first, "answer links");
    m->link = arena_new(memory, max_answers, 2 * sizeof *m->link, "answer links");
    m->w = take(memory, max_answers, 1);
    m->same = take(memory, max_answers, 1);
    m->gw = take(memory, max_answers, 1);
}

int messages_create(messages **out, arena *memory, const core_spec *spec)
{
    messages *m = arena_new(memory, 1, sizeof *m, "local messages");
    SCDC_TRY(arena_status(memory));
    m->d = spec->latent;
    m->q = packed_size(m->d);
    m->P = m->d + m->q + 2;
    m->K = spec->components;
    m->M = spec->workers;
    m->T = spec->options.iterations;
    m->max_rows = spec->max_rows;
    m->padded = (m->max_rows + BLOCK - 1) / BLOCK * BLOCK;
    size_t rows = m->padded, natural = m->d + m->q;
    m->z = take(memory, rows, (m->T + 1) * m->K);
    m->log_z = take(memory, rows, m->K);
    m->potential = take(memory, rows, 2 * m->d);
    m->eta = take(memory, rows, natural);
    m->gauss = take(memory, rows, m->T * natural);
    m->factor = take(memory, rows, m->q);
    m->s = take(memory, rows, m->P);
    m->log_partition = take(memory, rows, 1);
    m->noise = take(memory, rows, m->d);
    m->x = take(memory, rows, m->d);
    m->kl_z = take(memory, rows, 1);
    m->kl_x = take(memory, rows, 1);
    m->field_term = take(memory, rows, 1);
    m->off = take(memory, rows, m->P);
    m->geta = take(memory, rows, m->P);
    m->gz = take(memory, rows, m->K);
    for (int i = 0; i < 2; i++) m->glogit[i] = take(memory, rows, m->K);
    m->gpotential = take(memory, rows, 2 * m->d);
    m->scratch = take(memory, rows, m->d * m->d + 2 * m->d);
    m->across = take(memory, m->P, m->K);
    take_answers(m, memory, spec->max_answers);
    SCDC_TRY(arena_status(memory));
    *out = m;
    return SCDC_OK;
}

void for_blocks(parallel_body body, block_pass *p)
{
    blas_serial_begin();
    kernel_for(p->b->rows, BLOCK, body, p);
    blas_serial_end();
}

void read_potential(double *potential, const messages *m, const real *encoded, size_t begin,
                    size_t end)
{
    size_t d = m->d;
    for (size_t l = 0; l < BLOCK; l++) {
        const real *row = encoded + (begin + l) * 2 * d;
        bool used = begin + l < end;
        for (size_t a = 0; a < 2 * d; a++) potential[a * BLOCK + l] = used ? (double)row[a] : 0;
    }
    double *second = potential + d * BLOCK;
    softplus_vector(second, second, d * BLOCK);
    for (size_t i = 0; i < d * BLOCK; i++) second[i] *= -0.5;
}

void unit_prior_statistics(double *s, const double *potential, const messages *m)
{
    size_t d = m->d;
    double variance[BLOCK];
    for (size_t a = 0; a < d; a++) {
        const double *h = potential + a * BLOCK, *half = potential + (d + a) * BLOCK;
        double *mean = s + a * BLOCK;
        for (size_t l = 0; l < BLOCK; l++) {
            double precision = 1 - 2 * half[l];
            mean[l] = h[l] / precision;
            variance[l] = 1 / precision;
        }
        for (size_t b = 0; b <= a; b++) {
            double *product = s + (d + packed_at(a, b)) * BLOCK;
            const double *other = s + b * BLOCK;
            for (size_t l = 0; l < BLOCK; l++) product[l] = mean[l] * other[l];
            for (size_t l = 0; a == b && l < BLOCK; l++) product[l] += variance[l];
        }
    }
    for (size_t l = 0; l < 2 * BLOCK; l++) s[(m->P - 2) * BLOCK + l] = 1;
}

void add_potential(double *eta, const double *potential, const messages *m)
{
    size_t d = m->d;
    for (size_t a = 0; a < d; a++) {
        double *h = eta + a * BLOCK, *diagonal = eta + (d + packed_at(a, a)) * BLOCK;
        const double *r = potential + a * BLOCK, *r2 = potential + (d + a) * BLOCK;
        for (size_t l = 0; l < BLOCK; l++) {
            h[l] += r[l];
            diagonal[l] += r2[l];
        }
    }
}

/* Logits before the products: E ln pi and the constant messages. */
static void start_logits(double *logits, const block_pass *p, size_t begin, size_t end)
{
    size_t K = p->m->K;
    for (size_t i = begin; i < end; i++, logits += K) {
        memcpy(logits, p->e->pi, K * sizeof *logits);
        if (!p->b->field) continue;
        const double *field = p->b->field + i * K;
        for (size_t k = 0; k < K; k++) logits[k] += field[k];
    }
}

static void random_start(double *z, const minibatch *b, size_t row, size_t K)
{
    rng r;
    rng_init(&r, b->seed, RNG_START_Z, b->epoch, row_stream(b, row));
    double sum = 0;
    for (size_t k = 0; k < K; k++) sum += z[k] = rng_uniform(&r);
    for (size_t k = 0; k < K; k++) z[k] /= sum;
}

static void start_block(void *context, size_t begin, size_t end, size_t block)
{
    block_pass *p = context;
    messages *m = p->m;
    size_t K = m->K, count = end - begin;
    double *potential = block_of(m->potential, 2 * m->d, block);
    double *z = z_after(m, 0) + begin * K, *logits = m->log_z + begin * K;
    read_potential(potential, m, p->in, begin, end);
    double *s = block_of(m->s, m->P, block);
    unit_prior_statistics(s, potential, m);
    if (p->b->start) {
        memcpy(z, p->b->start + begin * K, count * K * sizeof *z);
    } else if (p->start == START_RANDOM) {
        for (size_t i = begin; i < end; i++) random_start(z + (i - begin) * K, p->b, i, K);
    } else {
        start_logits(logits, p, begin, end);
        collect_components(logits, 1, m, p->e, s, m->P);
        for (size_t i = 0; i < count; i++) softmax_vector(z + i * K, logits + i * K, K);
    }
    /* Lanes without a row take part in the products: zero components keep them harmless. */
    for (size_t t = 0; t <= m->T; t++) {
        memset(z_after(m, t) + end * K, 0, (BLOCK - count) * K * sizeof *z);
    }
}

/* eq. etax: natural parameters of q(x) from z and the encoder, then mean and covariance. */
static void update_x(block_pass *p, size_t block)
{
    messages *m = p->m;
    size_t d = m->d, t = p->t;
    const double *potential = block_of(m->potential, 2 * d, block);
    const double *z = z_after(m, t - 1) + block * BLOCK * m->K;
    double *eta = block_of(m->eta, d + m->q, block), *gauss = gauss_of(m, t, block);
    spread_components(eta, m, p->e, z, d + m->q);
    add_potential(eta, potential, m);
    /* Only the bound of the last iteration asks for the normaliser. */
    gauss_from_natural(gauss, block_of(m->factor, m->q, block),
                       t == m->T ? m->log_partition + block * BLOCK : NULL, eta, d);
    gauss_statistics(block_of(m->s, m->P, block), gauss, d);
}

/* eq. etaz: logits of q(z) from x, the answers of the minibatch and the constant messages. */
static void update_z(block_pass *p, size_t begin, size_t end, size_t block)
{
    messages *m = p->m;
    size_t K = m->K, t = p->t;
    double *logits = m->log_z + begin * K, *z = z_after(m, t) + begin * K;
    start_logits(logits, p, begin, end);
    for (size_t i = begin; i < end; i++) {
        links_gather(logits + (i - begin) * K, 1, m, i, z_after(m, t - 1));
    }
    collect_components(logits, 1, m, p->e, block_of(m->s, m->P, block), m->P);
    for (size_t i = 0; i < end - begin; i++) {
        double normaliser = softmax_vector(z + i * K, logits + i * K, K);
        if (t < m->T) continue;
        for (size_t k = 0; k < K; k++) logits[i * K + k] -= normaliser;
    }
}

static void iterate_block(void *context, size_t begin, size_t end, size_t block)
{
    block_pass *p = context;
    update_x(p, block);
    update_z(p, begin, end, block);
}

/* Rows without answers do not wait for each other: all iterations of a block in one go. */
static void settle_block(void *context, size_t begin, size_t end, size_t block)
{
    block_pass own = *(const block_pass *)context;
    start_block(&own, begin, end, block);
    for (own.t = 1; own.t <= own.m->T; own.t++) iterate_block(&own, begin, end, block);
}

void messages_forward(messages *m, const global_block *e, const minibatch *b, const real *encoded,
                      message_start start)
{
    block_pass p = {.m = m, .e = e, .b = b, .in = encoded, .start = start};
    links_build(m, e, b);
    if (!b->answers) {
        for_blocks(settle_block, &p);
        return;
    }
    for_blocks(start_block, &p);
    for (p.t = 1; p.t <= m->T; p.t++) for_blocks(iterate_block, &p);
}

static void sample_block(void *context, size_t begin, size_t end, size_t block)
{
    block_pass *p = context;
    messages *m = p->m;
    size_t d = m->d;
    double *noise = block_of(m->noise, d, block), *x = block_of(m->x, d, block);
    for (size_t i = begin; i < end; i++) {
        rng r;
        rng_init(&r, p->b->seed, RNG_LATENT_NOISE, p->b->epoch, row_stream(p->b, i));
        for (size_t a = 0; a < d; a++) noise[a * BLOCK + i - begin] = rng_normal(&r);
    }
    gauss_sample(x, gauss_of(m, m->T, block), block_of(m->factor, m->q, block), noise, d);
    for (size_t i = begin; i < end; i++) {
        for (size_t a = 0; a < d; a++) p->out[i * d + a] = (real)x[a * BLOCK + i - begin];
    }
}

void messages_sample(real *x, messages *m, const minibatch *b)
{
    block_pass p = {.m = m, .b = b, .out = x};
    for_blocks(sample_block, &p);
}

void messages_held(double *out, const messages *m, const minibatch *b)
{
    for (size_t k = 0; k < m->K; k++) out[k] = 0;
    for (size_t i = 0; i < b->rows; i++) {
        const double *z = z_after(m, m->T) + i * m->K;
        out[argmax(z, m->K)] += b->weight[i];
    }
}

void messages_read(double *z, double *mean, const messages *m, size_t rows)
{
    if (z) memcpy(z, z_after(m, m->T), rows * m->K * sizeof *z);
    for (size_t i = 0; mean && i < rows; i++) {
        const double *mu = gauss_of(m, m->T, i / BLOCK);
        for (size_t a = 0; a < m->d; a++) mean[i * m->d + a] = mu[a * BLOCK + i % BLOCK];
    }
}
