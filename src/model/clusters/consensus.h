/* Of several divisions of the same items the one that all agree with most.
 *
 * Each division has a score, the logarithm of how likely it is up to a constant. The likeliest of a
 * hundred is often so by chance; the one taken has the highest expected agreement (adjusted Rand
 * index) with a division drawn from all by how likely they are (Fritsch and Ickstadt 2009), or is
 * the likeliest of those that count as the same: the middle of many would be drawn off a clear one
 * by those that are far from both. */
#ifndef SCDC_MODEL_CONSENSUS_H
#define SCDC_MODEL_CONSENSUS_H

#include <stddef.h>
#include <stdint.h>

/* label [count][n], score [count], count at least 1. agreed [count]: the expected agreement of
 * each. */
int consensus_pick(size_t *out, double *agreed, const uint32_t *label, const double *score,
                   size_t count, size_t n);

#endif
