/* Clear islands: components joined where neighbours link them about as closely as the halves of one
 * component, when all that is left between parts is several times less. Shapes that touch nowhere
 * are found by this whatever they are, and overlapping ones never. */
#ifndef SCDC_MODEL_ISLANDS_H
#define SCDC_MODEL_ISLANDS_H

#include "model/clusters/linked.h"

/* part [k]; *parts 0 when there are no clear islands. component [items->n] below k. */
int islands_find(uint32_t *part, size_t *parts, const linked_items *items,
                 const uint32_t *component, size_t k);

#endif
