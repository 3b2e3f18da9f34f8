/* k-means as a method of this folder, and as the last step of others. */
#ifndef SCDC_BASELINES_KMEANS_METHOD_H
#define SCDC_BASELINES_KMEANS_METHOD_H

#include "baselines/baseline.h"
#include "kmeans/kmeans.h"

/* The defaults with the k, starts and seed the user chose: for methods that end with k-means. */
kmeans_options kmeans_last_step(const scdc_baseline_options *o);

/* kmeans_fit() as the last step of a method: labels, iterations, convergence and inertia into out.
 */
int kmeans_result(baseline_result *out, const float *x, size_t n, size_t dims,
                  const kmeans_options *options);

#endif
