/* Dropout: in training some values are 0. Which ones is a function of (seed, step, row), so that
 * backward finds the same and threads do not matter. */
#include "base/rng.h"
#include "base/status.h"
#include "kernels/loop.h"
#include "nets/layer.h"

#include <string.h>

typedef struct dropout {
    layer base;
    uint32_t dropped; /* of 256 */
    net_mode mode;
} dropout;

static size_t dropout_room(const layer *l)
{
    (void)l;
    return 0;
}

static void dropout_bind(layer *l, real *params, real *grads)
{
    (void)l, (void)params, (void)grads;
}

static void dropout_init(layer *l, uint64_t seed, uint64_t number)
{
    (void)l, (void)seed, (void)number;
}

static void dropout_set_mode(layer *l, const net_mode *mode)
{
    ((dropout *)(void *)l)->mode = *mode;
}

typedef struct dropout_job {
    const dropout *f;
    real *to;
    const real *from;
} dropout_job;

/* Values that one block of random numbers decides about, a byte each. */
enum { BLOCK = 16 };

/* Without branches: what is dropped cannot be guessed. */
static void drop_block(real *restrict to, const real *restrict from, const uint32_t *restrict word,
                       uint32_t dropped, real scale, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t byte = word[i / 4] >> i % 4 * 8 & 255;
        real kept = scale * from[i];
        to[i] = byte < dropped ? 0 : kept;
    }
}

static void drop_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const dropout_job *j = context;
    const dropout *f = j->f;
    size_t n = shape_size(f->base.in);
    real scale = 256 / (real)(256 - f->dropped);
    for (size_t row = begin; row < end; row++) {
        rng r;
        uint32_t word[BLOCK / 4];
        rng_init(&r, f->mode.seed, RNG_DROPOUT, (uint32_t)row, f->mode.step);
        for (size_t i = row * n; i < (row + 1) * n; i += BLOCK) {
            size_t left = (row + 1) * n - i;
            for (int w = 0; w < BLOCK / 4; w++) word[w] = rng_u32(&r);
            if (left >= BLOCK) drop_block(j->to + i, j->from + i, word, f->dropped, scale, BLOCK);
            else drop_block(j->to + i, j->from + i, word, f->dropped, scale, left);
        }
    }
}

/* Forward and backward are the same map. */
static void apply(const layer *l, real *to, const real *from, size_t rows)
{
    dropout_job j = {(const dropout *)(const void *)l, to, from};
    if (!j.f->mode.training || !j.f->dropped) {
        memcpy(to, from, rows * shape_size(l->in) * sizeof *to);
        return;
    }
    kernel_for(rows, rows_per_piece(shape_size(l->in), PIECE_VALUES), drop_rows, &j);
}

static void dropout_forward(const layer *l, real *out, const real *in, size_t rows)
{
    apply(l, out, in, rows);
}

static void dropout_backward(const layer *l, real *d_in, real *d_out, const real *out,
                             const real *in, size_t rows, bool add)
{
    (void)out, (void)in, (void)add;
    if (d_in) apply(l, d_in, d_out, rows);
}

static const layer_ops dropout_ops = {.room = dropout_room,
                                      .bind = dropout_bind,
                                      .init = dropout_init,
                                      .forward = dropout_forward,
                                      .backward = dropout_backward,
                                      .set_mode = dropout_set_mode};

int dropout_create(layer **out, arena *a, shape in, double chance)
{
    if (!(chance >= 0 && chance < 0.99)) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the chance of dropout must be 0 or more and below .99, not %g", chance);
    }
    dropout *f = arena_new(a, 1, sizeof *f, "a layer");
    SCDC_TRY(arena_status(a));
    *f = (dropout){.base = {.ops = &dropout_ops, .in = in, .out = in},
                   .dropped = (uint32_t)(chance * 256 + 0.5)};
    *out = &f->base;
    return SCDC_OK;
}
