/* Halves divided anew. */
#include "model/train/steady.h"
#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "kmeans/kmeans.h"
#include "model/clusters/linked.h"
#include "model/clusters/overlap.h"
#include "model/train/start.h"
#include "model/tuning.h"
#include "model/use/walk.h"

#include <math.h>
#include <string.h>

typedef struct half {
    const scdc_model *model;
    size_t count;
    float *x;            /* [count][d] latent means */
    uint32_t *cluster;   /* [count] as the whole has them */
    uint32_t *component; /* [count] of its own */
} half;

double doubt_of(double steady, size_t C)
{
    return C > 1 ? fmin(1, (1 - steady) * (double)C / ((double)C - 1)) : 0;
}

/* Clusters of a half by itself against those it has. Where a half divides a cluster further it
 * contradicts it less than where it draws other boundaries: the mean of the agreement as it is and
 * of the one when each cluster of the half stands for the one that most of its items are in. */
static int compare(double *out, half *h)
{
    const core_spec *s = &h->model->core->spec;
    linked_items items;
    linked again;
    arena memory = {0};
    double plain = 0, within = 0;
    kmeans_options how = start_kmeans(s->components, s);
    if (how.k * ITEMS_PER_COMPONENT > h->count) how.k = h->count / ITEMS_PER_COMPONENT;
    int status = kmeans_fit(h->component, NULL, NULL, h->x, h->count, s->latent, &how);
    if (status == SCDC_OK)
        status = linked_items_create(&items, &memory, h->x, h->count, s->latent,
                                     s->options.neighbours, s->options.seed);
    if (status == SCDC_OK)
        status = linked_group(&again, &memory, &items, h->component, how.k, s->options.clusters);
    if (status == SCDC_OK) status = agreement_of(&plain, again.label, h->cluster, h->count);
    if (status == SCDC_OK) status = take_for_parts(h->component, again.label, h->cluster, h->count);
    if (status == SCDC_OK) status = agreement_of(&within, h->component, h->cluster, h->count);
    *out = (plain + within) / 2;
    arena_free(&memory);
    return status;
}

static void draw_half(half *h, uint32_t *order, uint32_t number, const float *x, size_t n,
                      const int64_t *labels)
{
    size_t d = h->model->core->spec.latent;
    rng r;
    rng_init(&r, h->model->core->spec.options.seed, RNG_CANDIDATES, number, n);
    rng_permutation(&r, order, n);
    for (size_t i = 0; i < h->count; i++) {
        memcpy(h->x + i * d, x + order[i] * d, d * sizeof *h->x);
        h->cluster[i] = (uint32_t)labels[order[i]];
    }
}

int steady_clusters(double *out, const scdc_model *model, const float *x, size_t n,
                    const int64_t *labels)
{
    size_t d = model->core->spec.latent, count = n / 2;
    if (count > STEADY_ITEMS) count = STEADY_ITEMS;
    *out = 1;
    if (count < STEADY_LEAST || !model->core->spec.options.neighbours) return SCDC_OK;
    half h = {.model = model, .count = count};
    arena memory = {0};
    uint32_t *order = arena_new(&memory, n, sizeof *order, "items");
    h.x = arena_new(&memory, count, d * sizeof *h.x, "latent means");
    h.cluster = arena_new(&memory, count, sizeof *h.cluster, "clusters");
    h.component = arena_new(&memory, count, sizeof *h.component, "components");
    int status = arena_status(&memory);
    double sum = 0;
    for (uint32_t i = 0; i < STEADY_HALVES && status == SCDC_OK; i++) {
        double agreement = 0;
        draw_half(&h, order, i, x, n, labels);
        status = compare(&agreement, &h);
        sum += agreement / (double)STEADY_HALVES;
    }
    if (status == SCDC_OK) *out = sum > 0 ? sum : 0;
    arena_free(&memory);
    return status;
}

/* Items of many: where they are and in which cluster. */
typedef struct glimpse {
    const scdc_model *model;
    float *x;
    int64_t *label;
    double *shares; /* [C] */
} glimpse;

static int note_cluster(void *context, const chunk *c)
{
    const glimpse *g = context;
    const core_spec *s = &g->model->core->spec;
    for (size_t i = 0; i < c->rows * s->latent; i++)
        g->x[c->first * s->latent + i] = (float)c->x[i];
    for (size_t row = 0; row < c->rows; row++) {
        model_clusters_of_row(g->shares, c->z + row * s->components, g->model);
        g->label[c->first + row] = (int64_t)argmax(g->shares, g->model->n_clusters);
    }
    return SCDC_OK;
}

int steady_sample(double *out, const scdc_model *model, const scdc_data *data)
{
    arena memory = {0};
    seen_items seen;
    glimpse g = {.model = model};
    size_t d = model->core->spec.latent;
    int status = seen_choose(&seen, &memory, data->rows, &(crowd_graph){0});
    g.x = arena_new(&memory, seen.n, d * sizeof *g.x, "latent means");
    g.label = arena_new(&memory, seen.n, sizeof *g.label, "labels");
    g.shares = arena_new(&memory, model->n_clusters, sizeof *g.shares, "probabilities");
    if (status == SCDC_OK) status = arena_status(&memory);
    if (status == SCDC_OK)
        status =
            walk_items(&(walk){.model = model,
                               .data = data,
                               .count = seen.n,
                               .items = seen.item,
                               .latent = true,
                               .take = note_cluster,
                               .context = &g,
                               .result = {{g.x, d * sizeof *g.x}, {g.label, sizeof *g.label}}});
    if (status == SCDC_OK) status = steady_clusters(out, model, g.x, seen.n, g.label);
    arena_free(&memory);
    return status;
}
