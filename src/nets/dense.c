/* The dense layer, with an optional rectifier. */
#include "nets/layer.h"
#include "base/status.h"
#include "kernels/activation.h"
#include "kernels/gemm.h"
#include "kernels/noise.h"
#include "nets/params.h"

#include <math.h>
#include <string.h>

typedef struct dense {
    layer base;
    size_t inputs, outputs;
    bool relu;
    real *w, *b, *dw, *db; /* w [inputs][outputs], b [outputs] */
} dense;

static const dense *dense_of(const layer *l)
{
    return (const dense *)(const void *)l;
}

static size_t dense_room(const layer *l)
{
    const dense *f = dense_of(l);
    return param_room(f->inputs * f->outputs) + param_room(f->outputs);
}

static void dense_bind(layer *l, real *params, real *grads)
{
    dense *f = (dense *)(void *)l;
    size_t bias = param_room(f->inputs * f->outputs);
    f->w = params;
    f->b = params + bias;
    f->dw = grads;
    f->db = grads + bias;
}

static void dense_init(layer *l, uint64_t seed, uint64_t number)
{
    const dense *f = dense_of(l);
    size_t n = f->inputs * f->outputs;
    if (f->relu) init_he(f->w, n, f->inputs, seed, number);
    else init_glorot(f->w, n, f->inputs, f->outputs, seed, number);
    memset(f->b, 0, f->outputs * sizeof *f->b);
}

static void dense_forward(const layer *l, real *out, const real *in, size_t rows)
{
    const dense *f = dense_of(l);
    gemm(GEMM_NONE, GEMM_NONE, rows, f->outputs, f->inputs, 1, in, f->w, 0, out);
    if (f->relu) bias_relu(out, f->b, rows, f->outputs);
    else bias_add(out, f->b, rows, f->outputs);
}

static void dense_backward(const layer *l, real *d_in, real *d_out, const real *out, const real *in,
                           size_t rows, bool add)
{
    const dense *f = dense_of(l);
    if (f->relu) relu_backward(d_out, f->db, add, out, rows, f->outputs);
    else column_sums(f->db, add, d_out, rows, f->outputs);
    gemm(GEMM_TRANSPOSED, GEMM_NONE, f->inputs, f->outputs, rows, 1, in, d_out, add, f->dw);
    if (d_in) {
        gemm(GEMM_NONE, GEMM_TRANSPOSED, rows, f->inputs, f->outputs, 1, d_out, f->w, 0, d_in);
    }
}

real *dense_weights(const layer *l)
{
    return dense_of(l)->w;
}

real *dense_biases(const layer *l)
{
    return dense_of(l)->b;
}

void dense_glorot(layer *l)
{
    const dense *f = dense_of(l);
    double narrower = sqrt((double)f->inputs / (double)(f->inputs + f->outputs));
    if (!f->relu) return; /* it has them */
    for (size_t i = 0; i < f->inputs * f->outputs; i++) f->w[i] *= (real)narrower;
}

static void dense_clear_outputs(layer *l, size_t first)
{
    const dense *f = dense_of(l);
    for (size_t i = 0; i < f->inputs; i++) {
        for (size_t o = first; o < f->outputs; o++) f->w[i * f->outputs + o] = 0;
    }
}

static const layer_ops dense_ops = {.room = dense_room,
                                    .bind = dense_bind,
                                    .init = dense_init,
                                    .forward = dense_forward,
                                    .backward = dense_backward,
                                    .clear_outputs = dense_clear_outputs};

int dense_create(layer **out, arena *a, shape in, size_t outputs, bool relu)
{
    dense *f;
    size_t inputs = shape_size(in), weights;
    if (inputs == 0 || outputs == 0 || inputs > INT32_MAX || outputs > INT32_MAX ||
        !size_mul(&weights, inputs, outputs) || weights > SIZE_MAX / 64) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "a layer of %zu inputs and %zu outputs: each must be 1 "
                         "or more and together fit into memory",
                         inputs, outputs);
    }
    f = arena_new(a, 1, sizeof *f, "a layer");
    SCDC_TRY(arena_status(a));
    *f = (dense){.base = {.ops = &dense_ops, .in = in, .out = shape_vector(outputs)},
                 .inputs = inputs,
                 .outputs = outputs,
                 .relu = relu};
    *out = &f->base;
    return SCDC_OK;
}
