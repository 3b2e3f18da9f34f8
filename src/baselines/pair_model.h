/* Items as vectors and workers as logistic models of pairs of them: an answer is "same" with
 * probability sigma(x_a' W_j x_b + tau_j), W_j symmetric. Posteriors are Gaussian under the bound
 * of the logistic function of Jaakkola and Jordan 2000. Knows nothing of clusters: where the items'
 * vectors come from is given as a natural parameter per item. */
#ifndef SCDC_BASELINES_PAIR_MODEL_H
#define SCDC_BASELINES_PAIR_MODEL_H

#include "base/memory.h"
#include "baselines/baseline.h"
#include "crowd/graph.h"

typedef struct pair_model {
    const scdc_answer *answers;
    const crowd_graph *graph; /* nodes are the items here */
    size_t n_answers, n_workers, n;
    size_t d;              /* length of an item's vector */
    size_t p;              /* parameters of a worker: lower triangle of W by rows, then tau */
    size_t *worker_first;  /* workers + 1 */
    uint32_t *worker_list; /* answers by worker */
    double *mean;          /* n x d: E x */
    double *stats;         /* n x mvn_size(d): E x and E x x', packed as mvn.h has it */
    double *entropy;       /* n: of q(x), without d/2 ln 2 pi */
    double *weight;        /* workers x p: E of the parameters */
    double *moment;        /* workers x p x p: E of their products */
    double *matrix;        /* workers x 2 x d x d: E W and E[tau W], both triangles */
    double *tensor;     /* workers x s x s, s = d(d+1)/2: the map of M to E[W M W], both packed */
    double *divergence; /* workers: KL from the prior */
    double *bend;       /* answers: where the bound touches the logistic function */
    double *curve;      /* answers: lambda of the bound, negative */
    double *scratch;    /* slots x work of a worker */
} pair_model;

/* Prior of every worker's parameters. */
typedef struct pair_prior {
    double diagonal; /* mean of W's diagonal; other means are 0 */
    double weight_variance, bias_variance;
} pair_prior;

int pair_model_create(pair_model *out, arena *a, const baseline_input *in, const crowd_graph *graph,
                      size_t d);
/* Items drawn from N(0, 1), W the identity, tau 0. */
void pair_model_start(pair_model *m, const pair_prior *prior, uint64_t seed, size_t start);

/* Each is one coordinate step of the bound. natural (n x mvn_size(d)): prior of each item's vector.
 */
int pair_model_update_items(pair_model *m, const double *natural);
int pair_model_update_workers(pair_model *m, const pair_prior *prior);
/* The tightest bound for every answer; returns the bound's terms of answers and workers. */
double pair_model_update_bends(pair_model *m);

/* All posteriors, to come back to after a trial. */
typedef struct pair_state {
    double *stats, *entropy, *weight, *moment, *divergence; /* as in the model */
} pair_state;
int pair_state_create(pair_state *out, arena *a, const pair_model *m);
void pair_state_keep(pair_state *s, const pair_model *m);
void pair_state_restore(pair_model *m, const pair_state *s);

#endif
