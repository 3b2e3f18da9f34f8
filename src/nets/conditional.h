/* A rectified dense layer of (input, one-hot condition) for many conditions per input: the input's
 * part is computed once per item, and a row (item, condition) adds the condition's own bias.
 *
 *   base[b] = o[b] W + bias                            [items][width]
 *   out[r]  = max(0, base[item[r]] + Z[condition[r]])   [rows][width] */
#ifndef SCDC_NETS_CONDITIONAL_H
#define SCDC_NETS_CONDITIONAL_H

#include "nets/layer.h"
#include "nets/params.h"

typedef struct conditional {
    size_t inputs, conditions, width;
    layer *affine;       /* o W + bias */
    real *z, *dz;        /* [conditions][width] */
    real *base, *d_base; /* [max_items][width] */
} conditional;

int conditional_create(conditional *out, arena *a, shape in, size_t conditions, size_t width,
                       size_t max_items);
size_t conditional_room(const conditional *c);
void conditional_bind(conditional *c, const param_block *b, size_t *offset);
void conditional_init(conditional *c, uint64_t seed, uint64_t *number);
/* After it: Glorot weights in the place of He weights. */
void conditional_glorot(conditional *c);

/* The input's part, for all items of a minibatch. */
void conditional_base(conditional *c, const real *o, size_t items);
/* Rows of the layer's output, for any list of (item, condition) pairs. */
void conditional_expand(const conditional *c, real *out, const uint32_t *item,
                        const uint32_t *condition, size_t rows);

/* Backward of a minibatch: begin, then any number of lists of rows, then end. Parameter gradients
 * are overwritten. */
void conditional_backward_begin(conditional *c, size_t items);
/* d_out [rows][width] is spoilt; out as conditional_expand gave it. */
void conditional_backward_rows(conditional *c, real *d_out, const real *out, const uint32_t *item,
                               const uint32_t *condition, size_t rows);
/* d_o (NULL: not wanted) [items][inputs] is overwritten. */
void conditional_backward_end(conditional *c, real *d_o, const real *o, size_t items);

#endif
