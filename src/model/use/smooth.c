/* Smoothing by neighbours: items placed at once, each of which also hears its nearest ones.
 *
 * The mixture sees an item alone, and its posterior is far too sure of itself; neighbours in latent
 * space are of one cluster more often than it is right. Links to neighbours act as one more worker
 * (neighbours.h), whose coins are those of the first placement. Annotated items keep what the
 * answers said. */
#include "base/numeric.h"
#include "base/status.h"
#include "base/watch.h"
#include "crowd/crowd.h"
#include "model/clusters/nearest.h"
#include "model/clusters/neighbours.h"
#include "model/use/predict.h"
#include "model/use/workspace.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8 };

/* The least probability of a cluster by the model alone: about ln(1e6) nats are its last word. */
#define LEAST 1e-6

typedef struct neighbourhood {
    size_t n, k, clusters;
    uint32_t *near;  /* [n][k] */
    uint32_t *label; /* [n] as 32 bits, for cells and links */
    bool *annotated; /* [n] */
    float *own;      /* [n][clusters] by the model alone */
    float *proba;    /* [n][clusters] */
    float *latent;   /* [n][d] */
    int64_t *labels, *component;
    double *links, *share, *same; /* between clusters */
    arena memory;
} neighbourhood;

static int hood_create(neighbourhood *out, const scdc_model *model, size_t n)
{
    const core_spec *s = &model->core->spec;
    size_t C = model->n_clusters, most = s->options.neighbours;
    neighbourhood c = {.n = n, .k = n - 1 < most ? n - 1 : most, .clusters = C};
    arena *m = &c.memory;
    int status;
    c.near = arena_new(m, n, c.k * sizeof *c.near, "neighbours");
    c.label = arena_new(m, n, sizeof *c.label, "labels");
    c.annotated = arena_new(m, n, sizeof *c.annotated, "items");
    c.own = arena_new(m, n, C * sizeof *c.own, "probabilities");
    c.proba = arena_new(m, n, C * sizeof *c.proba, "probabilities");
    c.latent = arena_new(m, n, s->latent * sizeof *c.latent, "latent means");
    c.labels = arena_new(m, n, sizeof *c.labels, "labels");
    c.component = arena_new(m, n, sizeof *c.component, "components");
    c.links = arena_new(m, C * C, sizeof *c.links, "links");
    c.share = arena_new(m, C, sizeof *c.share, "links");
    c.same = arena_new(m, C * C, sizeof *c.same, "links");
    SCDC_TRY_OR(error, status, arena_status(m));
    *out = c;
    return SCDC_OK;
error:
    arena_free(m);
    return status;
}

static void mark_annotated(neighbourhood *c, const scdc_crowd *crowd)
{
    for (size_t a = 0; crowd && a < crowd->count; a++) {
        c->annotated[crowd->answers[a].left] = true;
        c->annotated[crowd->answers[a].right] = true;
    }
}

/* Nats that one link is worth: from how many links stay inside a cluster. */
static double weight_of_links(neighbourhood *c)
{
    double coins[2];
    for (size_t i = 0; i < c->n; i++) {
        c->label[i] = (uint32_t)c->labels[i];
        c->share[c->labels[i]] += 1 / (double)c->n;
    }
    for (size_t a = 0; a < c->clusters; a++) c->same[a * c->clusters + a] = 1;
    neighbour_links(c->links, c->clusters, c->near, c->n, c->k, c->label);
    neighbour_coins(coins, c->clusters, c->links, c->share, c->same);
    return neighbour_weight(coins);
}

/* One item given its neighbours as they are now. */
static void hear_neighbours(neighbourhood *c, size_t item, double weight)
{
    size_t C = c->clusters;
    float *p = c->proba + item * C;
    const float *own = c->own + item * C;
    float top = -INFINITY, sum = 0;
    for (size_t a = 0; a < C; a++) p[a] = 0;
    for (size_t s = 0; s < c->k; s++) {
        const float *other = c->proba + c->near[item * c->k + s] * C;
        for (size_t a = 0; a < C; a++) p[a] += other[a];
    }
    for (size_t a = 0; a < C; a++) {
        p[a] = logf(own[a] > (float)LEAST ? own[a] : (float)LEAST) + (float)weight * p[a];
        if (p[a] > top) top = p[a];
    }
    for (size_t a = 0; a < C; a++) sum += p[a] = expf(p[a] - top);
    for (size_t a = 0; a < C; a++) p[a] /= sum;
}

/* Rounds over all items in turn; an item hears those before it in their new state. */
static int settle(neighbourhood *c, double weight)
{
    memcpy(c->own, c->proba, c->n * c->clusters * sizeof *c->own);
    for (size_t round = 0; round < ROUNDS; round++) {
        SCDC_TRY(watch_tick("hearing neighbours", round, ROUNDS));
        for (size_t i = 0; i < c->n; i++) {
            if (!c->annotated[i]) hear_neighbours(c, i, weight);
        }
    }
    return SCDC_OK;
}

/* Labels from probabilities. The items whose label changed are listed in c->label. */
static size_t relabel(neighbourhood *c)
{
    size_t changed = 0;
    for (size_t i = 0; i < c->n; i++) {
        const float *p = c->proba + i * c->clusters;
        size_t best = argmax(p, c->clusters);
        if (!(p[best] > p[c->labels[i]])) continue;
        c->labels[i] = (int64_t)best;
        c->label[changed++] = (uint32_t)i;
    }
    return changed;
}

static int place_among_neighbours(neighbourhood *c, const scdc_model *model, const scdc_data *data,
                                  const scdc_crowd *crowd)
{
    const core_spec *s = &model->core->spec;
    placed first = {
        .labels = c->labels, .component = c->component, .proba = c->proba, .latent = c->latent};
    SCDC_TRY(model_place(&first, model, data, crowd));
    mark_annotated(c, crowd);
    for (size_t i = 0; i < c->n; i++) c->label[i] = (uint32_t)c->component[i];
    SCDC_TRY(nearest_items(c->near, c->k, c->latent, c->n, s->latent, c->label, s->components,
                           s->options.seed));
    SCDC_TRY(settle(c, weight_of_links(c)));
    size_t changed = relabel(c);
    return model_components_in(c->component, c->labels, c->label, changed, model, data);
}

int scdc_predict_together(int64_t *labels, double *probability, int64_t *component, float *proba,
                          const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    /* Clusters that need a classifier are not those of neighbours, a network knows better, and
     * where the mixture's own densities hold neighbours would only blur them. */
    bool trusted = model->clusters && cluster_level_trusted(model->clusters);
    bool apart = model_is_judged(model) || model->pupil || trusted;
    if (data->rows < 2 || !model->core->spec.options.neighbours || apart) {
        return scdc_predict(labels, probability, component, proba, model, data, crowd);
    }
    neighbourhood c;
    scdc_model *own;
    SCDC_TRY(hood_create(&c, model, data->rows));
    int status = workspace_take(&own, model);
    if (status == SCDC_OK) {
        status = place_among_neighbours(&c, own, data, crowd);
        workspace_give(own, model);
    }
    for (size_t i = 0; i < c.n && status == SCDC_OK; i++) {
        const float *p = c.proba + i * c.clusters;
        if (labels) labels[i] = model_number(model, c.labels[i]);
        if (component) component[i] = c.component[i];
        if (probability) probability[i] = (double)p[c.labels[i]];
        if (proba) memcpy(proba + i * c.clusters, p, c.clusters * sizeof *p);
    }
    arena_free(&c.memory);
    return status;
}
