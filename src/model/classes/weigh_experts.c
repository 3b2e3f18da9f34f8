/* Weighing mixture and classifier at the end of a fit. */
#include "base/numeric.h"
#include "base/status.h"
#include "model/classes/classes.h"
#include "model/train/start.h"
#include "model/use/walk.h"

#include <string.h>

typedef struct school {
    scdc_model *model;
    classes found;   /* the answers that count, their graph, the classifier */
    double *mixture; /* [nodes][C] */
    double *z;       /* [nodes][K] */
    double *r, *others;
    two_coin *coins;
    arena memory;
} school;

static int note_mixture(void *context, const chunk *c)
{
    school *s = context;
    size_t K = s->model->core->spec.components, C = s->model->n_clusters;
    for (size_t row = 0; row < c->rows; row++) {
        model_clusters_of_row(s->mixture + (c->first + row) * C, c->z + row * K, s->model);
    }
    memcpy(s->z + c->first * K, c->z, c->rows * K * sizeof *s->z);
    return SCDC_OK;
}

static int school_create(school *s, const scdc_data *data)
{
    const core_spec *spec = &s->model->core->spec;
    const crowd_graph *g = &s->found.graph;
    size_t n = g->nodes, C = s->model->n_clusters;
    arena *m = &s->memory;
    s->mixture = arena_new(m, n, C * sizeof *s->mixture, "clusters of items");
    s->z = arena_new(m, n, spec->components * sizeof *s->z, "components of items");
    s->r = arena_new(m, n, C * sizeof *s->r, "clusters of items");
    s->others = arena_new(m, n, C * sizeof *s->others, "clusters of items");
    s->coins = arena_new(m, spec->workers, sizeof *s->coins, "workers");
    SCDC_TRY(arena_status(m));
    return walk_items(&(walk){.model = s->model,
                              .data = data,
                              .count = n,
                              .items = g->item,
                              .take = note_mixture,
                              .context = s});
}

/* The classifier that was taught becomes the model's. */
static int keep_classifier(school *s)
{
    scdc_model *model = s->model;
    classifier *taught = &s->found.classifier;
    if (!experts_need_classifier(&model->experts)) return SCDC_OK;
    for (size_t i = 0; i < taught->items; i++) taught->item[i] = (int64_t)s->found.graph.item[i];
    memcpy(taught->others, s->others, taught->items * taught->classes * sizeof *taught->others);
    SCDC_TRY(mem_zeroed(&model->classifier, 1, sizeof *model->classifier, "a classifier"));
    *model->classifier = *taught;
    *taught = (classifier){0};
    return SCDC_OK;
}

/* Annotated items are remembered as everything together places them, and workers judged by it. */
static int remember_all(school *s)
{
    scdc_model *model = s->model;
    cluster_level *t = model->clusters;
    size_t K = model->core->spec.components, C = model->n_clusters;
    for (size_t i = 0; i < s->found.graph.nodes; i++) {
        uint32_t node;
        if (!crowd_graph_find(&node, &t->graph, s->found.graph.item[i])) continue;
        set_clusters(s->z + i * K, s->r + i * C, model);
        remembered_store(&t->remembered, node, s->z + i * K);
    }
    return cluster_level_judge_workers(t);
}

/* ---- clusters without items ---- */

typedef struct census {
    const scdc_model *model;
    double *shares; /* [C] of a row */
    size_t *held;   /* [C] items whose most likely cluster it is */
} census;

static int count_clusters(void *context, const chunk *c)
{
    const census *s = context;
    size_t K = s->model->core->spec.components;
    for (size_t row = 0; row < c->rows; row++) {
        model_clusters_of_row(s->shares, c->z + row * K, s->model);
        s->held[argmax(s->shares, s->model->n_clusters)]++;
    }
    return SCDC_OK;
}

/* Clusters that were chosen with their components and hold no item are none, unless so many are
 * asked for. */
static int drop_empty_clusters(scdc_model *model, const scdc_data *data)
{
    size_t K = model->core->spec.components, C = model->n_clusters, kept = 0;
    arena memory = {0};
    census s = {.model = model};
    s.shares = arena_new(&memory, C, sizeof *s.shares, "clusters");
    s.held = arena_new(&memory, C, sizeof *s.held, "clusters");
    uint32_t *number = arena_new(&memory, C, sizeof *number, "clusters");
    uint32_t *cluster = arena_new(&memory, K, sizeof *cluster, "clusters");
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        status = walk_items(&(walk){.model = model,
                                    .data = data,
                                    .count = data->rows,
                                    .take = count_clusters,
                                    .context = &s});
    }
    if (status == SCDC_OK) {
        for (size_t c = 0; c < C; c++) number[c] = s.held[c] ? (uint32_t)kept++ : NO_CLUSTER;
        for (size_t k = 0; k < K; k++) {
            cluster[k] = model->cluster_of[k] < 0 ? NO_CLUSTER : number[model->cluster_of[k]];
        }
        if (kept < C) cluster_level_fix_clusters(model->clusters, cluster);
        model_regroup(model);
    }
    arena_free(&memory);
    return status;
}

int weigh_experts(scdc_model *model, const scdc_data *data)
{
    school s = {.model = model};
    const core_spec *spec = &model->core->spec;
    cluster_level *t = model->clusters;
    if (t && cluster_level_fixed(t) && !model->classifier && !spec->options.clusters) {
        SCDC_TRY(drop_empty_clusters(model, data));
    }
    size_t C = model->n_clusters;
    if (!t || !t->has_answers || model->classifier || C < 2 || C > MOST_CLASSES) return SCDC_OK;
    classes *found = &s.found;
    bool kernel = data->cols <= CLASSES_MOST_DIMS &&
                  spec->options.clusters_from != SCDC_CLUSTERS_FROM_COMPONENTS;
    int status;
    SCDC_TRY_OR(done, status,
                classes_take_answers(found, t->remembered.answers, t->remembered.n_answers));
    if (found->graph.nodes < 2) goto done;
    SCDC_TRY_OR(done, status, school_create(&s, data));
    if (kernel) {
        SCDC_TRY_OR(done, status,
                    classifier_create(&found->classifier, found->graph.nodes, data->cols, C));
        input_gather(found->classifier.x, data, &model->input, found->graph.item,
                     found->graph.nodes);
    }
    expert_case given = {.answers = found->answers,
                         .worth = found->weight,
                         .graph = &found->graph,
                         .workers = spec->workers,
                         .clusters = C,
                         .mixture = s.mixture,
                         .options = &spec->options,
                         .known = spec->known};
    status = experts_weigh(&model->experts, s.r, s.others, s.coins,
                           kernel ? &found->classifier : NULL, &given);
    if (status == SCDC_ERR_NUMERIC) { /* values that no kernel can be made of */
        status = experts_weigh(&model->experts, s.r, s.others, s.coins, NULL, &given);
    }
    if (status != SCDC_OK) goto done;
    model->weighed = true;
    SCDC_TRY_OR(done, status, keep_classifier(&s));
    status = remember_all(&s);
done:
    classes_free(found);
    arena_free(&s.memory);
    return status;
}
