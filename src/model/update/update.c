/* scdc_model_update: builds the new model beside the old one, and lets it take its place at the
 * end. */
#include "base/parallel.h"
#include "base/sized.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "kernels/blas.h"
#include "model/pupil/teach.h"
#include "model/recipe.h"
#include "model/train/finish.h"
#include "model/train/fit.h"
#include "model/train/start.h"
#include "model/train/unheard.h"
#include "model/tuning.h"
#include "model/use/kept.h"
#include "model/update/rivals.h"
#include "model/update/update.h"
#include "model/use/known.h"

#include <scdc/update.h>

enum { SAMPLE = 8192 }; /* items that clusters are matched by */

static const scdc_update plain = {.size = sizeof plain};

void scdc_update_init_sized(scdc_update *update, size_t size)
{
    sized_init(update, size, &plain, sizeof plain);
}

static int check(const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    const core_spec *s = &model->core->spec;
    if (!recipe_of(&s->options)->cluster_level) {
        return fail_with(SCDC_ERR_UNSUPPORTED,
                         "a fit of the paper's recipe learns from answers in training only: fit "
                         "again with all of them");
    }
    if (!model->finished) {
        return fail_with(SCDC_ERR_ARGUMENT, "the fit is not finished: resume it first");
    }
    SCDC_TRY(model_check_width(model, data));
    SCDC_TRY(model_check_values(model, data));
    if (data->rows < s->items || crowd->count < s->answers) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the model knows %zu items and %zu answers, these are %zu and %zu: an "
                         "update takes all so far and new ones",
                         s->items, s->answers, data->rows, crowd->count);
    }
    return crowd_check(crowd, data);
}

/* Without networks components are chosen anew, as in a fit. */
static int choose_again(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd,
                        const scdc_update *o)
{
    batcher_spec batches = batches_of(&model->core->spec, &model->input, data, crowd);
    listener to = {o->progress, o->user, 1, 1};
    model->begun = model->finished = false;
    model->epoch = 0;
    return fit_run(model, data, &batches, model->core->spec.options.epochs, &to);
}

static int train_on(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd,
                    const scdc_update *o)
{
    batcher_spec batches = batches_of(&model->core->spec, &model->input, data, crowd);
    listener to = {o->progress, o->user, 1, 1};
    model->finished = false;
    model->fit_answers = 0;
    kept_free(model->kept); /* components learn, too */
    model->kept = NULL;
    model->core->spec.options.epochs = model->epoch + o->epochs;
    return fit_run(model, data, &batches, model->core->spec.options.epochs, &to);
}

/* Clusters of a network that learned them from answers stay, and so does it. */
static int follow_network(scdc_model *next, const scdc_model *from, const scdc_data *data)
{
    size_t K = from->core->spec.components;
    uint32_t *cluster;
    SCDC_TRY(mem_zeroed(&cluster, K, sizeof *cluster, "clusters"));
    for (size_t k = 0; k < K; k++)
        cluster[k] = from->cluster_of[k] < 0 ? NO_CLUSTER : (uint32_t)from->cluster_of[k];
    cluster_level_fix_clusters(next->clusters, cluster);
    mem_free(cluster);
    model_regroup(next);
    SCDC_TRY(teach_as_before(next, from, data));
    return hear_answers_again(next, data);
}

/* Whether there are so many answers that classes learned from them may be better than the fit's
 * components. */
static bool may_have_classes(const scdc_model *next, const scdc_data *data)
{
    const core_spec *s = &next->core->spec;
    const remembered *all = &next->clusters->remembered;
    double told = 0;
    for (size_t a = 0; a < all->n_answers; a++)
        told += 2 * placements_worth(&all->piles.tasks, a) / (double)all->nodes;
    return s->options.clusters_from == SCDC_CLUSTERS_FROM_AUTO && told >= UPDATE_TOLD &&
           data->cols <= CLASSES_MOST_DIMS &&
           (double)s->answers >= UPDATE_CLASSES_FROM * (double)next->fit_answers;
}

/* *out: the same with clusters that are classes, looked for inside of those of `next`, or NULL
 * where answers tell none. The fit's components stay with it. */
static int settle_in_classes(scdc_model **out, scdc_model *next, const scdc_model *from,
                             const scdc_data *data, const scdc_crowd *crowd)
{
    scdc_model *model = NULL;
    int64_t *cluster;
    bool taken = false;
    SCDC_TRY(mem_zeroed(&cluster, data->rows, sizeof *cluster, "clusters of items"));
    int status = scdc_model_labels(cluster, NULL, NULL, NULL, next, data, crowd);
    if (status == SCDC_OK) status = update_grow(&model, from, data, crowd);
    if (status == SCDC_OK) status = kept_take(&model->kept, model);
    if (status == SCDC_OK)
        status = start_in_classes(&taken, model, data, &(class_start){cluster, CLASSES_AGAIN});
    if (status == SCDC_OK && taken) {
        model_regroup(model);
        status = update_settle(model, data);
    }
    mem_free(cluster);
    if (status == SCDC_OK && taken) *out = model;
    else scdc_model_free(model);
    return status;
}

/* Networks that learned from few of the answers may have put kinds together that many tell apart:
 * classes take the components' place where they foretell answers clearly better. */
static int choose_clusters(scdc_model *next, const scdc_model *from, const scdc_data *data,
                           const scdc_crowd *crowd)
{
    scdc_model *other = NULL;
    bool better = false;
    double doubt = 0;
    if (!may_have_classes(next, data)) return SCDC_OK;
    SCDC_TRY(settle_in_classes(&other, next, from, data, crowd));
    int status = other ? rivals_compare(&better, &doubt, other, next, data) : SCDC_OK;
    if (better) {
        scdc_model components = *next;
        *next = *other;
        *other = components;
        next->doubt = doubt;
    }
    scdc_model_free(other);
    return status;
}

static int learn(scdc_model *next, scdc_model *from, const scdc_data *data, const scdc_crowd *crowd,
                 const scdc_update *o)
{
    bool components = false; /* those of the fit */
    if (next->core->spec.options.net == SCDC_NET_LINEAR) return choose_again(next, data, crowd, o);
    /* Of few items components that no answer, or few, had a say in may be too few for what answers
     * tell apart: all is chosen anew where the networks put the items. Of many there are enough of
     * them, finer than a mixture of a sample would be. Among many items classes learned from
     * answers are looked for again, and components begin inside them. */
    if (model_is_led(from)) {
        SCDC_TRY(follow_network(next, from, data));
        return o->epochs ? train_on(next, data, crowd, o) : SCDC_OK;
    }
    bool few =
        data->rows < UPDATE_KEEPS_FROM && (!update_was_taught(from) || data->cols <= ALL_COLUMNS);
    if (few) SCDC_TRY(start_components_again(next, data));
    else if (model_is_judged(from) && !from->kept) SCDC_TRY(start_components(next, data));
    else {
        components = true;
        next->known = known_share(from->known);
    }
    model_regroup(next);
    SCDC_TRY(update_settle(next, data));
    if (components) SCDC_TRY(choose_clusters(next, from, data, crowd));
    return o->epochs ? train_on(next, data, crowd, o) : SCDC_OK;
}

/* Numbers from where evenly spread items were and are. */
static int number(scdc_model *next, scdc_model *model, const scdc_data *data, const scdc_update *o)
{
    size_t earlier = model->core->spec.items, count = earlier < SAMPLE ? earlier : SAMPLE;
    int64_t *before, *after;
    arena memory = {0};
    before = arena_new(&memory, count, sizeof *before, "labels");
    after = arena_new(&memory, count, sizeof *after, "labels");
    int status = arena_status(&memory);
    if (status == SCDC_OK) status = update_sample(after, count, next, data, earlier);
    if (status == SCDC_OK && !o->labels) {
        status = update_sample(before, count, model, data, earlier);
        for (size_t i = 0; i < count; i++) before[i] = model_number(model, before[i]);
    }
    for (size_t i = 0; i < count && o->labels; i++)
        before[i] = o->labels[sampled_item(i, count, earlier)];
    if (status == SCDC_OK) status = update_numbers(next, model, before, after, count);
    arena_free(&memory);
    return status;
}

int scdc_model_update(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd,
                      const scdc_update *options)
{
    scdc_update o = plain;
    scdc_model *next = NULL;
    if (!model || !data || !crowd) {
        return fail_with(SCDC_ERR_ARGUMENT, "model, data and crowd must not be NULL");
    }
    if (options) SCDC_TRY(sized_take(&o, sizeof o, options, "scdc_update_init"));
    SCDC_TRY(check(model, data, crowd));
    parallel_set_threads(model->core->spec.options.threads);
    SCDC_TRY(blas_reserve());
    int status = update_grow(&next, model, data, crowd);
    if (status == SCDC_OK) status = learn(next, model, data, crowd, &o);
    if (status == SCDC_OK) status = clusters_as_asked(next);
    if (status == SCDC_OK) status = number(next, model, data, &o);
    /* A network that places items stays, too, or learns clusters that are new. */
    if (status == SCDC_OK) status = teach_again(next, model, data, crowd, !o.epochs);
    if (status == SCDC_OK) {
        scdc_model earlier = *model;
        *model = *next;
        *next = earlier;
    }
    scdc_model_free(next);
    return status;
}
