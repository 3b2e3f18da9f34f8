/* The training loop: stages, epochs, minibatches, progress, the guard against values that are not
 * finite, and stopping. What a step does is the core's business. */
#include "base/parallel.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "model/model.h"
#include "model/options.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { GUARD_TRIES = 5 };

typedef struct fit {
    scdc_model *model;
    batcher batches;
    scdc_progress_fn progress;
    void *user;
    size_t epochs;
    double begun, epoch_begun;
    size_t items_done; /* rows since the fit began, for the rate shown to people */
    /* The state at the start of the current epoch. */
    unsigned char *good;
    size_t good_bytes;
    bound_terms good_sums;
    size_t good_batch;
    int tries;
} fit;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the last good state ---- */

static size_t tensor_bytes(const tensor_ref *t)
{
    size_t count = 1;
    for (size_t a = 0; a < t->ndim; a++) count *= t->shape[a];
    return count * (t->dtype == SCDC_F32 ? 4 : 8);
}

static int snapshot_create(fit *f)
{
    tensor_ref tensors[CORE_MAX_TENSORS];
    size_t count = f->model->core->ops->tensors(tensors, f->model->core);
    for (size_t i = 0; i < count; i++) f->good_bytes += tensor_bytes(&tensors[i]);
    return mem_zeroed(&f->good, f->good_bytes, 1, "a copy of the model's state");
}

static void snapshot_copy(fit *f, bool save)
{
    tensor_ref tensors[CORE_MAX_TENSORS];
    size_t count = f->model->core->ops->tensors(tensors, f->model->core);
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
    }
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
    snapshot_copy(f, false);
    model->rate_scale *= 0.5;
    batcher_enter(&f->batches, (uint32_t)model->epoch, model->batch);
    return SCDC_OK;
}

/* ---- one epoch ---- */

static step_rates rates_of_epoch(const scdc_model *model, size_t epochs)
{
    const scdc_options *o = &model->core->spec.options;
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
}

static double bound_of(const bound_terms *t)
{
    return t->reconstruction - t->kl_z - t->kl_x + t->answers - t->kl_global;
}

static int tell(fit *f, const scdc_epoch *done)
{
    if (!f->progress) return SCDC_OK;
    double seconds = now() - f->begun;
    scdc_progress p = {.epoch = done ? done->epoch : f->model->epoch + 1,
                       .epochs = f->epochs,
                       .batch = done ? f->batches.steps : f->model->batch,
                       .batches = f->batches.steps,
                       .restart = 1,
                       .restarts = 1,
                       .seconds = seconds,
                       .items_per_second = seconds > 0 ? (double)f->items_done / seconds : 0,
                       .done = done,
                       .stage = "fit",
                       .model = done ? f->model : NULL};
    if (f->progress(&p, f->user) == 0) return SCDC_OK;
    return fail_with(SCDC_ERR_STOPPED, "stopped in epoch %zu after %zu of %zu minibatches", p.epoch,
                     p.batch, p.batches);
}

static int train_minibatches(fit *f)
{
    scdc_model *model = f->model;
    minibatch b;
    while (batcher_next(&b, &f->batches)) {
        step_rates rates = rates_of_epoch(model, f->epochs);
        bound_terms terms;
        int status = model->core->ops->step(&terms, NULL, model->core, &b, &rates);
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
    bound_terms t = {model->sums.reconstruction * share, model->sums.kl_z * share,
                     model->sums.kl_x * share, model->sums.answers * share,
                     model->sums.kl_global * share};
    model_regroup(model);
    return (scdc_epoch){.epoch = model->epoch + 1,
                        .bound = bound_of(&t),
                        .reconstruction = t.reconstruction,
                        .kl_z = t.kl_z,
                        .kl_x = t.kl_x,
                        .answers = t.answers,
                        .kl_global = t.kl_global,
                        .live_components = model_live_components(model),
                        .clusters = model->n_clusters,
                        .shortened_steps = model->core->ops->shortened(model->core),
                        .learning_rate = rates_of_epoch(model, f->epochs).learning_rate,
                        .seconds = now() - f->epoch_begun};
}

/* True when the bound has not risen enough for `patience` epochs. */
static bool has_converged(scdc_model *model, double bound)
{
    const scdc_options *o = &model->core->spec.options;
    double least = model->best_bound + o->tolerance * fabs(model->best_bound);
    if (bound > least || !isfinite(model->best_bound)) {
        model->best_bound = bound;
        model->epochs_without_rise = 0;
    } else {
        model->epochs_without_rise++;
    }
    return o->patience && model->epochs_without_rise >= o->patience;
}

static int run_epochs(fit *f)
{
    scdc_model *model = f->model;
    while (model->epoch < f->epochs && !model->finished) {
        f->epoch_begun = now();
        f->tries = 0;
        batcher_enter(&f->batches, (uint32_t)model->epoch, model->batch);
        snapshot_copy(f, true);
        SCDC_TRY(train_minibatches(f));
        scdc_epoch record = record_of_epoch(f);
        SCDC_TRY(model_append_epoch(model, &record));
        model->batch = 0;
        model->sums = (bound_terms){0};
        model->finished = has_converged(model, record.bound) || model->epoch == f->epochs;
        SCDC_TRY(tell(f, &record));
    }
    return SCDC_OK;
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

static size_t count_annotated(const scdc_crowd *crowd)
{
    scdc_crowd_info info;
    if (!crowd || scdc_crowd_get_info(&info, crowd) != SCDC_OK) return 0;
    return info.items;
}

static batcher_spec batches_of(const core_spec *spec, const input_scale *input,
                               const scdc_data *data, const scdc_crowd *crowd)
{
    size_t count = 0;
    const scdc_answer *answers = crowd ? scdc_crowd_answers(crowd, &count) : NULL;
    return (batcher_spec){.data = data,
                          .answers = answers,
                          .n_answers = count,
                          .plan = spec->options.model == SCDC_MODEL_BAYES ? PLAN_RELATIONAL
                                                                          : PLAN_ITEMS,
                          .batch = spec->options.batch,
                          .answers_batch = spec->options.answers_batch,
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

static int fit_run(scdc_model *model, const batcher_spec *batches, size_t epochs,
                   scdc_progress_fn progress, void *user)
{
    fit f = {.model = model, .progress = progress, .user = user, .epochs = epochs, .begun = now()};
    int status = batcher_create(&f.batches, batches);
    if (status == SCDC_OK) status = snapshot_create(&f);
    if (status == SCDC_OK) status = run_epochs(&f);
    model_regroup(model);
    mem_free(f.good);
    batcher_free(&f.batches);
    return status;
}

static int describe_problem(core_spec *spec, input_scale *input, const scdc_data *data,
                            const scdc_crowd *crowd, const scdc_options *options)
{
    SCDC_TRY(scdc_options_check(options));
    SCDC_TRY(check_crowd(crowd, data));
    size_t answers = 0, workers = 0;
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
                         .annotated = count_annotated(crowd),
                         .workers = workers,
                         .image = data->height > 1};
    SCDC_TRY(options_resolve(&spec->options, &size));
    SCDC_TRY(input_choose(input, &spec->likelihood, data));
    spec->options.likelihood = spec->likelihood;
    spec->latent = spec->options.latent;
    spec->components = spec->options.components;
    return SCDC_OK;
}

int scdc_fit(scdc_model **out, const scdc_data *data, const scdc_crowd *crowd,
             const scdc_options *options, scdc_progress_fn progress, void *user)
{
    if (!out || !data || !options) {
        return fail_with(SCDC_ERR_ARGUMENT, "out, data and options must not be NULL");
    }
    core_spec spec;
    input_scale input;
    batcher sizes;
    scdc_model *model = NULL;
    parallel_set_threads(options->threads);
    SCDC_TRY(describe_problem(&spec, &input, data, crowd, options));
    batcher_spec batches = batches_of(&spec, &input, data, crowd);
    SCDC_TRY(batcher_create(&sizes, &batches));
    spec.max_rows = sizes.max_rows > 256 ? sizes.max_rows : 256;
    spec.max_answers = sizes.max_answers;
    batcher_free(&sizes);
    SCDC_TRY(model_create(&model, &spec, &input));
    int status = copy_workers(model, crowd);
    if (status == SCDC_OK) status = model->core->ops->start(model->core, spec.options.seed);
    if (status == SCDC_OK) status = fit_run(model, &batches, spec.options.epochs, progress, user);
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
    if (epochs > model->epoch) model->finished = false;
    model->core->spec.options.epochs = epochs; /* also for whoever resumes after this */
    batcher_spec batches = batches_of(spec, &model->input, data, crowd);
    return fit_run(model, &batches, epochs, progress, user);
}
