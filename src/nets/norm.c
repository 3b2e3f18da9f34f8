/* Group normalisation: mean 0 and variance 1 over the pixels and channels of a group, for each
 * image by itself, then y = gamma x + beta per channel. */
#include "base/status.h"
#include "kernels/loop.h"
#include "nets/layer.h"
#include "nets/params.h"

#include <string.h>

/* Added to variances: images of one colour have none. */
#define LEAST_VARIANCE 1e-5
/* Groups of images, each with its own gradients of gamma and beta, which are added in order. */
enum { PARTS = 8 };

typedef struct norm {
    layer base;
    size_t groups;
    bool relu;
    real *gamma, *beta, *d_gamma, *d_beta; /* [channels] */
} norm;

static const norm *norm_of(const layer *l)
{
    return (const norm *)(const void *)l;
}

static size_t norm_room(const layer *l)
{
    return 2 * param_room(l->in.channels);
}

static void norm_bind(layer *l, real *params, real *grads)
{
    norm *f = (norm *)(void *)l;
    size_t beta = param_room(l->in.channels);
    f->gamma = params;
    f->beta = params + beta;
    f->d_gamma = grads;
    f->d_beta = grads + beta;
}

static void norm_init(layer *l, uint64_t seed, uint64_t number)
{
    (void)seed, (void)number;
    const norm *f = norm_of(l);
    for (size_t c = 0; c < l->in.channels; c++) f->gamma[c] = 1, f->beta[c] = 0;
}

typedef struct norm_job {
    const norm *f;
    real *out, *d_in, *d_out;
    const real *in, *seen;
} norm_job;

/* Mean and 1 / deviation of a group's values: `width` channels of all pixels. */
static void measure(double *mean, double *rate, const real *x, size_t pixels, size_t C,
                    size_t width)
{
    double sum = 0, squares = 0, n = (double)(pixels * width);
    for (size_t p = 0; p < pixels; p++) {
        real line = 0;
        for (size_t c = 0; c < width; c++) line += x[p * C + c];
        sum += (double)line;
    }
    *mean = sum / n;
    real centre = (real)*mean;
    for (size_t p = 0; p < pixels; p++) {
        real line = 0;
        for (size_t c = 0; c < width; c++)
            line += (x[p * C + c] - centre) * (x[p * C + c] - centre);
        squares += (double)line;
    }
    *rate = 1 / sqrt(squares / n + LEAST_VARIANCE);
}

static void forward_images(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const norm_job *j = context;
    const norm *f = j->f;
    size_t C = f->base.in.channels, pixels = f->base.in.height * f->base.in.width;
    size_t width = C / f->groups;
    for (size_t at = begin * f->groups; at < end * f->groups; at++) {
        size_t from = at / f->groups * pixels * C + at % f->groups * width;
        size_t first = at % f->groups * width;
        const real *x = j->in + from;
        double mean, rate;
        measure(&mean, &rate, x, pixels, C, width);
        for (size_t p = 0; p < pixels; p++) {
            for (size_t c = 0; c < width; c++) {
                real unit = (x[p * C + c] - (real)mean) * (real)rate;
                real v = f->gamma[first + c] * unit + f->beta[first + c];
                j->out[from + p * C + c] = f->relu && v < 0 ? 0 : v;
            }
        }
    }
}

/* With u = (x - mean) rate and e = gamma d:  d_x = rate (e - mean(e) - u mean(e u)). */
static void backward_group(const norm_job *j, size_t image, size_t group, real *d_gamma,
                           real *d_beta)
{
    const norm *f = j->f;
    size_t C = f->base.in.channels, pixels = f->base.in.height * f->base.in.width;
    size_t width = C / f->groups, first = group * width, from = image * pixels * C + first;
    const real *x = j->in + from, *gamma = f->gamma + first;
    real *d = j->d_out + from;
    double mean, rate, sum = 0, along = 0, n = (double)(pixels * width);
    measure(&mean, &rate, x, pixels, C, width);
    for (size_t p = 0; p < pixels; p++) {
        real line = 0, product = 0;
        for (size_t c = 0; c < width; c++) {
            real unit = (x[p * C + c] - (real)mean) * (real)rate;
            if (f->relu && j->seen[from + p * C + c] == 0) d[p * C + c] = 0;
            d_gamma[first + c] += d[p * C + c] * unit;
            d_beta[first + c] += d[p * C + c];
            line += gamma[c] * d[p * C + c];
            product += gamma[c] * d[p * C + c] * unit;
        }
        sum += (double)line;
        along += (double)product;
    }
    for (size_t p = 0; p < pixels && j->d_in; p++) {
        for (size_t c = 0; c < width; c++) {
            real unit = (x[p * C + c] - (real)mean) * (real)rate;
            real pull = gamma[c] * d[p * C + c] - (real)(sum / n) - unit * (real)(along / n);
            j->d_in[from + p * C + c] = (real)rate * pull;
        }
    }
}

static void backward_part(void *context, size_t begin, size_t end, size_t part)
{
    const norm_job *j = context;
    size_t C = j->f->base.in.channels;
    real *own = j->f->base.work + part * 2 * C;
    memset(own, 0, 2 * C * sizeof *own);
    for (size_t image = begin; image < end; image++) {
        for (size_t g = 0; g < j->f->groups; g++) backward_group(j, image, g, own, own + C);
    }
}

static void norm_forward(const layer *l, real *out, const real *in, size_t rows)
{
    norm_job j = {.f = norm_of(l), .out = out, .in = in};
    kernel_for(rows, rows_per_piece(shape_size(l->in), PIECE_VALUES), forward_images, &j);
}

static void norm_backward(const layer *l, real *d_in, real *d_out, const real *out, const real *in,
                          size_t rows, bool add)
{
    const norm *f = norm_of(l);
    size_t C = l->in.channels, per_part = (rows + PARTS - 1) / PARTS;
    norm_job j = {.f = f, .d_in = d_in, .d_out = d_out, .in = in, .seen = out};
    if (!add) {
        memset(f->d_gamma, 0, C * sizeof *f->d_gamma);
        memset(f->d_beta, 0, C * sizeof *f->d_beta);
    }
    if (!rows) return;
    kernel_for(rows, per_part, backward_part, &j);
    for (size_t part = 0; part < parallel_pieces(rows, per_part); part++) {
        const real *own = l->work + part * 2 * C;
        for (size_t c = 0; c < C; c++) {
            f->d_gamma[c] += own[c];
            f->d_beta[c] += own[C + c];
        }
    }
}

static const layer_ops norm_ops = {.room = norm_room,
                                   .bind = norm_bind,
                                   .init = norm_init,
                                   .forward = norm_forward,
                                   .backward = norm_backward};

int group_norm_create(layer **out, arena *a, shape in, size_t groups, bool relu)
{
    if (groups == 0 || in.channels == 0 || in.channels % groups) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu channels cannot be divided into %zu groups",
                         in.channels, groups);
    }
    norm *f = arena_new(a, 1, sizeof *f, "a layer");
    SCDC_TRY(arena_status(a));
    *f = (norm){.base = {.ops = &norm_ops, .in = in, .out = in, .scratch = PARTS * 2 * in.channels},
                .groups = groups,
                .relu = relu};
    *out = &f->base;
    return SCDC_OK;
}
