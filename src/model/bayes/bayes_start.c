/* What the default recipe asks of the Bayesian core beyond a step: a plain autoencoder to warm up
 * with, first components from assigned items, worker posteriors from all answers. */
#include "model/bayes/bayes.h"

#include "base/stages.h"
#include "base/status.h"
#include "crowd/two_coin.h"
#include "expfam/smallmat.h"
#include "kernels/noise.h"
#include "model/bayes/unit_prior.h"

#include <math.h>

int bayes_warm_measure(bound_terms *terms, core *c, const minibatch *b)
{
    bayes *m = bayes_of(c);
    size_t d = c->spec.latent;
    double reconstruction = 0, divergence = 0, share = 1 / (double)c->spec.items;
    SCDC_TRY(bayes_check_rows(m, b->rows, 0));
    stage_enter(STAGE_SAMPLE);
    for (size_t i = 0; i < b->rows; i++) {
        m->row_weight[i] = (real)(b->weight[i] * share);
        normal_noise(m->warm_noise + i * d, d, b->seed, RNG_LATENT_NOISE, b->epoch, b->item[i], 0);
    }
    stage_enter(STAGE_ENCODER);
    const real *encoded = net_forward(&m->encoder, b->o, b->rows);
    stage_enter(STAGE_MESSAGES);
    unit_prior_forward(m->x, m->weight, encoded, m->warm_noise, b->rows, d);
    decoder_gradient(m->log_likelihood, m->gx, &m->decoder, m->x, m->row_weight, b->o, NULL,
                     b->rows, false);
    stage_enter(STAGE_MESSAGES_BACK);
    for (size_t i = 0; i < b->rows; i++) {
        reconstruction += b->weight[i] * m->log_likelihood[i];
        divergence += b->weight[i] * m->weight[i];
    }
    *terms = (bound_terms){.reconstruction = reconstruction, .kl_x = divergence};
    if (!isfinite(reconstruction) || !isfinite(divergence)) {
        return fail_with(SCDC_ERR_NUMERIC, "warm-up: the %s is not finite",
                         isfinite(divergence) ? "reconstruction"
                                              : "divergence of q(x) from its prior");
    }
    unit_prior_backward(m->gencoded, encoded, m->warm_noise, m->gx, m->row_weight, b->rows, d);
    stage_enter(STAGE_BACKWARD);
    net_backward(&m->encoder, NULL, m->gencoded, b->o, b->rows, false);
    return SCDC_OK;
}

int bayes_warm_improve(core *c, const minibatch *b, const step_rates *rates)
{
    (void)b;
    stage_enter(STAGE_OPTIMISER);
    param_block_step(&bayes_of(c)->nets, c->spec.options.optimizer, rates->learning_rate,
                     c->spec.options.momentum);
    return SCDC_OK;
}

int bayes_warm_place(double *mean, double *variance, core *c, const real *o, size_t rows)
{
    bayes *m = bayes_of(c);
    SCDC_TRY(bayes_check_rows(m, rows, 0));
    unit_prior_moments(mean, variance, net_forward(&m->encoder, o, rows), rows, c->spec.latent);
    return SCDC_OK;
}

/* Items that tell the covariance of a component of n: a tied one is told by all, and one with fewer
 * values than a full one by as many times more of them for each value. */
static double shape_told_by(mixture_family family, double n, double all, size_t d)
{
    if (family == MIXTURE_TIED) return all;
    return family == MIXTURE_SPHERICAL ? n * (double)d : n * (double)(d + 1) / 2;
}

/* Sums s of a component (x, packed lower x x', count twice): its covariance becomes what the family
 * allows; `pooled` [d][d], lower, is that of all components, which have so many items. */
static void shape_component(double *s, size_t d, mixture_family family, const double *pooled,
                            double items)
{
    double *second = s + d, *count = second + d * (d + 1) / 2, n = count[0], mean_variance = 0;
    if (!(n > 0)) return;
    double told = shape_told_by(family, n, items, d);
    count[1] = told;
    for (size_t a = 0; a < d; a++) {
        mean_variance += (second[a * (a + 1) / 2 + a] / n - s[a] * s[a] / (n * n)) / (double)d;
    }
    for (size_t a = 0; a < d; a++) {
        for (size_t e = 0; e <= a; e++) {
            double product = s[a] * s[e] / n, *place = &second[a * (a + 1) / 2 + e];
            if (family == MIXTURE_TIED) *place = product + told * pooled[a * d + e];
            else if (e != a) *place = product;
            else if (family == MIXTURE_SPHERICAL) *place = product + told * mean_variance;
            else *place = product + told / n * (*place - product);
        }
    }
}

/* The covariance of items around the means of their components; returns how many there are. */
static double pool_components(double *pooled, const double *niw, size_t K, size_t d, size_t P)
{
    double items = 0;
    for (size_t k = 0; k < K; k++) {
        const double *s = niw + k * P, *second = s + d;
        double n = second[d * (d + 1) / 2];
        if (!(n > 0)) continue;
        items += n;
        for (size_t a = 0; a < d; a++) {
            for (size_t e = 0; e <= a; e++) pooled[a * d + e] += *second++ - s[a] * s[e] / n;
        }
    }
    for (size_t i = 0; i < d * d; i++) pooled[i] /= items > 0 ? items : 1;
    return items;
}

static int shape_components(double *niw, const core_spec *s, size_t P, mixture_family family)
{
    double *pooled;
    if (family == MIXTURE_FULL) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&pooled, s->latent, s->latent * sizeof *pooled, "a covariance"));
    double items = pool_components(pooled, niw, s->components, s->latent, P);
    for (size_t k = 0; k < s->components; k++) {
        shape_component(niw + k * P, s->latent, family, pooled, items);
    }
    mem_free(pooled);
    return SCDC_OK;
}

/* How exactly a linear encoder says where an item is, and the least variance its decoder leaves:
 * far below what tells clusters apart in values of width 1, far above rounding. */
#define LINEAR_PRECISION 1e4
#define LINEAR_LEFT 1e-2

int bayes_set_linear(core *c, const linear_map *map)
{
    bayes *m = bayes_of(c);
    size_t d = c->spec.latent, D = c->spec.channels * c->spec.height * c->spec.width;
    const layer *in = m->encoder.layers[0], *out = m->decoder.net.layers[0];
    if (m->encoder.depth != 1 || m->decoder.net.depth != 1) {
        return fail_with(SCDC_ERR_INTERNAL, "a linear map needs networks without hidden layers");
    }
    real *w = dense_weights(in), *b = dense_biases(in); /* [D][2d], [2d] */
    for (size_t a = 0; a < d; a++) {
        const double *direction = map->direction + a * D;
        double shift = 0;
        for (size_t i = 0; i < D; i++) {
            w[i * 2 * d + a] = (real)(LINEAR_PRECISION * direction[i]);
            w[i * 2 * d + d + a] = 0;
            shift += direction[i] * map->mean[i];
        }
        b[a] = (real)(-LINEAR_PRECISION * shift);
        b[d + a] = (real)LINEAR_PRECISION; /* softplus leaves it as it is */
    }
    w = dense_weights(out), b = dense_biases(out); /* [d][2D], [2D] */
    for (size_t i = 0; i < D; i++) {
        for (size_t a = 0; a < d; a++) {
            w[a * 2 * D + i] = (real)map->direction[a * D + i];
            w[a * 2 * D + D + i] = 0;
        }
        b[i] = (real)map->mean[i];
        b[D + i] = (real)log(expm1(fmax(map->left[i], 0) + LINEAR_LEFT)); /* softplus back */
    }
    return SCDC_OK;
}

/* The statistics of items whose component is known, and of workers who are believed at first. */
int bayes_begin(core *c, const float *mean, const float *variance, const uint32_t *component,
                size_t count, mixture_family family)
{
    bayes *m = bayes_of(c);
    size_t d = c->spec.latent, P = m->globals->P, K = c->spec.components;
    double each = (double)c->spec.items / (double)count;
    globals_block_zero(&m->gradient, m->globals);
    for (size_t i = 0; i < count; i++) {
        const float *x = mean + i * d, *v = variance + i * d;
        double *s = m->gradient.niw + component[i] * P, *second = s + d;
        m->gradient.pi[component[i]] += 1;
        for (size_t a = 0; a < d; a++) {
            s[a] += (double)x[a];
            for (size_t e = 0; e <= a; e++)
                *second++ += (double)x[a] * (double)x[e] + (e == a ? (double)v[a] : 0);
        }
        second[0] += 1;
        second[1] += 1;
    }
    SCDC_TRY(shape_components(m->gradient.niw, &c->spec, P, family));
    for (size_t k = 0; k < K; k++) m->gradient.pi[k] *= each;
    for (size_t i = 0; i < K * P; i++) m->gradient.niw[i] *= each;
    for (size_t w = 0; w < c->spec.workers; w++) {
        m->gradient.ln_sens[2 * w] = m->gradient.ln_spec[2 * w] = 9;
        m->gradient.ln_sens[2 * w + 1] = m->gradient.ln_spec[2 * w + 1] = 1;
    }
    return globals_from_statistics(m->globals, &m->gradient);
}

int bayes_coins(two_coin *out, core *c)
{
    globals *g = bayes_of(c)->globals;
    SCDC_TRY(globals_prepare(g)); /* the parameters may just have been loaded */
    for (size_t m = 0; m < g->M; m++) {
        const double *sens = g->mean.ln_sens + 2 * m, *spec = g->mean.ln_spec + 2 * m;
        out[m] = (two_coin){sens[0], sens[1], spec[0], spec[1]};
    }
    return SCDC_OK;
}

int bayes_set_workers(core *c, const two_coin_counts *counts)
{
    globals *g = bayes_of(c)->globals;
    for (size_t m = 0; m < g->M; m++) {
        for (size_t side = 0; side < 2; side++) {
            g->eta.ln_sens[2 * m + side] = g->prior.ln_sens[2 * m + side] + counts[m].alpha[side];
            g->eta.ln_spec[2 * m + side] = g->prior.ln_spec[2 * m + side] + counts[m].beta[side];
        }
    }
    return globals_refresh(g);
}
