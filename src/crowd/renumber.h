/* Numbers with gaps made dense: worker and task numbers given in memory, the items that have
 * answers. */
#ifndef SCDC_CROWD_RENUMBER_H
#define SCDC_CROWD_RENUMBER_H

#include <stddef.h>
#include <stdint.h>

typedef struct renumbering {
    uint32_t *value; /* [count] the distinct values, increasing */
    uint32_t *order; /* [n] positions sorted by value; equal values keep their order */
    size_t count;
} renumbering;

/* Replaces each value by its rank among the distinct values. n below 2^32. O(n) time. */
int renumber(renumbering *out, uint32_t *values, size_t n);
void renumber_free(renumbering *r);

#endif
