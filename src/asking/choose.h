/* Which blocks to compare: the greedy choice of a batch of questions. */
#ifndef SCDC_ASKING_CHOOSE_H
#define SCDC_ASKING_CHOOSE_H

#include "asking/asking.h"

/* What is not yet told apart. Two sampled partitions are joined by an edge of what they differ in;
 * a question whose answers they foretell differently weakens it. */
typedef struct doubt {
    const partitions *p;
    double edge[SAMPLES * SAMPLES];
} doubt;

/* How alike the answers about items of one kind and of two are: the Bhattacharyya coefficient of
 * the two coins. 1: the answer tells nothing. */
double coins_overlap(const coins *c);

void doubt_start(doubt *d, const partitions *p);
/* All doubt that is left: the expected share of items that two partitions place differently. */
double doubt_left(const doubt *d);
/* In which partitions two blocks are one group, a bit each. */
uint64_t same_in(const partitions *p, size_t left, size_t right);
/* How much doubt an answer whose partitions split like this takes away. */
double doubt_gain(const doubt *d, uint64_t same, double overlap);
/* Takes it away. */
void doubt_asked(doubt *d, uint64_t same, double overlap);

#endif
