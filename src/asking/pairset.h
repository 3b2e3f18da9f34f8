/* A set of pairs of items: which were asked about already. */
#ifndef SCDC_ASKING_PAIRSET_H
#define SCDC_ASKING_PAIRSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pairset {
    uint64_t *slot; /* smaller item in the upper half, larger in the lower; 0: free, as no item is
                       its own partner */
    size_t slots, count;
} pairset;

/* Room for so many pairs. */
int pairset_make(pairset *out, size_t most);
void pairset_free(pairset *set);
/* False when the pair was there already, in either order. At most as many as were made room for. */
bool pairset_add(pairset *set, uint32_t left, uint32_t right);

#endif
