/* Convolution of images stored pixel by pixel, [height][width][channels]: a pixel's channels lie
 * side by side, so that a window's line is one stretch of memory and all pixels of many images are
 * the rows of one product.
 *
 *   out[y][x] = b + sum over the window in[y stride - pad + i][x stride - pad + j] W[i][j]
 *
 * There are two ways to it (conv_ways.h). Images are cut into groups that depend on their number
 * only; each group adds up its own gradients, which are added in the groups' order. */
#ifndef SCDC_KERNELS_CONV_H
#define SCDC_KERNELS_CONV_H

#include "base/real.h"
#include "base/variant.h"

#include <stdbool.h>
#include <stddef.h>

#define conv_scratch VARIANT(conv_scratch)
#define conv_forward VARIANT(conv_forward)
#define conv_backward VARIANT(conv_backward)

typedef struct conv_shape {
    size_t height, width, channels; /* of the images that come in */
    size_t side, stride, pad;       /* of the window; pixels outside an image are 0 */
    size_t out_height, out_width, filters;
} conv_shape;

/* Values of scratch that forward and backward need. */
size_t conv_scratch(const conv_shape *s);

/* w [side][side][channels][filters], bias [filters]; rectified when `relu`. */
void conv_forward(real *out, const conv_shape *s, const real *in, const real *w, const real *bias,
                  size_t images, bool relu, real *scratch);
/* d_out is spoilt; out as forward gave it (NULL: it was not rectified). d_in (NULL: not wanted) is
 * overwritten; dw and db are overwritten, or added to when `add`. */
void conv_backward(real *d_in, real *dw, real *db, bool add, const conv_shape *s, real *d_out,
                   const real *out, const real *in, const real *w, size_t images, real *scratch);

#endif
