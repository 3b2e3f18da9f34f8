/* A few rounds of messages between annotated items. */
#include "model/use/place_answers.h"
#include "model/use/recall.h"
#include "model/use/walk.h"
#include "model/recipe.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "crowd/crowd.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum { ROUNDS = 4 };

typedef struct round_state {
    const scdc_model *model;
    remembered remembered;
    two_coin *workers;
    double *same, *q, *field;
    /* [nodes][K] q(z) by the items alone, where messages come on top of it; NULL where the core
     * needs them from the start. */
    float *own;
    const known_items *known; /* what they say by themselves; NULL: the model is asked */
    bool first, last;         /* round */
    placed_item placed;
    void *context; /* of placed */
    arena memory;
} round_state;

/* A_kl = 1 when two components are one cluster, by the model's clusters; and the clusters. */
static void same_clusters(double *same, double *q, const scdc_model *model)
{
    size_t K = model->core->spec.components;
    for (size_t k = 0; k < K; k++) {
        if (model->cluster_of[k] >= 0) q[k * K + (size_t)model->cluster_of[k]] = 1;
        for (size_t l = 0; l < K; l++) {
            int64_t c = model->cluster_of[k];
            same[k * K + l] = k == l || (c >= 0 && c == model->cluster_of[l]);
        }
    }
}

static int prepare(round_state *r, const scdc_model *model, const answer_list *answers,
                   const crowd_graph *graph)
{
    const core_spec *s = &model->core->spec;
    size_t K = s->components;
    SCDC_TRY(remembered_create(&r->remembered, graph->nodes, graph->answers, K));
    SCDC_TRY(remembered_attach(&r->remembered, answers->answer, graph));
    r->remembered.piles.shared = s->options.coins == SCDC_COINS_SHARED;
    r->workers = arena_new(&r->memory, s->workers, sizeof *r->workers, "workers");
    r->same = arena_new(&r->memory, K * K, sizeof *r->same, "clusters");
    r->q = arena_new(&r->memory, K * K, sizeof *r->q, "clusters");
    r->field = arena_new(&r->memory, s->max_rows * K, sizeof *r->field, "messages");
    if (messages_come_last(model))
        r->own = arena_new(&r->memory, graph->nodes, K * sizeof *r->own, "components of items");
    SCDC_TRY(arena_status(&r->memory));
    SCDC_TRY(model->core->ops->coins(r->workers, model->core));
    remembered_weigh(&r->remembered, r->workers);
    same_clusters(r->same, r->q, model);
    remembered_set_clusters(&r->remembered, r->q, K, model->n_clusters);
    return SCDC_OK;
}

/* What the others say; in the first round nobody has spoken. */
static const double *hear_others(void *context, const chunk *c)
{
    round_state *r = context;
    size_t K = r->model->core->spec.components;
    if (r->first) return NULL;
    for (size_t row = 0; row < c->rows; row++) {
        remembered_field(r->field + row * K, &r->remembered, c->first + row, r->same);
    }
    return r->field;
}

static int remember_chunk(void *context, const chunk *c)
{
    round_state *r = context;
    size_t K = r->model->core->spec.components;
    for (size_t i = 0; r->own && r->first && i < c->rows * K; i++)
        r->own[c->first * K + i] = (float)c->z[i];
    for (size_t row = 0; row < c->rows; row++) {
        remembered_store(&r->remembered, c->first + row, c->z + row * K);
        if (r->last) r->placed(r->context, c->item[row], c->z + row * K);
    }
    return SCDC_OK;
}

/* q(z) of a node that heard the others, whose field is in z. */
static void add_own(double *z, const float *own, size_t K)
{
    for (size_t k = 0; k < K; k++) z[k] = own[k] > 0 ? log((double)own[k]) + z[k] : -INFINITY;
    softmax(z, z, K);
}

typedef struct telling {
    const round_state *r;
    const chunk *c;
} telling;

static void tell_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const telling *t = context;
    const round_state *r = t->r;
    size_t K = r->model->core->spec.components;
    for (size_t row = begin; row < end; row++) {
        double *z = t->c->z + row * K;
        if (r->first) recall_z(z, r->model, r->known, t->c->item[row]);
        else add_own(z, r->own + (t->c->first + row) * K, K);
    }
}

/* A round without asking anybody but the other items, and in the first one memory. */
static int hear_again(round_state *r)
{
    size_t most = r->model->core->spec.max_rows;
    for (size_t first = 0; first < r->remembered.nodes; first += most) {
        size_t left = r->remembered.nodes - first, rows = left < most ? left : most;
        chunk c = {
            .first = first, .rows = rows, .item = r->remembered.graph->item + first, .z = r->field};
        if (!r->first) SCDC_TRY(remembered_fields(r->field, &r->remembered, first, rows, r->same));
        parallel_for(rows, 16, tell_rows, &(telling){r, &c});
        SCDC_TRY(remember_chunk(r, &c));
    }
    return SCDC_OK;
}

/* Items hear those of the chunks before them in their new state and the others in their old one. */
static int run_rounds(round_state *r, const scdc_data *data)
{
    walk nodes = {.model = r->model,
                  .data = data,
                  .count = r->remembered.nodes,
                  .items = r->remembered.graph->item,
                  .own = true,
                  .hear = hear_others,
                  .take = remember_chunk,
                  .context = r};
    for (size_t round = 0; round <= ROUNDS; round++) {
        r->first = round == 0;
        r->last = round == ROUNDS;
        bool ask = round ? !r->own : !r->known;
        SCDC_TRY(ask ? walk_items(&nodes) : hear_again(r));
        remembered_weigh(&r->remembered, r->workers); /* groupings, by what items are now */
    }
    return SCDC_OK;
}

/* The answers with the model's numbers of their workers, who are told by their names. */
static int renumber_workers(scdc_answer *out, const scdc_model *model, const scdc_crowd *crowd)
{
    size_t workers = model->core->spec.workers, number;
    bool tasks = recipe_of(&model->core->spec.options)->knows_groupings;
    names known = {0};
    int status = SCDC_OK;
    for (size_t m = 0; m < workers && status == SCDC_OK; m++) {
        const char *name = model->worker_names[m];
        status = names_add(&number, NULL, &known, name, strlen(name));
    }
    for (size_t i = 0; i < crowd->count && status == SCDC_OK; i++) {
        const char *name = scdc_crowd_worker_name(crowd, crowd->answers[i].worker);
        out[i] = crowd->answers[i];
        if (!tasks) out[i].task = SCDC_NO_TASK;
        if (names_find(&number, &known, name, strlen(name))) {
            out[i].worker = (uint32_t)number;
        } else {
            status = fail_with(SCDC_ERR_INPUT,
                               "the answers have a worker '%.40s', who is none of the model's %zu: "
                               "leave the answers of others out, or fit again with them",
                               name, workers);
        }
    }
    names_free(&known);
    return status;
}

int answers_of_crowd(answer_list *out, const scdc_model *model, const scdc_crowd *crowd)
{
    scdc_answer *own;
    *out = (answer_list){0};
    if (!crowd) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&own, crowd->count, sizeof *own, "answers"));
    *out = (answer_list){own, crowd->count, own};
    int status = renumber_workers(own, model, crowd);
    if (status != SCDC_OK) answer_list_free(out);
    return status;
}

uint32_t answers_checksum(const answer_list *l)
{
    uLong crc = crc32_z(0, NULL, 0);
    if (l->count) crc = crc32_z(crc, (const void *)l->answer, l->count * sizeof *l->answer);
    return (uint32_t)crc;
}

void answer_list_free(answer_list *l)
{
    mem_free(l->memory);
    *l = (answer_list){0};
}

int place_with_answers(const scdc_model *model, const scdc_data *data, const answer_list *answers,
                       const known_items *known, placed_item take, void *context)
{
    round_state r = {.model = model, .placed = take, .context = context};
    crowd_graph graph = {0};
    int status;
    SCDC_TRY_OR(done, status, crowd_graph_build(&graph, answers->answer, answers->count));
    if (graph.item[graph.nodes - 1] >= data->rows) {
        status =
            fail_with(SCDC_ERR_ARGUMENT, "an answer is about item %u, but there are only %zu items",
                      graph.item[graph.nodes - 1], data->rows);
        goto done;
    }
    SCDC_TRY_OR(done, status, prepare(&r, model, answers, &graph));
    if (recall_possible(model, known, &graph)) r.known = known;
    status = run_rounds(&r, data);
done:
    remembered_free(&r.remembered);
    crowd_graph_free(&graph);
    arena_free(&r.memory);
    return status;
}
