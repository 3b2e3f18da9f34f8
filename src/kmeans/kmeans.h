/* k-means over a plain float matrix: what other methods start from or end with. */
#ifndef SCDC_KMEANS_KMEANS_H
#define SCDC_KMEANS_KMEANS_H

#include "base/variant.h"

#include <stddef.h>
#include <stdint.h>

#define kmeans_fit VARIANT(kmeans_fit)
#define kmeans_plus_plus VARIANT(kmeans_plus_plus)
#define kmeans_candidates VARIANT(kmeans_candidates)

typedef struct kmeans_options {
    size_t k;
    size_t starts;         /* the best of so many k-means++ starts */
    size_t max_iterations; /* of Lloyd, per start; 0 labels the items by the k-means++ centres */
    double tolerance;      /* stop when the centres moved, in squared sum, less than this times the
                              mean variance of a column; 0 = when no label changes */
    uint64_t seed;
} kmeans_options;

typedef struct kmeans_report {
    double inertia;    /* sum of squared distances to the own centre */
    size_t iterations; /* of the best start */
    int converged;     /* 0: the limit ended the best start */
} kmeans_report;

#define KMEANS_DEFAULTS                                                                            \
    (kmeans_options)                                                                               \
    {                                                                                              \
        .k = 10, .starts = 10, .max_iterations = 300, .tolerance = 1e-4                            \
    }

/* labels: n values below k. centres (may be NULL): k x dims. report may be NULL.
 * x: n x dims, finite. Uses this thread's parallel_for setting; the result does not depend on it.
 * O(starts * iterations * n * k * dims) time at most (bounds skip most of it), O(n * min(k, 64))
 * memory beside the items. */
int kmeans_fit(uint32_t *labels, float *centres, kmeans_report *report, const float *x, size_t n,
               size_t dims, const kmeans_options *options);

/* Greedy k-means++ (Arthur and Vassilvitskii 2007, with several candidates per centre): writes
 * k x dims centres, rows of x. `nearest` holds n floats, `scratch` n * kmeans_candidates(k). */
void kmeans_plus_plus(float *centres, float *nearest, float *scratch, const float *x, size_t n,
                      size_t dims, size_t k, uint64_t seed, size_t start);
size_t kmeans_candidates(size_t k);

#endif
