/* Columns to mean 0 and deviation 1: what discriminative methods want their features to be. */
#ifndef SCDC_BASELINES_STANDARDISE_H
#define SCDC_BASELINES_STANDARDISE_H

#include "base/memory.h"

typedef struct standard_scale {
    size_t dims;
    double *mean, *factor; /* dims; factor 1 for a column that does not vary */
} standard_scale;

int standard_scale_of(standard_scale *out, arena *a, const float *x, size_t n, size_t dims);
void standardise_row(double *out, const float *row, const standard_scale *scale);

#endif
