/* Between images as items are stored, plane by plane, and as layers have them, pixel by pixel. */
#include "base/status.h"
#include "kernels/loop.h"
#include "nets/layer.h"

#include <string.h>

typedef struct planes {
    layer base;
    bool to_planes;
} planes;

typedef struct planes_job {
    const planes *p;
    real *to;
    const real *from;
    bool back; /* gradients: from outputs to inputs */
} planes_job;

/* A value of channel c at (y, x), among planes and among pixels of images that may be larger. */
static size_t in_planes(shape s, size_t c, size_t y, size_t x)
{
    return (c * s.height + y) * s.width + x;
}

static size_t in_pixels(shape s, size_t c, size_t y, size_t x)
{
    return (y * s.width + x) * s.channels + c;
}

/* What of a larger image has no place among the planes gets no gradient. */
static void move_images(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const planes_job *j = context;
    shape in = j->p->base.in, out = j->p->base.out;
    shape plain = j->p->to_planes ? out : in, pixels = j->p->to_planes ? in : out;
    bool from_planes = j->p->to_planes == j->back;
    size_t from_size = shape_size(j->back ? out : in), to_size = shape_size(j->back ? in : out);
    for (size_t image = begin; image < end; image++) {
        const real *from = j->from + image * from_size;
        real *to = j->to + image * to_size;
        if (to_size > from_size) memset(to, 0, to_size * sizeof *to);
        for (size_t y = 0; y < plain.height; y++) {
            for (size_t x = 0; x < plain.width; x++) {
                for (size_t c = 0; c < plain.channels; c++) {
                    size_t a = in_planes(plain, c, y, x), b = in_pixels(pixels, c, y, x);
                    if (from_planes) to[b] = from[a];
                    else to[a] = from[b];
                }
            }
        }
    }
}

static void planes_forward(const layer *l, real *out, const real *in, size_t rows)
{
    planes_job j = {.p = (const planes *)(const void *)l, .to = out, .from = in};
    kernel_for(rows, rows_per_piece(shape_size(l->in), PIECE_VALUES), move_images, &j);
}

static void planes_backward(const layer *l, real *d_in, real *d_out, const real *out,
                            const real *in, size_t rows, bool add)
{
    (void)out, (void)in, (void)add;
    planes_job j = {.p = (const planes *)(const void *)l, .to = d_in, .from = d_out, .back = true};
    if (d_in) kernel_for(rows, rows_per_piece(shape_size(l->in), PIECE_VALUES), move_images, &j);
}

static const layer_ops planes_ops = {.room = layer_no_room,
                                     .bind = layer_no_bind,
                                     .init = layer_no_init,
                                     .forward = planes_forward,
                                     .backward = planes_backward};

static int make(layer **made, arena *a, shape in, shape out, bool to_planes)
{
    planes *p = arena_new(a, 1, sizeof *p, "a layer");
    SCDC_TRY(arena_status(a));
    *p = (planes){.base = {.ops = &planes_ops, .in = in, .out = out}, .to_planes = to_planes};
    *made = &p->base;
    return SCDC_OK;
}

int pixels_create(layer **out, arena *a, shape in)
{
    return make(out, a, in, in, false);
}

int planes_create(layer **out, arena *a, shape in, size_t height, size_t width)
{
    if (height > in.height || width > in.width) {
        return fail_with(SCDC_ERR_INTERNAL, "images of %zu x %zu cut out of images of %zu x %zu",
                         height, width, in.height, in.width);
    }
    return make(out, a, in, (shape){in.channels, height, width}, true);
}
