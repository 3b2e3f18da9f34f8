/* What a BayesSCDC core is used for: placing items, generating from a component, proportions,
 * workers, and its state by name. */
#include "model/bayes/bayes.h"
#include "model/recipe.h"

#include "base/rng.h"
#include "base/stages.h"
#include "base/status.h"
#include "expfam/niw.h"

#include <math.h>
#include <string.h>

/* T iterations without answers, from the encoder under a unit prior whatever the recipe: it draws
 * nothing, and on MNIST it ends nearer to the optimum than a uniform or a random start (divergence
 * per item 14.86 against 14.87, NMI .641 against .639 at K 50). */
int bayes_place(double *z, double *x, core *c, const real *o, size_t rows, const double *field)
{
    bayes *m = bayes_of(c);
    minibatch b = {.rows = rows, .plain = rows, .o = o, .field = field};
    SCDC_TRY(bayes_check_rows(m, rows, 0));
    SCDC_TRY(globals_prepare(m->globals));
    stage before = stage_enter(STAGE_ENCODER);
    const real *encoded = net_forward(&m->encoder, o, rows);
    stage_enter(STAGE_MESSAGES);
    messages_place(m->messages, &m->globals->mean, &b, encoded);
    messages_read(z, x, m->messages, rows);
    stage_enter(before);
    return SCDC_OK;
}

/* m and the Cholesky factor of S / nu = (E Sigma^-1)^-1 of component k, which every posterior has
 * (E Sigma needs nu > d + 1). */
static int component_shape(double *mean, double *factor, bayes *m, size_t k)
{
    const globals *g = m->globals;
    niw_scalars scalars;
    niw_to_standard(mean, factor, &scalars, g->eta.niw + k * g->P, g->d);
    for (size_t i = 0; i < packed_size(g->d); i++) factor[i] /= scalars.nu;
    if (chol_factor(factor, factor, g->d)) return SCDC_OK;
    return fail_with(SCDC_ERR_NUMERIC, "component %zu has no positive definite covariance", k);
}

int bayes_generate(real *out, core *c, size_t k, size_t count, uint64_t seed)
{
    bayes *m = bayes_of(c);
    size_t d = c->spec.latent, width = c->spec.channels * c->spec.height * c->spec.width;
    double *mean = m->component, *factor = mean + d, *noise = factor + packed_size(d);
    if (k >= c->spec.components) {
        return fail_with(SCDC_ERR_ARGUMENT, "component %zu of %zu", k, c->spec.components);
    }
    SCDC_TRY(component_shape(mean, factor, m, k));
    for (size_t first = 0; first < count; first += c->spec.max_rows) {
        size_t rows = count - first < c->spec.max_rows ? count - first : c->spec.max_rows;
        for (size_t i = 0; i < rows; i++) {
            rng r;
            rng_init(&r, seed, RNG_GENERATE, (uint32_t)k, first + i);
            for (size_t a = 0; a < d; a++) noise[a] = rng_normal(&r);
            for (size_t a = 0; a < d; a++) {
                double value = mean[a] + small_dot(factor + packed_index(a, 0), noise, a + 1);
                m->x[i * d + a] = (real)value;
            }
        }
        decoder_mean(out + first * width, &m->decoder, m->x, rows);
    }
    return SCDC_OK;
}

void bayes_proportions(double *pi, const core *c)
{
    globals_proportions(pi, bayes_of_const(c)->globals);
}

void bayes_held(double *share, const core *c)
{
    const bayes *m = bayes_of_const(c);
    if (recipe_of(&c->spec.options)->keeps_shares)
        memcpy(share, m->held, m->globals->K * sizeof *share);
    else bayes_proportions(share, c);
}

void bayes_worker(worker_estimate *out, const core *c, size_t worker)
{
    globals_worker(out, bayes_of_const(c)->globals, worker);
}

size_t bayes_shortened(const core *c)
{
    return (size_t)bayes_of_const(c)->globals->shortened;
}

size_t bayes_tensors(tensor_ref out[CORE_MAX_TENSORS], core *c)
{
    bayes *m = bayes_of(c);
    param_block *b = &m->nets;
    size_t count = 0;
    out[count++] = (tensor_ref){"nets.params", param_dtype, 1, {b->count}, b->params};
    out[count++] = (tensor_ref){"nets.optimiser.m", param_dtype, 1, {b->count}, b->m};
    out[count++] = (tensor_ref){"nets.optimiser.v", param_dtype, 1, {b->count}, b->v};
    out[count++] = (tensor_ref){"nets.optimiser.steps", SCDC_I64, 1, {1}, &b->steps};
    if (recipe_of(&c->spec.options)->keeps_shares) {
        out[count++] = (tensor_ref){"held", SCDC_F64, 1, {c->spec.components}, m->held};
    }
    return count + globals_tensors(out + count, m->globals);
}

size_t bayes_placing(tensor_ref out[CORE_MAX_TENSORS], core *c)
{
    static const char *const others[] = {"optimiser", "velocity", "sensitivity", "specificity"};
    size_t all = bayes_tensors(out, c), count = 0;
    for (size_t i = 0; i < all; i++) {
        bool places = true;
        for (size_t o = 0; o < 4; o++) places = places && !strstr(out[i].name, others[o]);
        if (places) out[count++] = out[i];
    }
    return count;
}

int bayes_adopt(core *c, const core *from)
{
    bayes *m = bayes_of(c);
    const bayes *b = bayes_of_const(from);
    globals *g = m->globals;
    size_t values = b->nets.count * sizeof *b->nets.params;
    memcpy(m->nets.params, b->nets.params, values);
    memcpy(m->nets.m, b->nets.m, values);
    memcpy(m->nets.v, b->nets.v, values);
    m->nets.steps = b->nets.steps;
    memcpy(m->held, b->held, g->K * sizeof *m->held);
    memcpy(g->eta.pi, b->globals->eta.pi, g->K * sizeof *g->eta.pi);
    memcpy(g->eta.niw, b->globals->eta.niw, g->K * g->P * sizeof *g->eta.niw);
    memcpy(g->velocity.pi, b->globals->velocity.pi, g->K * sizeof *g->velocity.pi);
    memcpy(g->velocity.niw, b->globals->velocity.niw, g->K * g->P * sizeof *g->velocity.niw);
    g->shortened = b->globals->shortened;
    return globals_refresh(g);
}

int bayes_restored(core *c)
{
    return globals_refresh(bayes_of(c)->globals);
}
