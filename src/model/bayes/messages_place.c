/* Local messages of rows that are only placed: the alternations of messages.c without answers,
 * their gradients or a choice of starts, so that a block never leaves its lanes. */
#include "model/bayes/messages.h"
#include "model/bayes/messages_internal.h"

#include "kernels/lanes.h"

#include <string.h>

_Static_assert((int)BLOCK == (int)LANES, "the rows of a block are the lanes of a product");

/* E ln pi and the constant messages, [K][BLOCK]. */
static void start_lanes(double *logits, const block_pass *p, size_t begin, size_t end)
{
    size_t K = p->m->K;
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < BLOCK; l++) logits[k * BLOCK + l] = p->e->pi[k];
    }
    for (size_t i = begin; p->b->field && i < end; i++) {
        const double *field = p->b->field + i * K;
        for (size_t k = 0; k < K; k++) logits[k * BLOCK + i - begin] += field[k];
    }
}

/* eq. etaz, from the statistics of x. */
static void lanes_z(double *z, const block_pass *p, const double *s, size_t begin, size_t end)
{
    const messages *m = p->m;
    start_lanes(z, p, begin, end);
    lanes_add_product(z, m->across, m->K, s, m->P, m->K);
    lanes_softmax(z, m->K);
}

/* eq. etax, and the statistics of x. */
static void lanes_x(double *s, const block_pass *p, const double *z, const double *potential,
                    size_t block)
{
    messages *m = p->m;
    size_t natural = m->d + m->q;
    double *eta = block_of(m->eta, natural, block), *gauss = gauss_of(m, m->T, block);
    memset(eta, 0, natural * BLOCK * sizeof *eta);
    lanes_add_product(eta, p->e->niw, m->P, z, m->K, natural);
    add_potential(eta, potential, m);
    gauss_from_natural(gauss, block_of(m->factor, m->q, block), NULL, eta, m->d);
    gauss_statistics(s, gauss, m->d);
}

static void place_block(void *context, size_t begin, size_t end, size_t block)
{
    const block_pass *p = context;
    messages *m = p->m;
    size_t K = m->K;
    double *potential = block_of(m->potential, 2 * m->d, block), *s = block_of(m->s, m->P, block);
    double *z = block_of(m->log_z, K, block), *out = z_after(m, m->T);
    read_potential(potential, m, p->in, begin, end);
    unit_prior_statistics(s, potential, m);
    lanes_z(z, p, s, begin, end);
    for (size_t t = 1; t <= m->T; t++) {
        lanes_x(s, p, z, potential, block);
        lanes_z(z, p, s, begin, end);
    }
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < K; k++) out[i * K + k] = z[k * BLOCK + i - begin];
    }
}

void messages_place(messages *m, const global_block *e, const minibatch *b, const real *encoded)
{
    block_pass p = {.m = m, .e = e, .b = b, .in = encoded};
    for (size_t k = 0; k < m->K; k++) {
        for (size_t f = 0; f < m->P; f++) m->across[f * m->K + k] = e->niw[k * m->P + f];
    }
    for_blocks(place_block, &p);
}
