/* Shared by the files of the local messages: where things are, and the one matrix product. */
#ifndef SCDC_MODEL_MESSAGES_INTERNAL_H
#define SCDC_MODEL_MESSAGES_INTERNAL_H

#include "base/parallel.h"
#include "model/bayes/messages.h"

#include <cblas.h>

/* What a pass over the blocks of a minibatch works on. */
typedef struct block_pass {
    messages *m;
    const global_block *e;
    const minibatch *b;
    size_t t; /* iteration */
    message_start start;
    const real *in;
    real *out;
    global_block *full;
} block_pass;

/* body(p, first row, end, block) for every block of the minibatch, BLAS on the calling thread. */
void for_blocks(parallel_body body, block_pass *p);

/* Features of a block in an array [blocks][features][BLOCK]. */
static inline double *block_of(double *array, size_t features, size_t block)
{
    return array + block * features * BLOCK;
}
/* q(z) after t iterations, [padded][K]. */
static inline double *z_after(const messages *m, size_t t)
{
    return m->z + t * m->padded * m->K;
}
/* mu and Sigma of iteration t (1 .. T). */
static inline double *gauss_of(const messages *m, size_t t, size_t block)
{
    return m->gauss + ((t - 1) * m->padded + block * BLOCK) * (m->d + m->q);
}

/* r(o) of a block: h and -softplus/2, [2d][BLOCK]. Lanes beyond the last row get a harmless
 * Gaussian. */
void read_potential(double *potential, const messages *m, const real *encoded, size_t begin,
                    size_t end);
/* (E t(x), 1) [P][BLOCK] of the encoder's Gaussian times a standard normal. */
void unit_prior_statistics(double *s, const double *potential, const messages *m);
/* eta [d+q][BLOCK] of the components' message and the encoder's. */
void add_potential(double *eta, const double *potential, const messages *m);

/* out [rows][cols] = keep * out + a' b' with a [inner][rows], b [cols][inner], all row-major with
 * the given row lengths. Single-threaded: callers run it inside parallel_for. */
static inline void add_product_tt(double *out, size_t out_length, double keep, const double *a,
                                  size_t a_length, const double *b, size_t b_length, size_t rows,
                                  size_t cols, size_t inner)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, (int)rows, (int)cols, (int)inner, 1, a,
                (int)a_length, b, (int)b_length, keep, out, (int)out_length);
}

/* out [features][BLOCK] = E[:, :features]' v' for the rows v [BLOCK][K] of a block. */
static inline void spread_components(double *out, const messages *m, const global_block *e,
                                     const double *v, size_t features)
{
    add_product_tt(out, BLOCK, 0, e->niw, m->P, v, m->K, features, BLOCK, m->K);
}
/* out [BLOCK][K] = keep * out + s' E[:, :features]' for the features s [features][BLOCK]. */
static inline void collect_components(double *out, double keep, const messages *m,
                                      const global_block *e, const double *s, size_t features)
{
    add_product_tt(out, m->K, keep, s, BLOCK, e->niw, m->P, BLOCK, m->K, features);
}

/* Builds the links of the minibatch's answers and their weights. */
void links_build(messages *m, const global_block *e, const minibatch *b);
/* out [K] += scale * sum over the links of `row` of w * v[other row], v [rows][K]. */
void links_gather(double *out, double scale, const messages *m, size_t row, const double *v);
/* same[a] = <z_left, z_right> of every answer. */
void links_same(messages *m, const minibatch *b, const double *z);
/* gw[a] += <g_left, z_right> + <g_right, z_left>: what reaches the weights through messages. */
void links_weight_gradient(messages *m, const minibatch *b, const double *g, const double *z);
/* Sum of the answers' terms for the current `same`, unweighted. */
double links_term(const messages *m, const global_block *e, const minibatch *b);
/* Gradient of answer_weight * term by the workers' statistics (gw: extra gradient by w, or NULL).
 */
void links_statistics(global_block *out, const messages *m, const minibatch *b, const double *gw);

#endif
