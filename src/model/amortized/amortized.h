/* SCDC with amortised inference: the parts its files share. See amortized_bound.c for the bound.
 *
 * Everything the optimiser trains lies in one parameter block: the nets of q(z|o), q(x|z,o) and
 * p(o|x), and Theta = {pi, mu, Sigma, alpha, beta} in unconstrained forms. */
#ifndef SCDC_MODEL_AMORTIZED_H
#define SCDC_MODEL_AMORTIZED_H

#include "model/core.h"
#include "nets/conditional.h"
#include "nets/decoder.h"

/* A part of Theta: values and gradients, pointing into the block. */
typedef struct theta_part {
    real *value, *grad;
    size_t count;
} theta_part;

/* The (item, component) pairs whose x is sampled and decoded. The local bound of an item is
 *   sum over its pairs of scale * q(z=k|o) * f(item, k)  plus terms that need no x,
 * f = E log p(o|x) - KL(q(x|k,o) || p(x|k)). scale is a constant: 1, or the importance weight of a
 * component drawn from the rest. */
typedef struct pair_list {
    size_t count;
    uint32_t *item, *component; /* items are rows of the minibatch, in order */
    real *scale;
} pair_list;

/* Buffers for one chunk of pairs. */
typedef struct chunk_work {
    size_t capacity;
    real *hidden, *d_hidden;     /* [capacity][first hidden size] */
    real *noise, *x, *d_x;       /* [capacity][d] */
    real *d_outputs;             /* [capacity][2d] */
    real *weight;                /* [capacity] of a pair in bound / N */
    double *log_likelihood, *kl; /* [capacity] */
    /* Pairs of the chunk by component: order[first[k] .. first[k+1]). */
    uint32_t *order, *first;
} chunk_work;

typedef struct amortized {
    core base;
    size_t D, d, K, M;
    param_block block;
    net z_net;              /* o -> K logits of q(z|o) */
    net x_images;           /* layers of images by words below x_first, once per item; depth 0: o */
    real *d_images;         /* [max_rows][its outputs] */
    conditional x_first;    /* (o, z) -> hidden, the o part once per item; z = K: none */
    net x_rest;             /* hidden -> d means and d log variances of q(x|z,o) */
    decoder decode;         /* x -> p(o|x) */
    theta_part pi;          /* [K] logits */
    theta_part mu;          /* [K][d] */
    theta_part factor;      /* Sigma^-1 = R R': diagonal [K][d] ln R_jj, or full [K][d(d+1)/2], rows
                             * of the lower triangle with ln R_jj on the diagonal */
    theta_part alpha, beta; /* [M] logits of sensitivity and specificity */
    double (*pair_counts)[2]; /* [M] running estimates of a worker's same and different pairs */

    /* workspace of a minibatch */
    double *q, *log_q;                   /* [max_rows][K] */
    double *dq;                          /* [max_rows][K] d (bound / N) / dq */
    double *f;                           /* [pairs] value of each pair */
    real *logits;                        /* [max_rows][K] */
    real *z_out;                         /* [max_rows][K] logits of q(z|o), before any message */
    double *evidence;                    /* [max_rows][K] amortized_evidence.c */
    uint32_t *row_number, *no_component; /* [max_rows] 0, 1, 2, ... and K, K, K, ... */
    bool uses_evidence;                  /* the default recipe */
    double *log_pi;                      /* [K] */
    double *held;                        /* [K + 1] weight of the rows in each, and of all */
    real *root;                          /* R: diagonal [K][d], or lower triangles [K][d][d] */
    real *prior_scratch;                 /* [K][3d], full covariance only */
    bool *taken;                         /* [K] */
    pair_list pairs;
    const pair_list *fixed_pairs; /* tests: use these in place of a selection; else NULL */
    bool no_baseline;             /* tests: plain estimate of the gradient in sum = top */
    chunk_work chunk;
} amortized;

static inline amortized *amortized_of(core *c)
{
    return (amortized *)(void *)c;
}
static inline const amortized *amortized_of_const(const core *c)
{
    return (const amortized *)(const void *)c;
}

/* The part of q(x|z,o) that items have once, before conditional_expand, and back through it. */
void amortized_base(amortized *a, const real *o, size_t rows);
void amortized_base_backward(amortized *a, const real *o, size_t rows);

/* q, log_q of all rows: softmax of the logits of o, and for sum = threshold restricted to the
 * components that are likely enough and normalised again. Returns the mean skipped share. */
double amortized_q(amortized *a, const real *o, size_t rows, const double *field);
/* The pairs of the rows that have a weight. */
void amortized_select(amortized *a, const minibatch *b);

void amortized_log_pi(double *log_pi, const amortized *a);

/* Reconstruction and kl_x of the pairs, weighted by q; with gradients everything that flows into
 * the nets of x and p(o|x), into mu and Sigma, but for the first layer of x, which waits for
 * conditional_backward_end. Leaves f of the pairs. Returns how many rows they reach. */
size_t amortized_pairs(bound_terms *terms, amortized *a, const minibatch *b, const pair_list *pairs,
                       bool gradients);
/* SCDC_ERR_NUMERIC naming the term that is not finite. */
int amortized_check_terms(const bound_terms *t);

/* Means and variances [rows][d] (either may be NULL) of q(x|k,o) for row r in component
 * pairs.component[r]. */
void amortized_encode(double *mean, double *variance, amortized *a, const real *o, size_t rows);

/* The mixture's own word on z, amortized_evidence.c: out [rows][K], and the gradient by d_logits
 * [rows][K] into q(x|o), mu, Sigma and pi (net of x: added to when `add`). */
void amortized_evidence(double *out, amortized *a, const real *o, size_t rows);
void amortized_evidence_backward(amortized *a, const real *d_logits, size_t rows, bool add);

/* R of every component from its parameters; needed before the two below. */
void amortized_prior_roots(amortized *a);
/* KL(q(x|k,o) || p(x|k)) of the chunk's pairs, and with gradients: d_outputs [pairs][2d] of the sum
 * of weight * (decoder term - KL), where chunk.d_x holds the decoder's part; adds to the gradients
 * of mu and factor. outputs: means and log variances of q(x|k,o). */
void amortized_prior_kl(amortized *a, real *d_outputs, const real *outputs,
                        const uint32_t *component, size_t pairs);
/* out [rows][K]: minus that KL of every row's q(x) and every component. */
void amortized_prior_fit(double *out, amortized *a, const real *outputs, size_t rows);
/* Its gradient by d_out [rows][K]: d_outputs [rows][2d] is overwritten, mu and factor added to. */
void amortized_prior_fit_backward(amortized *a, real *d_outputs, const real *outputs,
                                  const real *d_out, size_t rows);
/* x = mu_k + R^-T noise */
void amortized_prior_draw(const amortized *a, real *x, size_t k, const real *noise);

/* The logs of a worker's coins, and s = <q(z_i), q(z_j)> of an answer's two rows. */
two_coin amortized_coin(const amortized *a, size_t m);
double amortized_same(const amortized *a, const batch_answer *answer);
/* Answer term of the whole data set from the minibatch's answers; with gradients adds to dq, alpha
 * and beta. */
double amortized_answers(amortized *a, const minibatch *b, bool gradients);

/* The bound; with gradients the block's grads hold d (bound / N). */
int amortized_evaluate(bound_terms *terms, amortized *a, const minibatch *b, bool gradients);

/* The default recipe's start: amortized_start.c. */
void amortized_warm_prepare(amortized *a);
int amortized_warm_measure(bound_terms *terms, core *c, const minibatch *b);
int amortized_warm_improve(core *c, const minibatch *b, const step_rates *rates);
int amortized_warm_place(double *mean, double *variance, core *c, const real *o, size_t rows);
int amortized_begin(core *c, const float *mean, const float *variance, const uint32_t *component,
                    size_t count, mixture_family family);
int amortized_coins(two_coin *out, core *c);
int amortized_set_workers(core *c, const two_coin_counts *counts);

#endif
