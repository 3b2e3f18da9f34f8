/* Squared Euclidean distance of float vectors in sixteen running sums: fast without -ffast-math,
 * and the same bits on every call. */
#ifndef SCDC_KMEANS_DISTANCE_H
#define SCDC_KMEANS_DISTANCE_H

#include <stddef.h>

enum { DISTANCE_LANES = 16 };

static inline float squared_distance(const float *a, const float *b, size_t dims)
{
    float lane[DISTANCE_LANES] = {0};
    size_t d = 0;
    for (; d + DISTANCE_LANES <= dims; d += DISTANCE_LANES) {
        for (size_t j = 0; j < DISTANCE_LANES; j++) {
            float difference = a[d + j] - b[d + j];
            lane[j] += difference * difference;
        }
    }
    float sum = 0;
    for (; d < dims; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
    for (size_t step = DISTANCE_LANES / 2; step > 0; step /= 2) {
        for (size_t j = 0; j < step; j++) lane[j] += lane[j + step];
    }
    return sum + lane[0];
}

#endif
