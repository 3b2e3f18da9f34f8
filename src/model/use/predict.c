/* Using a model: clusters, embeddings, generated items, workers. */
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/sized.h"
#include "base/stages.h"
#include "base/status.h"
#include "expfam/special.h"
#include "model/model.h"
#include "model/use/place_answers.h"
#include "model/use/predict.h"
#include "model/use/workspace.h"

#include <math.h>
#include <string.h>

enum { WRITE_ROWS = 64 }; /* rows whose results one thread writes in one go */

/* Buffers for placing items a chunk at a time. */
typedef struct placing {
    size_t rows; /* most rows of a chunk */
    uint32_t *item;
    real *o;
    double *z, *x, *shares; /* x: NULL when nobody asks for it; shares: K per thread */
    arena memory;
} placing;

static int placing_create(placing *out, const scdc_model *model, size_t items, bool latent)
{
    const core_spec *spec = &model->core->spec;
    placing p = {.rows = items < spec->max_rows ? items : spec->max_rows};
    size_t width = spec->channels * spec->height * spec->width, rows = p.rows;
    size_t K = spec->components;
    int status;
    p.item = arena_new(&p.memory, rows, sizeof *p.item, "a chunk");
    p.o = arena_new(&p.memory, rows * width, sizeof *p.o, "a chunk");
    p.z = arena_new(&p.memory, rows * K, sizeof *p.z, "a chunk");
    SCDC_TRY_OR(error, status, arena_status(&p.memory));
    if (latent) {
        p.x = arena_new(&p.memory, rows * spec->latent, sizeof *p.x, "a chunk");
        SCDC_TRY_OR(error, status, arena_status(&p.memory));
    }
    p.shares = arena_new(&p.memory, parallel_slots() * K, sizeof *p.shares, "probabilities");
    SCDC_TRY_OR(error, status, arena_status(&p.memory));
    *out = p;
    return SCDC_OK;
error:
    arena_free(&p.memory);
    return status;
}

/* Probabilities of the clusters from those of the components. What belongs to no cluster is shared
 * out in proportion; when nothing belongs to one, the first cluster gets it. */
static void clusters_of_row(double *out, const double *z, const scdc_model *model)
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

/* Clusters by the classifier's p [C]; inside a cluster as the mixture says. */
static void obey_classifier(double *z, const double *p, const scdc_model *model)
{
    size_t K = model->core->spec.components;
    for (size_t c = 0; c < model->n_clusters; c++) {
        double sum = 0;
        size_t members = 0;
        for (size_t k = 0; k < K; k++) {
            if (model->cluster_of[k] != (int64_t)c) continue;
            sum += z[k];
            members++;
        }
        for (size_t k = 0; k < K; k++) {
            if (model->cluster_of[k] != (int64_t)c) continue;
            z[k] = p[c] * (sum > 0 ? z[k] / sum : 1 / (double)members);
        }
    }
    for (size_t k = 0; k < K; k++) {
        if (model->cluster_of[k] < 0) z[k] = 0;
    }
}

int model_place_rows(double *z, double *x, const scdc_model *model, const real *o, size_t rows)
{
    double p[CLASSIFIER_ROWS * MOST_CLASSES];
    size_t K = model->core->spec.components, D = model->classifier ? model->classifier->dims : 0;
    SCDC_TRY(model->core->ops->place(z, x, model->core, o, rows, NULL));
    for (size_t first = 0; model->classifier && first < rows; first += CLASSIFIER_ROWS) {
        size_t count = rows - first < CLASSIFIER_ROWS ? rows - first : CLASSIFIER_ROWS;
        classifier_place(p, model->classifier, o + first * D, count);
        for (size_t row = 0; row < count; row++) {
            obey_classifier(z + (first + row) * K, p + row * model->classifier->classes, model);
        }
    }
    return SCDC_OK;
}

/* The most likely component of a cluster. */
static size_t component_in(const double *z, size_t cluster, const scdc_model *model)
{
    size_t K = model->core->spec.components, best = K;
    for (size_t k = 0; k < K; k++) {
        if (model->cluster_of[k] != (int64_t)cluster) continue;
        if (best == K || z[k] > z[best]) best = k;
    }
    return best < K ? best : argmax(z, K);
}

/* A model, its buffers, and where the results of items go. */
typedef struct prediction {
    const scdc_model *model;
    placing p;
    size_t first; /* item of the chunk's first row */
    const placed *out;
} prediction;

static void write_item(void *context, size_t item, const double *z)
{
    prediction *r = context;
    const placed *out = r->out;
    size_t clusters = r->model->n_clusters;
    double *shares = r->p.shares + parallel_slot() * r->model->core->spec.components;
    clusters_of_row(shares, z, r->model);
    size_t best = argmax(shares, clusters);
    if (out->labels) out->labels[item] = (int64_t)best;
    if (out->probability) out->probability[item] = shares[best];
    if (out->component) out->component[item] = (int64_t)component_in(z, best, r->model);
    for (size_t c = 0; c < clusters && out->proba; c++) {
        out->proba[item * clusters + c] = (float)shares[c];
    }
}

static void write_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    prediction *r = context;
    const core_spec *spec = &r->model->core->spec;
    for (size_t row = begin; row < end; row++) {
        write_item(r, r->first + row, r->p.z + row * spec->components);
    }
}

static int place_chunk(prediction *r, const scdc_data *data, size_t first, size_t count)
{
    placing *p = &r->p;
    const core_spec *spec = &r->model->core->spec;
    for (size_t row = 0; row < count; row++) p->item[row] = (uint32_t)(first + row);
    stage before = stage_enter(STAGE_GATHER);
    input_gather(p->o, data, &r->model->input, p->item, count);
    stage_enter(before);
    SCDC_TRY(model_place_rows(p->z, p->x, r->model, p->o, count));
    r->first = first;
    parallel_for(count, WRITE_ROWS, write_rows, r);
    for (size_t i = 0; i < count * spec->latent && r->out->latent; i++) {
        r->out->latent[first * spec->latent + i] = (float)p->x[i];
    }
    return SCDC_OK;
}

int model_place(const placed *out, const scdc_model *model, const scdc_data *data,
                const scdc_crowd *crowd)
{
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    SCDC_TRY(model_check_width(model, data));
    SCDC_TRY(model_check_values(model, data));
    prediction r = {.model = model, .out = out};
    parallel_set_threads(model->core->spec.options.threads);
    SCDC_TRY(placing_create(&r.p, model, data->rows, out->latent != NULL));
    int status = SCDC_OK;
    for (size_t first = 0; first < data->rows && status == SCDC_OK; first += r.p.rows) {
        size_t left = data->rows - first;
        status = place_chunk(&r, data, first, left < r.p.rows ? left : r.p.rows);
    }
    /* The amortised q(z|o) does not listen to answers. */
    if (status == SCDC_OK && crowd && model->core->ops->coins) {
        scdc_model *m = (scdc_model *)(uintptr_t)model; /* only its workspace is written */
        status = place_with_answers(m, data, crowd, write_item, &r);
    }
    arena_free(&r.p.memory);
    return status;
}

int model_components_in(int64_t *component, const int64_t *labels, const uint32_t *items,
                        size_t count, const scdc_model *model, const scdc_data *data)
{
    size_t K = model->core->spec.components;
    prediction r = {.model = model};
    if (!count) return SCDC_OK;
    SCDC_TRY(placing_create(&r.p, model, count, false));
    int status = SCDC_OK;
    for (size_t first = 0; first < count && status == SCDC_OK; first += r.p.rows) {
        size_t rows = count - first < r.p.rows ? count - first : r.p.rows;
        input_gather(r.p.o, data, &model->input, items + first, rows);
        status = model->core->ops->place(r.p.z, r.p.x, model->core, r.p.o, rows, NULL);
        for (size_t row = 0; row < rows && status == SCDC_OK; row++) {
            uint32_t item = items[first + row];
            component[item] = (int64_t)component_in(r.p.z + row * K, (size_t)labels[item], model);
        }
    }
    arena_free(&r.p.memory);
    return status;
}

static int place_by_view(const placed *out, const scdc_model *model, const scdc_data *data,
                         const scdc_crowd *crowd)
{
    scdc_model *own;
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    SCDC_TRY(workspace_take(&own, model));
    int status = model_place(out, own, data, crowd);
    workspace_give(own, model);
    return status;
}

int scdc_predict(int64_t *labels, double *probability, int64_t *component, float *proba,
                 const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    placed out = {labels, component, probability, proba, NULL};
    return place_by_view(&out, model, data, crowd);
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

static int sample(float *out, scdc_model *model, int components, size_t count, uint64_t seed)
{
    const core_spec *spec = &model->core->spec;
    size_t width = spec->channels * spec->height * spec->width;
    size_t groups = components ? spec->components : model->n_clusters;
    real *item;
    parallel_set_threads(spec->options.threads);
    model->core->ops->proportions(model->proportions, model->core);
    SCDC_TRY(mem_zeroed(&item, width, sizeof *item, "a generated item"));
    int status = SCDC_OK;
    for (size_t g = 0; g < groups && status == SCDC_OK; g++) {
        for (size_t i = 0; i < count && status == SCDC_OK; i++) {
            rng r;
            rng_init(&r, seed, RNG_GENERATE, (uint32_t)g, i);
            size_t k = components ? g : draw_component(model, model->proportions, (int64_t)g, &r);
            status = model->core->ops->generate(item, model->core, k, 1, rng_u64(&r));
            float *row = out + (g * count + i) * width;
            for (size_t v = 0; v < width; v++) {
                /* Back in the units of the data; Bernoulli means stay in [0,1]. */
                double value = (double)item[v];
                if (!model->input.binarise)
                    value = (value - (double)model->input.shift) / (double)model->input.scale;
                row[v] = (float)value;
            }
        }
    }
    mem_free(item);
    return status;
}

int scdc_sample(float *out, const scdc_model *model, int components, size_t count, uint64_t seed)
{
    scdc_model *own;
    if (!out || !model) return fail_with(SCDC_ERR_ARGUMENT, "out and model must not be NULL");
    SCDC_TRY(workspace_take(&own, model));
    int status = sample(out, own, components, count, seed);
    workspace_give(own, model);
    return status;
}

/* ---- workers ---- */

int scdc_workers_sized(scdc_worker *out, size_t size, const scdc_model *model)
{
    if (!out || !model) return fail_with(SCDC_ERR_ARGUMENT, "out and model must not be NULL");
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
        sized_fill((char *)out + m * size, size, &worker, sizeof worker);
    }
    return SCDC_OK;
}
