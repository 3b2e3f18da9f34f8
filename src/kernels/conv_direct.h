/* Convolution without patches: sums of a few pixels and filters stay in registers while the windows
 * are read where they lie, in images with zeros around them. For processors with wide vectors.
 * Everything as in kernels/conv.h. */
#ifndef SCDC_KERNELS_CONV_DIRECT_H
#define SCDC_KERNELS_CONV_DIRECT_H

#include "kernels/conv.h"

#define conv_direct_wins VARIANT(conv_direct_wins)
#define conv_direct_scratch VARIANT(conv_direct_scratch)
#define conv_direct_forward VARIANT(conv_direct_forward)
#define conv_direct_backward VARIANT(conv_direct_backward)

/* Whether this copy of the code is faster so than by patches and BLAS. */
bool conv_direct_wins(const conv_shape *s);
size_t conv_direct_scratch(const conv_shape *s);
void conv_direct_forward(real *out, const conv_shape *s, const real *in, const real *w,
                         const real *bias, size_t images, bool relu, real *scratch);
void conv_direct_backward(real *d_in, real *dw, real *db, bool add, const conv_shape *s,
                          real *d_out, const real *out, const real *in, const real *w,
                          size_t images, real *scratch);

#endif
