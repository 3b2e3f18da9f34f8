/* What the default recipe asks of the amortised core beyond a step: a plain autoencoder to warm up
 * with, first components from assigned items, and workers from all answers.
 *
 * The autoencoder is the model itself with every item in component 0, whose prior is a standard
 * normal and whose column in the first layer of q(x|z,o) is zero: the nets of q(x|z,o) and p(o|x)
 * learn, nothing else does. */
#include "base/stages.h"
#include "base/status.h"
#include "expfam/smallmat.h"
#include "model/amortized/amortized.h"

#include <math.h>
#include <string.h>

/* Items worth of pooled scatter that keep a small component's covariance regular. */
enum { POOLED_ITEMS = 5 };

void amortized_warm_prepare(amortized *a)
{
    memset(a->x_first.z, 0, a->x_first.conditions * a->x_first.width * sizeof(real));
    memset(a->mu.value, 0, a->mu.count * sizeof(real));
    memset(a->factor.value, 0, a->factor.count * sizeof(real));
}

/* Every row in component 0, and nowhere else. */
static void all_in_first(amortized *a, size_t rows)
{
    a->pairs.count = rows;
    for (size_t r = 0; r < rows; r++) {
        a->q[r * a->K] = 1;
        a->pairs.item[r] = (uint32_t)r;
        a->pairs.component[r] = 0;
        a->pairs.scale[r] = 1;
    }
}

int amortized_warm_measure(bound_terms *terms, core *c, const minibatch *b)
{
    amortized *a = amortized_of(c);
    all_in_first(a, b->rows);
    *terms = (bound_terms){0};
    size_t reached = amortized_pairs(terms, a, b, &a->pairs, true);
    stage_enter(STAGE_BACKWARD);
    amortized_base_backward(a, b->o, reached);
    SCDC_TRY(amortized_check_terms(terms));
    /* What only the mixture has stays as it is. */
    memset(a->block.grads, 0, net_room(&a->z_net) * sizeof(real));
    memset(a->x_first.dz, 0, a->x_first.conditions * a->x_first.width * sizeof(real));
    memset(a->mu.grad, 0, a->mu.count * sizeof(real));
    memset(a->factor.grad, 0, a->factor.count * sizeof(real));
    return SCDC_OK;
}

int amortized_warm_improve(core *c, const minibatch *b, const step_rates *rates)
{
    const scdc_options *o = &c->spec.options;
    (void)b;
    stage_enter(STAGE_OPTIMISER);
    param_block_step(&amortized_of(c)->block, o->optimizer, rates->learning_rate, o->momentum);
    return SCDC_OK;
}

int amortized_warm_place(double *mean, double *variance, core *c, const real *o, size_t rows)
{
    amortized *a = amortized_of(c);
    all_in_first(a, rows);
    amortized_encode(mean, variance, a, o, rows);
    return SCDC_OK;
}

/* ---- first components ---- */

/* Count, sum of means and sum of second moments of each component's items. */
typedef struct moments {
    double *count;  /* [K] */
    double *first;  /* [K][d] */
    double *second; /* [K][packed], scatter around the mean when finished */
    double *pooled; /* [packed] mean scatter of all components */
    arena memory;
} moments;

static int moments_create(moments *out, size_t K, size_t d)
{
    size_t q = packed_size(d);
    *out = (moments){0};
    out->count = arena_new(&out->memory, K, sizeof(double), "components");
    out->first = arena_new(&out->memory, K * d, sizeof(double), "components");
    out->pooled = arena_new(&out->memory, q, sizeof(double), "components");
    out->second = arena_new(&out->memory, K * q, sizeof(double), "components");
    return arena_status(&out->memory);
}

static void moments_collect(moments *m, const core_spec *s, const float *mean,
                            const float *variance, const uint32_t *component, size_t count)
{
    size_t d = s->latent, q = packed_size(d);
    for (size_t i = 0; i < count; i++) {
        const float *x = mean + i * d, *v = variance + i * d;
        double *first = m->first + component[i] * d, *second = m->second + component[i] * q;
        m->count[component[i]] += 1;
        for (size_t a = 0; a < d; a++) {
            first[a] += (double)x[a];
            for (size_t e = 0; e <= a; e++)
                *second++ += (double)x[a] * (double)x[e] + (e == a ? (double)v[a] : 0);
        }
    }
    for (size_t k = 0; k < s->components; k++) {
        double n = m->count[k], *first = m->first + k * d;
        for (size_t a = 0; a < d && n > 0; a++) first[a] /= n;
        packed_add_outer(m->second + k * q, -n, first, d);
        for (size_t e = 0; e < q; e++) m->pooled[e] += m->second[k * q + e] / (double)count;
    }
}

/* Sigma = scatter / n with POOLED_ITEMS items of the pooled one. */
static void regular_covariance(double *sigma, const double *pooled, double n, size_t d)
{
    for (size_t e = 0; e < packed_size(d); e++) {
        sigma[e] = (sigma[e] + POOLED_ITEMS * pooled[e]) / (n + POOLED_ITEMS);
    }
    for (size_t j = 0; j < d; j++) {
        double *variance = &sigma[packed_index(j, j)];
        if (*variance < 1e-6) *variance = 1e-6;
    }
}

/* R of Sigma^-1 = R R', of the variances alone where Sigma is singular. Spoils sigma. */
static void set_factor(amortized *a, size_t k, double *sigma)
{
    size_t d = a->d;
    bool full = a->base.spec.options.covariance == SCDC_COVARIANCE_FULL;
    real *factor = a->factor.value + k * (full ? packed_size(d) : d);
    for (size_t j = 0; j < d; j++) {
        real log_root = (real)(-0.5 * log(sigma[packed_index(j, j)]));
        factor[full ? packed_index(j, j) : j] = log_root;
        for (size_t e = 0; e < j && full; e++) factor[packed_index(j, e)] = 0;
    }
    if (!full || !chol_factor(sigma, sigma, d)) return;
    chol_inverse(sigma, sigma, d);
    if (!chol_factor(sigma, sigma, d)) return;
    for (size_t j = 0; j < d; j++) {
        for (size_t e = 0; e <= j; e++) {
            double r = sigma[packed_index(j, e)];
            factor[packed_index(j, e)] = (real)(e == j ? log(r) : r);
        }
    }
}

/* The net of z begins with the features the autoencoder has learned and adds nothing yet. */
static void copy_features(amortized *a)
{
    layer *of_z = a->z_net.layers[a->z_net.depth - 1];
    of_z->ops->clear_outputs(of_z, 0);
    if (a->x_images.depth) {
        const scdc_options *o = &a->base.spec.options;
        if (strcmp(o->encoder, o->encoder_z) != 0) return; /* features of its own */
        memcpy(a->block.params, a->block.params + net_room(&a->z_net),
               net_room(&a->x_images) * sizeof(real));
        return;
    }
    size_t first = a->x_first.affine->ops->room(a->x_first.affine);
    const real *x_first = a->block.params + net_room(&a->z_net);
    const real *x_rest = x_first + conditional_room(&a->x_first);
    size_t rest = net_room(&a->x_rest);
    layer *last = a->x_rest.layers[a->x_rest.depth - 1];
    memcpy(a->block.params, x_first, first * sizeof(real));
    memcpy(a->block.params + first, x_rest, (rest - last->ops->room(last)) * sizeof(real));
}

int amortized_begin(core *c, const float *mean, const float *variance, const uint32_t *component,
                    size_t count, mixture_family family)
{
    (void)family;
    amortized *a = amortized_of(c);
    size_t d = a->d, K = a->K;
    moments m;
    int status = moments_create(&m, K, d);
    if (status == SCDC_OK) moments_collect(&m, &c->spec, mean, variance, component, count);
    for (size_t k = 0; k < K && status == SCDC_OK; k++) {
        double *sigma = m.second + k * packed_size(d);
        a->pi.value[k] = (real)log((m.count[k] + 1) / (double)(count + K));
        for (size_t j = 0; j < d; j++) a->mu.value[k * d + j] = (real)m.first[k * d + j];
        regular_covariance(sigma, m.pooled, m.count[k], d);
        set_factor(a, k, sigma);
    }
    arena_free(&m.memory);
    SCDC_TRY(status);
    for (size_t w = 0; w < a->M; w++) { /* believed at first: 0.9 */
        a->alpha.value[w] = a->beta.value[w] = (real)log(9);
    }
    copy_features(a);
    param_block_reset(&a->block);
    return SCDC_OK;
}

/* ---- workers ---- */

int amortized_coins(two_coin *out, core *c)
{
    const amortized *a = amortized_of(c);
    for (size_t m = 0; m < a->M; m++) out[m] = amortized_coin(a, m);
    return SCDC_OK;
}

/* The best point estimates given expected counts, under the workers' Beta priors: their means. */
int amortized_set_workers(core *c, const two_coin_counts *counts)
{
    amortized *a = amortized_of(c);
    const double *sens = c->spec.options.prior_sensitivity;
    const double *spec = c->spec.options.prior_specificity;
    for (size_t m = 0; m < a->M; m++) {
        const double *alpha = counts[m].alpha, *beta = counts[m].beta;
        a->alpha.value[m] = (real)log((alpha[0] + sens[0]) / (alpha[1] + sens[1]));
        a->beta.value[m] = (real)log((beta[0] + spec[0]) / (beta[1] + spec[1]));
        a->pair_counts[m][0] = alpha[0] + alpha[1];
        a->pair_counts[m][1] = beta[0] + beta[1];
    }
    return SCDC_OK;
}
