/* Groupings as what people did: a task is a worker who put some items on piles, one by one. An item
 * on a wrong pile is one slip, though it makes a wrong answer with every other item of the task.
 *
 * A task is a grouping when its answers are one worker's partition of three items or more: none
 * contradicts another, and together they tell of any two items whether they lie on one pile. All
 * other answers (single questions, tasks of two items, contradictions, tasks that leave something
 * open) stay pairs. */
#ifndef SCDC_CROWD_PLACEMENTS_H
#define SCDC_CROWD_PLACEMENTS_H

#include "base/memory.h"
#include "crowd/graph.h"

typedef struct placements {
    size_t tasks, count; /* groupings, and placements in all of them */
    uint32_t *worker;    /* [tasks] */
    uint32_t *piles;     /* [tasks] how many it has */
    /* Placements of task t are p = start[t] .. start[t + 1] - 1, by increasing node. */
    size_t *start;  /* [tasks + 1] */
    uint32_t *node; /* [count] node of the comparison graph */
    uint32_t *pile; /* [count] numbered from 0 inside a task, in the order of their first node */
    uint32_t *task; /* [count] */
    /* Placements of node n are of_node[node_start[n] .. node_start[n + 1] - 1]. */
    size_t *node_start; /* [nodes + 1] */
    uint32_t *of_node;  /* [count] */
    uint32_t *grouping; /* [answers] task of each, or NO_GROUPING for a pair of its own */
    size_t pairs;       /* answers that are pairs */
    arena memory;
} placements;

#define NO_GROUPING UINT32_MAX

static inline bool placements_is_pair(const placements *p, size_t answer)
{
    return p->grouping[answer] == NO_GROUPING;
}
/* What an answer counts where a grouping must be taken for its n (n - 1) / 2 pairs: all together as
 * much as n - 1, for every item but the first was put somewhere. */
static inline double placements_worth(const placements *p, size_t answer)
{
    if (placements_is_pair(p, answer)) return 1;
    size_t t = p->grouping[answer];
    return 2 / (double)(p->start[t + 1] - p->start[t]);
}

/* The graph is that of the same answers. O(answers log answers) time. */
int placements_build(placements *out, const scdc_answer *answers, const crowd_graph *graph);
void placements_free(placements *p);

#endif
