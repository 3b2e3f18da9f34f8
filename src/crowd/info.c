/* scdc_crowd_get_info: what the answers cover and how far they agree. */
#include "base/memory.h"
#include "base/sized.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "crowd/graph.h"
#include "crowd/placements.h"

#include <stdlib.h>

/* An answer for sorting: by pair, then by who said what. */
typedef struct keyed_answer {
    uint64_t pair;  /* smaller item << 32 | larger item */
    uint64_t given; /* worker << 1 | same */
} keyed_answer;

static int compare_keyed(const void *a, const void *b)
{
    const keyed_answer *x = a, *y = b;
    if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
    return (x->given > y->given) - (x->given < y->given);
}

static keyed_answer key_of(const scdc_answer *a)
{
    uint32_t low = a->left < a->right ? a->left : a->right;
    uint32_t high = a->left < a->right ? a->right : a->left;
    return (keyed_answer){(uint64_t)low << 32 | high, (uint64_t)a->worker << 1 | a->same};
}

/* Distinct pairs, pairs answered more than once, pairs with both answers, repeated answers. */
static int count_pairs(scdc_crowd_info *info, const scdc_crowd *crowd)
{
    keyed_answer *keyed;
    SCDC_TRY(mem_zeroed(&keyed, crowd->count, sizeof *keyed, "sorted answers"));
    for (size_t i = 0; i < crowd->count; i++) keyed[i] = key_of(crowd->answers + i);
    qsort(keyed, crowd->count, sizeof *keyed, compare_keyed);
    for (size_t i = 0, end; i < crowd->count; i = end) {
        bool seen[2] = {false, false};
        for (end = i; end < crowd->count && keyed[end].pair == keyed[i].pair; end++) {
            seen[keyed[end].given & 1] = true;
            info->repeated += end > i && keyed[end].given == keyed[end - 1].given;
        }
        info->pairs++;
        info->pairs_twice += end - i > 1;
        info->conflicts += seen[0] && seen[1];
    }
    mem_free(keyed);
    return SCDC_OK;
}

static int count_workers(scdc_crowd_info *info, const scdc_crowd *crowd)
{
    size_t *answers, least = SIZE_MAX, most = 0;
    SCDC_TRY(mem_zeroed(&answers, crowd->workers.count, sizeof *answers, "answers per worker"));
    for (size_t i = 0; i < crowd->count; i++) answers[crowd->answers[i].worker]++;
    for (size_t w = 0; w < crowd->workers.count; w++) {
        if (answers[w] < least) least = answers[w];
        if (answers[w] > most) most = answers[w];
        info->single_answer_workers += answers[w] == 1;
    }
    mem_free(answers);
    info->workers = crowd->workers.count;
    info->min_per_worker = (double)least;
    info->max_per_worker = (double)most;
    info->mean_per_worker = (double)crowd->count / (double)crowd->workers.count;
    return SCDC_OK;
}

int scdc_crowd_get_info_sized(scdc_crowd_info *out, size_t size, const scdc_crowd *crowd)
{
    if (!out || !crowd) {
        return fail_with(SCDC_ERR_ARGUMENT, "answers: out and crowd must not be NULL");
    }
    scdc_crowd_info info = {.answers = crowd->count,
                            .tasks = crowd->tasks,
                            .unsure = crowd->unsure,
                            .named_items = crowd->named_items};
    for (size_t i = 0; i < crowd->count; i++) info.same += crowd->answers[i].same;
    crowd_graph graph;
    SCDC_TRY(crowd_graph_build(&graph, crowd->answers, crowd->count));
    info.items = graph.nodes;
    info.max_item = (size_t)graph.item[graph.nodes - 1] + 1;
    info.components = graph.components;
    placements groupings = {0};
    int status = placements_build(&groupings, crowd->answers, &graph);
    info.groupings = groupings.tasks;
    info.placements = groupings.count;
    info.grouped = crowd->count - groupings.pairs;
    placements_free(&groupings);
    crowd_graph_free(&graph);
    SCDC_TRY(status);
    SCDC_TRY(count_pairs(&info, crowd));
    SCDC_TRY(count_workers(&info, crowd));
    info.mean_neighbours = 2.0 * (double)info.pairs / (double)info.items;
    sized_fill(out, size, &info, sizeof info);
    return SCDC_OK;
}
