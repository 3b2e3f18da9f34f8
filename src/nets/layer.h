/* A layer: rows of images in, rows of images out. Vectors of n values are images n x 1 x 1.
 *
 * Each kind of layer is a struct of its own that begins with `layer` and fills the table. Layers
 * own no parameters: they are bound to a place in a parameter block. Forward and backward never
 * allocate; a layer that needs scratch takes it from the arena when it is created. */
#ifndef SCDC_NETS_LAYER_H
#define SCDC_NETS_LAYER_H

#include "base/memory.h"
#include "base/real.h"

#include <stdint.h>

typedef struct shape {
    size_t channels, height, width;
} shape;
static inline shape shape_vector(size_t n)
{
    return (shape){n, 1, 1};
}
static inline size_t shape_size(shape s)
{
    return s.channels * s.height * s.width;
}

typedef struct layer layer;
typedef struct layer_ops {
    /* Room of its parameters in a block, in values. */
    size_t (*room)(const layer *l);
    void (*bind)(layer *l, real *params, real *grads);
    /* First weights; `number` names the random stream. */
    void (*init)(layer *l, uint64_t seed, uint64_t number);
    /* in [rows][in size] -> out [rows][out size] */
    void (*forward)(const layer *l, real *out, const real *in, size_t rows);
    /* d_out [rows][out size] is spoilt. d_in (NULL: not wanted) is overwritten. Parameter gradients
     * are overwritten, or added to when `add`. in and out as in forward; a layer without a
     * rectifier does not look at out, which may then be d_out. */
    void (*backward)(const layer *l, real *d_in, real *d_out, const real *out, const real *in,
                     size_t rows, bool add);
} layer_ops;

struct layer {
    const layer_ops *ops;
    shape in, out;
};

/* out = in W + b, rectified when `relu`. The image is read as one vector. He weights when
 * rectified, Glorot otherwise; biases zero. */
int dense_create(layer **out, arena *a, shape in, size_t outputs, bool relu);
/* Its weights [inputs][outputs], where they are bound. */
real *dense_weights(const layer *l);
real *dense_biases(const layer *l);
/* First weights 0 for the outputs from `first` on: they begin as their biases, constant. */
void dense_clear_outputs(layer *l, size_t first);

#endif
