/* Keeping answers back. */
#include "model/train/unheard.h"
#include "base/rng.h"
#include "base/status.h"
#include "model/tuning.h"

static void choose(bool *unheard, const uint32_t *order, const crowd_graph *g)
{
    size_t answers = 0;
    for (size_t i = 0; i < g->nodes / KEPT_BACK_OF; i++) {
        if (i >= KEPT_BACK_ITEMS && answers >= KEPT_BACK_ANSWERS) return;
        unheard[order[i]] = true;
        answers += crowd_graph_degree(g, order[i]);
    }
}

int keep_answers_back(scdc_model *model)
{
    cluster_level *t = model->clusters;
    const scdc_options *o = &model->core->spec.options;
    arena memory = {0};
    rng r;
    if (!t || !t->has_answers || o->net == SCDC_NET_LINEAR) return SCDC_OK;
    if (t->graph.nodes < KEPT_BACK_LEAST) return SCDC_OK;
    uint32_t *order = arena_new(&memory, t->graph.nodes, sizeof *order, "annotated items");
    bool *unheard = arena_new(&memory, t->graph.nodes, sizeof *unheard, "annotated items");
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        rng_init(&r, o->seed, RNG_PUPIL, UINT32_MAX, 0);
        rng_permutation(&r, order, t->graph.nodes);
        choose(unheard, order, &t->graph);
        status = cluster_level_keep_back(t, unheard);
    }
    arena_free(&memory);
    return status;
}

int keep_back_or_not(scdc_model *model)
{
    cluster_level *t = model->clusters;
    if (!t || !t->unheard || !model->classifier.items) return SCDC_OK;
    remembered_hear(&t->remembered, NULL);
    return cluster_level_judge_workers(t);
}

int hear_answers_kept_back(scdc_model *model)
{
    cluster_level *t = model->clusters;
    if (!t || !t->unheard) return SCDC_OK;
    SCDC_TRY(cluster_level_weigh_links(t));
    SCDC_TRY(cluster_level_hear_all(t));
    model_regroup(model);
    return SCDC_OK;
}
