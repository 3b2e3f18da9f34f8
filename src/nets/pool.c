/* Layers that make images smaller or larger and learn nothing: pooling, the mean of all pixels,
 * upsampling. */
#include "base/status.h"
#include "kernels/loop.h"
#include "nets/layer.h"

#include <string.h>

typedef struct pool {
    layer base;
    pool_kind kind;
    size_t lines, columns; /* of the input that become one pixel */
    size_t up;             /* side of what one pixel becomes, when upsampling; else 0 */
} pool;

typedef struct pool_job {
    const pool *p;
    real *out, *d_in;
    const real *in, *d_out;
} pool_job;

/* ---- pooling ---- */

/* The place of the largest of a window's values of a channel, the first of equals. */
static size_t top_of(const real *window, size_t lines, size_t columns, size_t line, size_t channels)
{
    size_t best = 0;
    for (size_t i = 0; i < lines; i++) {
        for (size_t j = 0; j < columns; j++) {
            size_t at = i * line + j * channels;
            if (window[at] > window[best]) best = at;
        }
    }
    return best;
}

static void pool_pixel(const pool_job *j, size_t in_at, size_t out_at)
{
    const pool *p = j->p;
    size_t C = p->base.in.channels, line = p->base.in.width * C;
    real share = 1 / (real)(p->lines * p->columns);
    for (size_t c = 0; c < C; c++) {
        if (p->kind == POOL_MAX) {
            size_t top = in_at + c + top_of(j->in + in_at + c, p->lines, p->columns, line, C);
            if (j->out) j->out[out_at + c] = j->in[top];
            else j->d_in[top] = j->d_out[out_at + c];
            continue;
        }
        real sum = 0;
        for (size_t i = 0; i < p->lines; i++) {
            for (size_t k = 0; k < p->columns; k++) {
                size_t at = in_at + c + i * line + k * C;
                if (j->out) sum += j->in[at];
                else j->d_in[at] = share * j->d_out[out_at + c];
            }
        }
        if (j->out) j->out[out_at + c] = sum * share;
    }
}

static void pool_images(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const pool_job *j = context;
    const pool *p = j->p;
    shape in = p->base.in, out = p->base.out;
    for (size_t image = begin; image < end; image++) {
        if (j->d_in) memset(j->d_in + image * shape_size(in), 0, shape_size(in) * sizeof *j->d_in);
        for (size_t y = 0; y < out.height; y++) {
            for (size_t x = 0; x < out.width; x++) {
                size_t from = y * p->lines * in.width + x * p->columns;
                pool_pixel(j, image * shape_size(in) + from * in.channels,
                           image * shape_size(out) + (y * out.width + x) * out.channels);
            }
        }
    }
}

/* ---- upsampling ---- */

static void upsample_images(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const pool_job *j = context;
    size_t up = j->p->up, C = j->p->base.in.channels;
    shape in = j->p->base.in, out = j->p->base.out;
    for (size_t image = begin; image < end; image++) {
        if (j->d_in) memset(j->d_in + image * shape_size(in), 0, shape_size(in) * sizeof *j->d_in);
        for (size_t pixel = 0; pixel < out.height * out.width; pixel++) {
            size_t y = pixel / out.width / up, x = pixel % out.width / up;
            size_t at = image * shape_size(in) + (y * in.width + x) * C;
            size_t to = image * shape_size(out) + pixel * C;
            for (size_t c = 0; c < C; c++) {
                if (j->out) j->out[to + c] = j->in[at + c];
                else j->d_in[at + c] += j->d_out[to + c];
            }
        }
    }
}

/* ---- both ---- */

static void pool_forward(const layer *l, real *out, const real *in, size_t rows)
{
    const pool *p = (const pool *)(const void *)l;
    pool_job j = {.p = p, .out = out, .in = in};
    kernel_for(rows, rows_per_piece(shape_size(l->in), PIECE_VALUES),
               p->up ? upsample_images : pool_images, &j);
}

static void pool_backward(const layer *l, real *d_in, real *d_out, const real *out, const real *in,
                          size_t rows, bool add)
{
    (void)out, (void)add;
    const pool *p = (const pool *)(const void *)l;
    pool_job j = {.p = p, .d_in = d_in, .in = in, .d_out = d_out};
    if (!d_in) return;
    kernel_for(rows, rows_per_piece(shape_size(l->in), PIECE_VALUES),
               p->up ? upsample_images : pool_images, &j);
}

static const layer_ops pool_ops = {.room = layer_no_room,
                                   .bind = layer_no_bind,
                                   .init = layer_no_init,
                                   .forward = pool_forward,
                                   .backward = pool_backward};

static int make_layer(layer **out, arena *a, pool made)
{
    pool *p = arena_new(a, 1, sizeof *p, "a layer");
    SCDC_TRY(arena_status(a));
    *p = made;
    p->base.ops = &pool_ops;
    *out = &p->base;
    return SCDC_OK;
}

int pool_create(layer **out, arena *a, shape in, pool_kind kind, size_t side)
{
    if (side == 0 || side > in.height || side > in.width) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "pooling %zu x %zu pixels of images of %zu x %zu is not possible", side,
                         side, in.height, in.width);
    }
    shape small = {in.channels, in.height / side, in.width / side};
    return make_layer(
        out, a,
        (pool){.base = {.in = in, .out = small}, .kind = kind, .lines = side, .columns = side});
}

int global_mean_create(layer **out, arena *a, shape in)
{
    return make_layer(out, a,
                      (pool){.base = {.in = in, .out = shape_vector(in.channels)},
                             .kind = POOL_MEAN,
                             .lines = in.height,
                             .columns = in.width});
}

int upsample_create(layer **out, arena *a, shape in, size_t times)
{
    size_t height, width, values;
    if (times == 0 || !size_mul(&height, in.height, times) || !size_mul(&width, in.width, times) ||
        !size_mul(&values, height, width) || !size_mul(&values, values, in.channels) ||
        values > INT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT, "images of %zu x %zu cannot be made %zu times as large",
                         in.height, in.width, times);
    }
    return make_layer(out, a,
                      (pool){.base = {.in = in, .out = {in.channels, height, width}}, .up = times});
}
