/* One-to-one matchings: of a dense cost matrix (Hungarian), and of the clusters of two partitions
 * so that as many items as possible agree. */
#ifndef SCDC_METRICS_MATCHING_H
#define SCDC_METRICS_MATCHING_H

#include "metrics/contingency.h"

#define UNMATCHED UINT32_MAX

/* match[r] = column of row r in a matching of min(rows, cols) pairs with the least total cost, or
 * UNMATCHED. cost is rows x cols, row-major, any finite values (SCDC_ERR_ARGUMENT otherwise).
 * O(min^2 max) time, O(rows + cols) memory besides a transposed copy when rows > cols. */
int hungarian(uint32_t *match, const double *cost, size_t rows, size_t cols);

/* match[r] = column of row r, or UNMATCHED, so that the matched cells hold the most items; *agree
 * (may be NULL) is their number. Exact; memory and, in practice, time grow with the cells. */
int match_partitions(uint32_t *match, uint64_t *agree, const contingency *table);

#endif
