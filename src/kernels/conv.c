/* Convolution: which way it goes. */
#include "kernels/conv.h"
#include "kernels/conv_ways.h"

#include <string.h>

size_t conv_scratch(const conv_shape *s)
{
    return conv_direct_wins(s) ? conv_direct_scratch(s) : conv_patches_scratch(s);
}

void conv_forward(real *out, const conv_shape *s, const real *in, const real *w, const real *bias,
                  size_t images, bool relu, real *scratch)
{
    if (!images) return;
    if (conv_direct_wins(s)) conv_direct_forward(out, s, in, w, bias, images, relu, scratch);
    else conv_patches_forward(out, s, in, w, bias, images, relu, scratch);
}

void conv_backward(real *d_in, real *dw, real *db, bool add, const conv_shape *s, real *d_out,
                   const real *out, const real *in, const real *w, size_t images, real *scratch)
{
    if (!add) {
        memset(dw, 0, (gradient_values(s) - s->filters) * sizeof *dw);
        memset(db, 0, s->filters * sizeof *db);
    }
    if (!images) return;
    if (conv_direct_wins(s))
        conv_direct_backward(d_in, dw, db, s, d_out, out, in, w, images, scratch);
    else conv_patches_backward(d_in, dw, db, s, d_out, out, in, w, images, scratch);
}

void conv_add_groups(real *dw, real *db, const conv_shape *s, const real *groups, size_t room,
                     size_t images)
{
    size_t per_group = images_per_group(images), weights = gradient_values(s) - s->filters;
    for (size_t g = 0; g < (images + per_group - 1) / per_group; g++) {
        const real *own = groups + (g + 1) * room - gradient_values(s);
        for (size_t i = 0; i < weights; i++) dw[i] += own[i];
        for (size_t f = 0; f < s->filters; f++) db[f] += own[weights + f];
    }
}
