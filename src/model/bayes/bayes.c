/* BayesSCDC: creation, one training step, the bound. What a fitted model is used for is in
 * bayes_use.c, the local step in messages.h, the global parameters in bayes_globals.h. */
#include "model/bayes/bayes.h"
#include "model/image_nets.h"
#include "model/recipe.h"

#include "base/stages.h"
#include "base/status.h"
#include "nets/linear_start.h"
#include "nets/words.h"

#include <math.h>
#include <string.h>

/* ---- creation -------------------------------------------------------------------------------- */

static int create_nets(bayes *m, const core_spec *spec, const bayes *owner)
{
    arena *memory = &m->base.memory;
    const scdc_options *o = &spec->options;
    shape observed = {spec->channels, spec->height, spec->width};
    size_t outputs = 2 * spec->latent, offset = 0, room;
    SCDC_TRY(image_nets_asked(o) ? net_of_images(&m->encoder, memory, observed, o->encoder,
                                                 o->hidden, o->n_hidden, outputs, spec->max_rows)
                                 : net_mlp(&m->encoder, memory, observed, o->hidden, o->n_hidden,
                                           outputs, spec->max_rows));
    SCDC_TRY(core_decoder(&m->decoder, memory, spec, spec->max_rows));
    if (!size_add(&room, net_room(&m->encoder), net_room(&m->decoder.net))) {
        return fail_memory(SIZE_MAX, "the networks");
    }
    if (owner) m->nets = owner->nets;
    else SCDC_TRY(param_block_create(&m->nets, memory, room));
    net_bind(&m->encoder, &m->nets, &offset);
    net_bind(&m->decoder.net, &m->nets, &offset);
    return SCDC_OK;
}

static int create_workspace(bayes *m, const core_spec *spec, const bayes *owner)
{
    arena *memory = &m->base.memory;
    size_t rows = spec->max_rows, d = spec->latent, natural = d + packed_size(d);
    SCDC_TRY(globals_block_create(&m->gradient, memory, m->globals));
    m->held = owner ? owner->held : arena_new(memory, spec->components, sizeof *m->held, "shares");
    m->held_now = arena_new(memory, spec->components, sizeof *m->held, "shares");
    m->weight = arena_new(memory, rows, sizeof *m->weight, "row weights");
    m->row_weight = arena_new(memory, rows, sizeof *m->row_weight, "row weights");
    m->log_likelihood = arena_new(memory, rows, sizeof *m->log_likelihood, "rows");
    m->x = arena_new(memory, rows, d * sizeof *m->x, "latent rows");
    m->gx = arena_new(memory, rows, d * sizeof *m->gx, "latent rows");
    m->component = arena_new(memory, 2 * natural, sizeof *m->component, "a component");
    m->warm_noise = arena_new(memory, rows, d * sizeof *m->warm_noise, "latent rows");
    m->gencoded = arena_new(memory, rows, 2 * d * sizeof *m->gencoded, "latent rows");
    return arena_status(memory);
}

static void bayes_free(core *c)
{
    if (!c) return;
    arena memory = c->memory; /* the core itself lies in it */
    arena_free(&memory);
}

/* The encoder's mean begins as a random isometry o Q, the decoder's as x Q'. */
static int start_linear(bayes *m, uint64_t seed, uint64_t *number)
{
    size_t D = shape_size(net_in(&m->encoder)), d = m->base.spec.latent;
    size_t shorter = D < d ? D : d, longer = D < d ? d : D;
    double *rows, *turned; /* [shorter][longer] and its transpose */
    arena memory = {0};
    int status;
    rows = arena_new(&memory, D, d * sizeof *rows, "a linear map");
    turned = arena_new(&memory, D, d * sizeof *rows, "a linear map");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    orthonormal_rows(rows, shorter, longer, seed, (*number)++);
    for (size_t i = 0; i < shorter; i++) {
        for (size_t j = 0; j < longer; j++) turned[j * shorter + i] = rows[i * longer + j];
    }
    SCDC_TRY_OR(done, status,
                net_start_linear(&m->encoder, D < d ? rows : turned, d, seed, number));
    status = net_start_linear(&m->decoder.net, D < d ? turned : rows, D, seed, number);
done:
    arena_free(&memory);
    return status;
}

static int bayes_start(core *c, uint64_t seed)
{
    bayes *m = bayes_of(c);
    uint64_t number = 0;
    net_init(&m->encoder, seed, &number);
    decoder_init(&m->decoder, seed, &number);
    if (c->spec.options.net_start == SCDC_NET_START_LINEAR) {
        SCDC_TRY(start_linear(m, seed, &number));
    } else if (c->spec.options.net_start == SCDC_NET_START_GLOROT) {
        net_glorot(&m->encoder);
        net_glorot(&m->decoder.net);
    }
    param_block_reset(&m->nets);
    for (size_t k = 0; k < m->globals->K; k++) m->held[k] = 1 / (double)m->globals->K;
    return globals_start(m->globals, c->spec.options.start_spread, seed);
}

/* ---- a step ---------------------------------------------------------------------------------- */

int bayes_check_rows(const bayes *m, size_t rows, size_t answers)
{
    const core_spec *spec = &m->base.spec;
    if (rows <= spec->max_rows && answers <= spec->max_answers) return SCDC_OK;
    return fail_with(SCDC_ERR_INTERNAL,
                     "%zu rows and %zu answers at once, but the model was made for %zu and %zu",
                     rows, answers, spec->max_rows, spec->max_answers);
}

/* The minibatch with weights per item: the rows' weights add up to about 1, not N, so that the
 * networks climb the bound per item whatever the size of the data. */
static int per_item(minibatch *out, bayes *m, const minibatch *b)
{
    double share = 1 / (double)m->base.spec.items;
    SCDC_TRY(bayes_check_rows(m, b->rows, b->answers));
    *out = *b;
    out->weight = m->weight;
    out->answer_weight = b->answer_weight * share;
    for (size_t i = 0; i < b->rows; i++) {
        m->weight[i] = b->weight[i] * share;
        m->row_weight[i] = (real)m->weight[i];
    }
    return SCDC_OK;
}

static int check_finite(double value, const char *name)
{
    if (isfinite(value)) return SCDC_OK;
    return fail_with(SCDC_ERR_NUMERIC, "%s is not finite", name);
}

/* All terms, of the whole data set, from what messages and decoder left. b is per item. */
static int bound_of_batch(bound_terms *terms, bayes *m, const minibatch *b)
{
    double items = (double)m->base.spec.items, reconstruction = 0;
    messages_terms(terms, m->messages, &m->globals->mean, b);
    for (size_t i = 0; i < b->rows; i++) reconstruction += b->weight[i] * m->log_likelihood[i];
    terms->reconstruction = items * reconstruction;
    terms->kl_z *= items;
    terms->kl_x *= items;
    terms->answers *= items;
    stage before = stage_enter(STAGE_NATURAL_GRADIENT);
    terms->kl_global = globals_kl_sum(m->globals);
    stage_enter(before);
    terms->skipped = 0; /* every component takes part */
    SCDC_TRY(check_finite(terms->kl_x, "the divergence of q(x) from its prior"));
    SCDC_TRY(check_finite(terms->kl_z, "the divergence of q(z) from its prior"));
    SCDC_TRY(check_finite(terms->reconstruction, "the reconstruction"));
    SCDC_TRY(check_finite(terms->answers, "the answers' term"));
    return check_finite(terms->kl_global, "the divergence of the global parameters");
}

/* A finite bound can have slopes that are not; the parameters must not take them in. */
static int check_gradient(const real *g, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        SCDC_TRY(check_finite((double)g[i], "the gradient by the encoder's outputs"));
    }
    return SCDC_OK;
}

static message_start first_z(const bayes *m)
{
    return recipe_of(&m->base.spec.options)->random_z ? START_RANDOM : START_UNIT_PRIOR;
}

/* Gradient by the expected statistics of the whole data set: the statistics of SVI, or all of it.
 */
static void scale_to_data(bayes *m)
{
    double items = (double)m->base.spec.items;
    for (size_t i = 0; i < m->globals->size; i++) m->gradient.all[i] *= items;
}

/* A running mean over minibatches that forgets within about an epoch. */
static void watch_shares(bayes *m, const minibatch *b)
{
    double part = (double)b->rows / (double)m->base.spec.items;
    if (part > 1) part = 1;
    for (size_t k = 0; k < m->globals->K; k++) {
        m->held[k] += part * (m->held_now[k] - m->held[k]);
    }
}

static bool learns(const core *c)
{
    return c->spec.options.net != SCDC_NET_LINEAR;
}

static int bayes_measure(bound_terms *terms, double *z, core *c, const minibatch *b)
{
    bayes *m = bayes_of(c);
    const scdc_options *o = &c->spec.options;
    const global_block *e = &m->globals->mean; /* E_q[t(Theta)] */
    global_block *full = o->natgrad == SCDC_NATGRAD_FULL ? &m->gradient : NULL;
    bool slopes = learns(c) || full;
    minibatch s;
    SCDC_TRY(per_item(&s, m, b));
    SCDC_TRY(globals_prepare(m->globals));
    stage_enter(STAGE_ENCODER);
    const real *encoded = net_forward(&m->encoder, s.o, s.rows); /* r(o; phi)            */
    stage_enter(STAGE_MESSAGES);
    messages_forward(m->messages, e, &s, encoded, first_z(m)); /* q(z), q(x)           */
    stage_enter(STAGE_SAMPLE);
    messages_sample(m->x, m->messages, &s); /* x ~ q(x)             */
    if (slopes) {
        decoder_gradient(m->log_likelihood, m->gx, &m->decoder, m->x, m->row_weight, s.o, NULL,
                         s.rows, false); /* log p(o|x) and back  */
    } else {
        decoder_value(m->log_likelihood, &m->decoder, m->x, s.o, NULL, s.rows);
    }
    stage_enter(STAGE_MESSAGES);
    SCDC_TRY(bound_of_batch(terms, m, &s)); /* names what is broken */
    if (z) messages_read(z, NULL, m->messages, s.rows);
    if (recipe_of(o)->keeps_shares) messages_held(m->held_now, m->messages, &s);
    stage_enter(STAGE_MESSAGES_BACK);
    if (!full) messages_statistics(&m->gradient, m->messages, &s);
    if (slopes) {
        messages_backward(m->gencoded, full, m->messages, e, &s, m->gx);
        SCDC_TRY(check_gradient(m->gencoded, s.rows * 2 * c->spec.latent));
    }
    if (!learns(c)) return SCDC_OK;
    stage_enter(STAGE_BACKWARD);
    net_backward(&m->encoder, NULL, m->gencoded, s.o, s.rows, false);
    return SCDC_OK;
}

static int bayes_improve(core *c, const minibatch *b, const step_rates *rates)
{
    bayes *m = bayes_of(c);
    const scdc_options *o = &c->spec.options;
    if (recipe_of(o)->keeps_shares) watch_shares(m, b);
    if (learns(c)) {
        stage_enter(STAGE_OPTIMISER);
        param_block_step(&m->nets, o->optimizer, rates->learning_rate, o->momentum);
    }
    stage_enter(STAGE_NATURAL_GRADIENT);
    scale_to_data(m);
    /* A minibatch without answers says nothing about workers. */
    return (b->answers ? globals_step : globals_step_mixture)(
        m->globals, &m->gradient, rates->global_rate, o->global_momentum);
}

/* The shares that components hold are not among them: only the paper's recipe asks, whose
 * minibatches are of one shard. */
static step_sums bayes_sums(core *c, bool warm)
{
    bayes *m = bayes_of(c);
    return (step_sums){.doubles = m->gradient.all,
                       .reals = m->nets.grads,
                       .n_doubles = warm ? 0 : m->globals->size,
                       .n_reals = learns(c) ? m->nets.count : 0};
}

static int bayes_bound(bound_terms *terms, double *z, core *c, const minibatch *b)
{
    bayes *m = bayes_of(c);
    minibatch s;
    SCDC_TRY(per_item(&s, m, b));
    SCDC_TRY(globals_prepare(m->globals));
    const real *encoded = net_forward(&m->encoder, s.o, s.rows);
    messages_forward(m->messages, &m->globals->mean, &s, encoded, first_z(m));
    messages_sample(m->x, m->messages, &s);
    decoder_value(m->log_likelihood, &m->decoder, m->x, s.o, NULL, s.rows);
    if (z) messages_read(z, NULL, m->messages, s.rows);
    return bound_of_batch(terms, m, &s);
}

static int bayes_reader(core **out, const core *owner);

static const core_ops bayes_ops = {.free = bayes_free,
                                   .reader = bayes_reader,
                                   .start = bayes_start,
                                   .measure = bayes_measure,
                                   .improve = bayes_improve,
                                   .sums = bayes_sums,
                                   .bound = bayes_bound,
                                   .place = bayes_place,
                                   .generate = bayes_generate,
                                   .proportions = bayes_proportions,
                                   .held = bayes_held,
                                   .worker = bayes_worker,
                                   .shortened = bayes_shortened,
                                   .tensors = bayes_tensors,
                                   .placing = bayes_placing,
                                   .restored = bayes_restored,
                                   .warm_measure = bayes_warm_measure,
                                   .warm_improve = bayes_warm_improve,
                                   .warm_place = bayes_warm_place,
                                   .set_linear = bayes_set_linear,
                                   .begin = bayes_begin,
                                   .coins = bayes_coins,
                                   .set_workers = bayes_set_workers,
                                   .adopt = bayes_adopt};

/* owner: whose parameters are read; NULL: it has its own. */
static int create(core **out, const core_spec *spec, const bayes *owner)
{
    arena memory = {0};
    bayes *m;
    int status;
    m = arena_new(&memory, 1, sizeof *m, "a model");
    SCDC_TRY(arena_status(&memory));
    m->base = (core){.ops = &bayes_ops, .spec = *spec, .memory = memory};
    if (owner) m->globals = owner->globals;
    else
        SCDC_TRY_OR(error, status,
                    globals_create(&m->globals, &m->base.memory, spec->components, spec->latent,
                                   spec->workers, &spec->options));
    SCDC_TRY_OR(error, status, messages_create(&m->messages, &m->base.memory, spec));
    SCDC_TRY_OR(error, status, create_nets(m, spec, owner));
    SCDC_TRY_OR(error, status, create_workspace(m, spec, owner));
    *out = &m->base;
    return SCDC_OK;
error:
    bayes_free(&m->base);
    return status;
}

int bayes_create(core **out, const core_spec *spec)
{
    return create(out, spec, NULL);
}

static int bayes_reader(core **out, const core *owner)
{
    return create(out, &owner->spec, bayes_of_const(owner));
}
