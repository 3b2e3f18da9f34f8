/* The training loop: warm-up, start, epochs, minibatches, progress, the guard against values that
 * are not finite, and stopping. What a step does is the core's business. */
#include "base/clock.h"
#include "base/parallel.h"
#include "base/stages.h"
#include "base/status.h"
#include "base/watch.h"
#include "crowd/crowd.h"
#include "model/train/fit.h"
#include "kernels/blas.h"
#include "model/model.h"
#include "model/options.h"
#include "model/recipe.h"
#include "model/train/linear_map.h"
#include "model/train/start.h"
#include "model/train/stop.h"

#include <math.h>
#include <string.h>

enum { GUARD_TRIES = 5, REGROUP_EVERY = 40, WIDE = 4096 };

/* Epochs of the warm-up draw from streams of their own. */
#define WARM_EPOCHS_FROM ((uint32_t)1 << 31)

typedef struct fit fit;
typedef int (*fit_step)(bound_terms *terms, fit *f, minibatch *b, const step_rates *rates);

/* What a recipe does around the core's steps, chosen once (steps_of).
 */
typedef struct recipe_steps {
    batch_plan plan[2];                                         /* by scdc_model_kind */
    int (*prepare)(fit *f, const batcher_spec *batches);        /* before the first epoch */
    fit_step step;                                              /* a minibatch */
    int (*end_epoch)(fit *f);                                   /* after its minibatches */
    void (*sum_up)(bound_terms *t, scdc_epoch *record, fit *f); /* what they do not tell */
    int (*compare)(scdc_epoch *record, fit *f);                 /* with the epoch before */
} recipe_steps;

struct fit {
    scdc_model *model;
    const scdc_data *data;
    batcher batches; /* of the stage at hand */
    const char *stage;
    const recipe_steps *recipe;
    fit_step step;
    size_t stage_epochs; /* in all */
    double *z;           /* [max_rows][K] q(z) of a minibatch */
    scdc_progress_fn progress;
    void *user;
    size_t restart, restarts;
    watcher outside; /* who watches the thread's calls; heard when there is no progress function */
    double begun, epoch_begun;
    size_t items_done; /* rows since the fit began, for the rate shown to people */
    /* The state at the start of the current epoch. */
    unsigned char *good;
    size_t good_bytes;
    bound_terms good_sums;
    size_t good_batch;
    int tries;
};

/* ---- the last good state ---- */

static int snapshot_create(fit *f)
{
    tensor_ref tensors[CORE_MAX_TENSORS];
    size_t count = model_tensors(tensors, f->model);
    for (size_t i = 0; i < count; i++) f->good_bytes += tensor_bytes(&tensors[i]);
    return mem_zeroed(&f->good, f->good_bytes, 1, "a copy of the model's state");
}

static int snapshot_copy(fit *f, bool save)
{
    tensor_ref tensors[CORE_MAX_TENSORS];
    size_t count = model_tensors(tensors, f->model);
    unsigned char *next = f->good;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = tensor_bytes(&tensors[i]);
        memcpy(save ? next : tensors[i].values, save ? tensors[i].values : next, bytes);
        next += bytes;
    }
    if (save) {
        f->good_sums = f->model->sums;
        f->good_batch = f->model->batch;
    } else {
        f->model->sums = f->good_sums;
        f->model->batch = f->good_batch;
        return model_restored(f->model);
    }
    return SCDC_OK;
}

/* After a step that was not finite: back to the epoch's start with half the rates. */
static int recover(fit *f)
{
    scdc_model *model = f->model;
    if (++f->tries > GUARD_TRIES) {
        return fail_prefix(SCDC_ERR_NUMERIC,
                           "epoch %zu failed %d times, the last with learning rates scaled by %g "
                           "(try a smaller learning_rate, or scale the data)",
                           model->epoch + 1, f->tries, model->rate_scale);
    }
    SCDC_TRY(snapshot_copy(f, false));
    model->rate_scale *= 0.5;
    batcher_enter(&f->batches, f->batches.epoch, model->batch);
    return SCDC_OK;
}

/* ---- one epoch ---- */

static step_rates rates_of_epoch(const scdc_model *model, size_t epochs)
{
    const scdc_options *o = &model->core->spec.options;
    if (o->net == SCDC_NET_LINEAR) return (step_rates){0}; /* all is chosen at the start */
    double factor = model->rate_scale, epoch = (double)model->epoch;
    if (o->schedule == SCDC_SCHEDULE_COSINE && epochs > 1) {
        double share = epoch / (double)(epochs - 1);
        factor *= 0.1 + 0.9 * 0.5 * (1 + cos(M_PI * (share < 1 ? share : 1)));
    } else if (o->schedule == SCDC_SCHEDULE_DECAY) {
        factor /= sqrt(1 + epoch);
    }
    return (step_rates){.learning_rate = o->learning_rate * factor,
                        .global_rate = o->global_rate * model->rate_scale};
}

static void add_terms(bound_terms *sum, const bound_terms *t)
{
    sum->reconstruction += t->reconstruction;
    sum->kl_z += t->kl_z;
    sum->kl_x += t->kl_x;
    sum->answers += t->answers;
    sum->kl_global += t->kl_global;
    sum->skipped += t->skipped;
}

static double bound_of(const bound_terms *t)
{
    return t->reconstruction - t->kl_z - t->kl_x + t->answers - t->kl_global;
}

/* Inside a fit nobody else is told: between two minibatches it can be resumed, inside not. */
static int tell_outside(const fit *f, const char *what, size_t done, size_t total)
{
    watcher inside = watch_by(f->outside);
    int status = watch_tick(what, done, total);
    watch_by(inside);
    return status;
}

static int tell(fit *f, const scdc_epoch *done)
{
    if (!f->progress) return tell_outside(f, "fitting", f->model->epoch, f->stage_epochs);
    double seconds = seconds_now() - f->begun;
    size_t current = f->model->begun ? f->model->epoch : f->model->warm_epoch;
    scdc_progress p = {.epoch = done ? done->epoch : current + 1,
                       .epochs = f->stage_epochs,
                       .batch = done ? f->batches.steps : f->model->batch,
                       .batches = f->batches.steps,
                       .restart = f->restart,
                       .restarts = f->restarts,
                       .seconds = seconds,
                       .items_per_second = seconds > 0 ? (double)f->items_done / seconds : 0,
                       .done = done,
                       .stage = f->stage,
                       .model = done ? f->model : NULL};
    if (f->progress(&p, f->user) == 0) return SCDC_OK;
    return fail_with(SCDC_ERR_STOPPED, "stopped in epoch %zu after %zu of %zu minibatches", p.epoch,
                     p.batch, p.batches);
}

/* ---- the steps of the stages ---- */

static int warm_step(bound_terms *terms, fit *f, minibatch *b, const step_rates *rates)
{
    return f->model->core->ops->warm_step(terms, f->model->core, b, rates);
}

/* The paper's algorithm: the minibatch says everything. */
static int plain_step(bound_terms *terms, fit *f, minibatch *b, const step_rates *rates)
{
    return f->model->core->ops->step(terms, NULL, f->model->core, b, rates);
}

/* The default recipe: messages from all answers, remembered q(z), clusters of components. */
static int cluster_level_step(bound_terms *terms, fit *f, minibatch *b, const step_rates *rates)
{
    scdc_model *model = f->model;
    cluster_level *t = model->clusters;
    stage_enter(STAGE_CLUSTERS);
    if (model->batch % REGROUP_EVERY == 0) SCDC_TRY(cluster_level_regroup(t, 1));
    cluster_level_send(t, b);
    stage_enter(STAGE_BOOKKEEPING);
    SCDC_TRY(model->core->ops->step(terms, f->z, model->core, b, rates));
    stage_enter(STAGE_CLUSTERS);
    if (t->has_answers) cluster_level_remember(t, b, f->z);
    terms->answers = 0; /* counted once an epoch, from all answers */
    return SCDC_OK;
}

static int train_minibatches(fit *f)
{
    scdc_model *model = f->model;
    minibatch b;
    while (batcher_next(&b, &f->batches)) {
        step_rates rates = rates_of_epoch(model, f->stage_epochs);
        bound_terms terms;
        int status = f->step(&terms, f, &b, &rates);
        stage_enter(STAGE_BOOKKEEPING);
        if (status == SCDC_ERR_NUMERIC) {
            SCDC_TRY(recover(f));
            continue;
        }
        SCDC_TRY(status);
        add_terms(&model->sums, &terms);
        model->batch++;
        f->items_done += b.rows;
        SCDC_TRY(tell(f, NULL));
    }
    return SCDC_OK;
}

static scdc_epoch record_of_epoch(fit *f)
{
    scdc_model *model = f->model;
    double share = 1 / (double)f->batches.steps;
    bound_terms t = {.reconstruction = model->sums.reconstruction * share,
                     .kl_z = model->sums.kl_z * share,
                     .kl_x = model->sums.kl_x * share,
                     .answers = model->sums.answers * share,
                     .kl_global = model->sums.kl_global * share,
                     .skipped = model->sums.skipped * share};
    model_regroup(model);
    scdc_epoch record = {.epoch = model->epoch + 1,
                         .live_components = model_live_components(model),
                         .clusters = model->n_clusters,
                         .shortened_steps = model->core->ops->shortened(model->core),
                         .learning_rate = rates_of_epoch(model, f->stage_epochs).learning_rate,
                         .moved = 1,
                         .seconds = seconds_now() - f->epoch_begun};
    if (f->recipe->sum_up) f->recipe->sum_up(&t, &record, f);
    record.bound = bound_of(&t);
    record.reconstruction = t.reconstruction;
    record.kl_z = t.kl_z;
    record.kl_x = t.kl_x;
    record.answers = t.answers;
    record.kl_global = t.kl_global;
    record.skipped = t.skipped;
    return record;
}

/* One epoch of the stage at hand, from where the model stands in it. */
static int run_epoch(fit *f, uint32_t epoch)
{
    f->epoch_begun = seconds_now();
    f->tries = 0;
    batcher_enter(&f->batches, epoch, f->model->batch);
    SCDC_TRY(snapshot_copy(f, true));
    return train_minibatches(f);
}

static void end_epoch(scdc_model *model)
{
    model->batch = 0;
    model->sums = (bound_terms){0};
}

static int run_epochs(fit *f)
{
    scdc_model *model = f->model;
    while (model->epoch < f->stage_epochs && !model->finished) {
        SCDC_TRY(run_epoch(f, (uint32_t)model->epoch));
        if (f->recipe->end_epoch) SCDC_TRY(f->recipe->end_epoch(f));
        stage_enter(STAGE_BOOKKEEPING);
        scdc_epoch record = record_of_epoch(f);
        if (f->recipe->compare) SCDC_TRY(f->recipe->compare(&record, f));
        SCDC_TRY(model_append_epoch(model, &record, NULL));
        end_epoch(model);
        model->finished = fit_is_done(model, &record) || model->epoch == f->stage_epochs;
        SCDC_TRY(tell(f, &record));
    }
    return SCDC_OK;
}

/* ---- the default recipe's first stages ---- */

static batcher_spec items_only(const batcher_spec *batches)
{
    batcher_spec spec = *batches;
    spec.plan = PLAN_ITEMS;
    spec.answers = NULL;
    spec.n_answers = 0;
    return spec;
}

static int tell_start(const scdc_work *work, void *user)
{
    const fit *f = user;
    if (!f->progress) return tell_outside(f, work->what, work->done, work->total);
    scdc_progress p = {.epoch = 1,
                       .epochs = 1,
                       .batch = work->done,
                       .batches = work->total,
                       .restart = f->restart,
                       .restarts = f->restarts,
                       .seconds = seconds_now() - f->begun,
                       .stage = "start"};
    return f->progress(&p, f->user);
}

/* Stopped, it leaves the model as it was after the warm-up, from where it can be resumed. */
static int run_start(fit *f)
{
    SCDC_TRY(snapshot_copy(f, true));
    watcher before = watch_by((watcher){tell_start, f});
    stage_enter(STAGE_CLUSTERS);
    int status = start_components(f->model, f->data);
    stage_enter(STAGE_BOOKKEEPING);
    watch_by(before);
    if (status != SCDC_ERR_STOPPED) return status;
    model_drop_classifier(f->model);
    SCDC_TRY(snapshot_copy(f, false));
    return status;
}

static int run_warm_up(fit *f, const batcher_spec *batches)
{
    scdc_model *model = f->model;
    batcher_spec spec = items_only(batches);
    SCDC_TRY(batcher_create(&f->batches, &spec));
    f->stage = "warm-up";
    f->step = warm_step;
    bool learns = model->core->spec.options.net != SCDC_NET_LINEAR;
    f->stage_epochs = learns ? model->core->spec.options.warmup : 0;
    int status = SCDC_OK;
    while (model->warm_epoch < f->stage_epochs && status == SCDC_OK) {
        status = run_epoch(f, WARM_EPOCHS_FROM + (uint32_t)model->warm_epoch);
        if (status != SCDC_OK) break;
        end_epoch(model);
        model->warm_epoch++;
    }
    batcher_free(&f->batches);
    f->batches = (batcher){0};
    if (status == SCDC_OK) status = run_start(f);
    if (status == SCDC_OK) model->begun = true;
    return status;
}

/* Links follow the items as they move: after epochs 1, 2, 4, 8, ... */
static int settle_clusters(fit *f)
{
    size_t epoch = f->model->epoch + 1;
    stage_enter(STAGE_CLUSTERS);
    if ((epoch & (epoch - 1)) == 0) SCDC_TRY(refresh_links(f->model, f->data));
    return cluster_level_regroup(f->model->clusters, 2);
}

static void sum_up_answers(bound_terms *t, scdc_epoch *record, fit *f)
{
    t->answers = cluster_level_answer_term(f->model->clusters);
    record->foretold = cluster_level_held_out(f->model->clusters);
}

static int compare_clusters(scdc_epoch *record, fit *f)
{
    return share_moved(&record->moved, f->model, f->data);
}

static int prepare_clusters(fit *f, const batcher_spec *batches)
{
    scdc_model *model = f->model;
    const core_spec *spec = &model->core->spec;
    SCDC_TRY(mem_zeroed(&f->z, spec->max_rows * spec->components, sizeof *f->z, "messages"));
    if (!model->begun) SCDC_TRY(run_warm_up(f, batches));
    /* A resumed fit: the table is not saved. */
    bool silent = model->classifier && !model->clusters->verdict;
    return silent ? classify_all(model, f->data) : SCDC_OK;
}

static const recipe_steps default_steps = {
    .plan = {[SCDC_MODEL_BAYES] = PLAN_REMEMBERED, [SCDC_MODEL_AMORTIZED] = PLAN_REMEMBERED},
    .prepare = prepare_clusters,
    .step = cluster_level_step,
    .end_epoch = settle_clusters,
    .sum_up = sum_up_answers,
    .compare = compare_clusters};
static const recipe_steps paper_steps = {
    .plan = {[SCDC_MODEL_BAYES] = PLAN_RELATIONAL, [SCDC_MODEL_AMORTIZED] = PLAN_ITEMS},
    .step = plain_step};

static const recipe_steps *steps_of(const scdc_options *o)
{
    return recipe_of(o)->cluster_level ? &default_steps : &paper_steps;
}

/* ---- setting up ---- */

static int check_crowd(const scdc_crowd *crowd, const scdc_data *data)
{
    if (!crowd) return SCDC_OK;
    size_t count;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &count);
    for (size_t a = 0; a < count; a++) {
        uint32_t item = answers[a].left > answers[a].right ? answers[a].left : answers[a].right;
        if (item >= data->rows) {
            return fail_with(SCDC_ERR_ARGUMENT,
                             "answer %zu is about item %u, but there are only %zu items", a + 1,
                             item, data->rows);
        }
    }
    return SCDC_OK;
}

static int count_annotated(size_t *out, const scdc_crowd *crowd)
{
    scdc_crowd_info info;
    *out = 0;
    if (!crowd) return SCDC_OK;
    SCDC_TRY(scdc_crowd_get_info(&info, crowd));
    *out = info.items;
    return SCDC_OK;
}

static batcher_spec batches_of(const core_spec *spec, const input_scale *input,
                               const scdc_data *data, const scdc_crowd *crowd)
{
    size_t count = 0;
    const scdc_answer *answers = crowd ? scdc_crowd_answers(crowd, &count) : NULL;
    return (batcher_spec){.data = data,
                          .answers = answers,
                          .n_answers = count,
                          .plan = steps_of(&spec->options)->plan[spec->options.model],
                          .batch = spec->options.batch,
                          .answers_batch = spec->options.answers_batch,
                          .annotated_batch = spec->options.annotated_batch,
                          .annotated_weight = spec->options.annotated_weight,
                          .input = *input,
                          .seed = spec->options.seed};
}

static int copy_workers(scdc_model *model, const scdc_crowd *crowd)
{
    size_t count = 0;
    const scdc_answer *answers = crowd ? scdc_crowd_answers(crowd, &count) : NULL;
    for (size_t a = 0; a < count; a++) model->worker_answers[answers[a].worker]++;
    for (size_t m = 0; m < model->core->spec.workers; m++) {
        const char *name = scdc_crowd_worker_name(crowd, m);
        model->worker_names[m] = arena_string(&model->memory, name, strlen(name));
        if (!model->worker_names[m]) return SCDC_ERR_MEMORY;
    }
    return SCDC_OK;
}

static int fit_run(scdc_model *model, const scdc_data *data, const batcher_spec *batches,
                   size_t epochs, const listener *to)
{
    fit f = {.model = model,
             .data = data,
             .recipe = steps_of(&model->core->spec.options),
             .progress = to->progress,
             .user = to->user,
             .begun = seconds_now(),
             .restart = to->restart,
             .restarts = to->restarts};
    f.outside = watch_by((watcher){NULL, NULL});
    model_forget_experts(model);
    int status = snapshot_create(&f);
    if (status == SCDC_OK && f.recipe->prepare) status = f.recipe->prepare(&f, batches);
    if (status == SCDC_OK) status = batcher_create(&f.batches, batches);
    if (status == SCDC_OK) {
        f.stage = "fit";
        f.step = f.recipe->step;
        f.stage_epochs = epochs;
        model->begun = true;
        status = run_epochs(&f);
    }
    watch_by(f.outside);
    model_regroup(model);
    if (status == SCDC_OK && model->finished) status = weigh_experts(model, data);
    mem_free(f.good);
    mem_free(f.z);
    batcher_free(&f.batches);
    return status;
}

static int create_second_level(scdc_model *model, const scdc_crowd *crowd, size_t annotated)
{
    size_t count = 0;
    const scdc_answer *answers = crowd ? scdc_crowd_answers(crowd, &count) : NULL;
    if (!model_has_cluster_level(&model->core->spec)) return SCDC_OK;
    SCDC_TRY(model_create_clusters(model, annotated));
    return cluster_level_attach(model->clusters, answers, count);
}

static bool like_pictures(const scdc_data *data, const scdc_data_info *info)
{
    bool shares = info->min >= 0 && info->max <= 1 && data->cols >= 64;
    return data->height > 1 || data->width > 1 || data->dtype == SCDC_U8 || shares;
}

/* What a fit is made from. */
typedef struct problem {
    core_spec spec;
    input_scale input; /* owned until a model takes it */
    linear_map map;    /* net linear; else empty */
} problem;

static void problem_free(problem *p)
{
    input_free(&p->input);
    linear_map_free(&p->map);
}

/* On failure what was made is freed by problem_free. */
static int describe_problem(problem *p, const scdc_data *data, const scdc_crowd *crowd,
                            const scdc_options *options)
{
    core_spec *spec = &p->spec;
    SCDC_TRY(options_check(options));
    SCDC_TRY(check_crowd(crowd, data));
    scdc_data_info info;
    size_t answers = 0, workers = 0, annotated;
    SCDC_TRY(scdc_data_get_info(&info, data));
    SCDC_TRY(count_annotated(&annotated, crowd));
    if (crowd) {
        scdc_crowd_answers(crowd, &answers);
        while (scdc_crowd_worker_name(crowd, workers)) workers++;
    }
    *spec = (core_spec){.items = data->rows,
                        .channels = data->channels,
                        .height = data->height,
                        .width = data->width,
                        .workers = workers,
                        .answers = answers,
                        .likelihood = options->likelihood,
                        .options = *options};
    problem_size size = {.items = data->rows,
                         .dims = data->cols,
                         .answers = answers,
                         .annotated = annotated,
                         .workers = workers,
                         .image = like_pictures(data, &info)};
    SCDC_TRY(options_resolve(&spec->options, &size));
    spec->likelihood = spec->options.likelihood;
    SCDC_TRY(input_choose(&p->input, &spec->likelihood, &spec->options.scaling, data,
                          !recipe_of(options)->scales_columns));
    spec->options.likelihood = spec->likelihood;
    if (spec->options.net == SCDC_NET_LINEAR)
        SCDC_TRY(linear_map_find(&p->map, &spec->options.latent, data, &p->input));
    spec->latent = spec->options.latent;
    spec->components = spec->options.components;
    return SCDC_OK;
}

/* Rows that are placed at a time: threads meet less often when they are many, but wide ones take
 * room. */
static size_t placed_rows(const scdc_data *data)
{
    return data->cols > WIDE ? 256 : 512;
}

/* The most rows and answers the core will see at once. */
static int measure_batches(core_spec *spec, const batcher_spec *batches, const scdc_data *data)
{
    batcher sizes;
    SCDC_TRY(batcher_create(&sizes, batches));
    /* The first stages take minibatches of items alone. */
    spec->max_rows = sizes.max_rows > spec->options.batch ? sizes.max_rows : spec->options.batch;
    if (spec->max_rows < placed_rows(data)) spec->max_rows = placed_rows(data);
    spec->max_answers = sizes.max_answers;
    batcher_free(&sizes);
    return SCDC_OK;
}

/* A model in its first state; it owns the problem's inputs from here on. */
static int start_model(scdc_model **out, problem *p, const scdc_crowd *crowd)
{
    SCDC_TRY(model_create(out, &p->spec));
    scdc_model *model = *out;
    size_t annotated;
    model->input = p->input;
    p->input = (input_scale){0};
    SCDC_TRY(copy_workers(model, crowd));
    SCDC_TRY(count_annotated(&annotated, crowd));
    SCDC_TRY(create_second_level(model, crowd, annotated));
    SCDC_TRY(model->core->ops->start(model->core, p->spec.options.seed));
    return p->map.direction ? model->core->ops->set_linear(model->core, &p->map) : SCDC_OK;
}

int fit_once(scdc_model **out, const scdc_data *data, const scdc_crowd *crowd,
             const scdc_options *options, const listener *to)
{
    problem p = {0};
    scdc_model *model = NULL;
    parallel_set_threads(options->threads);
    SCDC_TRY(blas_reserve());
    int status = describe_problem(&p, data, crowd, options);
    batcher_spec batches = batches_of(&p.spec, &p.input, data, crowd);
    if (status == SCDC_OK) status = measure_batches(&p.spec, &batches, data);
    if (status == SCDC_OK) status = start_model(&model, &p, crowd);
    problem_free(&p);
    if (status == SCDC_OK) status = fit_run(model, data, &batches, p.spec.options.epochs, to);
    if (status == SCDC_OK || status == SCDC_ERR_STOPPED) {
        *out = model;
    } else {
        scdc_model_free(model);
    }
    return status;
}

int scdc_fit_resume(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd,
                    size_t epochs, scdc_progress_fn progress, void *user)
{
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    const core_spec *spec = &model->core->spec;
    size_t answers = 0;
    if (crowd) scdc_crowd_answers(crowd, &answers);
    SCDC_TRY(model_check_width(model, data));
    SCDC_TRY(check_crowd(crowd, data));
    if (data->rows != spec->items || answers != spec->answers) {
        return fail_with(
            SCDC_ERR_ARGUMENT,
            "cannot resume: the run had %zu items and %zu answers, these are %zu and %zu",
            spec->items, spec->answers, data->rows, answers);
    }
    parallel_set_threads(spec->options.threads);
    SCDC_TRY(blas_reserve());
    if (epochs > model->epoch) model->finished = false;
    model->core->spec.options.epochs = epochs; /* also for whoever resumes after this */
    batcher_spec batches = batches_of(spec, &model->input, data, crowd);
    if (model->clusters) {
        SCDC_TRY(cluster_level_attach(model->clusters, batches.answers, batches.n_answers));
        SCDC_TRY(cluster_level_restore(model->clusters));
    }
    listener to = {progress, user, 1, 1};
    return fit_run(model, data, &batches, epochs, &to);
}
