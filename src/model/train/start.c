/* First components from k-means on latent means. */
#include "model/train/start.h"
#include "base/numeric.h"
#include "base/status.h"

#include <string.h>

enum { KMEANS_STARTS = 3, KMEANS_ITERATIONS = 50 };

/* A chunk of items at a time through the core. */
typedef struct passing {
    uint32_t *item;
    real *o;
    double *first, *second; /* [rows][max(d, K)] */
    arena memory;
} passing;

static int passing_create(passing *out, const core_spec *s)
{
    passing p = {0};
    size_t width = s->channels * s->height * s->width, rows = s->max_rows;
    size_t most = s->latent > s->components ? s->latent : s->components;
    int status;
    p.item = arena_new(&p.memory, rows, sizeof *p.item, "a chunk");
    p.o = arena_new(&p.memory, rows * width, sizeof *p.o, "a chunk");
    p.first = arena_new(&p.memory, rows * most, sizeof *p.first, "a chunk");
    p.second = arena_new(&p.memory, rows * most, sizeof *p.second, "a chunk");
    SCDC_TRY_OR(error, status, arena_status(&p.memory));
    *out = p;
    return SCDC_OK;
error:
    arena_free(&p.memory);
    return status;
}

/* Inputs of items [first, first + count). */
static size_t load(passing *p, scdc_model *model, const scdc_data *data, size_t first)
{
    size_t rows = model->core->spec.max_rows;
    size_t count = data->rows - first < rows ? data->rows - first : rows;
    for (size_t row = 0; row < count; row++) p->item[row] = (uint32_t)(first + row);
    input_gather(p->o, data, &model->input, p->item, count);
    return count;
}

static void narrow(float *out, const double *in, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = (float)in[i];
}

int place_all(float *mean, uint32_t *component, scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    passing p;
    SCDC_TRY(passing_create(&p, s));
    int status = SCDC_OK;
    for (size_t first = 0; first < data->rows && status == SCDC_OK; first += s->max_rows) {
        size_t count = load(&p, model, data, first);
        status = model->core->ops->place(p.first, p.second, model->core, p.o, count, NULL);
        narrow(mean + first * s->latent, p.second, count * s->latent);
        for (size_t row = 0; component && row < count; row++) {
            component[first + row] = (uint32_t)argmax(p.first + row * s->components, s->components);
        }
    }
    arena_free(&p.memory);
    return status;
}

static int warm_place_all(float *mean, float *variance, scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    passing p;
    SCDC_TRY(passing_create(&p, s));
    int status = SCDC_OK;
    for (size_t first = 0; first < data->rows && status == SCDC_OK; first += s->max_rows) {
        size_t count = load(&p, model, data, first);
        status = model->core->ops->warm_place(p.first, p.second, model->core, p.o, count);
        narrow(mean + first * s->latent, p.first, count * s->latent);
        narrow(variance + first * s->latent, p.second, count * s->latent);
    }
    arena_free(&p.memory);
    return status;
}

/* Annotated items begin with most of their mass on the component of k-means. */
static void remember_start(cluster_level *t, const uint32_t *component, double *z)
{
    size_t K = t->core->spec.components;
    for (size_t node = 0; node < t->graph.nodes; node++) {
        for (size_t k = 0; k < K; k++) z[k] = 0.1 / (double)K;
        z[component[t->graph.item[node]]] += 0.9;
        remembered_store(&t->remembered, node, z);
    }
}

kmeans_options start_kmeans(size_t k, const core_spec *s)
{
    return (kmeans_options){.k = k,
                            .starts = KMEANS_STARTS,
                            .max_iterations = KMEANS_ITERATIONS,
                            .tolerance = 1e-4,
                            .seed = s->options.seed};
}

/* Components and clusters from items assigned to components. */
static int begin_with(scdc_model *model, const float *mean, const float *variance,
                      const uint32_t *component)
{
    SCDC_TRY(model->core->ops->begin(model->core, mean, variance, component));
    remember_start(model->clusters, component, model->proportions);
    SCDC_TRY(cluster_level_link(model->clusters, mean, component, model->core->spec.options.seed));
    SCDC_TRY(cluster_level_begin(model->clusters));
    return cluster_level_regroup(model->clusters, 3);
}

int start_components(scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    kmeans_options how = start_kmeans(s->components, s);
    bool classes = false;
    float *mean, *variance;
    uint32_t *component;
    arena memory = {0};
    int status;
    mean = arena_new(&memory, data->rows * s->latent, sizeof *mean, "latent means");
    variance = arena_new(&memory, data->rows * s->latent, sizeof *variance, "latent variances");
    component = arena_new(&memory, data->rows, sizeof *component, "components");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, warm_place_all(mean, variance, model, data));
    SCDC_TRY_OR(done, status, kmeans_fit(component, NULL, NULL, mean, data->rows, s->latent, &how));
    SCDC_TRY_OR(done, status, begin_with(model, mean, variance, component));
    SCDC_TRY_OR(done, status, start_from_classes(&classes, component, model, data, mean));
    if (classes) status = begin_with(model, mean, variance, component);
done:
    arena_free(&memory);
    return status;
}

int refresh_links(scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    float *mean;
    uint32_t *component;
    arena memory = {0};
    int status;
    mean = arena_new(&memory, data->rows * s->latent, sizeof *mean, "latent means");
    component = arena_new(&memory, data->rows, sizeof *component, "components");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, place_all(mean, component, model, data));
    status = cluster_level_link(model->clusters, mean, component, s->options.seed);
done:
    arena_free(&memory);
    return status;
}
