/* Judging a pupil by answers that were kept from it. */
#include "model/pupil/judge.h"
#include "base/rng.h"
#include "base/status.h"
#include "model/classes/classes.h"
#include "model/clusters/partition.h"
#include "model/tuning.h"
#include "model/use/walk.h"

#include <math.h>
#include <string.h>

/* Networks and mixtures are too sure of themselves, each in its own way. */
static const double doubts[] = {1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1};

static int choose_kept_out(bool *kept_out, const scdc_model *model, size_t *chosen)
{
    const crowd_graph *g = &model->clusters->graph;
    uint32_t *order;
    rng r;
    size_t count = g->nodes / PUPIL_KEPT_OUT_OF;
    SCDC_TRY(mem_zeroed(&order, g->nodes, sizeof *order, "annotated items"));
    rng_init(&r, model->core->spec.options.seed, RNG_PUPIL, UINT32_MAX, 0);
    rng_permutation(&r, order, g->nodes);
    if (count > PUPIL_KEPT_OUT) count = PUPIL_KEPT_OUT;
    for (size_t i = 0; i < count; i++) kept_out[g->item[order[i]]] = true;
    mem_free(order);
    *chosen = count;
    return SCDC_OK;
}

/* The answers about items that are kept out, and what each is worth among all. */
static int take_answers(kept_answers *k, const bool *kept_out, const scdc_model *model)
{
    const remembered *all = &model->clusters->remembered;
    double *worth;
    k->answer = arena_new(&k->memory, all->n_answers, sizeof *k->answer, "answers");
    k->worth = arena_new(&k->memory, all->n_answers, sizeof *k->worth, "answers");
    SCDC_TRY(arena_status(&k->memory));
    SCDC_TRY(mem_zeroed(&worth, all->n_answers, sizeof *worth, "answers"));
    int status = answers_worth(worth, all->answers, all->n_answers);
    for (size_t a = 0; a < all->n_answers && status == SCDC_OK; a++) {
        if (!kept_out[all->answers[a].left] && !kept_out[all->answers[a].right]) continue;
        k->worth[k->count] = worth[a];
        k->answer[k->count++] = all->answers[a];
    }
    mem_free(worth);
    return status;
}

static int describe_nodes(kept_answers *k, const bool *kept_out, const scdc_model *model,
                          const int64_t *label, const double *probability)
{
    size_t nodes = k->graph.nodes, C = model->n_clusters;
    k->kept_out = arena_new(&k->memory, nodes, sizeof *k->kept_out, "annotated items");
    k->known = arena_new(&k->memory, nodes, C * sizeof *k->known, "annotated items");
    k->p = arena_new(&k->memory, nodes, C * sizeof *k->p, "annotated items");
    k->coins = arena_new(&k->memory, model->core->spec.workers, sizeof *k->coins, "workers");
    SCDC_TRY(arena_status(&k->memory));
    for (size_t i = 0; i < nodes; i++) {
        uint32_t item = k->graph.item[i];
        double rest = C > 1 ? (1 - probability[item]) / (double)(C - 1) : 0;
        k->kept_out[i] = kept_out[item];
        for (size_t c = 0; c < C; c++) {
            k->known[i * C + c] = c == (size_t)label[item] ? probability[item] : rest;
        }
    }
    return model->core->ops->coins(k->coins, model->core);
}

int kept_answers_create(kept_answers *out, bool *kept_out, const scdc_model *model,
                        const int64_t *label, const double *probability)
{
    kept_answers k = {0};
    size_t chosen = 0;
    int status = choose_kept_out(kept_out, model, &chosen);
    if (status == SCDC_OK) status = take_answers(&k, kept_out, model);
    if (status == SCDC_OK && k.count) status = crowd_graph_build(&k.graph, k.answer, k.count);
    if (status == SCDC_OK && k.count)
        status = describe_nodes(&k, kept_out, model, label, probability);
    *out = k;
    return status;
}

void kept_answers_free(kept_answers *k)
{
    crowd_graph_free(&k->graph);
    arena_free(&k->memory);
}

typedef struct placing {
    double *p;
    const scdc_model *model;
} placing;

static int note_clusters(void *context, const chunk *c)
{
    placing *s = context;
    size_t K = s->model->core->spec.components, C = s->model->n_clusters;
    for (size_t row = 0; row < c->rows; row++) {
        model_clusters_of_row(s->p + (c->first + row) * C, c->z + row * K, s->model);
    }
    return SCDC_OK;
}

int kept_answers_fit(double *out, kept_answers *k, const scdc_model *model, const scdc_data *data)
{
    size_t nodes = k->graph.nodes, C = model->n_clusters;
    double *placed, best = -INFINITY;
    SCDC_TRY(mem_zeroed(&placed, nodes, C * sizeof *placed, "annotated items"));
    placing s = {placed, model};
    int status = walk_items(&(walk){.model = model,
                                    .data = data,
                                    .count = nodes,
                                    .items = k->graph.item,
                                    .own = true,
                                    .take = note_clusters,
                                    .context = &s});
    for (size_t d = 0; d < sizeof doubts / sizeof *doubts && status == SCDC_OK; d++) {
        memcpy(k->p, k->known, nodes * C * sizeof *k->p);
        for (size_t i = 0; i < nodes * C; i++) {
            if (k->kept_out[i / C]) k->p[i] = (1 - doubts[d]) * placed[i] + doubts[d] / (double)C;
        }
        best = fmax(best, answers_fit(&k->graph, k->answer, k->worth, k->count, k->p, C, k->coins));
    }
    mem_free(placed);
    *out = best;
    return status;
}
