/* A fit from its parts: a problem, a model in its first state, the loop; and going on with one. */
#include "model/train/fit.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "kernels/blas.h"
#include "model/options.h"
#include "model/pupil/teach.h"
#include "model/train/finish.h"
#include "model/train/look_alikes.h"
#include "model/train/loop.h"
#include "model/train/problem.h"
#include "model/train/same_fit.h"
#include "model/train/start.h"
#include "model/train/unheard.h"

#include <string.h>

batcher_spec batches_of(const core_spec *spec, const input_scale *input, const scdc_data *data,
                        const scdc_crowd *crowd)
{
    size_t count;
    const scdc_answer *answers = crowd_answers_of(crowd, &count);
    return (batcher_spec){.data = data,
                          .answers = answers,
                          .n_answers = count,
                          .plan = steps_of(&spec->options)->plan(&spec->options),
                          .batch = spec->options.batch,
                          .answers_batch = spec->options.answers_batch,
                          .annotated_batch = spec->options.annotated_batch,
                          .annotated_weight = spec->options.annotated_weight,
                          .input = *input,
                          .seed = spec->options.seed,
                          .shards = spec->options.shards};
}

/* What is known of them before they answered. */
static int know_workers(scdc_model *model, const scdc_crowd *crowd)
{
    model->core->spec.known = NULL;
    if (!crowd || !crowd->known) return SCDC_OK;
    size_t workers = model->core->spec.workers;
    two_coin_counts *known = arena_new(&model->memory, workers, sizeof *known, "workers");
    SCDC_TRY(arena_status(&model->memory));
    memcpy(known, crowd->known, workers * sizeof *known);
    model->core->spec.known = known;
    return SCDC_OK;
}

static int copy_workers(scdc_model *model, const scdc_crowd *crowd)
{
    size_t count;
    const scdc_answer *answers = crowd_answers_of(crowd, &count);
    for (size_t a = 0; a < count; a++) model->worker_answers[answers[a].worker]++;
    for (size_t m = 0; m < model->core->spec.workers; m++) {
        const char *name = scdc_crowd_worker_name(crowd, m);
        model->worker_names[m] = arena_string(&model->memory, name, strlen(name));
        if (!model->worker_names[m]) return SCDC_ERR_MEMORY;
    }
    return know_workers(model, crowd);
}

int fit_run(scdc_model *model, const scdc_data *data, const batcher_spec *batches, size_t epochs,
            const listener *to)
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
    if (!model_is_led(model)) model_forget_experts(model);
    int status = snapshot_create(&f);
    if (status == SCDC_OK) status = keep_answers_back(model);
    if (status == SCDC_OK && f.recipe->prepare) status = f.recipe->prepare(&f, batches);
    if (status == SCDC_OK) status = keep_back_or_not(model);
    if (status == SCDC_OK) status = batcher_create(&f.batches, batches);
    if (status == SCDC_OK) {
        f.stage = "fit";
        f.step = f.recipe->step;
        f.stage_epochs = epochs;
        model->begun = true;
        status = run_epochs(&f);
    }
    f.stage = "links";
    watch_by((watcher){tell_work, &f});
    if (status == SCDC_OK && model->finished) status = link_look_alikes(model, data);
    watch_by(f.outside);
    model_regroup(model);
    if (status == SCDC_OK && model->finished) status = hear_answers_kept_back(model);
    if (status == SCDC_OK && model->finished) status = finish_fit(model, data);
    mem_free(f.good);
    mem_free(f.z);
    shard_work_free(&f.shards);
    batcher_free(&f.batches);
    return status;
}

static int create_cluster_level(scdc_model *model, const scdc_crowd *crowd, size_t annotated)
{
    size_t count;
    const scdc_answer *answers = crowd_answers_of(crowd, &count);
    if (!model_has_cluster_level(&model->core->spec)) return SCDC_OK;
    SCDC_TRY(model_create_clusters(model, annotated));
    return cluster_level_attach(model->clusters, answers, count);
}

int start_model(scdc_model **out, problem *p, const scdc_crowd *crowd)
{
    SCDC_TRY(model_create(out, &p->spec));
    scdc_model *model = *out;
    size_t annotated;
    model->input = p->input;
    p->input = (input_scale){0};
    SCDC_TRY(copy_workers(model, crowd));
    SCDC_TRY(crowd_annotated(&annotated, crowd));
    SCDC_TRY(create_cluster_level(model, crowd, annotated));
    SCDC_TRY(model->core->ops->start(model->core, p->spec.options.seed));
    return p->map.direction ? model->core->ops->set_linear(model->core, &p->map) : SCDC_OK;
}

/* All of it, and then a network that learns from the fit's labels, if the options ask for one. */
static int run_and_teach(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd,
                         const batcher_spec *batches, size_t epochs, const listener *to)
{
    fit f = {.model = model,
             .progress = to->progress,
             .user = to->user,
             .begun = seconds_now(),
             .restart = to->restart,
             .restarts = to->restarts,
             .stage = "classifier"};
    SCDC_TRY(fit_run(model, data, batches, epochs, to));
    if (!model->finished) return SCDC_OK;
    f.outside = watch_by((watcher){tell_work, &f});
    int status = teach_pupil(model, data, crowd);
    watch_by(f.outside);
    return status == SCDC_OK ? clusters_as_asked(model) : status;
}

int fit_once(scdc_model **out, const scdc_data *data, const scdc_crowd *crowd,
             const scdc_options *options, const listener *to)
{
    problem p = {0};
    scdc_model *model = NULL;
    parallel_set_threads(options->threads);
    SCDC_TRY(blas_reserve());
    SCDC_TRY(same_fit(data, crowd, options));
    int status = problem_describe(&p, data, crowd, options);
    batcher_spec batches = batches_of(&p.spec, &p.input, data, crowd);
    if (status == SCDC_OK) status = problem_measure(&p.spec, &batches, data);
    if (status == SCDC_OK) status = start_model(&model, &p, crowd);
    problem_free(&p);
    if (status == SCDC_OK)
        status = run_and_teach(model, data, crowd, &batches, p.spec.options.epochs, to);
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
    size_t answers;
    crowd_answers_of(crowd, &answers);
    if (model->updates) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the model was updated since its fit: scdc_model_update trains it on");
    }
    SCDC_TRY(model_check_width(model, data));
    SCDC_TRY(crowd_check(crowd, data));
    if (data->rows != spec->items || answers != spec->answers) {
        return fail_with(
            SCDC_ERR_ARGUMENT,
            "cannot resume: the run had %zu items and %zu answers, these are %zu and %zu",
            spec->items, spec->answers, data->rows, answers);
    }
    SCDC_TRY(know_workers(model, crowd));
    parallel_set_threads(spec->options.threads);
    SCDC_TRY(blas_reserve());
    SCDC_TRY(same_fit(data, crowd, &spec->options));
    SCDC_TRY(same_state(model));
    SCDC_TRY(options_fit_processes(&spec->options));
    if (epochs > model->epoch) model->finished = false;
    model->core->spec.options.epochs = epochs; /* also for whoever resumes after this */
    batcher_spec batches = batches_of(spec, &model->input, data, crowd);
    if (model->clusters) {
        SCDC_TRY(cluster_level_attach(model->clusters, batches.answers, batches.n_answers));
        SCDC_TRY(cluster_level_restore(model->clusters));
    }
    listener to = {progress, user, 1, 1};
    return run_and_teach(model, data, crowd, &batches, epochs, &to);
}
