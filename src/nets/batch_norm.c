/* Batch normalisation (Ioffe and Szegedy 2015): every channel has mean 0 and variance 1 over the
 * pixels of all images of a minibatch, then y = gamma x + beta. In use the means and variances are
 * running averages of those of training, kept behind gamma and beta as parameters that have no
 * gradient, so that saving, copying and reading a network knows nothing of them. */
#include "base/status.h"
#include "kernels/channels.h"
#include "kernels/loop.h"
#include "nets/layer.h"
#include "nets/params.h"

#include <math.h>
#include <string.h>

/* Added to variances: a channel may be the same everywhere. */
#define LEAST_VARIANCE 1e-5
/* What a whole minibatch counts in the running averages; the few rows that are left over at the end
 * of an epoch count as much less. */
#define NEW_SHARE 0.1
/* Parts of a minibatch, each with sums of its own, which are added in order. */
enum { PARTS = 8 };

typedef struct batch_norm {
    layer base;
    bool relu, training;
    real *gamma, *beta, *d_gamma, *d_beta; /* [channels] */
    real *mean, *variance;                 /* [channels] running averages */
    size_t most;                           /* rows of a minibatch so far */
    real *centre, *rate;                   /* [channels] of the last forward */
} batch_norm;

static const batch_norm *norm_of(const layer *l)
{
    return (const batch_norm *)(const void *)l;
}

static size_t norm_room(const layer *l)
{
    return 4 * param_room(l->in.channels);
}

static void norm_bind(layer *l, real *params, real *grads)
{
    batch_norm *f = (batch_norm *)(void *)l;
    size_t room = param_room(l->in.channels);
    f->gamma = params;
    f->beta = params + room;
    f->mean = params + 2 * room;
    f->variance = params + 3 * room;
    f->d_gamma = grads;
    f->d_beta = grads + room;
}

static void norm_init(layer *l, uint64_t seed, uint64_t number)
{
    (void)seed, (void)number;
    const batch_norm *f = norm_of(l);
    for (size_t c = 0; c < l->in.channels; c++) {
        f->gamma[c] = f->variance[c] = 1;
        f->beta[c] = f->mean[c] = 0;
    }
}

static void norm_set_mode(layer *l, const net_mode *mode)
{
    ((batch_norm *)(void *)l)->training = mode->training;
}

/* ---- sums over a minibatch, channel by channel ---- */

typedef struct norm_job norm_job;
struct norm_job {
    const batch_norm *f;
    /* Adds what the pixels of an image, from value `at` on, have to the two sums. */
    void (*add)(const norm_job *j, real *first, real *second, size_t at, size_t pixels);
    channel_norm norm;
    real *out, *d_in, *d_out;
    const real *in, *seen;
};

/* Sums of an image are added up by themselves first: so many small numbers would be lost in a large
 * sum of single precision. */
static void sum_part(void *context, size_t begin, size_t end, size_t part)
{
    const norm_job *j = context;
    size_t C = j->f->base.in.channels, pixels = j->f->base.in.height * j->f->base.in.width;
    real *sums = j->f->base.work + part * 4 * C, *own = sums + 2 * C;
    for (size_t c = 0; c < 2 * C; c++) sums[c] = 0;
    for (size_t image = begin; image < end; image++) {
        for (size_t c = 0; c < 2 * C; c++) own[c] = 0;
        j->add(j, own, own + C, image * pixels * C, pixels);
        for (size_t c = 0; c < 2 * C; c++) sums[c] += own[c];
    }
}

/* The sums of all parts end up in those of the first. */
static real *sum_up(norm_job *j, size_t rows)
{
    size_t per_part = (rows + PARTS - 1) / PARTS, C = j->f->base.in.channels;
    real *sums = j->f->base.work;
    kernel_for(rows, per_part, sum_part, j);
    for (size_t part = 1; part < parallel_pieces(rows, per_part); part++) {
        for (size_t c = 0; c < 2 * C; c++) sums[c] += sums[part * 4 * C + c];
    }
    return sums;
}

/* ---- forward ---- */

static void add_values(const norm_job *j, real *first, real *second, size_t at, size_t pixels)
{
    (void)second;
    channels_sum(first, j->in + at, pixels, j->norm.channels);
}

static void add_squares(const norm_job *j, real *first, real *second, size_t at, size_t pixels)
{
    (void)second;
    channels_squares(first, j->in + at, j->norm.centre, pixels, j->norm.channels);
}

static void measure(norm_job *j, batch_norm *f, size_t rows)
{
    size_t C = f->base.in.channels;
    if (rows > f->most) f->most = rows;
    real share = (real)(NEW_SHARE * (double)rows / (double)f->most);
    double n = (double)(rows * f->base.in.height * f->base.in.width);
    j->add = add_values;
    const real *sum = sum_up(j, rows);
    for (size_t c = 0; c < C; c++) f->centre[c] = (real)((double)sum[c] / n);
    j->add = add_squares;
    sum = sum_up(j, rows);
    for (size_t c = 0; c < C; c++) {
        double variance = (double)sum[c] / n;
        f->rate[c] = (real)(1 / sqrt(variance + LEAST_VARIANCE));
        f->mean[c] += share * (f->centre[c] - f->mean[c]);
        f->variance[c] += share * ((real)variance - f->variance[c]);
    }
}

static void forward_images(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const norm_job *j = context;
    size_t pixels = j->f->base.in.height * j->f->base.in.width, at = begin * pixels;
    at *= j->norm.channels;
    channels_normalise(j->out + at, j->in + at, &j->norm, (end - begin) * pixels);
}

/* As the last forward left it. */
static channel_norm channels_of(const batch_norm *f)
{
    return (channel_norm){.channels = f->base.in.channels,
                          .centre = f->centre,
                          .rate = f->rate,
                          .gamma = f->gamma,
                          .beta = f->beta,
                          .relu = f->relu};
}

static void norm_forward(const layer *l, real *out, const real *in, size_t rows)
{
    const batch_norm *f = norm_of(l);
    norm_job j = {.f = f, .norm = channels_of(f), .out = out, .in = in};
    if (!rows) return;
    if (f->training) {
        measure(&j, (batch_norm *)(uintptr_t)f, rows);
    } else {
        for (size_t c = 0; c < l->in.channels; c++) {
            f->centre[c] = f->mean[c];
            double variance = fmax(0, (double)f->variance[c]); /* a file may say anything */
            f->rate[c] = (real)(1 / sqrt(variance + LEAST_VARIANCE));
        }
    }
    kernel_for(rows, rows_per_piece(shape_size(l->in), PIECE_VALUES), forward_images, &j);
}

/* ---- backward ---- */

static void add_slopes(const norm_job *j, real *d_gamma, real *d_beta, size_t at, size_t pixels)
{
    channels_slopes(d_gamma, d_beta, j->d_out + at, j->seen + at, j->in + at, &j->norm, pixels);
}

/* With u = (x - mean) rate:  d_x = gamma rate (d - mean(d) - u mean(d u)); in use, where mean and
 * rate are given, d_x = gamma rate d. */
static void backward_images(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const norm_job *j = context;
    size_t C = j->norm.channels, pixels = j->f->base.in.height * j->f->base.in.width;
    size_t at = begin * pixels * C;
    const real *along = j->f->base.work;
    channels_back(j->d_in + at, j->d_out + at, j->in + at, along, along + C, &j->norm,
                  (end - begin) * pixels);
}

static void norm_backward(const layer *l, real *d_in, real *d_out, const real *out, const real *in,
                          size_t rows, bool add)
{
    const batch_norm *f = norm_of(l);
    size_t C = l->in.channels, room = param_room(C);
    norm_job j = {.f = f,
                  .norm = channels_of(f),
                  .add = add_slopes,
                  .d_in = d_in,
                  .d_out = d_out,
                  .in = in,
                  .seen = out};
    if (!add) memset(f->d_gamma, 0, 4 * room * sizeof *f->d_gamma); /* of all four */
    if (!rows) return;
    real *sums = sum_up(&j, rows);
    double n = (double)(rows * l->in.height * l->in.width);
    for (size_t c = 0; c < C; c++) {
        f->d_gamma[c] += sums[c];
        f->d_beta[c] += sums[C + c];
    }
    for (size_t c = 0; c < 2 * C; c++) sums[c] = f->training ? (real)((double)sums[c] / n) : 0;
    if (!d_in) return;
    kernel_for(rows, rows_per_piece(shape_size(l->in), PIECE_VALUES), backward_images, &j);
}

static const layer_ops norm_ops = {.room = norm_room,
                                   .bind = norm_bind,
                                   .init = norm_init,
                                   .forward = norm_forward,
                                   .backward = norm_backward,
                                   .set_mode = norm_set_mode};

int batch_norm_create(layer **out, arena *a, shape in, bool relu)
{
    batch_norm *f = arena_new(a, 1, sizeof *f, "a layer");
    real *found = arena_new(a, 2 * in.channels, sizeof *found, "a layer");
    SCDC_TRY(arena_status(a));
    *f = (batch_norm){
        .base = {.ops = &norm_ops, .in = in, .out = in, .scratch = PARTS * 4 * in.channels},
        .relu = relu,
        .centre = found,
        .rate = found + in.channels};
    *out = &f->base;
    return SCDC_OK;
}
