/* What all answers say, given networks and components: rounds between annotated items, workers and
 * the grouping of components, from a start that knows no answers. */
#include "base/numeric.h"
#include "base/status.h"
#include "model/train/start.h"
#include "model/train/unheard.h"
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

static int run_rounds(settling *s, const scdc_data *data)
{
    cluster_level *t = s->model->clusters;
    SCDC_TRY(place_annotated(s, data));
    SCDC_TRY(cluster_level_begin(t));
    SCDC_TRY(cluster_level_regroup(t, FIRST_GROUPINGS));
    for (size_t round = 0; round < ROUNDS; round++) {
        double moved = hear_answers(s);
        SCDC_TRY(cluster_level_regroup(t, 1));
        if (moved < STEADY) break;
    }
    return SCDC_OK;
}

int hear_answers_again(scdc_model *model, const scdc_data *data)
{
    settling s = {.model = model};
    size_t nodes = model->clusters->graph.nodes, K = model->core->spec.components;
    s.own = arena_new(&s.memory, nodes, K * sizeof *s.own, "annotated items");
    s.z = arena_new(&s.memory, K, sizeof *s.z, "messages");
    int status = arena_status(&s.memory);
    if (status == SCDC_OK) status = run_rounds(&s, data);
    arena_free(&s.memory);
    SCDC_TRY(status);
    model_regroup(model);
    return SCDC_OK;
}
