/* Mixture of Gaussians with stick-breaking proportions over uncertain vectors: variational,
 * truncated at k components. Items are given by their expected statistics (mvn.h). */
#ifndef SCDC_BASELINES_DP_MIXTURE_H
#define SCDC_BASELINES_DP_MIXTURE_H

#include "base/memory.h"

#include <stdint.h>

typedef struct dp_mixture {
    size_t n, d, k;
    double concentration;
    double *prior;     /* niw_size(d): natural parameters of every component's prior */
    double *component; /* k x niw_size(d): posteriors */
    double *expected;  /* k x niw_size(d): their mean statistics */
    double *stick;     /* k x 2: Beta; the last one is always whole */
    double *log_share; /* k: expected log proportion */
    double *share;     /* n x k: q(z) */
    double *work;      /* niw_size(d) */
} dp_mixture;

/* Prior: mean 0, covariance about `within` inside a component and 1 overall. */
int dp_mixture_create(dp_mixture *out, arena *a, size_t n, size_t d, size_t k, double concentration,
                      double within);
/* q(z) from labels below k, softened so that no component is ruled out. */
void dp_mixture_start(dp_mixture *m, const uint32_t *labels);
/* One round: components, sticks (largest component first), q(z). Returns the bound's terms: of
 * items' vectors given components, of q(z), components and sticks. stats: n x mvn_size(d). */
int dp_mixture_update(double *bound, dp_mixture *m, const double *stats);
/* The component whose mean is nearest to that of c; k when c or all others hold no item. Components
 * are numbered by size, the largest first. */
size_t dp_mixture_nearest(const dp_mixture *m, size_t c);
/* Gives all items of component b to a. */
void dp_mixture_join(dp_mixture *m, size_t a, size_t b);
/* natural (n x mvn_size(d)): what the mixture says about each item's vector. */
void dp_mixture_naturals(double *natural, const dp_mixture *m);

#endif
