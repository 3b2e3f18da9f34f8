/* A residual block: a branch of layers and a shortcut around it. */
#include "base/status.h"
#include "kernels/loop.h"
#include "nets/net.h"

typedef struct residual {
    layer base;
    net branch;
    layer *shortcut; /* NULL: the input itself */
    real *d_branch;  /* [max_rows][out size] */
    real *d_short;   /* [max_rows][in size] */
} residual;

static const residual *residual_of(const layer *l)
{
    return (const residual *)(const void *)l;
}

static size_t residual_room(const layer *l)
{
    const residual *f = residual_of(l);
    return net_room(&f->branch) + (f->shortcut ? f->shortcut->ops->room(f->shortcut) : 0);
}

static void residual_bind(layer *l, real *params, real *grads)
{
    residual *f = (residual *)(void *)l;
    param_block b = {.params = params, .grads = grads};
    size_t at = 0;
    net_bind(&f->branch, &b, &at);
    if (f->shortcut) f->shortcut->ops->bind(f->shortcut, params + at, grads + at);
}

/* Streams of the layers inside lie far from those of a net's own layers. */
static void residual_init(layer *l, uint64_t seed, uint64_t number)
{
    residual *f = (residual *)(void *)l;
    uint64_t inside = (number + 1) << 32;
    net_init(&f->branch, seed, &inside);
    if (f->shortcut) f->shortcut->ops->init(f->shortcut, seed, inside);
}

static void residual_set_mode(layer *l, const net_mode *mode)
{
    net_set_mode(&((residual *)(void *)l)->branch, mode);
}

static void residual_set_work(layer *l, real *work)
{
    residual *f = (residual *)(void *)l;
    net_set_work(&f->branch, work);
    if (f->shortcut) f->shortcut->work = work;
}

typedef struct sum_job {
    real *out;
    const real *a, *b;
} sum_job;

static void add_and_rectify(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const sum_job *j = context;
    for (size_t i = begin; i < end; i++) {
        real v = j->a[i] + j->b[i];
        j->out[i] = v < 0 ? 0 : v;
    }
}

typedef struct mask_job {
    real *d, *copy;
    const real *out;
} mask_job;

/* What the rectifier stopped is taken out of d; both ways spoil what they are given. */
static void mask_and_copy(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const mask_job *j = context;
    real *restrict d = j->d, *restrict copy = j->copy;
    const real *restrict out = j->out;
    for (size_t i = begin; i < end; i++) copy[i] = d[i] = out[i] == 0 ? 0 : d[i];
}

static void add(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const sum_job *j = context;
    for (size_t i = begin; i < end; i++) j->out[i] += j->a[i];
}

static void residual_forward(const layer *l, real *out, const real *in, size_t rows)
{
    residual *f = (residual *)(uintptr_t)residual_of(l); /* its workspace */
    const real *branch = net_forward(&f->branch, in, rows), *other = in;
    if (f->shortcut) {
        f->shortcut->ops->forward(f->shortcut, out, in, rows);
        other = out;
    }
    sum_job j = {out, branch, other};
    kernel_for(rows * shape_size(l->out), PIECE_VALUES, add_and_rectify, &j);
}

static void residual_backward(const layer *l, real *d_in, real *d_out, const real *out,
                              const real *in, size_t rows, bool add_to)
{
    residual *f = (residual *)(uintptr_t)residual_of(l);
    size_t outputs = rows * shape_size(l->out), inputs = rows * shape_size(l->in);
    mask_job masked = {d_out, f->d_branch, out};
    kernel_for(outputs, PIECE_VALUES, mask_and_copy, &masked);
    net_backward(&f->branch, d_in, f->d_branch, in, rows, add_to);
    const real *rest = d_out;
    if (f->shortcut) {
        f->shortcut->ops->backward(f->shortcut, d_in ? f->d_short : NULL, d_out, NULL, in, rows,
                                   add_to);
        rest = f->d_short;
    }
    sum_job sum = {.out = d_in, .a = rest};
    if (d_in) kernel_for(inputs, PIECE_VALUES, add, &sum);
}

static const layer_ops residual_ops = {.room = residual_room,
                                       .bind = residual_bind,
                                       .init = residual_init,
                                       .forward = residual_forward,
                                       .backward = residual_backward,
                                       .set_mode = residual_set_mode,
                                       .set_work = residual_set_work};

int residual_create(layer **out, arena *a, layer *const *branch, size_t depth, layer *shortcut,
                    size_t max_rows)
{
    residual *f = arena_new(a, 1, sizeof *f, "a layer");
    SCDC_TRY(arena_status(a));
    SCDC_TRY(net_stack(&f->branch, a, branch, depth, max_rows));
    shape in = net_in(&f->branch), end = net_out(&f->branch), side = shortcut ? shortcut->out : in;
    if (shape_size(end) != shape_size(side) ||
        (shortcut && shape_size(shortcut->in) != shape_size(in))) {
        return fail_with(SCDC_ERR_INTERNAL, "a branch gives %zu values, its shortcut %zu",
                         shape_size(end), shape_size(side));
    }
    f->d_branch = arena_new(a, max_rows, shape_size(end) * sizeof *f->d_branch, "gradients");
    f->d_short =
        arena_new(a, shortcut ? max_rows : 0, shape_size(in) * sizeof *f->d_short, "gradients");
    SCDC_TRY(arena_status(a));
    f->shortcut = shortcut;
    f->base = (layer){.ops = &residual_ops, .in = in, .out = end, .scratch = f->branch.scratch};
    if (shortcut && shortcut->scratch > f->base.scratch) f->base.scratch = shortcut->scratch;
    *out = &f->base;
    return SCDC_OK;
}
