/* Stacks of layers. */
#include "nets/net.h"
#include "base/status.h"

#include <string.h>

int net_stack(net *out, arena *a, layer *const *layers, size_t depth, size_t max_rows)
{
    net n = {.depth = depth, .max_rows = max_rows};
    if (depth == 0) return fail_with(SCDC_ERR_INTERNAL, "a net needs at least one layer");
    n.layers = arena_new(a, depth, sizeof *n.layers, "a net");
    n.outputs = arena_new(a, depth, sizeof *n.outputs, "a net");
    SCDC_TRY(arena_status(a));
    memcpy(n.layers, layers, depth * sizeof *layers);
    size_t widest = 0;
    for (size_t l = 0; l < depth; l++) {
        size_t size = shape_size(layers[l]->out), row = size * sizeof(real);
        if (l > 0 && shape_size(layers[l]->in) != shape_size(layers[l - 1]->out)) {
            return fail_with(SCDC_ERR_INTERNAL,
                             "layer %zu takes %zu values, the one before gives %zu", l,
                             shape_size(layers[l]->in), shape_size(layers[l - 1]->out));
        }
        if (l + 1 < depth && size > widest) widest = size;
        if (layers[l]->scratch > n.scratch) n.scratch = layers[l]->scratch;
        n.outputs[l] = arena_new(a, max_rows, row, "the activations of a net");
        SCDC_TRY(arena_status(a));
    }
    /* Gradients at inner layers alternate between two buffers; one or none is enough for few. */
    for (size_t i = 0; i < 2 && i + 1 < depth; i++) {
        n.delta[i] = arena_new(a, max_rows, widest * sizeof(real), "the gradients of a net");
        SCDC_TRY(arena_status(a));
    }
    *out = n;
    return SCDC_OK;
}

void net_set_work(net *n, real *work)
{
    for (size_t l = 0; l < n->depth; l++) {
        n->layers[l]->work = work;
        if (n->layers[l]->ops->set_work) n->layers[l]->ops->set_work(n->layers[l], work);
    }
}

int net_create(net *out, arena *a, layer *const *layers, size_t depth, size_t max_rows)
{
    SCDC_TRY(net_stack(out, a, layers, depth, max_rows));
    if (!out->scratch) return SCDC_OK;
    real *work = arena_new(a, out->scratch, sizeof *work, "the scratch of a net");
    SCDC_TRY(arena_status(a));
    net_set_work(out, work);
    return SCDC_OK;
}

int net_mlp(net *out, arena *a, shape in, const size_t *hidden, size_t n_hidden, size_t outputs,
            size_t max_rows)
{
    layer **layers = arena_new(a, n_hidden + 1, sizeof(layer *), "a net");
    SCDC_TRY(arena_status(a));
    for (size_t l = 0; l <= n_hidden; l++) {
        bool last = l == n_hidden;
        SCDC_TRY(dense_create(&layers[l], a, in, last ? outputs : hidden[l], !last));
        in = layers[l]->out;
    }
    return net_create(out, a, layers, n_hidden + 1, max_rows);
}

size_t net_room(const net *n)
{
    size_t room = 0;
    for (size_t l = 0; l < n->depth; l++) room += n->layers[l]->ops->room(n->layers[l]);
    return room;
}

void net_bind(net *n, const param_block *b, size_t *offset)
{
    for (size_t l = 0; l < n->depth; l++) {
        layer *f = n->layers[l];
        f->ops->bind(f, b->params + *offset, b->grads + *offset);
        *offset += f->ops->room(f);
    }
}

void net_init(net *n, uint64_t seed, uint64_t *number)
{
    for (size_t l = 0; l < n->depth; l++) n->layers[l]->ops->init(n->layers[l], seed, (*number)++);
}

void net_glorot(net *n)
{
    for (size_t l = 0; l < n->depth; l++) dense_glorot(n->layers[l]);
}

void net_set_mode(net *n, const net_mode *mode)
{
    for (size_t l = 0; l < n->depth; l++) {
        if (n->layers[l]->ops->set_mode) n->layers[l]->ops->set_mode(n->layers[l], mode);
    }
}

shape net_in(const net *n)
{
    return n->layers[0]->in;
}

shape net_out(const net *n)
{
    return n->layers[n->depth - 1]->out;
}

real *net_forward(net *n, const real *in, size_t rows)
{
    for (size_t l = 0; l < n->depth; l++) {
        n->layers[l]->ops->forward(n->layers[l], n->outputs[l], in, rows);
        in = n->outputs[l];
    }
    return n->outputs[n->depth - 1];
}

void net_backward(net *n, real *d_in, real *d_out, const real *in, size_t rows, bool add)
{
    for (size_t l = n->depth; l-- > 0;) {
        real *below = l > 0 ? n->delta[(l - 1) % 2] : d_in;
        n->layers[l]->ops->backward(n->layers[l], below, d_out, n->outputs[l],
                                    l > 0 ? n->outputs[l - 1] : in, rows, add);
        d_out = below;
    }
}
