/* Components grouped by neighbours alone. In many dimensions a mixture is sure of every item and
 * its components never overlap; who is whose neighbour still tells which of them touch. Groupings
 * of mixtures of several sizes that agree are what the items themselves say. */
#ifndef SCDC_MODEL_LINKED_H
#define SCDC_MODEL_LINKED_H

#include "base/memory.h"

#include <stdint.h>

enum { LINKED_MOST = 6 }; /* mixtures */

/* Sampled items with their neighbours. */
typedef struct linked_items {
    float *x;       /* [n][d] */
    uint32_t *near; /* [n][near_count] */
    size_t n, d, near_count;
} linked_items;

typedef struct linked {
    size_t k, parts;
    uint32_t *part;  /* [k] */
    uint32_t *label; /* [n]: parts of the items */
    double agrees;   /* mean adjusted Rand index with the others */
} linked;

/* x [n][d] is borrowed. Near as many neighbours as asked for. */
int linked_items_create(linked_items *out, arena *memory, float *x, size_t n, size_t d,
                        size_t neighbours, uint64_t seed);

/* The parts of `k` components of the items, `wanted` of them or (0) as many as links say; blocks
 * come from the arena. */
int linked_group(linked *out, arena *memory, const linked_items *items, const uint32_t *component,
                 size_t k, size_t wanted);

int linked_compare(linked *all, size_t count, size_t n);

#endif
