/* What the recipes do around the core's steps: the default one has a warm-up, a start, and clusters
 * of components beside them; the paper's has the steps alone. */
#include "base/clock.h"
#include "base/ranks.h"
#include "base/stages.h"
#include "base/status.h"
#include "model/train/loop.h"
#include "model/recipe.h"
#include "model/train/start.h"
#include "model/train/stop.h"
#include "model/tuning.h"

/* Epochs of the warm-up draw from streams of their own. */
#define WARM_EPOCHS_FROM ((uint32_t)1 << 31)

/* ---- the steps of the stages ---- */

static bool has_shards(const fit *f)
{
    return f->batches.spec.shards > 1;
}

static int warm_step(bound_terms *terms, fit *f, minibatch *b, const step_rates *rates)
{
    core *c = f->model->core;
    if (!has_shards(f)) return core_warm_step(terms, c, b, rates);
    const shard_step s = {.batches = &f->batches, .core = c, .warm = true};
    return shards_step(terms, &f->shards, &s, b, rates);
}

/* The paper's algorithm: the minibatch says everything. */
static int plain_step(bound_terms *terms, fit *f, minibatch *b, const step_rates *rates)
{
    return core_step(terms, NULL, f->model->core, b, rates);
}

/* The default recipe: messages from all answers, remembered q(z), clusters of components. */
static int cluster_level_step(bound_terms *terms, fit *f, minibatch *b, const step_rates *rates)
{
    scdc_model *model = f->model;
    cluster_level *t = model->clusters;
    stage_enter(STAGE_CLUSTERS);
    if (model->batch % (size_t)REGROUP_EVERY == 0) SCDC_TRY(cluster_level_regroup(t, 1));
    if (has_shards(f)) {
        const shard_step s = {
            .batches = &f->batches, .core = model->core, .clusters = t, .z = f->z};
        SCDC_TRY(shards_step(terms, &f->shards, &s, b, rates));
    } else {
        cluster_level_send(t, b);
        stage_enter(STAGE_BOOKKEEPING);
        SCDC_TRY(core_step(terms, f->z, model->core, b, rates));
        stage_enter(STAGE_CLUSTERS);
        if (t->has_answers) cluster_level_remember(t, b, f->z);
    }
    terms->answers = 0; /* counted once an epoch, from all answers */
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

/* `whole` is the model before the start, which can be gone on from; inside there is none. */
static int tell_part(const fit *f, const scdc_work *work, const scdc_model *whole)
{
    if (!f->progress) return tell_outside(f, work->what, work->done, work->total);
    scdc_progress p = {.epoch = 1,
                       .epochs = 1,
                       .batch = work->done,
                       .batches = work->total,
                       .restart = f->restart,
                       .restarts = f->restarts,
                       .seconds = seconds_now() - f->begun,
                       .stage = f->stage,
                       .model = whole};
    return f->progress(&p, f->user);
}

/* Processes that share a fit cannot stop inside: the others would wait for what does not come. */
int tell_work(const scdc_work *work, void *user)
{
    int stop = tell_part(user, work, NULL);
    return scdc_ranks_count() == 1 ? stop : 0;
}

/* Stopped, it leaves the model as it was after the warm-up, from where it can be resumed. */
static int run_start(fit *f)
{
    f->stage = "start";
    SCDC_TRY(snapshot_copy(f, true));
    model_regroup(f->model);
    watcher before = watch_by((watcher){tell_work, f});
    stage_enter(STAGE_CLUSTERS);
    bool stop;
    int status = ranks_any(&stop, tell_part(f, &(scdc_work){.what = "start"}, f->model) != 0);
    if (status == SCDC_OK && stop)
        status = fail_with(SCDC_ERR_STOPPED, "stopped before the start of the components");
    if (status == SCDC_OK) status = start_components(f->model, f->data);
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
    if (spec->options.shards > 1) SCDC_TRY(shard_work_create(&f->shards, spec, model->core));
    if (!model->begun) SCDC_TRY(run_warm_up(f, batches));
    return classify_all(model, f->data); /* a resumed fit: the table is not saved */
}

static batch_plan plan_of_default(const scdc_options *o)
{
    (void)o;
    return PLAN_REMEMBERED;
}

static batch_plan plan_of_paper(const scdc_options *o)
{
    if (o->model == SCDC_MODEL_AMORTIZED) return PLAN_ITEMS;
    return o->batches == SCDC_BATCHES_HALVES ? PLAN_HALVES : PLAN_RELATIONAL;
}

static const recipe_steps default_steps = {.plan = plan_of_default,
                                           .prepare = prepare_clusters,
                                           .step = cluster_level_step,
                                           .end_epoch = settle_clusters,
                                           .sum_up = sum_up_answers,
                                           .compare = compare_clusters};
static const recipe_steps paper_steps = {.plan = plan_of_paper, .step = plain_step};

const recipe_steps *steps_of(const scdc_options *o)
{
    return recipe_of(o)->cluster_level ? &default_steps : &paper_steps;
}
