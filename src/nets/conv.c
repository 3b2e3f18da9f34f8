/* The convolution layer, with an optional rectifier. */
#include "base/status.h"
#include "kernels/conv.h"
#include "kernels/noise.h"
#include "nets/layer.h"
#include "nets/params.h"

#include <string.h>

typedef struct conv {
    layer base;
    conv_shape s;
    bool relu, start_zero;
    real *w, *b, *dw, *db; /* w [side][side][channels][filters], b [filters] */
} conv;

static const conv *conv_of(const layer *l)
{
    return (const conv *)(const void *)l;
}

static size_t window_of(const conv *f)
{
    return f->s.side * f->s.side * f->s.channels;
}

static size_t conv_room(const layer *l)
{
    const conv *f = conv_of(l);
    return param_room(window_of(f) * f->s.filters) + param_room(f->s.filters);
}

static void conv_bind(layer *l, real *params, real *grads)
{
    conv *f = (conv *)(void *)l;
    size_t bias = param_room(window_of(f) * f->s.filters);
    f->w = params;
    f->b = params + bias;
    f->dw = grads;
    f->db = grads + bias;
}

static void conv_init(layer *l, uint64_t seed, uint64_t number)
{
    const conv *f = conv_of(l);
    size_t window = window_of(f), outputs = f->s.side * f->s.side * f->s.filters;
    if (f->start_zero) memset(f->w, 0, window * f->s.filters * sizeof *f->w);
    else if (f->relu) init_he(f->w, window * f->s.filters, window, seed, number);
    else init_glorot(f->w, window * f->s.filters, window, outputs, seed, number);
    memset(f->b, 0, f->s.filters * sizeof *f->b);
}

static void conv_layer_forward(const layer *l, real *out, const real *in, size_t rows)
{
    const conv *f = conv_of(l);
    conv_forward(out, &f->s, in, f->w, f->b, rows, f->relu, l->work);
}

static void conv_layer_backward(const layer *l, real *d_in, real *d_out, const real *out,
                                const real *in, size_t rows, bool add)
{
    const conv *f = conv_of(l);
    conv_backward(d_in, f->dw, f->db, add, &f->s, d_out, f->relu ? out : NULL, in, f->w, rows,
                  l->work);
}

static void conv_clear_outputs(layer *l, size_t first)
{
    const conv *f = conv_of(l);
    for (size_t i = 0; i < window_of(f); i++) {
        for (size_t o = first; o < f->s.filters; o++) f->w[i * f->s.filters + o] = 0;
    }
}

static const layer_ops conv_ops = {.room = conv_room,
                                   .bind = conv_bind,
                                   .init = conv_init,
                                   .forward = conv_layer_forward,
                                   .backward = conv_layer_backward,
                                   .clear_outputs = conv_clear_outputs};

/* Nothing of this shape overflows: images, weights and patches of a line. */
static bool fits(shape in, const conv_options *o)
{
    size_t pixels = in.channels, line = in.width, weights = in.channels;
    return in.channels && in.height && in.width && o->filters && o->side && o->stride &&
           o->side <= 64 && o->pad < o->side && o->stride <= 64 &&
           in.height + 2 * o->pad >= o->side && in.width + 2 * o->pad >= o->side &&
           size_mul(&pixels, pixels, in.height) && size_mul(&pixels, pixels, in.width) &&
           size_mul(&weights, weights, o->side * o->side) &&
           size_mul(&line, line + 2 * o->pad, weights) && size_mul(&weights, weights, o->filters) &&
           pixels <= INT32_MAX && line <= INT32_MAX && weights <= INT32_MAX;
}

int conv_create(layer **out, arena *a, shape in, const conv_options *o)
{
    if (!fits(in, o)) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "a convolution of images %zu x %zu x %zu with %zu filters of side %zu, "
                         "stride %zu and padding %zu is not possible",
                         in.channels, in.height, in.width, o->filters, o->side, o->stride, o->pad);
    }
    conv *f = arena_new(a, 1, sizeof *f, "a layer");
    SCDC_TRY(arena_status(a));
    conv_shape s = {.height = in.height,
                    .width = in.width,
                    .channels = in.channels,
                    .side = o->side,
                    .stride = o->stride,
                    .pad = o->pad,
                    .out_height = (in.height + 2 * o->pad - o->side) / o->stride + 1,
                    .out_width = (in.width + 2 * o->pad - o->side) / o->stride + 1,
                    .filters = o->filters};
    *f = (conv){.base = {.ops = &conv_ops,
                         .in = in,
                         .out = {o->filters, s.out_height, s.out_width},
                         .scratch = conv_scratch(&s)},
                .s = s,
                .relu = o->relu,
                .start_zero = o->start_zero};
    *out = &f->base;
    return SCDC_OK;
}
