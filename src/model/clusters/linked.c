/* Groupings by links between neighbours. */
#include "model/clusters/linked.h"
#include "base/status.h"
#include "model/clusters/grouping.h"
#include "model/clusters/nearest.h"
#include "model/clusters/neighbours.h"
#include "model/clusters/overlap.h"

/* The links' coins and the grouping depend on each other: rounds; sweeps of each grouping. */
enum { CELLS = 16, ROUNDS = 4, SWEEPS = 4 };

int linked_items_create(linked_items *out, arena *memory, float *x, size_t n, size_t d,
                        size_t neighbours, uint64_t seed)
{
    size_t count = n - 1 < neighbours ? n - 1 : neighbours;
    if (count > NEAREST_MOST) count = NEAREST_MOST;
    *out = (linked_items){.x = x, .n = n, .d = d, .near_count = count};
    out->near = arena_new(memory, n, count * sizeof *out->near, "neighbours");
    SCDC_TRY(arena_status(memory));
    uint32_t *cell;
    SCDC_TRY(mem_zeroed(&cell, n, sizeof *cell, "cells"));
    /* Cells without meaning make the search exact. */
    for (size_t i = 0; i < n; i++) cell[i] = (uint32_t)(i * CELLS / n);
    int status = nearest_items(out->near, count, x, n, d, cell, CELLS, seed);
    mem_free(cell);
    return status;
}

/* By the evidence of links as in a fit. */
static int group(uint32_t *part, size_t *parts, const linked_items *items,
                 const uint32_t *component, size_t k, size_t wanted)
{
    /* Sweeps would leave some of the clusters that are asked for without components. */
    size_t sweeps = wanted ? 0 : SWEEPS;
    grouping_options how = {.concentration = 1, .clusters = wanted, .sweeps = sweeps};
    double coins[2] = {0.9, 0.9};
    grouping g;
    arena memory = {0};
    double *links = arena_new(&memory, k, k * sizeof *links, "links");
    double *evidence = arena_new(&memory, k, k * sizeof *evidence, "evidence");
    double *share = arena_new(&memory, k, sizeof *share, "shares");
    bool *use = arena_new(&memory, k, sizeof *use, "components");
    int status = arena_status(&memory);
    if (status == SCDC_OK) status = grouping_create(&g, k);
    if (status != SCDC_OK) goto done;
    for (size_t i = 0; i < items->n; i++) share[component[i]] += 1 / (double)items->n;
    for (size_t c = 0; c < k; c++) use[c] = share[c] > 0;
    neighbour_links(links, k, items->near, items->n, items->near_count, component);
    for (size_t round = 0; round < ROUNDS; round++) {
        neighbour_evidence(evidence, coins, k, links, share);
        grouping_fit(&g, evidence, use, &how);
        neighbour_coins(coins, k, links, share, g.same);
    }
    *parts = g.clusters;
    for (size_t c = 0; c < k; c++) part[c] = g.cluster[c] < 0 ? 0 : (uint32_t)g.cluster[c];
    grouping_free(&g);
done:
    arena_free(&memory);
    return status;
}

int linked_group(linked *out, arena *memory, const linked_items *items, const uint32_t *component,
                 size_t k, size_t wanted)
{
    linked l = {.k = k};
    l.part = arena_new(memory, k, sizeof *l.part, "clusters");
    l.label = arena_new(memory, items->n, sizeof *l.label, "clusters");
    SCDC_TRY(arena_status(memory));
    SCDC_TRY(group(l.part, &l.parts, items, component, k, wanted));
    for (size_t i = 0; i < items->n; i++) l.label[i] = l.part[component[i]];
    *out = l;
    return SCDC_OK;
}

int linked_compare(linked *all, size_t count, size_t n)
{
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            double agreement;
            if (a == b) continue;
            SCDC_TRY(agreement_of(&agreement, all[a].label, all[b].label, n));
            all[a].agrees += agreement / (double)(count - 1);
        }
    }
    return SCDC_OK;
}
