/* The comparison graph by one radix sort of the ends of all answers. */
#include "crowd/graph.h"

#include "base/memory.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "crowd/renumber.h"

/* Nodes of all ends: end 2a is the left one of answer a, 2a + 1 the right one. */
static int number_ends(renumbering *order, uint32_t **ends, const scdc_answer *answers,
                       size_t count)
{
    SCDC_TRY(mem_zeroed(ends, 2 * count, sizeof **ends, "the ends of answers"));
    for (size_t a = 0; a < count; a++) {
        (*ends)[2 * a] = answers[a].left;
        (*ends)[2 * a + 1] = answers[a].right;
    }
    return renumber(order, *ends, 2 * count);
}

/* Edges in the order of the sorted ends, which groups them by node. */
static int fill_edges(crowd_graph *g, const renumbering *order, const uint32_t *ends)
{
    const char *what = "the comparison graph";
    size_t edges = 2 * g->answers;
    SCDC_TRY(mem_zeroed(&g->start, g->nodes + 1, sizeof *g->start, what));
    SCDC_TRY(mem_zeroed(&g->neighbour, edges, sizeof *g->neighbour, what));
    SCDC_TRY(mem_zeroed(&g->answer, edges, sizeof *g->answer, what));
    SCDC_TRY(mem_zeroed(&g->left, g->answers, sizeof *g->left, what));
    SCDC_TRY(mem_zeroed(&g->right, g->answers, sizeof *g->right, what));
    for (size_t e = 0; e < edges; e++) {
        uint32_t end = order->order[e];
        g->start[ends[end] + 1] = e + 1;
        g->neighbour[e] = ends[end ^ 1];
        g->answer[e] = end / 2;
    }
    for (size_t a = 0; a < g->answers; a++) {
        g->left[a] = ends[2 * a];
        g->right[a] = ends[2 * a + 1];
    }
    return SCDC_OK;
}

/* Breadth first from every node not reached yet. */
static int find_components(crowd_graph *g)
{
    uint32_t *queue;
    SCDC_TRY(mem_zeroed(&g->component, g->nodes, sizeof *g->component, "connected components"));
    SCDC_TRY(mem_zeroed(&queue, g->nodes, sizeof *queue, "connected components"));
    for (size_t n = 0; n < g->nodes; n++) g->component[n] = UINT32_MAX;
    for (size_t first = 0; first < g->nodes; first++) {
        if (g->component[first] != UINT32_MAX) continue;
        size_t n_queue = 0;
        queue[n_queue++] = (uint32_t)first;
        g->component[first] = (uint32_t)g->components;
        for (size_t i = 0; i < n_queue; i++) {
            for (size_t e = g->start[queue[i]]; e < g->start[queue[i] + 1]; e++) {
                uint32_t next = g->neighbour[e];
                if (g->component[next] != UINT32_MAX) continue;
                g->component[next] = (uint32_t)g->components;
                queue[n_queue++] = next;
            }
        }
        g->components++;
    }
    mem_free(queue);
    return SCDC_OK;
}

int crowd_graph_build(crowd_graph *out, const scdc_answer *answers, size_t count)
{
    crowd_graph g = {.answers = count};
    renumbering order = {0};
    uint32_t *ends = NULL;
    int status;
    *out = (crowd_graph){0};
    if (count > CROWD_MOST_ANSWERS) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu answers, at most %zu are supported", count,
                         CROWD_MOST_ANSWERS);
    }
    SCDC_TRY_OR(done, status, number_ends(&order, &ends, answers, count));
    g.nodes = order.count;
    SCDC_TRY_OR(done, status, fill_edges(&g, &order, ends));
    SCDC_TRY_OR(done, status, find_components(&g));
    g.item = order.value;
    order.value = NULL;
    *out = g;
    g = (crowd_graph){0};
done:
    mem_free(ends);
    renumber_free(&order);
    crowd_graph_free(&g);
    return status;
}

void crowd_graph_free(crowd_graph *graph)
{
    mem_free(graph->item);
    mem_free(graph->left);
    mem_free(graph->right);
    mem_free(graph->start);
    mem_free(graph->neighbour);
    mem_free(graph->answer);
    mem_free(graph->component);
    *graph = (crowd_graph){0};
}

bool crowd_graph_find(uint32_t *node, const crowd_graph *graph, uint32_t item)
{
    size_t low = 0, high = graph->nodes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->item[middle] < item) low = middle + 1;
        else high = middle;
    }
    if (low == graph->nodes || graph->item[low] != item) return false;
    *node = (uint32_t)low;
    return true;
}
