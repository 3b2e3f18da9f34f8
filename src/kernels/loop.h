/* The parallel loop of the kernels: parallel_for with denormal numbers flushed to zero. */
#ifndef SCDC_KERNELS_LOOP_H
#define SCDC_KERNELS_LOOP_H

#include "base/parallel.h"

/* Until denormals_restore, this thread treats denormal numbers as zero: the optimiser's decaying
 * averages and gradients of components with hardly any weight would otherwise run into them, and
 * arithmetic on them is many times slower on some processors. Does nothing where the processor
 * offers no such mode. */
unsigned denormals_flush(void);
void denormals_restore(unsigned previous);

/* parallel_for whose pieces run with denormals flushed, whichever thread runs them. */
void kernel_for(size_t n, size_t piece_size, parallel_body body, void *context);

/* Rows per piece so that a piece holds about `values` values: the work unit of row-wise kernels,
 * a function of the width only. */
size_t rows_per_piece(size_t width, size_t values);
/* The same for kernels whose pieces are blocks of columns over all rows: a multiple of `block`. */
size_t columns_per_piece(size_t rows, size_t block);
enum { PIECE_VALUES = 1 << 15 };

#endif
