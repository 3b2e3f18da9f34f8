/* Consensus of clusterings by partitioning the graph of how often items are clustered together. */
#ifndef SCDC_BASELINES_CSPA_H
#define SCDC_BASELINES_CSPA_H

#include <stddef.h>
#include <stdint.h>

/* labels: n values below k. clusterings: count x n, values below k. SCDC_ERR_UNSUPPORTED without
 * METIS. *cut (may be NULL): weight of the edges between parts, in clusterings. O(n^2 count) time,
 * O(n^2) memory. */
int cspa_consensus(uint32_t *labels, double *cut, const uint32_t *clusterings, size_t count,
                   size_t n, size_t k, uint64_t seed);

#endif
