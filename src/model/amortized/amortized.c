/* SCDC with amortised inference: creating it, its first state, and what the training loop asks. */
#include "model/amortized/amortized.h"
#include "model/image_nets.h"
#include "model/recipe.h"
#include "base/numeric.h"
#include "base/rng.h"
#include "base/stages.h"
#include "base/status.h"
#include "kernels/noise.h"
#include "nets/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pairs that go through the nets together: large enough for fast matrix products, small enough
 * that the activations of a chunk stay near the processor and far below 100 MB. */
enum { CHUNK_PAIRS = 2048 };

/* No component is ever impossible. */
#define LEAST_SHARE 1e-6

/* ---- creation ---- */

static int create_nets(amortized *a, arena *m)
{
    const core_spec *spec = &a->base.spec;
    const scdc_options *o = &spec->options;
    shape in = {spec->channels, spec->height, spec->width};
    size_t rows = spec->max_rows;
    if (image_nets_asked(o)) {
        SCDC_TRY(net_of_images(&a->z_net, m, in, o->encoder_z, NULL, 0, a->K, rows));
        SCDC_TRY(net_from_images(&a->x_images, m, in, o->encoder, rows));
        in = net_out(&a->x_images);
        a->d_images = arena_new(m, rows, shape_size(in) * sizeof(real), "the activations");
        SCDC_TRY(arena_status(m));
    } else {
        SCDC_TRY(net_mlp(&a->z_net, m, in, o->hidden, o->n_hidden, a->K, rows));
    }
    SCDC_TRY(conditional_create(&a->x_first, m, in, a->K + 1, o->hidden[0], rows));
    SCDC_TRY(net_mlp(&a->x_rest, m, shape_vector(o->hidden[0]), o->hidden + 1, o->n_hidden - 1,
                     2 * a->d, a->chunk.capacity));
    return core_decoder(&a->decode, m, spec, a->chunk.capacity);
}

static void bind_part(theta_part *part, const param_block *b, size_t count, size_t *offset)
{
    *part = (theta_part){b->params + *offset, b->grads + *offset, count};
    *offset += param_room(count);
}

static int create_block(amortized *a, arena *m, const amortized *owner)
{
    bool full = a->base.spec.options.covariance == SCDC_COVARIANCE_FULL;
    size_t factor = a->K * (full ? a->d * (a->d + 1) / 2 : a->d), at = 0;
    size_t count = net_room(&a->z_net) + net_room(&a->x_images) + conditional_room(&a->x_first) +
                   net_room(&a->x_rest) + net_room(&a->decode.net) + param_room(a->K) +
                   param_room(a->K * a->d) + param_room(factor) + 2 * param_room(a->M);
    if (owner) a->block = owner->block;
    else SCDC_TRY(param_block_create(&a->block, m, count));
    net_bind(&a->z_net, &a->block, &at);
    net_bind(&a->x_images, &a->block, &at);
    conditional_bind(&a->x_first, &a->block, &at);
    net_bind(&a->x_rest, &a->block, &at);
    net_bind(&a->decode.net, &a->block, &at);
    bind_part(&a->pi, &a->block, a->K, &at);
    bind_part(&a->mu, &a->block, a->K * a->d, &at);
    bind_part(&a->factor, &a->block, factor, &at);
    bind_part(&a->alpha, &a->block, a->M, &at);
    bind_part(&a->beta, &a->block, a->M, &at);
    return SCDC_OK;
}

static int create_chunk(chunk_work *w, arena *m, size_t hidden, size_t d, size_t K)
{
    size_t n = w->capacity, row = d * sizeof(real);
    w->hidden = arena_new(m, n, hidden * sizeof(real), "the activations");
    w->d_hidden = arena_new(m, n, hidden * sizeof(real), "the activations");
    w->noise = arena_new(m, n, row, "the noise");
    w->x = arena_new(m, n, row, "the latent samples");
    w->d_x = arena_new(m, n, row, "the latent samples");
    w->d_outputs = arena_new(m, n, 2 * row, "the latent samples");
    w->weight = arena_new(m, n, sizeof(real), "the pair weights");
    w->log_likelihood = arena_new(m, n, sizeof(double), "the pair values");
    w->kl = arena_new(m, n, sizeof(double), "the pair values");
    w->order = arena_new(m, n, sizeof *w->order, "the order of pairs");
    w->first = arena_new(m, K + 1, sizeof *w->first, "the order of pairs");
    return arena_status(m);
}

static int create_workspace(amortized *a, arena *m, const amortized *owner)
{
    const core_spec *spec = &a->base.spec;
    bool full = spec->options.covariance == SCDC_COVARIANCE_FULL;
    size_t cells = spec->max_rows * a->K; /* checked against overflow by the caller */
    a->q = arena_new(m, cells, sizeof *a->q, "q(z)");
    a->log_q = arena_new(m, cells, sizeof *a->log_q, "q(z)");
    a->dq = arena_new(m, cells, sizeof *a->dq, "q(z)");
    a->f = arena_new(m, cells, sizeof *a->f, "the pair values");
    a->logits = arena_new(m, cells, sizeof *a->logits, "q(z)");
    a->z_out = arena_new(m, cells, sizeof *a->z_out, "q(z)");
    a->evidence = arena_new(m, cells, sizeof *a->evidence, "q(z)");
    a->row_number = arena_new(m, spec->max_rows, sizeof *a->row_number, "rows");
    a->no_component = arena_new(m, spec->max_rows, sizeof *a->no_component, "rows");
    SCDC_TRY(arena_status(m));
    for (size_t r = 0; r < spec->max_rows; r++) {
        a->row_number[r] = (uint32_t)r;
        a->no_component[r] = (uint32_t)a->K;
    }
    a->log_pi = arena_new(m, a->K, sizeof *a->log_pi, "proportions");
    a->held = arena_new(m, a->K + 1, sizeof *a->held, "proportions");
    a->taken = arena_new(m, a->K, sizeof *a->taken, "a selection");
    a->pairs.item = arena_new(m, cells, sizeof *a->pairs.item, "the pairs");
    a->pairs.component = arena_new(m, cells, sizeof *a->pairs.component, "the pairs");
    a->pairs.scale = arena_new(m, cells, sizeof *a->pairs.scale, "the pairs");
    a->root = arena_new(m, a->K * a->d, (full ? a->d : 1) * sizeof *a->root, "the covariances");
    SCDC_TRY(arena_status(m));
    if (full) {
        a->prior_scratch =
            arena_new(m, a->K * a->d, 3 * sizeof *a->prior_scratch, "the covariances");
        SCDC_TRY(arena_status(m));
    }
    a->pair_counts =
        owner ? owner->pair_counts : arena_new(m, a->M, sizeof *a->pair_counts, "worker counts");
    SCDC_TRY(arena_status(m));
    return create_chunk(&a->chunk, m, spec->options.hidden[0], a->d, a->K);
}

static void amortized_free(core *c)
{
    if (!c) return;
    arena_free(&c->memory);
    mem_free(c);
}

static int check_sizes(const core_spec *s)
{
    size_t n;
    if (s->options.n_hidden < 1 || s->options.n_hidden > SCDC_MAX_HIDDEN) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the amortised model needs 1 to %d hidden layers, not %zu",
                         SCDC_MAX_HIDDEN, s->options.n_hidden);
    }
    if (!size_mul(&n, s->max_rows, s->components) || n > SIZE_MAX / 64 ||
        !size_mul(&n, s->components, s->latent) || !size_mul(&n, n, s->latent + 1) ||
        n > SIZE_MAX / 64) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "%zu components with %zu rows in a minibatch and %zu latent values do not "
                         "fit into memory",
                         s->components, s->max_rows, s->latent);
    }
    return SCDC_OK;
}

/* ---- first state ---- */

/* Workers start between fair and good, each at a draw of its own: with coins at one half an answer
 * says nothing and its gradient vanishes, and below it answers would be read the wrong way round,
 * from where training does not come back. */
static void start_workers(amortized *a, uint64_t seed)
{
    double given = a->base.spec.options.start_coins;
    rng r;
    rng_init(&r, seed, RNG_INIT_GLOBALS, 0, 1);
    for (size_t m = 0; m < a->M; m++) {
        double sensitivity = 0.6 + 0.3 * rng_uniform(&r), specificity = 0.6 + 0.3 * rng_uniform(&r);
        if (given > 0) sensitivity = specificity = given;
        a->alpha.value[m] = (real)log(sensitivity / (1 - sensitivity));
        a->beta.value[m] = (real)log(specificity / (1 - specificity));
    }
}

static int amortized_start(core *c, uint64_t seed)
{
    amortized *a = amortized_of(c);
    uint64_t number = 0;
    rng r;
    memset(a->block.params, 0, a->block.count * sizeof *a->block.params);
    param_block_reset(&a->block);
    net_init(&a->z_net, seed, &number);
    net_init(&a->x_images, seed, &number);
    conditional_init(&a->x_first, seed, &number);
    net_init(&a->x_rest, seed, &number);
    decoder_init(&a->decode, seed, &number);
    if (c->spec.options.net_start == SCDC_NET_START_GLOROT) {
        net_glorot(&a->z_net);
        conditional_glorot(&a->x_first);
        net_glorot(&a->x_rest);
        net_glorot(&a->decode.net);
    }
    /* Equal proportions, unit covariances, means apart from each other: at a distance of about
     * start_spread from the origin for any d. An untrained q(x|z,o) pays half the square of that
     * distance, and when it is large all items fall to the component nearest the origin. */
    double spread = c->spec.options.start_spread / sqrt((double)a->d);
    rng_init(&r, seed, RNG_INIT_GLOBALS, 0, 0);
    for (size_t i = 0; i < a->K * a->d; i++) a->mu.value[i] = (real)(spread * rng_normal(&r));
    start_workers(a, seed);
    if (recipe_of(&c->spec.options)->warm_up) amortized_warm_prepare(a);
    memset(a->pair_counts, 0, a->M * sizeof *a->pair_counts);
    return SCDC_OK;
}

/* ---- training ---- */

void amortized_log_pi(double *log_pi, const amortized *a)
{
    for (size_t k = 0; k < a->K; k++) log_pi[k] = (double)a->pi.value[k];
    double total = log_sum_exp(log_pi, a->K);
    for (size_t k = 0; k < a->K; k++) log_pi[k] -= total;
}

static void copy_q(double *z, const amortized *a, size_t rows)
{
    if (z) memcpy(z, a->q, rows * a->K * sizeof *z);
}

/* Running estimate of how many of a worker's pairs are in one cluster and how many are not. A
 * minibatch estimates the whole data set's counts; an epoch of minibatches is averaged. */
static void count_pairs(amortized *a, const minibatch *b)
{
    double batches = ceil((double)a->base.spec.items / (double)a->base.spec.options.batch);
    double rate = 1 / fmin(batches, (double)a->block.steps);
    for (size_t m = 0; m < a->M; m++) {
        a->pair_counts[m][0] *= 1 - rate;
        a->pair_counts[m][1] *= 1 - rate;
    }
    for (size_t i = 0; i < b->answers; i++) {
        const batch_answer *answer = &b->answer[i];
        double s = amortized_same(a, answer);
        a->pair_counts[answer->worker][0] += rate * b->answer_weight * s;
        a->pair_counts[answer->worker][1] += rate * b->answer_weight * (1 - s);
    }
}

/* In the default recipe pi follows the mean of q(z), its optimum, by averaging: along its gradient
 * a component that lost its items would stay alive for many epochs. */
static void weigh_components(amortized *a, const minibatch *b)
{
    double *total = &a->held[a->K];
    *total = 0;
    for (size_t r = 0; r < b->rows; r++) *total += b->weight[r];
    for (size_t k = 0; k < a->K; k++) {
        double sum = 0;
        for (size_t r = 0; r < b->rows; r++) sum += b->weight[r] * a->q[r * a->K + k];
        a->held[k] = sum;
    }
}

static void follow_proportions(amortized *a, double rate)
{
    memset(a->pi.grad, 0, a->pi.count * sizeof(real));
    for (size_t k = 0; k < a->K; k++) {
        double pi = (1 - rate) * exp(a->log_pi[k]) + rate * a->held[k] / a->held[a->K];
        a->pi.value[k] = (real)log(pi > LEAST_SHARE ? pi : LEAST_SHARE);
    }
}

static int amortized_measure(bound_terms *terms, double *z, core *c, const minibatch *b)
{
    amortized *a = amortized_of(c);
    SCDC_TRY(amortized_evaluate(terms, a, b, true));
    copy_q(z, a, b->rows);
    if (recipe_of(&c->spec.options)->follows_proportions) weigh_components(a, b);
    return SCDC_OK;
}

static int amortized_improve(core *c, const minibatch *b, const step_rates *rates)
{
    amortized *a = amortized_of(c);
    if (recipe_of(&c->spec.options)->follows_proportions) {
        follow_proportions(a, rates->global_rate);
    }
    stage_enter(STAGE_OPTIMISER);
    param_block_step(&a->block, c->spec.options.optimizer, rates->learning_rate,
                     c->spec.options.momentum);
    stage_enter(STAGE_BOOKKEEPING);
    /* Answers are in minibatches of the paper's recipe alone, whose q(z) are still here. */
    if (b->answers) count_pairs(a, b);
    return SCDC_OK;
}

static step_sums amortized_sums(core *c, bool warm)
{
    amortized *a = amortized_of(c);
    return (step_sums){.doubles = a->held,
                       .reals = a->block.grads,
                       .n_doubles = warm ? 0 : a->K + 1,
                       .n_reals = a->block.count};
}

static int amortized_bound(bound_terms *terms, double *z, core *c, const minibatch *b)
{
    amortized *a = amortized_of(c);
    SCDC_TRY(amortized_evaluate(terms, a, b, false));
    copy_q(z, a, b->rows);
    return SCDC_OK;
}

/* ---- use ---- */

void amortized_base(amortized *a, const real *o, size_t rows)
{
    conditional_base(&a->x_first, a->x_images.depth ? net_forward(&a->x_images, o, rows) : o, rows);
}

void amortized_base_backward(amortized *a, const real *o, size_t rows)
{
    net *below = &a->x_images;
    conditional_backward_end(&a->x_first, a->d_images,
                             below->depth ? below->outputs[below->depth - 1] : o, rows);
    if (below->depth) net_backward(below, NULL, a->d_images, o, rows, false);
}

void amortized_encode(double *mean, double *variance, amortized *a, const real *o, size_t rows)
{
    size_t d = a->d;
    amortized_base(a, o, rows);
    for (size_t begin = 0; begin < rows; begin += a->chunk.capacity) {
        size_t left = rows - begin, n = left < a->chunk.capacity ? left : a->chunk.capacity;
        conditional_expand(&a->x_first, a->chunk.hidden, a->pairs.item + begin,
                           a->pairs.component + begin, n);
        const real *out = net_forward(&a->x_rest, a->chunk.hidden, n);
        for (size_t i = 0; i < n * d; i++) {
            size_t at = i / d * 2 * d + i % d;
            if (mean) mean[begin * d + i] = (double)out[at];
            if (variance) variance[begin * d + i] = exp((double)out[at + d]);
        }
    }
}

/* The latent place of an item is the mean of q(x|z,o) for its likeliest component: a mean over
 * components would lie between their modes, where nothing is. */
static void place_x(double *x, amortized *a, const real *o, size_t rows)
{
    size_t K = a->K;
    for (size_t row = 0; row < rows; row++) {
        a->pairs.item[row] = (uint32_t)row;
        a->pairs.component[row] = (uint32_t)argmax(a->q + row * K, K);
    }
    amortized_encode(x, NULL, a, o, rows);
}

/* A field (messages from answers) is added to the logits of q(z|o). */
static int amortized_place(double *z, double *x, core *c, const real *o, size_t rows,
                           const double *field)
{
    amortized *a = amortized_of(c);
    stage before = stage_enter(STAGE_ENCODER);
    amortized_q(a, o, rows, field);
    copy_q(z, a, rows);
    stage_enter(STAGE_ENCODER);
    if (x) place_x(x, a, o, rows);
    stage_enter(before);
    return SCDC_OK;
}

static int amortized_generate(real *out, core *c, size_t k, size_t count, uint64_t seed)
{
    amortized *a = amortized_of(c);
    if (k >= a->K) {
        return fail_with(SCDC_ERR_ARGUMENT, "component must be below %zu, not %zu", a->K, k);
    }
    amortized_prior_roots(a);
    for (size_t begin = 0; begin < count; begin += a->chunk.capacity) {
        size_t left = count - begin, n = left < a->chunk.capacity ? left : a->chunk.capacity;
        for (size_t i = 0; i < n; i++) {
            normal_noise(a->chunk.noise, a->d, seed, RNG_GENERATE, 0, begin + i, k);
            amortized_prior_draw(a, a->chunk.x + i * a->d, k, a->chunk.noise);
        }
        decoder_mean(out + begin * a->D, &a->decode, a->chunk.x, n);
    }
    return SCDC_OK;
}

static void amortized_proportions(double *pi, const core *c)
{
    const amortized *a = amortized_of_const(c);
    amortized_log_pi(pi, a);
    for (size_t k = 0; k < a->K; k++) pi[k] = exp(pi[k]);
}

/* The coins are point estimates. The counts that go with them are the pairs a worker judged in one
 * cluster and in two, plus the two of a uniform prior, so that intervals show how much a worker
 * said. */
static void amortized_worker(worker_estimate *out, const core *c, size_t m)
{
    const amortized *a = amortized_of_const(c);
    double alpha = 1 / (1 + exp(-(double)a->alpha.value[m]));
    double beta = 1 / (1 + exp(-(double)a->beta.value[m]));
    double same = a->pair_counts[m][0] + 2, different = a->pair_counts[m][1] + 2;
    *out = (worker_estimate){{alpha * same, (1 - alpha) * same},
                             {beta * different, (1 - beta) * different}};
}

static size_t amortized_shortened(const core *c)
{
    (void)c;
    return 0;
}

static void name_tensor(tensor_ref *t, const char *name, scdc_dtype dtype, void *values,
                        size_t rows, size_t cols)
{
    *t =
        (tensor_ref){.dtype = dtype, .ndim = cols ? 2 : 1, .shape = {rows, cols}, .values = values};
    snprintf(t->name, sizeof t->name, "%s", name);
}

static size_t amortized_tensors(tensor_ref out[CORE_MAX_TENSORS], core *c)
{
    amortized *a = amortized_of(c);
    param_block *b = &a->block;
    size_t n = 0;
    name_tensor(&out[n++], "params", param_dtype, b->params, b->count, 0);
    name_tensor(&out[n++], "optimiser.m", param_dtype, b->m, b->count, 0);
    name_tensor(&out[n++], "optimiser.v", param_dtype, b->v, b->count, 0);
    name_tensor(&out[n++], "optimiser.steps", SCDC_I64, &b->steps, 1, 0);
    if (a->M) name_tensor(&out[n++], "worker.pairs", SCDC_F64, a->pair_counts, a->M, 2);
    return n;
}

/* The workers' coins are the last of the parameters. */
static size_t without_coins(const amortized *a)
{
    return a->block.count - 2 * param_room(a->M);
}

static size_t amortized_placing(tensor_ref out[CORE_MAX_TENSORS], core *c)
{
    const amortized *a = amortized_of(c);
    name_tensor(&out[0], "params", param_dtype, a->block.params, without_coins(a), 0);
    return 1;
}

static int amortized_adopt(core *c, const core *from)
{
    amortized *a = amortized_of(c);
    const amortized *b = amortized_of_const(from);
    size_t values = without_coins(b) * sizeof *b->block.params;
    memcpy(a->block.params, b->block.params, values);
    memcpy(a->block.m, b->block.m, values);
    memcpy(a->block.v, b->block.v, values);
    a->block.steps = b->block.steps;
    return SCDC_OK;
}

static int amortized_reader(core **out, const core *owner);

static const core_ops amortized_ops = {.free = amortized_free,
                                       .reader = amortized_reader,
                                       .start = amortized_start,
                                       .measure = amortized_measure,
                                       .improve = amortized_improve,
                                       .sums = amortized_sums,
                                       .bound = amortized_bound,
                                       .place = amortized_place,
                                       .generate = amortized_generate,
                                       .proportions = amortized_proportions,
                                       .worker = amortized_worker,
                                       .shortened = amortized_shortened,
                                       .warm_measure = amortized_warm_measure,
                                       .warm_improve = amortized_warm_improve,
                                       .warm_place = amortized_warm_place,
                                       .begin = amortized_begin,
                                       .coins = amortized_coins,
                                       .set_workers = amortized_set_workers,
                                       .adopt = amortized_adopt,
                                       .tensors = amortized_tensors,
                                       .placing = amortized_placing};

/* owner: whose parameters are read; NULL: it has its own. */
static int create(core **out, const core_spec *spec, const amortized *owner)
{
    amortized *a;
    int status;
    SCDC_TRY(check_sizes(spec));
    SCDC_TRY(mem_zeroed(&a, 1, sizeof *a, "a model"));
    a->base = (core){.ops = &amortized_ops, .spec = *spec};
    a->D = spec->channels * spec->height * spec->width;
    a->d = spec->latent;
    a->K = spec->components;
    a->M = spec->workers;
    a->uses_evidence = recipe_of(&spec->options)->mixture_in_q;
    size_t most = spec->max_rows * a->K;
    a->chunk.capacity = most < CHUNK_PAIRS ? most : CHUNK_PAIRS;
    if (image_nets_asked(&spec->options)) {
        image_nets_size size;
        SCDC_TRY_OR(error, status, image_nets_measure(&size, spec));
        a->chunk.capacity = image_nets_rows(&size, a->chunk.capacity);
    }
    SCDC_TRY_OR(error, status, create_nets(a, &a->base.memory));
    SCDC_TRY_OR(error, status, create_block(a, &a->base.memory, owner));
    SCDC_TRY_OR(error, status, create_workspace(a, &a->base.memory, owner));
    *out = &a->base;
    return SCDC_OK;
error:
    amortized_free(&a->base);
    return status;
}

int amortized_create(core **out, const core_spec *spec)
{
    return create(out, spec, NULL);
}

static int amortized_reader(core **out, const core *owner)
{
    return create(out, &owner->spec, amortized_of_const(owner));
}
