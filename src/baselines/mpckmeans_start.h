/* Starting centres of metric pairwise constrained k-means. */
#ifndef SCDC_BASELINES_MPCKMEANS_START_H
#define SCDC_BASELINES_MPCKMEANS_START_H

#include "baselines/pairs.h"

/* centres: k x dims. Start 0: centres of neighbourhoods (items connected by "same" majorities, two
 * or more): when there are k or more, by weighted farthest-first traversal (size times distance)
 * from the largest; when there are fewer, all of them and the rest drawn as k-means++ does.
 * Further starts: items drawn as k-means++ does, each centre the mean of the drawn item and those
 * directly answered "same" with it. */
int mpck_start_centres(double *centres, const float *x, size_t n, size_t dims, size_t k,
                       const pairs *links, uint64_t seed, size_t start);

#endif
