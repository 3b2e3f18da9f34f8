/* BayesSCDC as the training loop sees it: networks, global parameters and local messages together.
 * Inner: the two files of the core and the benchmark, which times a step stage by stage. */
#ifndef SCDC_MODEL_BAYES_H
#define SCDC_MODEL_BAYES_H

#include "model/bayes/bayes_globals.h"
#include "model/core.h"
#include "model/bayes/messages.h"
#include "nets/decoder.h"

typedef struct bayes {
    core base;
    param_block nets; /* encoder, then decoder */
    net encoder;      /* o [rows][D] -> r(o; phi) [rows][2d] */
    decoder decoder;  /* x [rows][d] -> p(o | x) */
    globals *globals;
    messages *messages;
    double *held; /* [K] share of the items each component holds, over about the last epoch */
    /* workspace of a step */
    global_block gradient;  /* by the expected statistics */
    double *held_now;       /* [K] by the minibatch */
    double *weight;         /* [max_rows] of the minibatch's rows, per item */
    real *row_weight;       /* the same for the decoder */
    double *log_likelihood; /* [max_rows] */
    real *x, *gx;           /* [max_rows][d] draws of q(x) and the gradient by them */
    real *gencoded;         /* [max_rows][2d] */
    real *warm_noise;       /* [max_rows][d] of the warm-up's draws */
    double *component;      /* [2 (d+q)] mean and factor of a component */
} bayes;

static inline bayes *bayes_of(core *c)
{
    return (bayes *)(void *)c;
}
static inline const bayes *bayes_of_const(const core *c)
{
    return (const bayes *)(const void *)c;
}

/* Fails when a minibatch is larger than the core was made for. */
int bayes_check_rows(const bayes *m, size_t rows, size_t answers);

/* Using the model: bayes_use.c. */
int bayes_place(double *z, double *x, core *c, const real *o, size_t rows, const double *field);
int bayes_generate(real *out, core *c, size_t k, size_t count, uint64_t seed);
void bayes_proportions(double *pi, const core *c);
/* The share of the items a component holds. With the paper's small steps the posterior of the
 * proportions follows far behind q(z); there it counts the items it is the likeliest for. */
void bayes_held(double *share, const core *c);
void bayes_worker(worker_estimate *out, const core *c, size_t worker);
size_t bayes_shortened(const core *c);
size_t bayes_tensors(tensor_ref out[CORE_MAX_TENSORS], core *c);
size_t bayes_placing(tensor_ref out[CORE_MAX_TENSORS], core *c);
int bayes_restored(core *c);
int bayes_adopt(core *c, const core *from);

/* The default recipe's start: bayes_start.c. */
int bayes_warm_measure(bound_terms *terms, core *c, const minibatch *b);
int bayes_warm_improve(core *c, const minibatch *b, const step_rates *rates);
int bayes_warm_place(double *mean, double *variance, core *c, const real *o, size_t rows);
int bayes_set_linear(core *c, const linear_map *map);
int bayes_begin(core *c, const float *mean, const float *variance, const uint32_t *component,
                size_t count, mixture_family family);
int bayes_coins(two_coin *out, core *c);
int bayes_set_workers(core *c, const two_coin_counts *counts);

#endif
