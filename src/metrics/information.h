/* Entropies and mutual information of a contingency table, in nats. */
#ifndef SCDC_METRICS_INFORMATION_H
#define SCDC_METRICS_INFORMATION_H

#include "metrics/contingency.h"

double entropy_of_sizes(const uint32_t *sizes, size_t count, size_t items);
double mutual_information(const contingency *table);
/* Mean of the mutual information over all ways to deal the items with both sets of cluster sizes
 * kept (the hypergeometric model of Vinh, Epps and Bailey 2010), exact. */
int expected_mutual_information(double *out, const contingency *table);

#endif
