/* Partitions among the answers: sorted by task, checked by a union-find. */
#include "crowd/placements.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* An answer of a task, for sorting. */
typedef struct keyed {
    uint64_t key; /* task << 32 | worker */
    uint32_t answer;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->answer > y->answer) - (x->answer < y->answer);
}

typedef struct finder {
    const crowd_graph *graph;
    const scdc_answer *answers;
    placements *out;
    uint32_t *parent; /* [nodes] union-find over the items of the task at hand */
    uint32_t *pile;   /* [nodes] of a root */
    uint32_t *node;   /* [nodes] items of the task, increasing */
    size_t nodes;
    bool *seen; /* [nodes] */
    bool *met;  /* [pile][pile] told apart by an answer */
    size_t met_capacity;
} finder;

static uint32_t root_of(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The items of a task, and "same" answers joined. */
static void join_same(finder *f, const keyed *list, size_t n)
{
    f->nodes = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t ends[] = {f->graph->left[list[i].answer], f->graph->right[list[i].answer]};
        for (size_t side = 0; side < 2; side++) {
            if (f->seen[ends[side]]) continue;
            f->seen[ends[side]] = true;
            f->parent[ends[side]] = ends[side];
            f->node[f->nodes++] = ends[side];
        }
        if (!f->answers[list[i].answer].same) continue;
        uint32_t a = root_of(f->parent, ends[0]), b = root_of(f->parent, ends[1]);
        if (a != b) f->parent[a < b ? b : a] = a < b ? a : b;
    }
    for (size_t i = 0; i < f->nodes; i++) f->seen[f->node[i]] = false;
    qsort(f->node, f->nodes, sizeof *f->node, compare_nodes);
}

/* Numbers the piles; returns how many there are. */
static size_t number_piles(finder *f)
{
    size_t piles = 0;
    for (size_t i = 0; i < f->nodes; i++) { /* a root is the smallest node of its pile */
        if (f->parent[f->node[i]] == f->node[i]) f->pile[f->node[i]] = (uint32_t)piles++;
    }
    return piles;
}

/* Whether "different" answers contradict no pile and tell all piles apart. */
static int told_apart(bool *all, finder *f, const keyed *list, size_t n, size_t piles)
{
    size_t told = 0, wanted = piles * (piles - 1) / 2;
    *all = false;
    if (wanted > n) return SCDC_OK; /* also bounds the room below */
    SCDC_TRY(mem_reserve(&f->met, &f->met_capacity, piles * piles, sizeof *f->met, "piles"));
    memset(f->met, 0, piles * piles * sizeof *f->met);
    for (size_t i = 0; i < n; i++) {
        if (f->answers[list[i].answer].same) continue;
        size_t a = f->pile[root_of(f->parent, f->graph->left[list[i].answer])];
        size_t b = f->pile[root_of(f->parent, f->graph->right[list[i].answer])];
        if (a == b) return SCDC_OK;
        if (f->met[a * piles + b]) continue;
        f->met[a * piles + b] = f->met[b * piles + a] = true;
        told++;
    }
    *all = told == wanted;
    return SCDC_OK;
}

/* The answers of one task and worker: a grouping, or pairs. */
static int take_task(finder *f, const keyed *list, size_t n)
{
    placements *out = f->out;
    bool whole;
    join_same(f, list, n);
    if (f->nodes < 3) return SCDC_OK;
    size_t piles = number_piles(f);
    SCDC_TRY(told_apart(&whole, f, list, n, piles));
    if (!whole) return SCDC_OK;
    out->worker[out->tasks] = f->answers[list[0].answer].worker;
    out->piles[out->tasks] = (uint32_t)piles;
    for (size_t i = 0; i < f->nodes; i++) {
        out->node[out->count] = f->node[i];
        out->pile[out->count] = f->pile[root_of(f->parent, f->node[i])];
        out->task[out->count++] = (uint32_t)out->tasks;
    }
    for (size_t i = 0; i < n; i++) out->grouping[list[i].answer] = (uint32_t)out->tasks;
    out->pairs -= n;
    out->start[++out->tasks] = out->count;
    return SCDC_OK;
}

static void index_nodes(placements *p, size_t nodes)
{
    for (size_t i = 0; i < p->count; i++) p->node_start[p->node[i] + 1]++;
    for (size_t n = 0; n < nodes; n++) p->node_start[n + 1] += p->node_start[n];
    for (size_t i = p->count; i-- > 0;) p->of_node[--p->node_start[p->node[i] + 1]] = (uint32_t)i;
    /* Each start is now one node too late. */
    memmove(p->node_start, p->node_start + 1, nodes * sizeof *p->node_start);
    p->node_start[nodes] = p->count;
}

/* Tasks and placements there can be at most, from the sorted answers. */
static void bound_sizes(size_t *tasks, size_t *count, const keyed *list, size_t n, size_t nodes)
{
    *tasks = *count = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && list[end].key == list[begin].key;) end++;
        size_t most = 2 * (end - begin);
        *tasks += 1;
        *count += most < nodes ? most : nodes;
    }
}

static int take_room(placements *p, finder *f, arena *scratch, size_t tasks, size_t count)
{
    size_t nodes = f->graph->nodes;
    arena *m = &p->memory;
    const char *what = "groupings";
    p->worker = arena_new(m, tasks, sizeof *p->worker, what);
    p->piles = arena_new(m, tasks, sizeof *p->piles, what);
    p->start = arena_new(m, tasks + 1, sizeof *p->start, what);
    p->node = arena_new(m, count, sizeof *p->node, what);
    p->pile = arena_new(m, count, sizeof *p->pile, what);
    p->task = arena_new(m, count, sizeof *p->task, what);
    p->of_node = arena_new(m, count, sizeof *p->of_node, what);
    f->parent = arena_new(scratch, nodes, sizeof *f->parent, what);
    f->pile = arena_new(scratch, nodes, sizeof *f->pile, what);
    f->node = arena_new(scratch, nodes, sizeof *f->node, what);
    f->seen = arena_new(scratch, nodes, sizeof *f->seen, what);
    SCDC_TRY(arena_status(m));
    return arena_status(scratch);
}

/* The answers that have a task, sorted. */
static int sort_by_task(keyed **out, size_t *n, const scdc_answer *answers, size_t count)
{
    SCDC_TRY(mem_zeroed(out, count, sizeof **out, "groupings"));
    *n = 0;
    for (size_t a = 0; a < count; a++) {
        if (answers[a].task == SCDC_NO_TASK) continue;
        (*out)[(*n)++] = (keyed){(uint64_t)answers[a].task << 32 | answers[a].worker, (uint32_t)a};
    }
    qsort(*out, *n, sizeof **out, compare_keyed);
    return SCDC_OK;
}

int placements_build(placements *out, const scdc_answer *answers, const crowd_graph *graph)
{
    placements p = {.pairs = graph->answers};
    finder f = {.graph = graph, .answers = answers, .out = &p};
    arena scratch = {0};
    keyed *list = NULL;
    size_t n, tasks, count;
    int status;
    SCDC_TRY_OR(done, status, sort_by_task(&list, &n, answers, graph->answers));
    bound_sizes(&tasks, &count, list, n, graph->nodes);
    p.grouping = arena_new(&p.memory, graph->answers, sizeof *p.grouping, "answers");
    p.node_start = arena_new(&p.memory, graph->nodes + 1, sizeof *p.node_start, "groupings");
    SCDC_TRY_OR(done, status, arena_status(&p.memory));
    for (size_t a = 0; a < graph->answers; a++) p.grouping[a] = NO_GROUPING;
    SCDC_TRY_OR(done, status, take_room(&p, &f, &scratch, tasks, count));
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && list[end].key == list[begin].key;) end++;
        SCDC_TRY_OR(done, status, take_task(&f, list + begin, end - begin));
    }
    index_nodes(&p, graph->nodes);
    *out = p;
    p = (placements){0};
done:
    mem_free(list);
    mem_free(f.met);
    arena_free(&scratch);
    placements_free(&p);
    return status;
}

void placements_free(placements *p)
{
    arena_free(&p->memory);
    *p = (placements){0};
}
