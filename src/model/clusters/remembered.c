/* Remembered q(z) of annotated items and sums over all answers. */
#include "model/clusters/remembered.h"
#include "base/parallel.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NODES_OF_PIECE = 64 };

int remembered_create(remembered *out, size_t nodes, size_t n_answers, size_t components)
{
    remembered r = {.nodes = nodes, .n_answers = n_answers, .components = components};
    size_t cells;
    int status;
    r.slots = components < REMEMBERED_SLOTS ? components : REMEMBERED_SLOTS;
    if (!size_mul(&cells, nodes, r.slots)) return fail_memory(SIZE_MAX, "remembered messages");
    r.component = arena_new(&r.memory, cells, sizeof *r.component, "remembered messages");
    r.share = arena_new(&r.memory, cells, sizeof *r.share, "remembered messages");
    r.lost = arena_new(&r.memory, nodes, sizeof *r.lost, "remembered messages");
    r.weight = arena_new(&r.memory, n_answers, sizeof *r.weight, "answer weights");
    r.unheard = arena_new(&r.memory, nodes, sizeof *r.unheard, "answers");
    r.row = arena_new(&r.memory, components, sizeof *r.row, "messages");
    r.mass = arena_new(&r.memory, 2 * components, sizeof *r.mass, "messages");
    r.live = arena_new(&r.memory, components, sizeof *r.live, "messages");
    r.term = arena_new(&r.memory, components, sizeof *r.term, "messages");
    SCDC_TRY_OR(error, status, arena_status(&r.memory));
    *out = r;
    return SCDC_OK;
error:
    arena_free(&r.memory);
    return status;
}

/* Edges of the answers that are pairs of their own. */
static int list_pairs(remembered *r)
{
    const crowd_graph *g = r->graph;
    size_t edges = 0;
    r->pair_start = arena_new(&r->attached, g->nodes + 1, sizeof *r->pair_start, "answers");
    r->pair_edge =
        arena_new(&r->attached, 2 * r->piles.tasks.pairs, sizeof *r->pair_edge, "answers");
    SCDC_TRY(arena_status(&r->attached));
    SCDC_TRY(arena_status(&r->attached));
    for (size_t n = 0; n < g->nodes; n++) {
        for (size_t e = g->start[n]; e < g->start[n + 1]; e++) {
            if (placements_is_pair(&r->piles.tasks, g->answer[e])) {
                r->pair_edge[edges++] = (uint32_t)e;
            }
        }
        r->pair_start[n + 1] = edges;
    }
    return SCDC_OK;
}

static void detach(remembered *r)
{
    piles_free(&r->piles);
    arena_free(&r->attached);
    r->attached = (arena){0};
}

int remembered_attach(remembered *r, const scdc_answer *answers, const crowd_graph *graph)
{
    size_t most = 0;
    detach(r);
    r->answers = answers;
    r->graph = graph;
    SCDC_TRY(piles_create(&r->piles, answers, graph, r->components));
    for (size_t t = 0; t < r->piles.tasks.tasks; t++) {
        if (r->piles.tasks.piles[t] > most) most = r->piles.tasks.piles[t];
    }
    r->by_pile = arena_new(&r->attached, most * r->components, sizeof *r->by_pile, "groupings");
    r->left_out = arena_new(&r->attached, r->piles.tasks.count, sizeof *r->left_out, "groupings");
    for (size_t i = 0; i < r->nodes; i++) r->unheard[i] = false;
    SCDC_TRY(arena_status(&r->attached));
    return list_pairs(r);
}

void remembered_free(remembered *r)
{
    detach(r);
    arena_free(&r->memory);
}

void remembered_hear(remembered *r, const bool *unheard)
{
    const placements *tasks = &r->piles.tasks;
    for (size_t i = 0; i < r->nodes; i++) r->unheard[i] = unheard && unheard[i];
    if (!tasks->tasks) return;
    for (size_t i = 0; i < tasks->count; i++) r->left_out[i] = r->unheard[tasks->node[i]];
    piles_leave_out(&r->piles, unheard ? r->left_out : NULL);
}

static bool is_heard(const remembered *r, size_t a)
{
    return !r->unheard[r->graph->left[a]] && !r->unheard[r->graph->right[a]];
}

/* What groupings know of a node, from what is remembered of it. */
static void tell_piles(remembered *r, size_t node)
{
    double *c = r->row;
    memset(c, 0, r->clusters * sizeof *c);
    for (size_t s = 0; s < r->slots; s++) {
        const double *q = r->q + (size_t)r->component[node * r->slots + s] * r->stride;
        double share = (double)r->share[node * r->slots + s];
        if (share == 0) continue;
        for (size_t k = 0; k < r->clusters; k++) c[k] += share * q[k];
    }
    piles_set(&r->piles, node, c);
}

void remembered_set_clusters(remembered *r, const double *q, size_t stride, size_t clusters)
{
    r->q = q;
    r->stride = stride;
    r->clusters = clusters;
    if (!r->piles.tasks.tasks) return;
    piles_reset(&r->piles, clusters);
    for (size_t i = 0; i < r->nodes; i++) tell_piles(r, i);
}

void remembered_store(remembered *r, size_t node, const double *z)
{
    int32_t *component = r->component + node * r->slots;
    float *share = r->share + node * r->slots;
    double kept[REMEMBERED_SLOTS], sum = 0, total = 0;
    size_t used = 0;
    /* Insertion into a short sorted list: most components fall through the first test. */
    for (size_t k = 0; k < r->components; k++) {
        total += z[k];
        if (used == r->slots && !(z[k] > kept[used - 1])) continue;
        size_t place = used < r->slots ? used++ : used - 1;
        for (; place > 0 && z[k] > kept[place - 1]; place--) {
            kept[place] = kept[place - 1];
            component[place] = component[place - 1];
        }
        kept[place] = z[k];
        component[place] = (int32_t)k;
    }
    for (size_t s = 0; s < used; s++) sum += kept[s];
    for (size_t s = 0; s < used; s++) share[s] = (float)(kept[s] / sum);
    r->lost[node] = (float)(1 - sum / total);
    if (r->piles.tasks.tasks && r->q) tell_piles(r, node);
}

void remembered_read(double *z, const remembered *r, size_t node)
{
    memset(z, 0, r->components * sizeof *z);
    for (size_t s = 0; s < r->slots; s++) {
        z[r->component[node * r->slots + s]] += (double)r->share[node * r->slots + s];
    }
}

double remembered_dropped(const remembered *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->nodes; i++) sum += (double)r->lost[i];
    return r->nodes ? sum / (double)r->nodes : 0;
}

bool remembered_valid(const remembered *r)
{
    for (size_t i = 0; i < r->nodes * r->slots; i++) {
        if (r->component[i] < 0 || (size_t)r->component[i] >= r->components) return false;
    }
    return true;
}

void remembered_weigh(remembered *r, const two_coin *workers)
{
    for (size_t a = 0; a < r->n_answers; a++) {
        const scdc_answer *q = &r->answers[a];
        r->weight[a] = is_heard(r, a) ? two_coin_weight(&workers[q->worker], q->same) : 0;
    }
    piles_weigh(&r->piles, workers);
}

/* The components of a node that count, and their shares: all, or the likeliest alone. */
static size_t counted_slots(const remembered *r, bool likeliest)
{
    return likeliest ? 1 : r->slots;
}
static double counted_share(const remembered *r, size_t node, size_t slot, bool likeliest)
{
    return likeliest ? 1 : (double)r->share[node * r->slots + slot];
}

/* out = sum_j w_ij z_j over the pairs of a node. */
static void weighted_neighbours(double *out, const remembered *r, size_t node, bool likeliest)
{
    memset(out, 0, r->components * sizeof *out);
    for (size_t i = r->pair_start[node]; i < r->pair_start[node + 1]; i++) {
        size_t e = r->pair_edge[i], j = r->graph->neighbour[e];
        double w = r->weight[r->graph->answer[e]];
        for (size_t s = 0; s < counted_slots(r, likeliest); s++) {
            out[r->component[j * r->slots + s]] += w * counted_share(r, j, s, likeliest);
        }
    }
}

/* Adds what the groupings say: ln sum_c q(c | k) P(pile | c). */
static void add_placements(double *field, remembered *r, size_t node)
{
    const placements *tasks = &r->piles.tasks;
    size_t C = r->clusters;
    double *likely = r->piles.message;
    for (size_t i = tasks->node_start[node]; i < tasks->node_start[node + 1]; i++) {
        if (r->unheard[node]) continue;
        piles_message(likely, &r->piles, tasks->of_node[i]);
        for (size_t c = 0; c <= C; c++) likely[c] = exp(likely[c]);
        for (size_t k = 0; k < r->components; k++) {
            const double *q = r->q + k * r->stride;
            double sum = 0, rest = 1;
            for (size_t c = 0; c < C; c++) {
                sum += q[c] * likely[c];
                rest -= q[c];
            }
            field[k] += log(sum + (rest > 0 ? rest : 0) * likely[C]);
        }
    }
}

/* What one thread adds up with. */
typedef struct field_scratch {
    double *row;       /* [K] */
    gather_term *term; /* [K] */
} field_scratch;

/* From pairs alone: field = same' row. */
static void field_of_pairs(double *field, const remembered *r, size_t node, const double *same,
                           field_scratch by)
{
    size_t K = r->components, live = 0;
    weighted_neighbours(by.row, r, node, false);
    for (size_t l = 0; l < K; l++) {
        if (by.row[l] != 0) by.term[live++] = (gather_term){(uint32_t)l, (uint32_t)l};
    }
    memset(field, 0, K * sizeof *field);
    gather_rows(field, same, K, by.row, by.term, live);
}

void remembered_field(double *field, remembered *r, size_t node, const double *same)
{
    field_of_pairs(field, r, node, same, (field_scratch){r->row, r->term});
    if (r->piles.tasks.tasks) add_placements(field, r, node);
}

typedef struct hearing {
    double *field; /* [count][K] */
    const remembered *r;
    size_t first;
    const double *same;
    field_scratch all; /* [threads][K] */
} hearing;

static void hear_pairs(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const hearing *h = context;
    size_t K = h->r->components, at = parallel_slot() * K;
    for (size_t i = begin; i < end; i++)
        field_of_pairs(h->field + i * K, h->r, h->first + i, h->same,
                       (field_scratch){h->all.row + at, h->all.term + at});
}

int remembered_fields(double *field, remembered *r, size_t first, size_t count, const double *same)
{
    size_t K = r->components, slots = parallel_slots();
    arena memory = {0};
    hearing h = {field,
                 r,
                 first,
                 same,
                 {arena_new(&memory, slots * K, sizeof *h.all.row, "messages"),
                  arena_new(&memory, slots * K, sizeof *h.all.term, "messages")}};
    int status = arena_status(&memory);
    if (status == SCDC_OK) parallel_for(count, NODES_OF_PIECE, hear_pairs, &h);
    for (size_t i = 0; i < count && status == SCDC_OK && r->piles.tasks.tasks; i++)
        add_placements(field + i * K, r, first + i);
    arena_free(&memory);
    return status;
}

/* ---- evidence ---- */

static void pair_evidence(double *evidence, const remembered *r, bool likeliest)
{
    size_t K = r->components;
    for (size_t i = 0; i < r->nodes; i++) {
        weighted_neighbours(r->row, r, i, likeliest);
        for (size_t s = 0; s < counted_slots(r, likeliest); s++) {
            double z = counted_share(r, i, s, likeliest);
            if (z == 0) continue;
            double *row = evidence + (size_t)r->component[i * r->slots + s] * K;
            for (size_t l = 0; l < K; l++) row[l] += z * r->row[l];
        }
    }
}

/* The components on the piles of a task, [piles][K], and how many items of each there are; returns
 * the number of components with any, which are listed in r->live. */
static size_t fill_piles(remembered *r, size_t t, bool likeliest)
{
    const placements *p = &r->piles.tasks;
    size_t K = r->components, live = 0, slots = counted_slots(r, likeliest);
    memset(r->by_pile, 0, p->piles[t] * K * sizeof *r->by_pile);
    memset(r->mass, 0, 2 * K * sizeof *r->mass);
    for (size_t i = p->start[t]; i < p->start[t + 1]; i++) {
        if (r->unheard[p->node[i]]) continue;
        for (size_t s = 0; s < slots; s++) {
            size_t k = (size_t)r->component[p->node[i] * r->slots + s];
            double z = counted_share(r, p->node[i], s, likeliest);
            if (z == 0) continue;
            if (r->mass[k] == 0) r->live[live++] = (uint32_t)k;
            r->mass[k] += z;
            r->by_pile[p->pile[i] * K + k] += z;
        }
    }
    return live;
}

/* mass[K + k]: items of the task in the cluster of component k. */
static void fill_clusters(remembered *r, size_t t, size_t live)
{
    size_t K = r->components, C = r->clusters;
    const double *of = r->piles.of + t * C;
    for (size_t i = 0; i < live; i++) {
        size_t k = r->live[i];
        double sum = 0;
        for (size_t c = 0; c < C && r->q; c++) sum += r->q[k * r->stride + c] * of[c];
        r->mass[K + k] = sum > r->mass[k] ? sum : r->mass[k];
    }
}

/* What a pair of items in the clusters of k and l counts. */
static double worth_of_pair(const remembered *r, size_t k, size_t l)
{
    double items = r->mass[r->components + k] + r->mass[r->components + l] - 1;
    return items > 1 ? 1 / items : 1;
}

static void task_evidence(double *evidence, remembered *r, size_t t, bool likeliest)
{
    const placements *p = &r->piles.tasks;
    size_t K = r->components, live = fill_piles(r, t, likeliest);
    size_t slots = counted_slots(r, likeliest);
    double same = r->piles.same[t], different = r->piles.different[t];
    fill_clusters(r, t, live);
    for (size_t a = 0; a < live; a++) {
        size_t k = r->live[a];
        for (size_t b = 0; b < live; b++) {
            size_t l = r->live[b];
            double together = 0;
            for (size_t g = 0; g < p->piles[t]; g++) {
                together += r->by_pile[g * K + k] * r->by_pile[g * K + l];
            }
            evidence[k * K + l] += worth_of_pair(r, k, l) * (together * (same - different) +
                                                             r->mass[k] * r->mass[l] * different);
        }
    }
    /* No item makes a pair with itself. */
    for (size_t i = p->start[t]; i < p->start[t + 1]; i++) {
        const int32_t *component = r->component + p->node[i] * r->slots;
        if (r->unheard[p->node[i]]) continue;
        for (size_t a = 0; a < slots; a++) {
            double z = counted_share(r, p->node[i], a, likeliest);
            for (size_t b = 0; b < slots && z > 0; b++) {
                size_t k = (size_t)component[a], l = (size_t)component[b];
                evidence[k * K + l] -=
                    worth_of_pair(r, k, l) * same * z * counted_share(r, p->node[i], b, likeliest);
            }
        }
    }
}

void remembered_evidence(double *evidence, remembered *r, bool likeliest)
{
    memset(evidence, 0, r->components * r->components * sizeof *evidence);
    pair_evidence(evidence, r, likeliest);
    for (size_t t = 0; t < r->piles.tasks.tasks; t++) task_evidence(evidence, r, t, likeliest);
}

/* ---- workers, the bound ---- */

/* Slots of a node that matter; shares decrease. Most items are of one or two components. */
static size_t used_slots(const remembered *r, size_t node)
{
    const float *share = r->share + node * r->slots;
    size_t used = r->slots;
    while (used > 1 && share[used - 1] < 1e-9f) used--;
    return used;
}

/* s = z_i' A z_j for the two items of an answer. */
static double same_cluster(const remembered *r, size_t i, size_t j, const double *same)
{
    size_t mine = used_slots(r, i), its = used_slots(r, j);
    const int32_t *ki = r->component + i * r->slots, *kj = r->component + j * r->slots;
    const float *zi = r->share + i * r->slots, *zj = r->share + j * r->slots;
    double sum = 0;
    for (size_t s = 0; s < mine; s++) {
        double inner = 0;
        for (size_t t = 0; t < its; t++)
            inner += same[(size_t)ki[s] * r->components + (size_t)kj[t]] * (double)zj[t];
        sum += (double)zi[s] * inner;
    }
    return sum < 1 ? sum : 1;
}

void remembered_count(two_coin_counts *workers, const remembered *r, const double *same)
{
    for (size_t a = 0; a < r->n_answers; a++) {
        if (!placements_is_pair(&r->piles.tasks, a) || !is_heard(r, a)) continue;
        double s = same_cluster(r, r->graph->left[a], r->graph->right[a], same);
        two_coin_count(&workers[r->answers[a].worker], r->answers[a].same, s);
    }
    piles_count(workers, &r->piles);
}

double remembered_answer_term(const remembered *r, const double *same, const two_coin *workers)
{
    double sum = piles_term(&r->piles);
    for (size_t a = 0; a < r->n_answers; a++) {
        if (!placements_is_pair(&r->piles.tasks, a) || !is_heard(r, a)) continue;
        double s = same_cluster(r, r->graph->left[a], r->graph->right[a], same);
        sum += two_coin_log_likelihood(&workers[r->answers[a].worker], r->answers[a].same, s);
    }
    return sum;
}

/* out [used slots] ~ q(z) of a node without what an answer told it about its partner. */
static void take_back(double *out, const remembered *r, size_t node, size_t partner, double weight,
                      const double *same)
{
    size_t K = r->components, slots = r->slots;
    size_t mine = used_slots(r, node), its = used_slots(r, partner);
    const int32_t *own = r->component + node * slots, *other = r->component + partner * slots;
    const float *share = r->share + node * slots, *told = r->share + partner * slots;
    double sum = 0;
    for (size_t s = 0; s < mine; s++) {
        double message = 0;
        for (size_t t = 0; t < its; t++) {
            message += same[(size_t)own[s] * K + (size_t)other[t]] * (double)told[t];
        }
        sum += out[s] = (double)share[s] * exp(-weight * message);
    }
    for (size_t s = 0; s < mine; s++) out[s] /= sum;
}

double remembered_held_out(const remembered *r, const double *same, const two_coin *workers)
{
    size_t K = r->components, slots = r->slots;
    double sum = piles_held_out(&r->piles), left[REMEMBERED_SLOTS], right[REMEMBERED_SLOTS];
    for (size_t a = 0; a < r->n_answers; a++) {
        if (!placements_is_pair(&r->piles.tasks, a)) continue;
        size_t i = r->graph->left[a], j = r->graph->right[a];
        const int32_t *mine = r->component + i * slots, *its = r->component + j * slots;
        const two_coin *w = &workers[r->answers[a].worker];
        uint32_t said = r->answers[a].same;
        double s = 0;
        take_back(left, r, i, j, r->weight[a], same);
        take_back(right, r, j, i, r->weight[a], same);
        for (size_t k = 0; k < used_slots(r, i); k++) {
            for (size_t l = 0; l < used_slots(r, j); l++) {
                s += left[k] * same[(size_t)mine[k] * K + (size_t)its[l]] * right[l];
            }
        }
        double if_same = exp(said ? w->ln_alpha : w->ln_not_alpha);
        double if_not = exp(said ? w->ln_not_beta : w->ln_beta);
        s = s < 1 ? s : 1;
        sum += log(s * if_same + (1 - s) * if_not + DBL_MIN);
    }
    return sum / (double)(r->piles.tasks.pairs + r->piles.tasks.count);
}
