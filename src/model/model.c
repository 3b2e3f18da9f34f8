/* Creating, freeing and describing models; clusters as groups of components. */
#include "model/model.h"
#include "base/numeric.h"
#include "base/sized.h"
#include "base/status.h"
#include "io/npy.h"
#include "model/classes/alone.h"
#include "model/classes/classes.h"
#include "model/options.h"
#include "model/pupil/pupil.h"
#include "model/tuning.h"
#include "model/recipe.h"
#include "model/use/kept.h"
#include "model/use/settled.h"
#include "model/use/workspace.h"

#include <scdc/update.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int model_create(scdc_model **out, const core_spec *spec)
{
    scdc_model *model;
    int status;
    SCDC_TRY(mem_zeroed(&model, 1, sizeof *model, "a model"));
    model->input.scale = 1;
    model->rate_scale = 1;
    model->best_bound = -INFINITY;
    model->stability = NAN;
    model->experts.alone = alone_as_it_is();
    SCDC_TRY_OR(error, status,
                spec->options.model == SCDC_MODEL_AMORTIZED ? amortized_create(&model->core, spec)
                                                            : bayes_create(&model->core, spec));
    model->worker_names =
        arena_new(&model->memory, spec->workers, sizeof *model->worker_names, "worker names");
    model->worker_answers = arena_new(&model->memory, spec->workers, sizeof *model->worker_answers,
                                      "answers per worker");
    model->cluster_of =
        arena_new(&model->memory, spec->components, sizeof *model->cluster_of, "clusters");
    model->number = arena_new(&model->memory, spec->components, sizeof *model->number, "clusters");
    model->proportions =
        arena_new(&model->memory, spec->components, sizeof *model->proportions, "proportions");
    model->workspaces =
        arena_new(&model->memory, 1, sizeof *model->workspaces, "the workspaces of threads");
    SCDC_TRY_OR(error, status, arena_status(&model->memory));
    for (size_t c = 0; c < spec->components; c++) model->number[c] = (int64_t)c;
    *out = model;
    return SCDC_OK;
error:
    scdc_model_free(model);
    return status;
}

void scdc_model_free(scdc_model *model)
{
    if (!model) return;
    workspaces_free(model->workspaces);
    model_drop_classifier(model);
    model_drop_pupil(model);
    known_free(model->known);
    settled_free(model->settled);
    kept_free(model->kept);
    if (model->clusters) cluster_level_free(model->clusters);
    mem_free(model->clusters);
    if (model->core) model->core->ops->free(model->core);
    input_free(&model->input);
    arena_free(&model->memory);
    free(model->history);
    free(model->shares);
    mem_free(model);
}

bool model_has_cluster_level(const core_spec *spec)
{
    return recipe_of(&spec->options)->cluster_level;
}

int model_create_clusters(scdc_model *model, size_t annotated)
{
    SCDC_TRY(mem_zeroed(&model->clusters, 1, sizeof *model->clusters, "clusters"));
    int status = cluster_level_create(model->clusters, model->core, annotated);
    if (status == SCDC_OK) return SCDC_OK;
    mem_free(model->clusters);
    model->clusters = NULL;
    return status;
}

size_t model_annotated(const scdc_model *model)
{
    return model->clusters ? model->clusters->remembered.nodes : 0;
}

int model_create_classifier(scdc_model *model, size_t items, size_t n_classes)
{
    const core_spec *s = &model->core->spec;
    return classifier_create(&model->classifier, items, s->channels * s->height * s->width,
                             n_classes);
}

void model_drop_classifier(scdc_model *model)
{
    classifier_free(&model->classifier);
    if (!model->clusters) return;
    mem_free(model->clusters->verdict);
    model->clusters->verdict = NULL;
    model->clusters->verdict_classes = 0;
}

int model_create_pupil(scdc_model *model, const char *words, size_t rows)
{
    const core_spec *s = &model->core->spec;
    pupil *f;
    SCDC_TRY(mem_zeroed(&f, 1, sizeof *f, "a classifier"));
    int status =
        pupil_create(f, words, (shape){s->channels, s->height, s->width}, model->n_clusters, rows);
    if (status != SCDC_OK) {
        mem_free(f);
        return status;
    }
    model->pupil = f;
    settled_free(model->settled); /* labels that did not hear it */
    model->settled = NULL;
    return SCDC_OK;
}

void model_drop_pupil(scdc_model *model)
{
    if (model->pupil) pupil_free(model->pupil);
    mem_free(model->pupil);
    model->pupil = NULL;
}

bool model_is_judged(const scdc_model *model)
{
    return model->classifier.items && !model->weighed;
}

bool model_is_led(const scdc_model *model)
{
    return model->pupil && model->clusters && cluster_level_fixed(model->clusters) &&
           !model->classifier.items && model->core->spec.options.net != SCDC_NET_LINEAR;
}

bool model_asks_classifier(const scdc_model *model)
{
    return model->weighed ? experts_need_classifier(&model->experts) : model_is_judged(model);
}

bool model_heeds_experts(const scdc_model *model)
{
    return model->weighed && (!model->pupil || model->experts.alone.experts > 0);
}

size_t model_tensors(tensor_ref out[CORE_MAX_TENSORS], scdc_model *model)
{
    size_t count = model->core->ops->tensors(out, model->core);
    if (model->clusters) count += cluster_level_tensors(out + count, model->clusters);
    return count;
}

int model_restored(scdc_model *model)
{
    if (model->core->ops->restored) SCDC_TRY(model->core->ops->restored(model->core));
    return model->clusters ? cluster_level_restore(model->clusters) : SCDC_OK;
}

size_t tensor_bytes(const tensor_ref *t)
{
    size_t bytes = dtype_size(t->dtype);
    for (size_t a = 0; a < t->ndim; a++) bytes *= t->shape[a];
    return bytes;
}

void model_clusters_of_row(double *out, const double *z, const scdc_model *model)
{
    double sum = 0;
    for (size_t c = 0; c < model->n_clusters; c++) out[c] = 0;
    for (size_t k = 0; k < model->core->spec.components; k++) {
        if (model->cluster_of[k] < 0) continue;
        out[model->cluster_of[k]] += z[k];
        sum += z[k];
    }
    if (!(sum > 0)) out[0] = sum = 1;
    for (size_t c = 0; c < model->n_clusters; c++) out[c] /= sum;
}

void model_forget_experts(scdc_model *model)
{
    settled_free(model->settled);
    model->settled = NULL;
    model_drop_pupil(model);
    model->experts.alone = alone_as_it_is();
    if (!model->weighed) return;
    classifier_free(&model->classifier);
    model->weighed = false;
}

size_t model_live_components(const scdc_model *model)
{
    size_t live = 0;
    for (size_t k = 0; k < model->core->spec.components; k++) live += model->cluster_of[k] >= 0;
    return live;
}

void model_regroup(scdc_model *model)
{
    if (model->clusters) {
        memcpy(model->cluster_of, model->clusters->groups.cluster,
               model->core->spec.components * sizeof *model->cluster_of);
        model->n_clusters = model->clusters->groups.clusters;
        return;
    }
    size_t components = model->core->spec.components, clusters = 0;
    double *pi = model->proportions;
    if (model->core->ops->held) model->core->ops->held(pi, model->core);
    else model->core->ops->proportions(pi, model->core);
    size_t best = argmax(pi, components);
    for (size_t k = 0; k < components; k++) {
        bool alive = pi[k] >= LIVE_SHARE || k == best;
        model->cluster_of[k] = alive ? (int64_t)clusters++ : -1;
    }
    model->n_clusters = clusters;
}

int64_t model_number(const scdc_model *model, int64_t cluster)
{
    return cluster < 0 ? cluster : model->number[cluster];
}

size_t model_cluster_of_number(const scdc_model *model, int64_t number)
{
    for (size_t c = 0; c < model->n_clusters; c++) {
        if (model->number[c] == number) return c;
    }
    return SIZE_MAX;
}

static int append_shares(scdc_model *model, const double *shares)
{
    size_t components = model->core->spec.components, values;
    if (!size_mul(&values, model->epoch + 1, components)) return fail_memory(SIZE_MAX, "epochs");
    SCDC_TRY(mem_reserve(&model->shares, &model->shares_capacity, values, sizeof *model->shares,
                         "the record of epochs"));
    double *row = model->shares + model->epoch * components;
    if (shares) memcpy(row, shares, components * sizeof *row);
    else model->core->ops->proportions(row, model->core);
    return SCDC_OK;
}

int model_append_epoch(scdc_model *model, const scdc_epoch *epoch, const double *shares)
{
    if (!model_has_cluster_level(&model->core->spec)) SCDC_TRY(append_shares(model, shares));
    SCDC_TRY(mem_reserve(&model->history, &model->history_capacity, model->epoch + 1,
                         sizeof *model->history, "the record of epochs"));
    model->history[model->epoch++] = *epoch;
    return SCDC_OK;
}

size_t model_width(const scdc_model *model)
{
    const core_spec *spec = &model->core->spec;
    return spec->channels * spec->height * spec->width;
}

int model_check_width(const scdc_model *model, const scdc_data *data)
{
    size_t width = model_width(model);
    if (data->cols == width) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT,
                     "the model was fitted on items of %zu values, these have %zu", width,
                     data->cols);
}

int model_check_values(const scdc_model *model, const scdc_data *data)
{
    if (!model->input.binarise || data->dtype == SCDC_U8) return SCDC_OK;
    scdc_data_info info;
    SCDC_TRY(scdc_data_get_info(&info, data));
    double low = info.min * (double)model->input.scale,
           high = info.max * (double)model->input.scale;
    /* 255 / 255 in single precision is a little above 1. */
    if (low >= 0 && high <= 1 + 1e-6) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT,
                     "the model was fitted on values in [0,%g], these go from %g to %g",
                     1 / (double)model->input.scale, info.min, info.max);
}

/* ---- public ---- */

int scdc_model_get_info_sized(scdc_model_info *out, size_t size, const scdc_model *model)
{
    if (!out || !model) return fail_with(SCDC_ERR_ARGUMENT, "out and model must not be NULL");
    const core_spec *spec = &model->core->spec;
    scdc_model_info info = {.kind = spec->options.model,
                            .components = spec->components,
                            .clusters = model->n_clusters,
                            .live_components = model_live_components(model),
                            .latent = spec->latent,
                            .workers = spec->workers,
                            .cols = spec->channels * spec->height * spec->width,
                            .channels = spec->channels,
                            .height = spec->height,
                            .width = spec->width,
                            .likelihood = spec->likelihood,
                            .epochs_done = model->epoch,
                            .items = spec->items,
                            .answers = spec->answers,
                            .finished = model->finished,
                            .judged = model_is_judged(model) || model_is_led(model),
                            .annotated = model_annotated(model),
                            .taught_by = model->classifier.items};
    if (info.judged) info.most_classes = classes_most(&spec->options);
    const alone_word *a = &model->experts.alone;
    if (model->pupil) info.network = a->network / (a->experts + a->network);
    sized_fill(out, size, &info, sizeof info);
    return SCDC_OK;
}

int scdc_model_set_threads(scdc_model *model, int threads)
{
    if (!model) return fail_with(SCDC_ERR_ARGUMENT, "model must not be NULL");
    scdc_options changed = model->core->spec.options;
    changed.threads = threads;
    SCDC_TRY(options_check(&changed));
    model->core->spec.options = changed;
    return SCDC_OK;
}

const scdc_options *scdc_model_options(const scdc_model *model)
{
    return model ? &model->core->spec.options : NULL;
}

double scdc_model_stability(const scdc_model *model)
{
    return model ? model->stability : NAN;
}

const scdc_epoch *scdc_model_epochs(const scdc_model *model, size_t *count)
{
    if (count) *count = model ? model->epoch : 0;
    return model ? model->history : NULL;
}

const double *scdc_model_epoch_proportions(const scdc_model *model, size_t epoch)
{
    if (!model || !model->shares || epoch >= model->epoch) return NULL;
    return model->shares + epoch * model->core->spec.components;
}

int scdc_model_components(double *proportions, int64_t *clusters, size_t room,
                          const scdc_model *model)
{
    if (!model) return fail_with(SCDC_ERR_ARGUMENT, "model must not be NULL");
    if (proportions || clusters)
        SCDC_TRY(sized_room(room, model->core->spec.components, "components"));
    if (proportions) model->core->ops->proportions(proportions, model->core);
    for (size_t k = 0; clusters && k < model->core->spec.components; k++)
        clusters[k] = model_number(model, model->cluster_of[k]);
    return SCDC_OK;
}

int scdc_model_clusters(int64_t *numbers, size_t room, int64_t *next, const scdc_model *model)
{
    if (!model) return fail_with(SCDC_ERR_ARGUMENT, "model must not be NULL");
    if (numbers) SCDC_TRY(sized_room(room, model->n_clusters, "clusters"));
    if (numbers) memcpy(numbers, model->number, model->n_clusters * sizeof *numbers);
    int64_t above = (int64_t)model->n_clusters;
    if (next) *next = model->updates ? model->next_number : above;
    return SCDC_OK;
}
