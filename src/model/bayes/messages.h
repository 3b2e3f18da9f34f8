/* Local messages of BayesSCDC: q(z_i) and q(x_i) of the rows of a minibatch by T alternations of
 * the paper's eq. etax and etaz, the terms of the bound that belong to rows and answers, and the
 * reverse pass through all of it. Networks and global parameters are the caller's.
 *
 * Rows live in blocks of BLOCK = 32. What is indexed by component is row-major [rows][K]; what
 * the Gaussian algebra works on is [feature][BLOCK] per block (gauss_block.h). P = d + d(d+1)/2 + 2
 * is the length of (t(x), 1). Expected statistics E_q[t(Theta)] of the global parameters come in
 * and gradients by them go out as a global_block. All in double; results do not depend on the
 * number of threads. */
#ifndef SCDC_MODEL_MESSAGES_H
#define SCDC_MODEL_MESSAGES_H

#include "model/bayes/bayes_globals.h"
#include "model/core.h"
#include "model/bayes/gauss_block.h"

#include <stdbool.h>

typedef enum message_start {
    START_UNIT_PRIOR, /* q(z) given the encoder's Gaussian under a standard normal prior */
    START_RANDOM      /* normalised uniforms, stream RNG_START_Z (the paper's experiments) */
} message_start;

/* One end of an answer as seen from the other. */
typedef struct message_link {
    uint32_t row, answer;
} message_link;

typedef struct messages {
    size_t d, q, P, K, M, T;
    size_t max_rows, padded; /* padded: max_rows rounded up to whole blocks */
    /* forward */
    double *z;             /* [T+1][padded][K]: z[0] is the start, z[T] the result */
    double *log_z;         /* [padded][K] ln z[T] (also the logits on the way) */
    double *potential;     /* [blocks][2d][BLOCK]: h and -softplus/2 of the encoder */
    double *eta;           /* [blocks][d+q][BLOCK] natural parameters of q(x), last iteration */
    double *gauss;         /* [T][blocks][d+q][BLOCK] mu and Sigma of every iteration */
    double *factor;        /* [blocks][q][BLOCK] L^-1, last iteration */
    double *s;             /* [blocks][P][BLOCK] (E t(x), 1), last iteration */
    double *log_partition; /* [padded] */
    double *noise, *x;     /* [blocks][d][BLOCK] */
    /* answers of the minibatch */
    size_t *first;      /* [max_rows+1] links of row i: first[i] .. first[i+1] */
    message_link *link; /* [2 max_answers] */
    double *w, *same;   /* [max_answers] weight and s_ij of an answer */
    /* terms and the reverse pass */
    double *kl_z, *kl_x, *field_term; /* [padded] */
    double *off;                      /* [blocks][P][BLOCK] eta - E' z[T] */
    double *geta;                     /* [blocks][P][BLOCK] by eta of the iteration at hand */
    double *gz;                       /* [padded][K] by z of the iteration at hand */
    double *glogit[2];                /* [padded][K] by its logits, and of the one after it */
    double *gpotential;               /* [blocks][2d][BLOCK] */
    double *gw;                       /* [max_answers] */
    double *scratch;                  /* [blocks][d*d+2d][BLOCK] */
    double *across;                   /* [P][K] the components' statistics, for placing */
} messages;

/* Everything from the arena; nothing below allocates. */
int messages_create(messages **out, arena *memory, const core_spec *spec);

/* q(z), q(x) of the rows, from b->start or else `start`. encoded [rows][2d]: encoder outputs, h and
 * the argument of softplus. */
void messages_forward(messages *m, const global_block *e, const minibatch *b, const real *encoded,
                      message_start start);
/* The same, from START_UNIT_PRIOR, for rows without answers that only messages_read will ask for:
 * nothing is kept for a reverse pass, and all of it stays in lanes. Equal up to rounding. */
void messages_place(messages *m, const global_block *e, const minibatch *b, const real *encoded);
/* x [rows][d]: one draw of every q(x_i), noise from stream RNG_LATENT_NOISE. */
void messages_sample(real *x, messages *m, const minibatch *b);
/* kl_z, kl_x and answers of *terms, weighted sums; the other fields are left alone. The constant
 * messages of b->field count half: each of their answers is seen from both of its ends. */
void messages_terms(bound_terms *terms, messages *m, const global_block *e, const minibatch *b);

/* Statistics of SVI: the explicit part of the gradient by the expected statistics. */
void messages_statistics(global_block *out, messages *m, const minibatch *b);
/* Reverse pass of J = sum weight * (rec - kl_z - kl_x + <field, z>) + answer_weight * answers,
 * after messages_terms. gx [rows][d]: gradient of the reconstruction (weights included) by x.
 * gencoded [rows][2d]: gradient by the encoder outputs. full (may be NULL): gradient by the
 * expected statistics, explicit part and what flows through the messages. */
void messages_backward(real *gencoded, global_block *full, messages *m, const global_block *e,
                       const minibatch *b, const real *gx);

/* Weights of the rows for which each component is the likeliest: out [K]. */
void messages_held(double *out, const messages *m, const minibatch *b);
/* What place() reports: q(z) [rows][K] and means [rows][d] of q(x); either may be NULL. */
void messages_read(double *z, double *mean, const messages *m, size_t rows);

#endif
