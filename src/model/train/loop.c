/* The loop over epochs and minibatches: progress, the guard against values that are not finite, the
 * record of an epoch, stopping. What a step does is the core's business. */
#include "base/clock.h"
#include "base/ranks.h"
#include "base/stages.h"
#include "base/status.h"
#include "model/train/loop.h"
#include "model/train/stop.h"

#include <math.h>
#include <string.h>

/* How often an epoch is tried with smaller steps. */
enum { GUARD_TRIES = 5 };

/* ---- the last good state ---- */

int snapshot_create(fit *f)
{
    tensor_ref tensors[CORE_MAX_TENSORS];
    size_t count = model_tensors(tensors, f->model);
    for (size_t i = 0; i < count; i++) f->good_bytes += tensor_bytes(&tensors[i]);
    return mem_zeroed(&f->good, f->good_bytes, 1, "a copy of the model's state");
}

int snapshot_copy(fit *f, bool save)
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
int tell_outside(const fit *f, const char *what, size_t done, size_t total)
{
    watcher inside = watch_by(f->outside);
    int status = watch_tick(what, done, total);
    watch_by(inside);
    return status;
}

static int tell(fit *f, const scdc_epoch *done)
{
    if (!f->progress)
        return ranks_settle(tell_outside(f, "fitting", f->model->epoch, f->stage_epochs));
    model_regroup(f->model); /* whoever saves it now saves clusters of this state */
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
                       .model = f->model};
    bool stop;
    SCDC_TRY(ranks_any(&stop, f->progress(&p, f->user) != 0));
    if (!stop) return SCDC_OK;
    return fail_with(SCDC_ERR_STOPPED, "stopped in epoch %zu after %zu of %zu minibatches", p.epoch,
                     p.batch, p.batches);
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
int run_epoch(fit *f, uint32_t epoch)
{
    f->epoch_begun = seconds_now();
    f->tries = 0;
    batcher_enter(&f->batches, epoch, f->model->batch);
    SCDC_TRY(snapshot_copy(f, true));
    return train_minibatches(f);
}

void end_epoch(scdc_model *model)
{
    model->batch = 0;
    model->sums = (bound_terms){0};
}

int run_epochs(fit *f)
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
