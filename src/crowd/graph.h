/* The comparison graph: who was compared with whom. One node per annotated item, one edge per
 * answer (a pair answered twice has two edges), stored for both ends. Knows nothing of workers. */
#ifndef SCDC_CROWD_GRAPH_H
#define SCDC_CROWD_GRAPH_H

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct crowd_graph {
    size_t nodes;      /* N_l, annotated items */
    size_t answers;    /* N_a */
    size_t components; /* connected ones */
    uint32_t *item;    /* [nodes] item number of each node, increasing */
    uint32_t *left;    /* [answers] nodes at the two ends of each answer */
    uint32_t *right;
    /* Edges of node n are e = start[n] .. start[n + 1] - 1, in the order of the answers. */
    size_t *start;       /* [nodes + 1] */
    uint32_t *neighbour; /* [2 answers] node at the other end */
    uint32_t *answer;    /* [2 answers] number of the answer */
    uint32_t *component; /* [nodes] numbered from 0 in the order of their first node */
} crowd_graph;

/* O(answers) time and memory. count from 1 to CROWD_MOST_ANSWERS; left != right in each. */
int crowd_graph_build(crowd_graph *out, const scdc_answer *answers, size_t count);
void crowd_graph_free(crowd_graph *graph);

/* Answers that touch a node. */
static inline size_t crowd_graph_degree(const crowd_graph *graph, size_t node)
{
    return graph->start[node + 1] - graph->start[node];
}
/* Node of an item; false when it has no answers. O(log nodes). */
bool crowd_graph_find(uint32_t *node, const crowd_graph *graph, uint32_t item);

#endif
