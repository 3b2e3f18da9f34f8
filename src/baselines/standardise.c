/* Means and deviations of columns. */
#include "baselines/standardise.h"

#include "base/status.h"

#include <math.h>

int standard_scale_of(standard_scale *out, arena *a, const float *x, size_t n, size_t dims)
{
    out->dims = dims;
    out->mean = arena_new(a, dims, sizeof(double), "means");
    out->factor = arena_new(a, dims, sizeof(double), "deviations");
    SCDC_TRY(arena_status(a));
    for (size_t i = 0; i < n; i++) {
        for (size_t d = 0; d < dims; d++) out->mean[d] += x[i * dims + d];
    }
    for (size_t d = 0; d < dims; d++) out->mean[d] /= (double)n;
    for (size_t i = 0; i < n; i++) {
        for (size_t d = 0; d < dims; d++) {
            double v = x[i * dims + d] - out->mean[d];
            out->factor[d] += v * v;
        }
    }
    for (size_t d = 0; d < dims; d++) {
        double variance = out->factor[d] / (double)n;
        out->factor[d] = variance > 0 ? 1 / sqrt(variance) : 1;
    }
    return SCDC_OK;
}

void standardise_row(double *out, const float *row, const standard_scale *scale)
{
    for (size_t d = 0; d < scale->dims; d++) out[d] = (row[d] - scale->mean[d]) * scale->factor[d];
}
