/* The natural-gradient step of the global parameters and its safeguard: whatever the gradient, the
 * parameters stay inside their domain, component by component and worker by worker. */
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "expfam/beta.h"
#include "expfam/dirichlet.h"
#include "model/bayes/bayes_globals_internal.h"

#include <string.h>

/* After so many halvings a step is nothing: the parameters stay where they are. */
enum { MAX_HALVINGS = 60 };

/* A part of the parameters that moves and is checked as one: a proportion, a component, a worker's
 * sensitivity or specificity. */
typedef struct unit {
    double *eta, *velocity, *trial;
    size_t n;
} unit;

static void propose(const unit *u, double length)
{
    for (size_t i = 0; i < u->n; i++) u->trial[i] = u->eta[i] + length * u->velocity[i];
}

/* Moves the unit by rate * velocity if `inside` accepts that; else halves the step until it does,
 * and then once more: the domain is convex, so at least half of the way to its end remains, and
 * the next step does not start on the brink. The velocity shrinks with the step, or momentum would
 * run into the same wall again. Returns whether the step was cut. */
static bool move(unit *u, double rate, bool (*inside)(globals *g, const double *eta, size_t index),
                 globals *g, size_t index)
{
    propose(u, rate);
    bool cut = !inside(g, u->trial, index);
    if (cut) {
        double share = 1;
        int halvings = 0;
        do {
            share *= 0.5;
            propose(u, rate * share);
        } while (!inside(g, u->trial, index) && ++halvings < MAX_HALVINGS);
        if (halvings == MAX_HALVINGS) {
            memcpy(u->trial, u->eta, u->n * sizeof *u->eta);
            memset(u->velocity, 0, u->n * sizeof *u->velocity);
        } else {
            propose(u, rate * share / 2);
            for (size_t i = 0; i < u->n; i++) u->velocity[i] *= share / 2;
        }
        inside(g, u->trial, index); /* leaves the statistics of the final place */
    }
    memcpy(u->eta, u->trial, u->n * sizeof *u->eta);
    return cut;
}

static bool component_inside(globals *g, const double *eta, size_t k)
{
    return globals_component_stats(g, eta, k);
}
static bool proportion_inside(globals *g, const double *eta, size_t k)
{
    (void)g, (void)k;
    return globals_positive(eta, 1);
}
static bool worker_inside(globals *g, const double *eta, size_t m)
{
    (void)g, (void)m;
    return globals_positive(eta, 2);
}

typedef struct step {
    globals *g;
    double rate;
} step;

static double move_components(void *context, size_t begin, size_t end)
{
    step *s = context;
    globals *g = s->g;
    double cuts = 0;
    for (size_t k = begin; k < end; k++) {
        size_t at = k * g->P;
        unit u = {g->eta.niw + at, g->velocity.niw + at, g->trial.niw + at, g->P};
        cuts += move(&u, s->rate, component_inside, g, k);
    }
    return cuts;
}

static double move_workers(step *s, double *eta, double *velocity, double *trial, double *mean)
{
    double cuts = 0;
    for (size_t m = 0; m < s->g->M; m++) {
        unit u = {eta + 2 * m, velocity + 2 * m, trial + 2 * m, 2};
        cuts += move(&u, s->rate, worker_inside, s->g, m);
        beta_mean_stats(mean + 2 * m, eta + 2 * m);
    }
    return cuts;
}

static double move_proportions(step *s)
{
    globals *g = s->g;
    double cuts = 0;
    for (size_t k = 0; k < g->K; k++) {
        unit u = {g->eta.pi + k, g->velocity.pi + k, g->trial.pi + k, 1};
        cuts += move(&u, s->rate, proportion_inside, g, k);
    }
    dirichlet_mean_stats(g->mean.pi, g->eta.pi, g->K);
    return cuts;
}

/* Which family a gradient that is not finite belongs to. */
static int not_finite(const globals *g, const global_block *gradient)
{
    const char *family = "workers";
    if (!all_finite(gradient->pi, g->K)) family = "mixing proportions";
    else if (!all_finite(gradient->niw, g->K * g->P)) family = "mixture components";
    return fail_with(SCDC_ERR_NUMERIC, "the natural gradient of the %s is not finite", family);
}

static int step_along(globals *g, const global_block *gradient, double rate, double momentum,
                      bool workers)
{
    SCDC_TRY(globals_prepare(g));
    size_t n = workers ? g->size : g->K + g->K * g->P; /* workers come last */
    if (!all_finite(gradient->all, n)) return not_finite(g, gradient);
    double *velocity = g->velocity.all;
    for (size_t i = 0; i < n; i++) {
        double natural = g->prior.all[i] - g->eta.all[i] + gradient->all[i];
        velocity[i] = momentum * velocity[i] + natural;
    }
    step s = {g, rate};
    double cuts = move_proportions(&s);
    cuts += parallel_sum(g->K, globals_piece(g), move_components, &s);
    if (workers) {
        cuts += move_workers(&s, g->eta.ln_sens, g->velocity.ln_sens, g->trial.ln_sens,
                             g->mean.ln_sens);
        cuts += move_workers(&s, g->eta.ln_spec, g->velocity.ln_spec, g->trial.ln_spec,
                             g->mean.ln_spec);
        globals_update_worker_kl(g);
    }
    g->shortened += (int64_t)cuts;
    return SCDC_OK;
}

int globals_step(globals *g, const global_block *gradient, double rate, double momentum)
{
    return step_along(g, gradient, rate, momentum, true);
}

int globals_step_mixture(globals *g, const global_block *gradient, double rate, double momentum)
{
    return step_along(g, gradient, rate, momentum, false);
}
