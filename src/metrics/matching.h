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
 * (may be NULL) is their number. Chooses the dense or the sparse way by how full the table is. */
int match_partitions(uint32_t *match, uint64_t *agree, const contingency *table);

/* The two ways behind match_partitions, for tests. */
int match_dense(uint32_t *match, const contingency *table);
int match_sparse(uint32_t *match, const contingency *table);

#endif
