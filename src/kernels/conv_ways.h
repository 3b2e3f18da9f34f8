/* The two ways to a convolution, which have the functions of conv.h each, and what they share:
 * images are cut into groups that depend on their number only; each group adds up its own
 * gradients, which are then added in the groups' order. */
#ifndef SCDC_KERNELS_CONV_WAYS_H
#define SCDC_KERNELS_CONV_WAYS_H

#include "kernels/conv.h"

#define conv_patches_scratch VARIANT(conv_patches_scratch)
#define conv_patches_forward VARIANT(conv_patches_forward)
#define conv_patches_backward VARIANT(conv_patches_backward)
#define conv_direct_wins VARIANT(conv_direct_wins)
#define conv_direct_scratch VARIANT(conv_direct_scratch)
#define conv_direct_forward VARIANT(conv_direct_forward)
#define conv_direct_backward VARIANT(conv_direct_backward)
#define conv_add_groups VARIANT(conv_add_groups)

/* Windows written out as rows (patches) and multiplied by BLAS, which has its own ways to find out
 * what the processor can do. */
size_t conv_patches_scratch(const conv_shape *s);
void conv_patches_forward(real *out, const conv_shape *s, const real *in, const real *w,
                          const real *bias, size_t images, bool relu, real *scratch);
void conv_patches_backward(real *d_in, real *dw, real *db, const conv_shape *s, real *d_out,
                           const real *out, const real *in, const real *w, size_t images,
                           real *scratch);

/* Windows read where they lie, sums in registers. Only where vectors are wide is it faster. */
bool conv_direct_wins(const conv_shape *s);
size_t conv_direct_scratch(const conv_shape *s);
void conv_direct_forward(real *out, const conv_shape *s, const real *in, const real *w,
                         const real *bias, size_t images, bool relu, real *scratch);
void conv_direct_backward(real *d_in, real *dw, real *db, const conv_shape *s, real *d_out,
                          const real *out, const real *in, const real *w, size_t images,
                          real *scratch);

/* Enough for a few threads, few enough that adding up their gradients costs little. */
enum { CONV_GROUPS = 8 };
static inline size_t images_per_group(size_t images)
{
    return (images + CONV_GROUPS - 1) / CONV_GROUPS;
}
/* Values of a group's gradients, of weights and then of biases: the last ones of its scratch. */
static inline size_t gradient_values(const conv_shape *s)
{
    return (s->side * s->side * s->channels + 1) * s->filters;
}
/* The gradients of all groups, whose scratch is `room` values each, are added to dw and db. */
void conv_add_groups(real *dw, real *db, const conv_shape *s, const real *groups, size_t room,
                     size_t images);

#endif
