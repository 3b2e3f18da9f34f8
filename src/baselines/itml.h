/* The metric of information-theoretic metric learning, apart from the clustering made with it. */
#ifndef SCDC_BASELINES_ITML_H
#define SCDC_BASELINES_ITML_H

#include "baselines/pairs.h"

typedef struct itml_options {
    double near, far; /* squared distance: at most for "same", at least for "different" pairs */
    double slack;     /* gamma */
    size_t max_passes;
    double tolerance; /* relative change of the multipliers in a pass */
    size_t block;     /* projections that share a matrix product: 1 = none, see itml_block */
} itml_options;

/* How many projections to take together: more than one pays for wide items only. */
size_t itml_block(size_t dims);

/* metric: dims x dims, starts as the caller's prior (identity) and becomes A. Undecided pairs are
 * skipped. *passes, *converged: what it took. */
int itml_learn(double *metric, size_t *passes, int *converged, const float *x, size_t dims,
               const pairs *constraints, const itml_options *options);

/* 5th and 95th percentile of the squared distances of items (of a random sample of pairs when there
 * are many). */
int itml_thresholds(double *near, double *far, const float *x, size_t n, size_t dims,
                    uint64_t seed);

#endif
