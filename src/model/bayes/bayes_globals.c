/* Global variational parameters of BayesSCDC: memory, priors, first values, expected statistics,
 * divergence, state. The natural-gradient step is in bayes_globals_step.c. */
#include "model/bayes/bayes_globals.h"

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "expfam/beta.h"
#include "expfam/dirichlet.h"
#include "expfam/niw.h"
#include "model/bayes/bayes_globals_internal.h"
#include "model/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- priors ---- */

static int check_value(const char *name, double value, double least, double most)
{
    if (value >= least && value <= most) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be between %g and %g, not %g", name, least, most,
                     value);
}

int globals_check_priors(const scdc_options *o)
{
    SCDC_TRY(check_value("prior_alpha", o->prior_alpha, PRIOR_LEAST, PRIOR_MOST));
    SCDC_TRY(check_value("prior_kappa", o->prior_kappa, PRIOR_LEAST, PRIOR_MOST));
    /* nu = d + prior_nu must exceed d - 1. */
    SCDC_TRY(check_value("prior_nu", o->prior_nu, -1 + PRIOR_LEAST, PRIOR_MOST));
    for (int i = 0; i < 2; i++) {
        SCDC_TRY(check_value(i ? "prior_sensitivity (b)" : "prior_sensitivity (a)",
                             o->prior_sensitivity[i], PRIOR_LEAST, PRIOR_MOST));
        SCDC_TRY(check_value(i ? "prior_specificity (b)" : "prior_specificity (a)",
                             o->prior_specificity[i], PRIOR_LEAST, PRIOR_MOST));
    }
    return check_value("start_spread", o->start_spread, 0, 1e6);
}

static void set_workers(double *eta, size_t M, const double tau[2])
{
    for (size_t m = 0; m < M; m++) beta_from_standard(eta + 2 * m, tau);
}

static void set_prior(globals *g, const scdc_options *o)
{
    double *m = g->trial.niw, *s = m + g->d, dims = (double)g->d; /* trial as scratch */
    for (size_t k = 0; k < g->K; k++) dirichlet_from_standard(g->prior.pi + k, &o->prior_alpha, 1);
    memset(m, 0, g->d * sizeof *m);
    packed_identity(s, dims + o->prior_nu, g->d);
    for (size_t k = 0; k < g->K; k++) {
        niw_from_standard(g->prior.niw + k * g->P, m, s,
                          (niw_scalars){o->prior_kappa, dims + o->prior_nu}, g->d);
    }
    g->niw_prior_log_partition = niw_log_partition(g->prior.niw, g->d, g->trial.niw);
    set_workers(g->prior.ln_sens, g->M, o->prior_sensitivity);
    set_workers(g->prior.ln_spec, g->M, o->prior_specificity);
}

/* ---- memory ---- */

int globals_block_create(global_block *out, arena *memory, const globals *g)
{
    double *all = arena_new(memory, g->size, sizeof *all, "global parameters");
    SCDC_TRY(arena_status(memory));
    double *ln_sens = all + g->K + g->K * g->P;
    *out = (global_block){all, all, all + g->K, ln_sens, ln_sens + 2 * g->M};
    return SCDC_OK;
}

void globals_block_zero(global_block *block, const globals *g)
{
    memset(block->all, 0, g->size * sizeof *block->all);
}

/* K (P + 1) + 4 M, P = d + d(d+1)/2 + 2, or an error when that is beyond a size_t. */
static int block_size(globals *g)
{
    size_t next, square, components, workers;
    bool fits = size_add(&next, g->d, 1) && size_mul(&square, g->d, next) &&
                size_add(&square, square, next + 2);
    if (fits) g->P = niw_size(g->d);
    fits = fits && size_mul(&components, g->K, g->P + 1) && size_mul(&workers, g->M, 4) &&
           size_add(&g->size, components, workers);
    if (fits) return SCDC_OK;
    return fail_with(SCDC_ERR_MEMORY, "%zu components of %zu latent values are too many", g->K,
                     g->d);
}

int globals_create(globals **out, arena *memory, size_t K, size_t d, size_t M,
                   const scdc_options *options)
{
    if (K < 1 || d < 1) return fail_with(SCDC_ERR_ARGUMENT, "K and d must be 1 or more");
    SCDC_TRY(globals_check_priors(options));
    globals *g = arena_new(memory, 1, sizeof *g, "global parameters");
    SCDC_TRY(arena_status(memory));
    g->K = K;
    g->d = d;
    g->M = M;
    SCDC_TRY(block_size(g));
    global_block *blocks[] = {&g->eta, &g->prior, &g->mean, &g->velocity, &g->trial};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        SCDC_TRY(globals_block_create(blocks[i], memory, g));
    }
    g->niw_log_partition = arena_new(memory, K, sizeof(double), "global parameters");
    g->outside = arena_new(memory, K, 1, "global parameters");
    SCDC_TRY(arena_status(memory));
    set_prior(g, options);
    memcpy(g->eta.all, g->prior.all, g->size * sizeof(double));
    SCDC_TRY(globals_refresh(g));
    *out = g;
    return SCDC_OK;
}

/* ---- first values ---- */

/* New parameters have no past: the velocity and the count begin at zero. */
static int begin(globals *g)
{
    globals_block_zero(&g->velocity, g);
    g->shortened = 0;
    return globals_refresh(g);
}

int globals_start(globals *g, double spread, uint64_t seed)
{
    double *m = g->trial.niw, *s = m + g->d, dims = (double)g->d; /* trial as scratch */
    packed_identity(s, dims + 1, g->d);
    for (size_t k = 0; k < g->K; k++) {
        rng r;
        rng_init(&r, seed, RNG_INIT_GLOBALS, 0, k);
        double alpha = 1 + rng_uniform(&r);
        dirichlet_from_standard(g->eta.pi + k, &alpha, 1);
        for (size_t i = 0; i < g->d; i++) m[i] = spread * rng_normal(&r);
        niw_from_standard(g->eta.niw + k * g->P, m, s, (niw_scalars){1, dims + 1}, g->d);
    }
    set_workers(g->eta.ln_sens, g->M, (const double[]){10, 1});
    set_workers(g->eta.ln_spec, g->M, (const double[]){10, 1});
    return begin(g);
}

int globals_from_statistics(globals *g, const global_block *statistics)
{
    for (size_t i = 0; i < g->size; i++) g->eta.all[i] = g->prior.all[i] + statistics->all[i];
    return begin(g);
}

/* ---- expected statistics ---- */

bool globals_component_stats(globals *g, const double *eta, size_t k)
{
    size_t scalars = g->P - 2;
    double nu_above = eta[scalars + 1] - 2 * (double)g->d - 1; /* nu - (d - 1) */
    if (!(eta[scalars] >= GLOBALS_MARGIN) || !(nu_above >= GLOBALS_MARGIN)) return false;
    double *mean = g->mean.niw + k * g->P;
    return niw_mean_stats(mean, &g->niw_log_partition[k], eta, g->d) && all_finite(mean, g->P) &&
           isfinite(g->niw_log_partition[k]);
}

static double count_outside(void *context, size_t begin, size_t end)
{
    globals *g = context;
    double outside = 0;
    for (size_t k = begin; k < end; k++) {
        g->outside[k] = !globals_component_stats(g, g->eta.niw + k * g->P, k);
        outside += g->outside[k];
    }
    return outside;
}

static int refresh_workers(double *mean, const double *eta, size_t M, const char *what)
{
    for (size_t m = 0; m < M; m++) {
        if (!globals_positive(eta + 2 * m, 2)) {
            return fail_with(
                SCDC_ERR_NUMERIC,
                "the %s of worker %zu has Beta parameters %g, %g: both must be above 0", what, m,
                eta[2 * m] + 1, eta[2 * m + 1] + 1);
        }
        beta_mean_stats(mean + 2 * m, eta + 2 * m);
    }
    return SCDC_OK;
}

int globals_refresh(globals *g)
{
    g->stale = true; /* until all of it is done */
    for (size_t k = 0; k < g->K; k++) {
        if (!globals_positive(g->eta.pi + k, 1)) {
            return fail_with(SCDC_ERR_NUMERIC,
                             "component %zu has the Dirichlet parameter %g, which must be above 0",
                             k, g->eta.pi[k] + 1);
        }
    }
    dirichlet_mean_stats(g->mean.pi, g->eta.pi, g->K);
    if (parallel_sum(g->K, globals_piece(g), count_outside, g) > 0) {
        size_t k = 0;
        while (!g->outside[k]) k++;
        const double *scalars = g->eta.niw + (k + 1) * g->P - 2;
        return fail_with(
            SCDC_ERR_NUMERIC,
            "component %zu is outside its domain (kappa %g must be above 0, nu %g above "
            "%zu, S positive definite)",
            k, scalars[0], scalars[1] - (double)g->d - 2, g->d - 1);
    }
    SCDC_TRY(refresh_workers(g->mean.ln_sens, g->eta.ln_sens, g->M, "sensitivity"));
    SCDC_TRY(refresh_workers(g->mean.ln_spec, g->eta.ln_spec, g->M, "specificity"));
    globals_update_worker_kl(g);
    g->stale = false;
    return SCDC_OK;
}

int globals_prepare(globals *g)
{
    return g->stale ? globals_refresh(g) : SCDC_OK;
}

/* ---- divergence from the prior ---- */

void globals_update_worker_kl(globals *g)
{
    g->kl_sens = g->kl_spec = 0;
    for (size_t m = 0; m < 2 * g->M; m += 2) {
        g->kl_sens += beta_kl(g->eta.ln_sens + m, g->prior.ln_sens + m);
        g->kl_spec += beta_kl(g->eta.ln_spec + m, g->prior.ln_spec + m);
    }
}

void globals_kl(globals_kl_terms *out, const globals *g)
{
    *out = (globals_kl_terms){.pi = dirichlet_kl(g->eta.pi, g->prior.pi, g->K)};
    for (size_t k = 0; k < g->K; k++) {
        const double *eta = g->eta.niw + k * g->P, *mean = g->mean.niw + k * g->P;
        double kl = g->niw_prior_log_partition - g->niw_log_partition[k];
        for (size_t i = 0; i < g->P; i++) kl += (eta[i] - g->prior.niw[i]) * mean[i];
        out->niw += kl;
    }
    out->ln_sens = g->kl_sens;
    out->ln_spec = g->kl_spec;
}

double globals_kl_sum(const globals *g)
{
    globals_kl_terms t;
    globals_kl(&t, g);
    return t.pi + t.niw + t.ln_sens + t.ln_spec;
}

/* ---- what users see, and the state ---- */

void globals_proportions(double *pi, const globals *g)
{
    double total = 0;
    for (size_t k = 0; k < g->K; k++) total += g->eta.pi[k] + 1;
    for (size_t k = 0; k < g->K; k++) pi[k] = (g->eta.pi[k] + 1) / total;
}

void globals_worker(worker_estimate *out, const globals *g, size_t m)
{
    beta_to_standard(out->sensitivity, g->eta.ln_sens + 2 * m);
    beta_to_standard(out->specificity, g->eta.ln_spec + 2 * m);
}

void worker_interval(double out[2], const double tau[2])
{
    double eta[2];
    beta_from_standard(eta, tau);
    beta_interval(out, eta, 0.95);
}

static void name_block(tensor_ref *out, const char *prefix, global_block *block, const globals *g)
{
    tensor_ref parts[] = {
        {.dtype = SCDC_F64, .ndim = 1, .shape = {g->K}, .values = block->pi},
        {.dtype = SCDC_F64, .ndim = 2, .shape = {g->K, g->P}, .values = block->niw},
        {.dtype = SCDC_F64, .ndim = 2, .shape = {g->M, 2}, .values = block->ln_sens},
        {.dtype = SCDC_F64, .ndim = 2, .shape = {g->M, 2}, .values = block->ln_spec}};
    static const char *const names[] = {"pi", "niw", "sensitivity", "specificity"};
    for (int i = 0; i < 4; i++) {
        snprintf(parts[i].name, sizeof parts[i].name, "%s.%s", prefix, names[i]);
        out[i] = parts[i];
    }
}

size_t globals_tensors(tensor_ref out[GLOBALS_TENSORS], globals *g)
{
    name_block(out, "global.eta", &g->eta, g);
    name_block(out + 4, "global.velocity", &g->velocity, g);
    out[8] = (tensor_ref){.name = "global.shortened",
                          .dtype = SCDC_I64,
                          .ndim = 1,
                          .shape = {1},
                          .values = &g->shortened};
    return GLOBALS_TENSORS;
}
