/* Reverse pass through the local messages: sample, terms of the bound, answers and all T
 * iterations, down to the encoder outputs and the expected statistics of the global parameters.
 * The start of q(z) is a constant. */
#include "model/bayes/messages_internal.h"

#include "kernels/blas.h"
#include "kernels/loop.h"

#include <math.h>
#include <string.h>

enum { COMPONENT_PIECE = 8 };

struct niw_pass {
    double *niw;
    const messages *m;
    const double *v, *s;
    size_t rows, features;
};

/* Components [begin, end) of the sum over all blocks, in block order: no partial copies of
 * [K][P], and the same result for any number of threads. */
static void accumulate_components(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    struct niw_pass *p = context;
    size_t K = p->m->K, P = p->m->P;
    for (size_t block = 0; block * BLOCK < p->rows; block++) {
        add_product_tt(p->niw + begin * P, P, 1, p->v + block * BLOCK * K + begin, K,
                       p->s + block * p->m->P * BLOCK, BLOCK, end - begin, p->features, BLOCK);
    }
}

/* niw [K][P] += v' s' over the rows: v [rows][K], features s [blocks][P][BLOCK]. */
static void accumulate_niw(double *niw, const messages *m, size_t rows, const double *v,
                           const double *s, size_t features)
{
    struct niw_pass p = {.niw = niw, .m = m, .v = v, .s = s, .rows = rows, .features = features};
    blas_serial_begin();
    kernel_for(m->K, COMPONENT_PIECE, accumulate_components, &p);
    blas_serial_end();
}

/* pi [K] += sum over the rows of v [rows][K]. */
static void accumulate_pi(double *pi, const messages *m, size_t rows, const double *v)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < m->K; k++) pi[k] += v[i * m->K + k];
    }
}

/* weight * z[T], zero in the lanes without a row. */
static void weigh_block(void *context, size_t begin, size_t end, size_t block)
{
    (void)block;
    block_pass *p = context;
    size_t K = p->m->K;
    const double *z = z_after(p->m, p->m->T);
    double *out = p->m->gz;
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < K; k++) out[i * K + k] = p->b->weight[i] * z[i * K + k];
    }
    memset(out + end * K, 0, (BLOCK - (end - begin)) * K * sizeof *out);
}

void messages_statistics(global_block *out, messages *m, const minibatch *b)
{
    block_pass p = {.m = m, .b = b};
    for_blocks(weigh_block, &p);
    memset(out->pi, 0, m->K * sizeof *out->pi);
    memset(out->niw, 0, m->K * m->P * sizeof *out->niw);
    accumulate_pi(out->pi, m, b->rows, m->gz);
    accumulate_niw(out->niw, m, b->rows, m->gz, m->s, m->P);
    links_statistics(out, m, b, NULL);
}

/* Gradient by z[T] that reaches row i directly. By the logits l of the last iteration it is
 * weight * (l - (ln z - E ln pi) - ...): everything cancels but the normaliser, a constant that
 * softmax ignores, the answers as they are and the messages as they were when l was made. */
static void start_gradient(double *gz, const block_pass *p, size_t row)
{
    const messages *m = p->m;
    memset(gz, 0, m->K * sizeof *gz);
    links_gather(gz, p->b->answer_weight, m, row, z_after(m, m->T));
    links_gather(gz, -p->b->weight[row], m, row, z_after(m, m->T - 1));
}

/* Through softmax: by the logits of iteration t. */
static void logits_gradient(double *glogit, const double *gz, const double *z, size_t K)
{
    double mean = 0;
    for (size_t k = 0; k < K; k++) mean += gz[k] * z[k];
    for (size_t k = 0; k < K; k++) glogit[k] = z[k] * (gz[k] - mean);
}

/* Rows of a block: glogit of iteration t, from gz and what the rows they were linked with sent. */
static void backward_z(block_pass *p, size_t begin, size_t end)
{
    messages *m = p->m;
    size_t K = m->K, t = p->t;
    double *glogit = m->glogit[t % 2];
    for (size_t i = begin; i < end; i++) {
        double *gz = m->gz + i * K;
        if (t == m->T) start_gradient(gz, p, i);
        else links_gather(gz, 1, m, i, m->glogit[(t + 1) % 2]);
        logits_gradient(glogit + i * K, gz, z_after(m, t) + i * K, K);
    }
    memset(glogit + end * K, 0, (BLOCK - (end - begin)) * K * sizeof *glogit);
}

/* Gradients by x of a block as lanes, and minus weight times `off`: the start of the way back
 * through the statistics of x. */
static void start_x(double *g, double *gx, const block_pass *p, size_t begin, size_t end,
                    size_t block)
{
    const messages *m = p->m;
    size_t d = m->d;
    const double *off = block_of(m->off, m->P, block);
    double weight[BLOCK] = {0};
    for (size_t i = begin; i < end; i++) weight[i - begin] = p->b->weight[i];
    for (size_t i = 0; i < (d + m->q) * BLOCK; i++) g[i] -= weight[i % BLOCK] * off[i];
    for (size_t a = 0; a < d; a++) {
        for (size_t l = 0; l < BLOCK; l++) {
            gx[a * BLOCK + l] = begin + l < end ? (double)p->in[(begin + l) * d + a] : 0;
            g[a * BLOCK + l] += gx[a * BLOCK + l];
        }
    }
}

/* What reached eta goes to the encoder's potentials, which every iteration adds. */
static void collect_potential(double *gpotential, const double *g, const messages *m, bool first)
{
    size_t d = m->d;
    for (size_t a = 0; a < d; a++) {
        const double *h = g + a * BLOCK, *diagonal = g + (d + packed_at(a, a)) * BLOCK;
        double *gh = gpotential + a * BLOCK, *gd = gpotential + (d + a) * BLOCK;
        for (size_t l = 0; l < BLOCK; l++) {
            gh[l] = h[l] + (first ? 0 : gh[l]);
            gd[l] = diagonal[l] + (first ? 0 : gd[l]);
        }
    }
}

static void backward_block(void *context, size_t begin, size_t end, size_t block)
{
    block_pass *p = context;
    messages *m = p->m;
    size_t d = m->d, t = p->t, K = m->K;
    double *g = block_of(m->geta, m->P, block), *gx = block_of(m->x, d, block);
    double *scratch = block_of(m->scratch, d * d + 2 * d, block);
    const double *gauss = gauss_of(m, t, block);
    backward_z(p, begin, end);
    /* Rows without answers are at their optimum in z[T]: nothing comes from its logits. */
    if (t == m->T && m->first[begin] == m->first[end]) memset(g, 0, (d + m->q) * BLOCK * sizeof *g);
    else spread_components(g, m, p->e, m->glogit[t % 2] + begin * K, d + m->q);
    if (t == m->T) start_x(g, gx, p, begin, end, block);
    gauss_backward(g, scratch, gauss, d);
    if (t == m->T) {
        gauss_sample_backward(g, scratch, block_of(m->factor, m->q, block),
                              block_of(m->noise, d, block), gx, d);
    }
    collect_potential(block_of(m->gpotential, 2 * d, block), g, m, t == m->T);
    if (t > 1) collect_components(m->gz + begin * K, 0, m, p->e, g, d + m->q);
    if (p->full && t < m->T) gauss_statistics(block_of(m->s, m->P, block), gauss, d);
}

/* What iteration t gives to the expected statistics: logits by eq. etaz, eta by eq. etax. */
static void backward_statistics(block_pass *p)
{
    messages *m = p->m;
    const double *glogit = m->glogit[p->t % 2];
    accumulate_pi(p->full->pi, m, p->b->rows, glogit);
    accumulate_niw(p->full->niw, m, p->b->rows, glogit, m->s, m->P);
    accumulate_niw(p->full->niw, m, p->b->rows, z_after(m, p->t - 1), m->geta, m->d + m->q);
    links_weight_gradient(m, p->b, glogit, z_after(m, p->t - 1));
}

/* Through r(o) = (h, -softplus(v)/2). */
static void encoder_block(void *context, size_t begin, size_t end, size_t block)
{
    block_pass *p = context;
    size_t d = p->m->d;
    const double *g = block_of(p->m->gpotential, 2 * d, block);
    const double *potential = block_of(p->m->potential, 2 * d, block);
    for (size_t i = begin; i < end; i++) {
        real *out = p->out + i * 2 * d;
        for (size_t a = 0; a < d; a++) {
            size_t at = (d + a) * BLOCK + i - begin;
            /* sigmoid(v) = 1 - exp(-softplus(v)) */
            out[a] = (real)g[a * BLOCK + i - begin];
            out[d + a] = (real)(0.5 * g[at] * expm1(2 * potential[at]));
        }
    }
}

/* All of it in one go for rows without answers, as in messages_forward. */
static void unsettle_block(void *context, size_t begin, size_t end, size_t block)
{
    block_pass own = *(const block_pass *)context;
    for (own.t = own.m->T; own.t >= 1; own.t--) backward_block(&own, begin, end, block);
    encoder_block(&own, begin, end, block);
}

void messages_backward(real *gencoded, global_block *full, messages *m, const global_block *e,
                       const minibatch *b, const real *gx)
{
    block_pass p = {.m = m, .e = e, .b = b, .in = gx, .out = gencoded, .full = full};
    if (!full && !b->answers) {
        for_blocks(unsettle_block, &p);
        return;
    }
    if (full) {
        messages_statistics(full, m, b);
        memset(m->gw, 0, b->answers * sizeof *m->gw);
    }
    for (p.t = m->T; p.t >= 1; p.t--) {
        for_blocks(backward_block, &p);
        if (full) backward_statistics(&p);
    }
    if (full) links_statistics(full, m, b, m->gw);
    for_blocks(encoder_block, &p);
}
