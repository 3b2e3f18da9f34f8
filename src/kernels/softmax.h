/* softmax in double for the local messages, where it is called for every item, iteration after
 * iteration. Its plain twin is softmax of base/numeric.h. */
#ifndef SCDC_KERNELS_SOFTMAX_H
#define SCDC_KERNELS_SOFTMAX_H

#include <stddef.h>

/* p = softmax(x); returns ln sum exp(x_i). p may be x. Sums run in fixed partial sums, so that the
 * result does not depend on the width of the processor's vectors. A NaN makes all of p NaN. */
double softmax_vector(double *p, const double *x, size_t n);

#endif
