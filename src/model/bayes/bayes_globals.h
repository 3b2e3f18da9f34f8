/* The global variational parameters of BayesSCDC: q(pi) Dirichlet, q(mu_k, Sigma_k)
 * normal-inverse-Wishart, q(alpha_m) and q(beta_m) Beta, in natural parameters (expfam/). Their
 * priors, first values, expected statistics, divergence from the prior and natural-gradient step.
 * Local messages and networks are not known here.
 *
 * K components, d latent values, M workers, P = d + d(d+1)/2 + 2 numbers per component. */
#ifndef SCDC_MODEL_BAYES_GLOBALS_H
#define SCDC_MODEL_BAYES_GLOBALS_H

#include "model/core.h"

#include <stdbool.h>

/* One number for each natural parameter: natural parameters, expected statistics, gradients and
 * velocities all have this shape. The parts lie one after the other in `all`, so that zero, sum and
 * save are one call each. */
typedef struct global_block {
    double *all;
    double *pi;      /* [K] */
    double *niw;     /* [K][P] */
    double *ln_sens; /* [M][2] */
    double *ln_spec; /* [M][2] */
} global_block;

typedef struct globals {
    size_t K, d, M, P;
    size_t size;               /* numbers in a block: K + K P + 4 M */
    global_block eta;          /* natural parameters of q */
    global_block prior;        /* natural parameters of p */
    global_block mean;         /* E_q[t(Theta)]: E ln pi, E t(mu, Sigma), E ln alpha, E ln beta */
    global_block velocity;     /* of the momentum */
    global_block trial;        /* where a step would lead */
    double *niw_log_partition; /* [K] ln Z of eta */
    double niw_prior_log_partition;
    double kl_sens, kl_spec; /* of all workers: they change far more rarely than components */
    unsigned char *outside;  /* [K] found outside its domain by the last refresh */
    int64_t shortened;       /* steps of a component, a proportion or a worker cut short so far */
    bool stale;              /* eta is outside its domain: mean is not to be trusted */
} globals;

/* Divergence KL(q || p) by family. */
typedef struct globals_kl_terms {
    double pi, niw, ln_sens, ln_spec;
} globals_kl_terms;

/* The priors and the spread of the first means lie in their domain; else SCDC_ERR_ARGUMENT with
 * name, value and bounds. */
int globals_check_priors(const scdc_options *options);

/* Everything from the arena; nothing below allocates. Starts at the prior. */
int globals_create(globals **out, arena *memory, size_t K, size_t d, size_t M,
                   const scdc_options *options);
/* A further block of the same shape, zeroed: for gradients. */
int globals_block_create(global_block *out, arena *memory, const globals *g);
void globals_block_zero(global_block *block, const globals *g);

/* The paper's first values: alpha_k ~ U(1, 2), kappa 1, m ~ N(0, spread^2), S = (d+1) I, nu = d+1,
 * Beta(10, 1) for every worker. Stream RNG_INIT_GLOBALS, item k. */
int globals_start(globals *g, double spread, uint64_t seed);
/* eta = prior + statistics, as if q(z), q(x) of all items (and s_ij of all answers) were known: the
 * start from assignments. Statistics no items can have (or not finite) are refused; the parameters
 * must then be started again. */
int globals_from_statistics(globals *g, const global_block *statistics);

/* Expected statistics of eta. SCDC_ERR_NUMERIC naming the component or worker that is outside its
 * domain. */
int globals_refresh(globals *g);
/* Fails as globals_refresh did when that has failed before. */
int globals_prepare(globals *g);

/* The four divergences; kl_global of the bound is their sum. Expected statistics must be fresh. */
void globals_kl(globals_kl_terms *out, const globals *g);
double globals_kl_sum(const globals *g);

/* One step along the natural gradient, eta0 - eta + gradient, where `gradient` is that of the
 * scaled local terms by the expected statistics (its explicit part alone, the statistics of SVI, or
 * the whole):
 *     velocity = momentum * velocity + natural gradient;  eta += rate * velocity.
 * A component, proportion or worker that would leave its domain takes a shorter step (see
 * docs/math.md), which is counted. Leaves the expected statistics fresh. SCDC_ERR_NUMERIC when the
 * gradient is not finite; nothing has changed then. */
int globals_step(globals *g, const global_block *gradient, double rate, double momentum);
/* The same for the mixture alone: workers stay as they are, and cost no time. */
int globals_step_mixture(globals *g, const global_block *gradient, double rate, double momentum);

/* E pi_k, [K]. */
void globals_proportions(double *pi, const globals *g);
void globals_worker(worker_estimate *out, const globals *g, size_t m);
/* Central 95 % interval of Beta(tau). */
void worker_interval(double out[2], const double tau[2]);

/* The state for saving and loading; returns how many entries of `out` were filled. After writing
 * into it: globals_refresh. */
enum { GLOBALS_TENSORS = 9 };
size_t globals_tensors(tensor_ref out[GLOBALS_TENSORS], globals *g);

#endif
