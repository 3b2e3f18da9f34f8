/* What the training loop needs of a model. Two implementations: the amortised SCDC (amortized.c)
 * and BayesSCDC (bayes.c). The loop (fit.c) knows epochs, minibatches, seeds, files and progress;
 * a core knows its parameters, its bound, how to improve it by one minibatch, and how to place an
 * item. Letters: N items, D values per item, d latent size, K components, M workers, N_a answers,
 * B items in a minibatch, S answers in a minibatch. */
#ifndef SCDC_MODEL_CORE_H
#define SCDC_MODEL_CORE_H

#include "base/memory.h"
#include "base/real.h"
#include "crowd/two_coin.h"
#include "mixture/mixture.h"

#include <scdc/scdc.h>
#include <stdbool.h>

/* An answer between two rows of a minibatch. */
typedef struct batch_answer {
    uint32_t left, right; /* row numbers */
    uint32_t worker;
    uint32_t same;
} batch_answer;

/* A minibatch. Rows [0, plain) are the item minibatch; rows [plain, rows) are the distinct items
 * touched by the answers of this minibatch. */
typedef struct minibatch {
    size_t rows, plain;
    const uint32_t *item; /* [rows] item numbers; they name the random streams of a row */
    const double *weight; /* [rows] weight of a row's local terms: their sum estimates N items */
    const real *o;        /* [rows][D] inputs: scaled, and binarised for Bernoulli data */
    size_t answers;
    const batch_answer *answer;
    double answer_weight; /* N_a / S */
    const double *field;  /* [rows][K] constant messages to add to eta_z, or NULL */
    size_t field_from;    /* ... which are 0 for the rows before this one */
    const double *start;  /* [rows][K] first q(z), or NULL: the core's own start */
    uint64_t seed;
    uint32_t epoch; /* names the random streams together with seed and item */
    uint32_t visit; /* ... and this those of the rows from `plain` on; 0: nothing */
} minibatch;

/* What names a row's streams. An item that answers bring into several minibatches of an epoch sees
 * other draws in each: networks would learn draws that come again by heart. */
static inline uint64_t row_stream(const minibatch *b, size_t row)
{
    return row < b->plain ? b->item[row] : (uint64_t)b->visit << 32 | b->item[row];
}

/* Estimates of the whole data set's terms. bound = reconstruction - kl_z - kl_x + answers
 * - kl_global. */
typedef struct bound_terms {
    double reconstruction, kl_z, kl_x, answers, kl_global;
    double skipped; /* mean share of q(z) in components that were skipped (sum = threshold) */
} bound_terms;

/* Sizes and choices fixed at creation. */
typedef struct core_spec {
    size_t items;                   /* N */
    size_t channels, height, width; /* D = their product */
    size_t latent, components;      /* d, K */
    size_t workers, answers;        /* M, N_a */
    size_t max_rows;                /* most rows of a minibatch (also of a predict call) */
    size_t max_answers;             /* most answers of a minibatch */
    scdc_likelihood likelihood;     /* never AUTO here */
    const two_coin_counts
        *known;           /* [M] counts of the workers' answers seen elsewhere; NULL: none */
    scdc_options options; /* resolved: nothing is 0-for-automatic */
} core_spec;

/* Rates of one step. */
typedef struct step_rates {
    double learning_rate; /* networks (and the amortised model's parameters) */
    double global_rate;   /* natural-gradient step, as a fraction of the whole-data gradient */
} step_rates;

/* x = direction (o - mean), d orthonormal rows [d][D] (or zero ones); what is left of the columns'
 * variances [D]. */
typedef struct linear_map {
    double *direction, *mean, *left;
} linear_map;

/* What a step adds up over the rows of a minibatch, where it lies in a core. */
typedef struct step_sums {
    double *doubles;
    real *reals;
    size_t n_doubles, n_reals;
} step_sums;

/* A named part of the state, for saving, loading and snapshots. */
typedef struct tensor_ref {
    char name[40];
    scdc_dtype dtype; /* SCDC_F32, SCDC_F64, SCDC_I64 */
    size_t ndim, shape[3];
    void *values;
} tensor_ref;
enum { CORE_MAX_TENSORS = 64 };

typedef struct worker_estimate {
    double sensitivity[2], specificity[2]; /* Beta(a, b); amortised: a/(a+b) is the estimate */
} worker_estimate;

typedef struct core core;
typedef struct core_ops {
    void (*free)(core *c);
    /* A second core that reads the parameters of `owner` and has a workspace of its own: it places
     * and generates while other threads use the owner. Never trained; freed before the owner. */
    int (*reader)(core **out, const core *owner);
    /* Random first state from a seed. */
    int (*start)(core *c, uint64_t seed);
    /* The first half of a training step: the bound of a minibatch (terms) and its gradients, left
     * in the sums. z (may be NULL) receives q(z) of every row, [rows][K]. SCDC_ERR_NUMERIC names
     * the term that is not finite. A minibatch may be a shard of a larger one: terms (but
     * kl_global, which is of no row) and sums of all shards are then to be added up. */
    int (*measure)(bound_terms *terms, double *z, core *c, const minibatch *b);
    /* The second half: improves the state by the sums of minibatch b, of which only the sizes are
     * looked at. On SCDC_ERR_NUMERIC the state may be spoilt and the caller restores a snapshot. */
    int (*improve)(core *c, const minibatch *b, const step_rates *rates);
    /* The sums of a step (or of a step of the warm-up). */
    step_sums (*sums)(core *c, bool warm);
    /* The bound without changing anything. */
    int (*bound)(bound_terms *terms, double *z, core *c, const minibatch *b);
    /* q(z) [rows][K] and latent means [rows][d] (each may be NULL) of rows of inputs; `field` as in
     * a minibatch, or NULL. Deterministic: no random draw. */
    int (*place)(double *z, double *x, core *c, const real *o, size_t rows, const double *field);
    /* Decoder mean of `count` latent draws from component k: out [count][D]. */
    int (*generate)(real *out, core *c, size_t k, size_t count, uint64_t seed);
    void (*proportions)(double *pi, const core *c); /* [K], sums to 1 */
    /* [K] share of the items each component holds (NULL: as the proportions say). */
    void (*held)(double *share, const core *c);
    void (*worker)(worker_estimate *out, const core *c, size_t m);
    /* Global steps shortened to stay in the domain since the start. */
    size_t (*shortened)(const core *c);
    /* What the default recipe needs beyond the paper's algorithm (NULL where a core has none). */
    /* The halves of a step of a plain variational autoencoder: a single standard normal component.
     */
    int (*warm_measure)(bound_terms *terms, core *c, const minibatch *b);
    int (*warm_improve)(core *c, const minibatch *b, const step_rates *rates);
    /* Latent means and variances [rows][d] under that standard normal. */
    int (*warm_place)(double *mean, double *variance, core *c, const real *o, size_t rows);
    /* Networks that compute this map and its transpose (spec.options.net linear), for good. */
    int (*set_linear)(core *c, const linear_map *map);
    /* First components from `count` assigned items, which stand for all of them: means and
     * variances [count][d], component [count]; covariances as the family allows (the amortised
     * core: as its options say). */
    int (*begin)(core *c, const float *mean, const float *variance, const uint32_t *component,
                 size_t count, mixture_family family);
    /* The workers' (expected) logs, and posteriors from expected counts of all answers. */
    int (*coins)(two_coin *out, core *c);
    int (*set_workers)(core *c, const two_coin_counts *counts);
    /* The state of a core of the same networks and components; workers stay as they are. */
    int (*adopt)(core *c, const core *from);
    /* All of the state: restoring these restores the core bit for bit. Returns their number. */
    size_t (*tensors)(tensor_ref out[CORE_MAX_TENSORS], core *c);
    /* Of the state, what places items that nobody was asked about: neither workers nor training. */
    size_t (*placing)(tensor_ref out[CORE_MAX_TENSORS], core *c);
    /* After tensors were written: what follows from them (NULL: nothing does). SCDC_ERR_NUMERIC
     * when they cannot be a state. */
    int (*restored)(core *c);
} core_ops;

/* First member of every core. */
struct core {
    const core_ops *ops;
    core_spec spec;
    arena memory; /* everything a core owns */
};

/* Both halves of a step. */
int core_step(bound_terms *terms, double *z, core *c, const minibatch *b, const step_rates *rates);
int core_warm_step(bound_terms *terms, core *c, const minibatch *b, const step_rates *rates);

int amortized_create(core **out, const core_spec *spec);
int bayes_create(core **out, const core_spec *spec);

#endif
