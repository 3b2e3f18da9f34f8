/* Completion of a symmetric similarity matrix from some entries, a few of them wrong: low rank plus
 * sparse errors. Knows nothing of items, workers or clusters. */
#ifndef SCDC_BASELINES_COMPLETION_H
#define SCDC_BASELINES_COMPLETION_H

#include <stddef.h>
#include <stdint.h>

typedef struct known_entry {
    uint32_t row, col; /* row <= col; also stands for (col, row) */
    double value;
} known_entry;

typedef struct completion_options {
    size_t max_iterations;
    double tolerance;  /* of what the known entries miss, relative to their norm */
    double error_cost; /* lambda; 0 = 1 / sqrt(known entries per row) */
    size_t most_rank;
    uint64_t seed;
} completion_options;

typedef struct completion {
    double *factor; /* n x rank, row-major: the completed matrix is factor factor' */
    size_t n, rank;
    size_t iterations;
    int converged;
    double objective; /* trace + lambda * sum of |errors| */
} completion;

/* Minimises trace(L) + lambda ||E||_1 with L + E equal to the known entries and L positive
 * semidefinite. O(iterations * (entries + n rank) * rank) time, O(entries + n rank) memory. */
int completion_fit(completion *out, const known_entry *known, size_t count, size_t n,
                   const completion_options *options);
void completion_free(completion *c);

#endif
