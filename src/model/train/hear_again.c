/* What all answers say, given networks and components: rounds between annotated items, workers and
 * the grouping of components, from a start that knows no answers. */
#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "model/clusters/link_trial.h"
#include "model/train/start.h"
#include "model/train/unheard.h"
#include "model/tuning.h"
#include "model/use/walk.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 10, FIRST_GROUPINGS = 3 };

/* Rounds end when so little of the annotated items moves. */
#define STEADY 1e-4
/* The least probability of a component by an item's own values. */
#define LEAST 1e-30

typedef struct settling {
    scdc_model *model;
    double *own; /* [nodes][K] ln q(z) of annotated items by their values alone */
    double *z;   /* [K] */
    arena memory;
} settling;

static int note_own(void *context, const chunk *c)
{
    settling *s = context;
    size_t K = s->model->core->spec.components;
    remembered *r = &s->model->clusters->remembered;
    for (size_t row = 0; row < c->rows; row++) {
        const double *z = c->z + row * K;
        double *own = s->own + (c->first + row) * K;
        remembered_store(r, c->first + row, z);
        for (size_t k = 0; k < K; k++) own[k] = log(z[k] > LEAST ? z[k] : LEAST);
    }
    return SCDC_OK;
}

static int place_annotated(settling *s, const scdc_data *data)
{
    const crowd_graph *g = &s->model->clusters->graph;
    return walk_items(&(walk){.model = s->model,
                              .data = data,
                              .count = g->nodes,
                              .items = g->item,
                              .take = note_own,
                              .context = s});
}

/* Annotated items are where their values put them. */
static void forget_answers(settling *s)
{
    remembered *r = &s->model->clusters->remembered;
    size_t K = s->model->core->spec.components;
    for (size_t n = 0; n < s->model->clusters->graph.nodes; n++) {
        for (size_t k = 0; k < K; k++) s->z[k] = exp(s->own[n * K + k]);
        remembered_store(r, n, s->z);
    }
}

/* Every annotated item from its values and the word of the others as they are now. Returns how much
 * of them moved, by their likeliest component. */
static double hear_answers(settling *s)
{
    cluster_level *t = s->model->clusters;
    const remembered *r = &t->remembered;
    size_t K = s->model->core->spec.components;
    double moved = 0;
    for (size_t n = 0; n < t->graph.nodes; n++) {
        remembered_field(s->z, &t->remembered, n, t->groups.same);
        for (size_t k = 0; k < K; k++) s->z[k] += s->own[n * K + k];
        softmax(s->z, s->z, K);
        int32_t top = r->component[n * r->slots];
        moved += fabs(s->z[top] - (double)r->share[n * r->slots]);
        remembered_store(&t->remembered, n, s->z);
    }
    return moved / (double)t->graph.nodes;
}

static int run_rounds(settling *s)
{
    cluster_level *t = s->model->clusters;
    SCDC_TRY(cluster_level_begin(t));
    SCDC_TRY(cluster_level_regroup(t, FIRST_GROUPINGS));
    for (size_t round = 0; round < ROUNDS; round++) {
        double moved = hear_answers(s);
        SCDC_TRY(cluster_level_regroup(t, 1));
        if (moved < STEADY) break;
    }
    return SCDC_OK;
}

/* ---- answers kept back in turn ---- */

/* An item is of the same part whatever else was answered. */
static int keep_part_back(scdc_model *model, size_t part)
{
    cluster_level *t = model->clusters;
    bool *unheard;
    SCDC_TRY(mem_zeroed(&unheard, t->graph.nodes, sizeof *unheard, "annotated items"));
    for (size_t n = 0; n < t->graph.nodes; n++) {
        rng r;
        rng_init(&r, model->core->spec.options.seed, RNG_PUPIL, t->graph.item[n], 1);
        unheard[n] = rng_below(&r, LINK_PARTS) == part;
    }
    int status = cluster_level_keep_back(t, unheard);
    mem_free(unheard);
    return status;
}

/* Each answer judges with either of its items. */
static int try_links(settling *s)
{
    link_trial trial;
    cluster_level *t = s->model->clusters;
    cluster_state before = t->state;
    if (!look_alikes_count(&before) || t->graph.nodes < LINK_PARTS_FROM) return SCDC_OK;
    link_trial_begin(&trial, t, LINK_WEAKER, 2);
    for (size_t part = 0; part < LINK_PARTS; part++) {
        t->state = before;
        forget_answers(s);
        SCDC_TRY(keep_part_back(s->model, part));
        SCDC_TRY(run_rounds(s));
        SCDC_TRY(link_trial_add(&trial, t));
    }
    remembered_hear(&t->remembered, NULL);
    cluster_level_forget_unheard(t);
    t->state = before;
    link_trial_choose(&trial, t);
    forget_answers(s);
    return SCDC_OK;
}

static int settle(scdc_model *model, const scdc_data *data, bool choose_links)
{
    settling s = {.model = model};
    size_t nodes = model->clusters->graph.nodes, K = model->core->spec.components;
    s.own = arena_new(&s.memory, nodes, K * sizeof *s.own, "annotated items");
    s.z = arena_new(&s.memory, K, sizeof *s.z, "messages");
    int status = arena_status(&s.memory);
    if (status == SCDC_OK) status = place_annotated(&s, data);
    if (status == SCDC_OK && choose_links) status = try_links(&s);
    if (status == SCDC_OK) status = run_rounds(&s);
    arena_free(&s.memory);
    SCDC_TRY(status);
    model_regroup(model);
    return SCDC_OK;
}

int hear_answers_again(scdc_model *model, const scdc_data *data)
{
    return settle(model, data, false);
}

int hear_first_answers(scdc_model *model, const scdc_data *data)
{
    return settle(model, data, true);
}
