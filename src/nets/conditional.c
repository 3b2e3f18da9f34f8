/* The conditional first layer of q(x | z, o). */
#include "nets/conditional.h"
#include "base/status.h"
#include "kernels/loop.h"
#include "kernels/noise.h"

#include <math.h>
#include <string.h>

enum { COLUMN_BLOCK = 64 };

int conditional_create(conditional *out, arena *a, shape in, size_t conditions, size_t width,
                       size_t max_items)
{
    conditional c = {.inputs = shape_size(in), .conditions = conditions, .width = width};
    size_t row = width * sizeof(real), values;
    if (!size_mul(&values, conditions, width) || values > SIZE_MAX / 64) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "%zu components times %zu hidden values do not fit "
                         "into memory",
                         conditions, width);
    }
    SCDC_TRY(dense_create(&c.affine, a, in, width, false));
    c.base = arena_new(a, max_items, row, "the first layer's input part");
    c.d_base = arena_new(a, max_items, row, "the first layer's input part");
    SCDC_TRY(arena_status(a));
    *out = c;
    return SCDC_OK;
}

size_t conditional_room(const conditional *c)
{
    return c->affine->ops->room(c->affine) + param_room(c->conditions * c->width);
}

void conditional_bind(conditional *c, const param_block *b, size_t *offset)
{
    c->affine->ops->bind(c->affine, b->params + *offset, b->grads + *offset);
    *offset += c->affine->ops->room(c->affine);
    c->z = b->params + *offset;
    c->dz = b->grads + *offset;
    *offset += param_room(c->conditions * c->width);
}

void conditional_init(conditional *c, uint64_t seed, uint64_t *number)
{
    c->affine->ops->init(c->affine, seed, (*number)++);
    /* As for a dense layer whose input is (o, one-hot z). */
    init_he(c->z, c->conditions * c->width, c->inputs + c->conditions, seed, (*number)++);
}

void conditional_glorot(conditional *c)
{
    double inputs = (double)(c->inputs + c->conditions);
    real narrower = (real)sqrt(inputs / (inputs + (double)c->width));
    for (size_t i = 0; i < c->conditions * c->width; i++) c->z[i] *= narrower;
}

void conditional_base(conditional *c, const real *o, size_t items)
{
    c->affine->ops->forward(c->affine, c->base, o, items);
}

typedef struct pairs_job {
    const conditional *c;
    real *d_out, *out;
    const real *seen;
    const uint32_t *item, *condition;
    size_t rows;
} pairs_job;

static void expand_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const pairs_job *j = context;
    (void)piece;
    size_t width = j->c->width;
    for (size_t r = begin; r < end; r++) {
        const real *base = j->c->base + j->item[r] * width;
        const real *z = j->c->z + j->condition[r] * width;
        real *restrict out = j->out + r * width;
        for (size_t i = 0; i < width; i++) {
            real v = base[i] + z[i];
            out[i] = v < 0 ? 0 : v;
        }
    }
}

void conditional_expand(const conditional *c, real *out, const uint32_t *item,
                        const uint32_t *condition, size_t rows)
{
    pairs_job j = {.c = c, .out = out, .item = item, .condition = condition};
    kernel_for(rows, rows_per_piece(c->width, PIECE_VALUES), expand_piece, &j);
}

void conditional_backward_begin(conditional *c, size_t items)
{
    memset(c->d_base, 0, items * c->width * sizeof *c->d_base);
    memset(c->dz, 0, c->conditions * c->width * sizeof *c->dz);
}

/* A piece is a block of columns over all rows, in row order: no two pieces add to one place. */
static void scatter_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const pairs_job *j = context;
    (void)piece;
    size_t width = j->c->width, count = end - begin;
    for (size_t r = 0; r < j->rows; r++) {
        const real *d = j->d_out + r * width + begin, *seen = j->seen + r * width + begin;
        real *restrict d_base = j->c->d_base + j->item[r] * width + begin;
        real *restrict dz = j->c->dz + j->condition[r] * width + begin;
        for (size_t i = 0; i < count; i++) {
            real v = seen[i] == 0 ? 0 : d[i];
            d_base[i] += v;
            dz[i] += v;
        }
    }
}

void conditional_backward_rows(conditional *c, real *d_out, const real *out, const uint32_t *item,
                               const uint32_t *condition, size_t rows)
{
    pairs_job j = {
        .c = c, .d_out = d_out, .seen = out, .item = item, .condition = condition, .rows = rows};
    kernel_for(c->width, columns_per_piece(rows, COLUMN_BLOCK), scatter_piece, &j);
}

void conditional_backward_end(conditional *c, real *d_o, const real *o, size_t items)
{
    c->affine->ops->backward(c->affine, d_o, c->d_base, NULL, o, items, false);
}
