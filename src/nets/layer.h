/* A layer: rows of images in, rows of images out. Vectors of n values are images n x 1 x 1. Images
 * are stored pixel by pixel, [height][width][channels]; those of one channel are as in any file.
 *
 * Each kind of layer is a struct of its own that begins with `layer` and fills the table. Layers
 * own no parameters: they are bound to a place in a parameter block. Forward and backward never
 * allocate; a layer that needs scratch says how much, and the net has one for all of its layers. */
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

/* Training or use, for layers that differ: what is drawn in training is a function of these. */
typedef struct net_mode {
    bool training;
    uint64_t seed, step;
} net_mode;

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
    /* NULL: training and use are the same. */
    void (*set_mode)(layer *l, const net_mode *mode);
    /* Where its scratch is; NULL: it keeps none but `work`. */
    void (*set_work)(layer *l, real *work);
    /* First weights 0 for the outputs (filters) from `first` on: they begin as their biases,
     * constant. NULL where a layer has none. */
    void (*clear_outputs)(layer *l, size_t first);
} layer_ops;

struct layer {
    const layer_ops *ops;
    shape in, out;
    size_t scratch; /* values of scratch it needs during a call */
    real *work;     /* which is here */
};

/* For layers that learn nothing. */
static inline size_t layer_no_room(const layer *l)
{
    (void)l;
    return 0;
}
static inline void layer_no_bind(layer *l, real *params, real *grads)
{
    (void)l, (void)params, (void)grads;
}
static inline void layer_no_init(layer *l, uint64_t seed, uint64_t number)
{
    (void)l, (void)seed, (void)number;
}

/* out = in W + b, rectified when `relu`. The image is read as one vector. He weights when
 * rectified, Glorot otherwise; biases zero. */
int dense_create(layer **out, arena *a, shape in, size_t outputs, bool relu);
/* Its weights [inputs][outputs], where they are bound. */
real *dense_weights(const layer *l);
real *dense_biases(const layer *l);
/* Glorot weights in the place of He weights (which are drawn alike, but wider). */
void dense_glorot(layer *l);

/* A window of side x side pixels, `pad` pixels of 0 around the image; rectified when `relu`. He
 * weights when rectified, Glorot otherwise; biases zero. */
typedef struct conv_options {
    size_t filters, side, stride, pad;
    bool relu;
    bool start_zero; /* first weights zero, as for the last layer of a residual branch */
} conv_options;
int conv_create(layer **out, arena *a, shape in, const conv_options *options);

/* Means or largest values of side x side pixels that do not overlap; what is left over at the right
 * and lower edge is dropped. */
typedef enum pool_kind { POOL_MEAN, POOL_MAX } pool_kind;
int pool_create(layer **out, arena *a, shape in, pool_kind kind, size_t side);
/* The mean of all pixels: channels x 1 x 1. */
int global_mean_create(layer **out, arena *a, shape in);
/* Every pixel becomes times x times of them. */
int upsample_create(layer **out, arena *a, shape in, size_t times);

/* Images as items are stored, [channels][height][width], to how layers have them. */
int pixels_create(layer **out, arena *a, shape in);
/* And back, the upper left height x width pixels of each. */
int planes_create(layer **out, arena *a, shape in, size_t height, size_t width);

/* Each image by itself: groups of channels are brought to mean 0 and variance 1, then scaled and
 * shifted per channel (Wu and He 2018); rectified when `relu`. The same in training and use. */
int group_norm_create(layer **out, arena *a, shape in, size_t groups, bool relu);

/* Channels over all images of a minibatch to mean 0 and variance 1, then scaled and shifted (Ioffe
 * and Szegedy 2015); rectified when `relu`. In use by running averages of what training saw. */
int batch_norm_create(layer **out, arena *a, shape in, bool relu);

/* In training each value is 0 with this chance, and the others are scaled up to the same mean. */
int dropout_create(layer **out, arena *a, shape in, double chance);

/* max(0, branch + shortcut): the branch is `depth` layers, the shortcut one layer or, NULL, the
 * input itself. */
int residual_create(layer **out, arena *a, layer *const *branch, size_t depth, layer *shortcut,
                    size_t max_rows);

#endif
