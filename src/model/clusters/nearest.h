/* Nearest neighbours of every item in latent space, in time linear in the number of items.
 *
 * Items lie in cells (their components). An item's neighbours are sought in its own cell and in the
 * cells whose centres are nearest, and in a large cell among a random part of it: approximate, but
 * what is found is near. With few cells, none of them large, the search is exact. */
#ifndef SCDC_MODEL_NEAREST_H
#define SCDC_MODEL_NEAREST_H

#include "base/variant.h"

#include <stddef.h>
#include <stdint.h>

#define nearest_items VARIANT(nearest_items)

enum { NEAREST_MOST = 32 };

/* found [n][k]: the k nearest of every item, in no particular order, never the item itself.
 * x [n][d] places; cell [n] below `cells`; k at most n - 1 and NEAREST_MOST. */
int nearest_items(uint32_t *found, size_t k, const float *x, size_t n, size_t d,
                  const uint32_t *cell, size_t cells, uint64_t seed);

#endif
