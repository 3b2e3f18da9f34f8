/* Using a model: clusters, embeddings, generated items, workers. */
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "base/rng.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/watch.h"
#include "expfam/special.h"
#include "kernels/blas.h"
#include "model/classes/alone.h"
#include "model/model.h"
#include "model/recipe.h"
#include "model/use/place_answers.h"
#include "model/use/predict.h"
#include "model/use/settled.h"
#include "model/use/walk.h"
#include "model/use/workspace.h"

#include <math.h>
#include <string.h>

enum { WRITE_ROWS = 64 }; /* rows whose results one thread writes in one go */

size_t component_in(const double *z, size_t cluster, const scdc_model *model)
{
    size_t K = model->core->spec.components, best = K;
    for (size_t k = 0; k < K; k++) {
        if (model->cluster_of[k] != (int64_t)cluster) continue;
        if (best == K || z[k] > z[best]) best = k;
    }
    return best < K ? best : argmax(z, K);
}

/* A model, and where the results of items go. */
typedef struct prediction {
    const scdc_model *model;
    const placed *out;
    double *shares;    /* K per thread */
    const chunk *at;   /* being written */
    bool alone;        /* items that are on their own are as sure as they may be */
    size_t before;     /* items of a stream that came before these */
    size_t begin, end; /* items that this process keeps */
} prediction;

static void write_shares(prediction *r, size_t item, const double *z, const double *shares)
{
    const placed *out = r->out;
    size_t clusters = r->model->n_clusters;
    size_t best = argmax(shares, clusters);
    if (out->labels) out->labels[item] = (int64_t)best;
    if (out->probability) out->probability[item] = shares[best];
    if (out->component) out->component[item] = (int64_t)component_in(z, best, r->model);
    for (size_t c = 0; c < clusters && out->proba; c++) {
        out->proba[item * clusters + c] = (float)shares[c];
    }
}

/* Probabilities of the clusters, in room of the thread. */
static double *shares_of(prediction *r, const double *z)
{
    double *shares = r->shares + parallel_slot() * r->model->core->spec.components;
    model_clusters_of_row(shares, z, r->model);
    return shares;
}

static void write_item(void *context, size_t item, const double *z)
{
    prediction *r = context;
    if (item < r->begin || item >= r->end) return;
    write_shares(r, item, z, shares_of(r, z));
}

static void write_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    prediction *r = context;
    const scdc_model *model = r->model;
    size_t K = model->core->spec.components;
    for (size_t row = begin; row < end; row++) {
        const double *z = r->at->z + row * K;
        double *shares = shares_of(r, z);
        if (r->alone) alone_say(shares, &model->experts.alone, shares, NULL, model->n_clusters);
        write_shares(r, r->at->item[row], z, shares);
    }
}

static int write_chunk(void *context, const chunk *c)
{
    prediction *r = context;
    size_t d = r->model->core->spec.latent;
    if (!all_finite(c->z, c->rows * r->model->core->spec.components)) {
        return fail_with(SCDC_ERR_NUMERIC,
                         "items %zu to %zu: the model gives values that are not finite: its file "
                         "was changed, or the items are far from those it was fitted on",
                         r->before + c->first, r->before + c->first + c->rows - 1);
    }
    r->at = c;
    parallel_for(c->rows, WRITE_ROWS, write_rows, r);
    for (size_t i = 0; i < c->rows * d && r->out->latent; i++) {
        r->out->latent[c->first * d + i] = (float)c->x[i];
    }
    return SCDC_OK;
}

/* The mixture says where items are; clusters are everybody's word. */
static int place_latents(void *context, const chunk *c)
{
    core *by = ((const prediction *)context)->model->core;
    return by->ops->place(c->z, c->x, by, c->o, c->rows, NULL);
}

static bool only_latents(const placed *out)
{
    return !out->labels && !out->component && !out->probability && !out->proba;
}

void kept_items(size_t *begin, size_t *end, const placed *out, const scdc_model *model,
                size_t items)
{
    bool all = out->kept_by == KEPT_BY_ALL;
    if (out->kept_by == KEPT_BY_FIRST) all = scdc_ranks_rank() == 0;
    *begin = 0;
    *end = items;
    if (!all) walk_own(begin, end, model, items);
}

int model_place(const placed *out, const scdc_model *model, const scdc_data *data,
                const answer_list *answers)
{
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    SCDC_TRY(model_check_width(model, data));
    SCDC_TRY(model_check_values(model, data));
    /* Where there is a network it has the last word already. */
    prediction r = {.model = model,
                    .out = out,
                    .before = data->first,
                    .alone = out->alone && !model->pupil && model->n_clusters <= MOST_CLASSES};
    size_t K = model->core->spec.components;
    parallel_set_threads(model->core->spec.options.threads);
    SCDC_TRY(blas_reserve());
    SCDC_TRY(mem_zeroed(&r.shares, parallel_slots() * K, sizeof *r.shares, "probabilities"));
    walk all = {.model = model,
                .data = data,
                .count = data->rows,
                .latent = out->latent != NULL,
                .place = only_latents(out) ? place_latents : NULL,
                .take = write_chunk,
                .context = &r,
                .kept_by = out->kept_by,
                .result = {{out->labels, sizeof *out->labels},
                           {out->component, sizeof *out->component},
                           {out->probability, sizeof *out->probability},
                           {out->proba, model->n_clusters * sizeof *out->proba},
                           {out->latent, model->core->spec.latent * sizeof *out->latent}}};
    int status = walk_items(&all);
    kept_items(&r.begin, &r.end, out, model, data->rows);
    bool helps = out->kept_by == KEPT_BY_FIRST && scdc_ranks_rank() > 0;
    if (status == SCDC_OK && answers && answers->count && !helps) {
        status = place_with_answers(model, data, answers, NULL, write_item, &r);
    }
    mem_free(r.shares);
    return status;
}

/* Components of items whose clusters are known. */
typedef struct inside {
    const scdc_model *model;
    const int64_t *labels;
    int64_t *component;
} inside;

/* Whoever chose the cluster, the mixture chooses the component inside. */
static int place_inside(void *context, const chunk *c)
{
    core *by = ((const inside *)context)->model->core;
    return by->ops->place(c->z, c->x, by, c->o, c->rows, NULL);
}

static int write_components(void *context, const chunk *c)
{
    const inside *w = context;
    size_t K = w->model->core->spec.components;
    for (size_t row = 0; row < c->rows; row++) {
        uint32_t item = c->item[row];
        size_t k = component_in(c->z + row * K, (size_t)w->labels[item], w->model);
        w->component[item] = (int64_t)k;
    }
    return SCDC_OK;
}

int model_components_in(int64_t *component, const int64_t *labels, const uint32_t *items,
                        size_t count, const scdc_model *model, const scdc_data *data)
{
    inside w = {model, labels, component};
    return walk_items(&(walk){.model = model,
                              .data = data,
                              .count = count,
                              .items = items,
                              .place = place_inside,
                              .take = write_components,
                              .context = &w});
}

void model_number_labels(int64_t *labels, size_t count, const scdc_model *model)
{
    for (size_t i = 0; labels && model->updates && i < count; i++)
        labels[i] = model_number(model, labels[i]);
}

void model_doubt(double *probability, float *proba, size_t rows, const scdc_model *model)
{
    double kept = 1 - model->doubt, given = model->doubt / (double)model->n_clusters;
    if (!(model->doubt > 0)) return;
    for (size_t i = 0; probability && i < rows; i++) {
        probability[i] = kept * probability[i] + given;
    }
    for (size_t i = 0; proba && i < rows * model->n_clusters; i++) {
        proba[i] = (float)(kept * (double)proba[i] + given);
    }
}

int place_by_view(const placed *out, const scdc_model *model, const scdc_data *data,
                  const scdc_crowd *crowd)
{
    scdc_model *own;
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    SCDC_TRY(workspace_take(&own, model));
    answer_list answers;
    int status = answers_of_crowd(&answers, own, crowd);
    if (status == SCDC_OK) status = model_place(out, own, data, &answers);
    answer_list_free(&answers);
    workspace_give(own, model);
    if (status == SCDC_OK) {
        size_t begin, end;
        bool doubted = out->alone && model->experts.alone.doubt > 0; /* by its own word already */
        kept_items(&begin, &end, out, model, data->rows);
        if (out->labels) model_number_labels(out->labels + begin, end - begin, model);
        if (!doubted) {
            model_doubt(out->probability ? out->probability + begin : NULL,
                        out->proba ? out->proba + begin * model->n_clusters : NULL, end - begin,
                        model);
        }
    }
    return status;
}

int scdc_predict(int64_t *labels, double *probability, int64_t *component, float *proba,
                 const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    placed out = {.labels = labels,
                  .component = component,
                  .probability = probability,
                  .proba = proba,
                  .alone = true,
                  .kept_by = ranks_to_first() ? KEPT_BY_FIRST : KEPT_BY_ALL};
    return place_by_view(&out, model, data, crowd);
}

int scdc_model_labels(int64_t *labels, double *probability, int64_t *component, float *proba,
                      const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    const core_spec *spec = &model->core->spec;
    size_t answers = 0;
    if (crowd) scdc_crowd_answers(crowd, &answers);
    if (data->rows != spec->items || answers != spec->answers) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the model was fitted on %zu items and %zu answers, these are %zu and "
                         "%zu: scdc_predict is for other items",
                         spec->items, spec->answers, data->rows, answers);
    }
    if (settled_fits(model->settled, data, scdc_crowd_checksum(crowd))) {
        settled_tell(labels, probability, component, proba, model);
        return SCDC_OK;
    }
    if (network_settles(model) && data->rows > 1) {
        return place_at_once(labels, probability, component, proba, model, data, crowd);
    }
    bool together = recipe_of(&spec->options)->hears_neighbours;
    return (together ? scdc_predict_together : scdc_predict)(labels, probability, component, proba,
                                                             model, data, crowd);
}

int scdc_embed(float *out, const scdc_model *model, const scdc_data *data)
{
    if (!out) return fail_with(SCDC_ERR_ARGUMENT, "out must not be NULL");
    return place_by_view(&(placed){.latent = out}, model, data, NULL);
}

/* ---- generated items ---- */

/* A component of cluster c, drawn by proportion; each item draws its own. */
static size_t draw_component(const scdc_model *model, const double *pi, int64_t c, rng *r)
{
    double total = 0;
    size_t last = 0;
    for (size_t k = 0; k < model->core->spec.components; k++) {
        if (model->cluster_of[k] == c) total += pi[k];
    }
    double u = rng_uniform(r) * total;
    for (size_t k = 0; k < model->core->spec.components; k++) {
        if (model->cluster_of[k] != c) continue;
        last = k;
        u -= pi[k];
        if (u < 0) break;
    }
    return last;
}

static int check_made(const float *row, size_t width)
{
    for (size_t d = 0; d < width; d++) {
        if (!isfinite(row[d]))
            return fail_with(SCDC_ERR_NUMERIC, "the model makes up values that are not finite: "
                                               "its file was changed");
    }
    return SCDC_OK;
}

static int check_sample_room(size_t room, size_t groups, size_t count, size_t width)
{
    size_t values;
    if (!size_mul(&values, groups, count) || !size_mul(&values, values, width)) values = SIZE_MAX;
    return sized_room(room, values, "values");
}

static int sample(float *out, size_t room, scdc_model *model, int components, size_t count,
                  uint64_t seed)
{
    const core_spec *spec = &model->core->spec;
    size_t width = spec->channels * spec->height * spec->width;
    size_t groups = components ? spec->components : model->n_clusters;
    real *item;
    SCDC_TRY(check_sample_room(room, groups, count, width));
    parallel_set_threads(spec->options.threads);
    SCDC_TRY(blas_reserve());
    model->core->ops->proportions(model->proportions, model->core);
    SCDC_TRY(mem_zeroed(&item, width, sizeof *item, "a generated item"));
    int status = SCDC_OK;
    for (size_t g = 0; g < groups && status == SCDC_OK; g++) {
        for (size_t i = 0; i < count && status == SCDC_OK; i++) {
            rng r;
            SCDC_TRY_OR(done, status, watch_tick("making items", g * count + i, groups * count));
            rng_init(&r, seed, RNG_GENERATE, (uint32_t)g, i);
            size_t k = components ? g : draw_component(model, model->proportions, (int64_t)g, &r);
            status = model->core->ops->generate(item, model->core, k, 1, rng_u64(&r));
            float *row = out + (g * count + i) * width;
            if (status == SCDC_OK) input_restore(row, item, &model->input, width);
            if (status == SCDC_OK) status = check_made(row, width);
        }
    }
done:
    mem_free(item);
    return status;
}

int scdc_sample(float *out, size_t room, const scdc_model *model, int components, size_t count,
                uint64_t seed)
{
    scdc_model *own;
    if (!out || !model) return fail_with(SCDC_ERR_ARGUMENT, "out and model must not be NULL");
    SCDC_TRY(workspace_take(&own, model));
    int status = sample(out, room, own, components, count, seed);
    workspace_give(own, model);
    return status;
}

/* ---- workers ---- */

int scdc_workers_sized(scdc_worker *out, size_t size, size_t room, const scdc_model *model)
{
    if (!out || !model) return fail_with(SCDC_ERR_ARGUMENT, "out and model must not be NULL");
    SCDC_TRY(sized_room(room, model->core->spec.workers, "workers"));
    for (size_t m = 0; m < model->core->spec.workers; m++) {
        worker_estimate e;
        model->core->ops->worker(&e, model->core, m);
        double a = e.sensitivity[0] / (e.sensitivity[0] + e.sensitivity[1]);
        double b = e.specificity[0] / (e.specificity[0] + e.specificity[1]);
        scdc_worker worker = {
            .name = model->worker_names[m],
            .answers = model->worker_answers[m],
            .sensitivity = a,
            .specificity = b,
            .sensitivity_low = beta_quantile(0.025, e.sensitivity[0], e.sensitivity[1]),
            .sensitivity_high = beta_quantile(0.975, e.sensitivity[0], e.sensitivity[1]),
            .specificity_low = beta_quantile(0.025, e.specificity[0], e.specificity[1]),
            .specificity_high = beta_quantile(0.975, e.specificity[0], e.specificity[1]),
            .weight = log(e.sensitivity[0] / e.sensitivity[1]) +
                      log(e.specificity[0] / e.specificity[1])};
        if (!isfinite(a) || !isfinite(b) || !isfinite(worker.weight)) {
            return fail_with(SCDC_ERR_NUMERIC,
                             "worker \"%.60s\": the model's estimates are not finite: its file "
                             "was changed",
                             worker.name);
        }
        sized_fill((char *)out + m * size, size, &worker, sizeof worker);
    }
    return SCDC_OK;
}
