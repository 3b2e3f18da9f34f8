/* softmax and softplus in double for the local messages, where they are called for every item, the
 * first iteration after iteration, and the decay of a kernel with distance. Their plain twins are
 * softmax of base/numeric.h, log1p(exp(x)) and exp(-rate x). */
#ifndef SCDC_KERNELS_SOFTMAX_H
#define SCDC_KERNELS_SOFTMAX_H

#include "base/variant.h"

#include <stddef.h>

#define softmax_vector VARIANT(softmax_vector)
#define softplus_vector VARIANT(softplus_vector)
#define decay_vector VARIANT(decay_vector)

/* p = softmax(x); returns ln sum exp(x_i). p may be x. Sums run in fixed partial sums, so that the
 * result does not depend on the width of the processor's vectors. A NaN makes all of p NaN. */
double softmax_vector(double *p, const double *x, size_t n);
/* y = ln(1 + exp(x)), within 4 units of the last place (below e^-707 zero). y may be x. NaN stays.
 */
void softplus_vector(double *y, const double *x, size_t n);
/* y = exp(-rate x), rate x >= 0, within 2 units of the last place (below e^-707 zero). y may be x.
 */
void decay_vector(double *y, const double *x, double rate, size_t n);

#endif
