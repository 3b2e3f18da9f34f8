/* Using a model: clusters, embeddings, generated items, workers. */
#include "base/parallel.h"
#include "base/rng.h"
#include "base/stages.h"
#include "base/status.h"
#include "expfam/special.h"
#include "model/model.h"
#include "model/place_answers.h"

#include <math.h>
#include <string.h>

/* Buffers for placing items a chunk at a time. */
typedef struct placing {
    size_t rows; /* most rows of a chunk */
    uint32_t *item;
    real *o;
    double *z, *x; /* x: NULL when nobody asks for it */
    arena memory;
} placing;

static int placing_create(placing *out, const scdc_model *model, size_t items, bool latent)
{
    const core_spec *spec = &model->core->spec;
    placing p = {.rows = items < spec->max_rows ? items : spec->max_rows};
    size_t width = spec->channels * spec->height * spec->width, rows = p.rows;
    int status;
    SCDC_TRY_OR(error, status, arena_zeroed(&p.item, &p.memory, rows, sizeof *p.item, "a chunk"));
    SCDC_TRY_OR(error, status, arena_zeroed(&p.o, &p.memory, rows * width, sizeof *p.o, "a chunk"));
    SCDC_TRY_OR(error, status,
                arena_zeroed(&p.z, &p.memory, rows * spec->components, sizeof *p.z, "a chunk"));
    if (latent) {
        SCDC_TRY_OR(error, status,
                    arena_zeroed(&p.x, &p.memory, rows * spec->latent, sizeof *p.x, "a chunk"));
    }
    *out = p;
    return SCDC_OK;
error:
    arena_free(&p.memory);
    return status;
}

/* q(z) of items [first, first + count), and their latent means where p->x has room for them. */
static int place_chunk(placing *p, const scdc_model *model, const scdc_data *data, size_t first,
                       size_t count)
{
    for (size_t row = 0; row < count; row++) p->item[row] = (uint32_t)(first + row);
    stage before = stage_enter(STAGE_GATHER);
    input_gather(p->o, data, &model->input, p->item, count);
    stage_enter(before);
    return model->core->ops->place(p->z, p->x, model->core, p->o, count, NULL);
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

static size_t largest(const double *p, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        if (p[i] > p[best]) best = i;
    }
    return best;
}

/* Where the results of items go; any may be NULL. */
typedef struct prediction {
    const scdc_model *model;
    double *shares; /* [clusters] scratch */
    int64_t *labels, *component;
    double *probability;
    float *proba;
} prediction;

static void write_item(void *context, size_t item, const double *z)
{
    prediction *p = context;
    size_t clusters = p->model->n_clusters;
    clusters_of_row(p->shares, z, p->model);
    size_t best = largest(p->shares, clusters);
    if (p->labels) p->labels[item] = (int64_t)best;
    if (p->probability) p->probability[item] = p->shares[best];
    if (p->component) p->component[item] = (int64_t)largest(z, p->model->core->spec.components);
    for (size_t c = 0; c < clusters && p->proba; c++) {
        p->proba[item * clusters + c] = (float)p->shares[c];
    }
}

int scdc_predict(int64_t *labels, double *probability, int64_t *component, float *proba,
                 const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    SCDC_TRY(model_check_width(model, data));
    SCDC_TRY(model_check_values(model, data));
    size_t components = model->core->spec.components;
    prediction out = {model, NULL, labels, component, probability, proba};
    placing p;
    parallel_set_threads(model->core->spec.options.threads);
    SCDC_TRY(placing_create(&p, model, data->rows, false));
    int status =
        arena_zeroed(&out.shares, &p.memory, components, sizeof *out.shares, "probabilities");
    for (size_t first = 0; first < data->rows && status == SCDC_OK; first += p.rows) {
        size_t count = data->rows - first < p.rows ? data->rows - first : p.rows;
        status = place_chunk(&p, model, data, first, count);
        for (size_t row = 0; row < count && status == SCDC_OK; row++) {
            write_item(&out, first + row, p.z + row * components);
        }
    }
    /* The amortised q(z|o) does not listen to answers. */
    if (status == SCDC_OK && crowd && model->core->ops->coins) {
        scdc_model *m = (scdc_model *)(uintptr_t)model; /* only its workspace is written */
        status = place_with_answers(m, data, crowd, write_item, &out);
    }
    arena_free(&p.memory);
    return status;
}

int scdc_embed(float *out, const scdc_model *model, const scdc_data *data)
{
    if (!out || !model || !data) return fail_with(SCDC_ERR_ARGUMENT, "no argument may be NULL");
    SCDC_TRY(model_check_width(model, data));
    SCDC_TRY(model_check_values(model, data));
    size_t latent = model->core->spec.latent;
    placing p;
    parallel_set_threads(model->core->spec.options.threads);
    SCDC_TRY(placing_create(&p, model, data->rows, true));
    int status = SCDC_OK;
    for (size_t first = 0; first < data->rows && status == SCDC_OK; first += p.rows) {
        size_t count = data->rows - first < p.rows ? data->rows - first : p.rows;
        status = place_chunk(&p, model, data, first, count);
        for (size_t i = 0; i < count * latent; i++) out[first * latent + i] = (float)p.x[i];
    }
    arena_free(&p.memory);
    return status;
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

int scdc_sample(float *out, const scdc_model *model, int components, size_t count, uint64_t seed)
{
    if (!out || !model) return fail_with(SCDC_ERR_ARGUMENT, "out and model must not be NULL");
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

/* ---- workers ---- */

int scdc_workers(scdc_worker *out, const scdc_model *model)
{
    if (!out || !model) return fail_with(SCDC_ERR_ARGUMENT, "out and model must not be NULL");
    for (size_t m = 0; m < model->core->spec.workers; m++) {
        worker_estimate e;
        model->core->ops->worker(&e, model->core, m);
        double a = e.sensitivity[0] / (e.sensitivity[0] + e.sensitivity[1]);
        double b = e.specificity[0] / (e.specificity[0] + e.specificity[1]);
        out[m] = (scdc_worker){
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
    }
    return SCDC_OK;
}
