/* Products and softmax of rows that are SIMD lanes: arrays are [feature][LANES], a column per row.
 * For many small products with the same weights, where a BLAS would copy the weights into its own
 * order every time and a softmax would add up across a vector. In double; the order of every sum is
 * fixed. The plain twins are in reference.h. Single-threaded, and so must BLAS be (blas.h): callers
 * run them inside parallel_for. */
#ifndef SCDC_KERNELS_LANES_H
#define SCDC_KERNELS_LANES_H

#include "base/variant.h"

#include <stddef.h>

#define lanes_add_product VARIANT(lanes_add_product)
#define lanes_softmax VARIANT(lanes_softmax)

enum { LANES = 32 };

/* out [features][LANES] += w' x for w [inner][features], whose rows are w_length long, and
 * x [inner][LANES]. */
void lanes_add_product(double *out, const double *w, size_t w_length, const double *x, size_t inner,
                       size_t features);

/* Every lane of x [n][LANES] becomes its softmax. A NaN makes all of its lane NaN. */
void lanes_softmax(double *x, size_t n);

#endif
