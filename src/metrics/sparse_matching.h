/* State of the sparse maximum-weight matching, shared by its two halves: phases over many free rows
 * at once (tight_phases.c) and a shortest path for one row at a time (matching.c).
 *
 * Duals are integers with u + v >= count on every cell and equality on matched cells; free columns
 * keep v = 0. The matching is best once every free row has u = 0. Both halves keep all but the last
 * true at every step, so one can take over from the other. */
#ifndef SCDC_METRICS_SPARSE_MATCHING_H
#define SCDC_METRICS_SPARSE_MATCHING_H

#include "metrics/contingency.h"

typedef struct sparse_matching {
    const contingency *table;
    int64_t *u, *v;
    uint32_t *col_of, *row_of; /* UNMATCHED when free */
    uint32_t *from;            /* row before a column on the path to it */
    int64_t *distance;         /* of columns; -1 between searches */
    uint32_t *list;            /* columns of the search at hand: as many as there are */
    uint32_t *stack;           /* rows or columns still to look at: rows + cols */
} sparse_matching;

/* The path found last ends at a free column, or at a row that gives its column away (then `col` is
 * that column): every row on it back to `start` takes the column it reached. */
void flip_path(sparse_matching *m, uint32_t start, uint32_t col);

/* Matches along cells without slack wherever possible and lowers duals for all free rows together,
 * as long as a round settles a good part of them. Quick where counts are small and ties many. */
int run_tight_phases(sparse_matching *m);

#endif
