/* Spectral clustering of items whose similarity is a product of short vectors. */
#ifndef SCDC_BASELINES_SPECTRAL_H
#define SCDC_BASELINES_SPECTRAL_H

#include "baselines/baseline.h"
#include "baselines/kmeans_method.h"

/* Similarity of items i and j: y_i . y_j, y being n x r. Ng, Jordan and Weiss, "On spectral
 * clustering", 2001: leading k eigenvectors of the degree-normalised similarity, rows scaled to
 * length 1, k-means. The eigenvectors come from an r x r problem, so that the cost is O(n r^2), not
 * O(n^2). Degrees below a thousandth of their mean (similarities may be negative) are raised to it.
 * y is spoilt. Labels and the k-means report go into out. */
int spectral_cluster(baseline_result *out, double *y, size_t n, size_t r,
                     const kmeans_options *options);

#endif
