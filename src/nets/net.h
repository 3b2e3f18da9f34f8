/* A net: a stack of layers over one stretch of a parameter block, with the workspace of forward
 * and backward for at most max_rows rows. */
#ifndef SCDC_NETS_NET_H
#define SCDC_NETS_NET_H

#include "nets/layer.h"
#include "nets/params.h"

typedef struct net {
    size_t depth;
    layer **layers;
    real **outputs; /* [depth]: what each layer gave in the last forward */
    real *delta[2]; /* gradients on their way down */
    size_t max_rows;
    size_t scratch; /* values its layers need at most */
} net;

/* Takes over the layers (which live in the arena too); each must fit the one before it. */
int net_create(net *out, arena *a, layer *const *layers, size_t depth, size_t max_rows);
/* The same without scratch, for a net inside of a layer: net_set_work gives it one. */
int net_stack(net *out, arena *a, layer *const *layers, size_t depth, size_t max_rows);
void net_set_work(net *n, real *work);
/* Dense rectified layers of the given sizes, then a linear one. n_hidden may be 0. */
int net_mlp(net *out, arena *a, shape in, const size_t *hidden, size_t n_hidden, size_t outputs,
            size_t max_rows);

/* Room in a block; binding takes the stretch from *offset on and moves it behind. */
size_t net_room(const net *n);
void net_bind(net *n, const param_block *b, size_t *offset);
/* First weights. Layers take the stream numbers from *number on. */
void net_init(net *n, uint64_t seed, uint64_t *number);
/* After net_init, in a net of dense layers: Glorot weights before rectifiers, too. */
void net_glorot(net *n);

/* Training (what is drawn is told by seed and step) or use, which is how a net begins. */
void net_set_mode(net *n, const net_mode *mode);

shape net_in(const net *n);
shape net_out(const net *n);
/* The outputs [rows][out size], which stay the net's until the next forward. */
real *net_forward(net *n, const real *in, size_t rows);
/* After a forward of the same rows. d_out is spoilt; it may be the outputs net_forward gave when
 * the last layer is linear. d_in [rows][in size] (NULL: not wanted) is overwritten. Parameter
 * gradients are overwritten, or added to when `add`. */
void net_backward(net *n, real *d_in, real *d_out, const real *in, size_t rows, bool add);

#endif
