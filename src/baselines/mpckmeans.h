/* Metric pairwise constrained k-means over pairs of any source: all workers, or one. */
#ifndef SCDC_BASELINES_MPCKMEANS_H
#define SCDC_BASELINES_MPCKMEANS_H

#include "baselines/pairs.h"

#include <scdc/baselines.h>
#include <stdint.h>

typedef struct mpck_options {
    size_t k, starts, max_iterations;
    double link_weight; /* cost of a broken answer, in units of the method's distances */
    double tolerance;   /* least relative fall of the objective that counts as progress */
    uint64_t seed;
} mpck_options;

typedef struct mpck_report {
    double objective;
    size_t iterations;
    int converged;
} mpck_report;

#define MPCK_DEFAULTS                                                                              \
    (mpck_options)                                                                                 \
    {                                                                                              \
        .starts = 20, .max_iterations = 100, .link_weight = 1, .tolerance = 1e-4                   \
    }

/* The defaults with what the user chose. */
mpck_options mpck_chosen(const scdc_baseline_options *o);

/* labels: n values below k. */
int mpck_fit(uint32_t *labels, mpck_report *report, const float *x, size_t n, size_t dims,
             const pairs *links, const mpck_options *options);

#endif
