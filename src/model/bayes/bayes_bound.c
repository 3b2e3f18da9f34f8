/* The terms of the bound that belong to rows and answers of a minibatch, as the paper's appendix
 * writes them ("The final objective"). */
#include "model/bayes/messages_internal.h"

#include <string.h>

/* kl_x = <eta - E' z, E t(x)> - ln Z(eta) - 1' E[t(mu, Sigma)[2:]]' z, for the rows of a block.
 * `off` keeps eta - E' z: it is also minus the gradient of kl_x by the statistics of x. */
static void kl_x_of_block(messages *m, const global_block *e, size_t block)
{
    size_t natural = m->d + m->q;
    double *off = block_of(m->off, m->P, block), *kl = m->kl_x + block * BLOCK;
    const double *eta = block_of(m->eta, natural, block), *s = block_of(m->s, m->P, block);
    const double *log_partition = m->log_partition + block * BLOCK;
    spread_components(off, m, e, z_after(m, m->T) + block * BLOCK * m->K, m->P);
    for (size_t l = 0; l < BLOCK; l++) {
        kl[l] = -log_partition[l] - off[natural * BLOCK + l] - off[(natural + 1) * BLOCK + l];
    }
    for (size_t i = 0; i < natural * BLOCK; i++) {
        off[i] = eta[i] - off[i];
        kl[i % BLOCK] += off[i] * s[i];
    }
}

static void terms_of_block(void *context, size_t begin, size_t end, size_t block)
{
    block_pass *p = context;
    messages *m = p->m;
    size_t K = m->K;
    kl_x_of_block(m, p->e, block);
    for (size_t i = begin; i < end; i++) {
        const double *z = z_after(m, m->T) + i * K, *log_z = m->log_z + i * K;
        double kl = 0, field = 0;
        for (size_t k = 0; k < K; k++) kl += z[k] * (log_z[k] - p->e->pi[k]);
        for (size_t k = 0; p->b->field && k < K; k++) field += z[k] * p->b->field[i * K + k];
        m->kl_z[i] = kl;
        m->field_term[i] = field;
    }
}

void messages_terms(bound_terms *terms, messages *m, const global_block *e, const minibatch *b)
{
    block_pass p = {.m = m, .e = e, .b = b};
    for_blocks(terms_of_block, &p);
    links_same(m, b, z_after(m, m->T));
    double kl_z = 0, kl_x = 0, field = 0;
    for (size_t i = 0; i < b->rows; i++) {
        kl_z += b->weight[i] * m->kl_z[i];
        kl_x += b->weight[i] * m->kl_x[i];
        field += b->weight[i] * m->field_term[i];
    }
    terms->kl_z = kl_z;
    terms->kl_x = kl_x;
    terms->answers = b->answer_weight * links_term(m, e, b) + 0.5 * field;
}
