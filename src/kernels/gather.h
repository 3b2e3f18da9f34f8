/* Weighted sums of rows that lie anywhere: out += sum of weight * row, in the order of the terms,
 * so that the sums are the same to the bit however many columns are added at once. In double; the
 * plain twin is in reference.h. Single-threaded: callers run it inside parallel_for. */
#ifndef SCDC_KERNELS_GATHER_H
#define SCDC_KERNELS_GATHER_H

#include "base/variant.h"

#include <stddef.h>
#include <stdint.h>

#define gather_rows VARIANT(gather_rows)

typedef struct gather_term {
    uint32_t row, weight; /* which ones */
} gather_term;

/* out [width] += sum over the terms of weight[term.weight] * rows[term.row], rows [][width]. */
void gather_rows(double *out, const double *rows, size_t width, const double *weight,
                 const gather_term *term, size_t count);

#endif
