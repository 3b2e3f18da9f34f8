/* One block for all parameters of a model, one for their gradients, two for the optimiser. Layers
 * hold pointers into it; saving, checking and stepping are one call each. */
#ifndef SCDC_NETS_PARAMS_H
#define SCDC_NETS_PARAMS_H

#include "base/memory.h"
#include "base/real.h"

#include <scdc/scdc.h>

typedef struct param_block {
    size_t count;
    real *params, *grads; /* [count]; grads are of the objective that is to become larger */
    real *m, *v;          /* [count] optimiser state: Adam's averages; momentum uses m */
    int64_t steps;        /* optimiser steps done */
} param_block;

/* Values a tensor takes up in a block: rounded up so that every tensor is 64-byte aligned. */
size_t param_room(size_t values);
int param_block_create(param_block *out, arena *a, size_t count);
/* One optimiser step along the gradients. */
void param_block_step(param_block *b, scdc_optimizer optimizer, double rate, double momentum);
/* Zeroes the optimiser's state, as at the start. */
void param_block_reset(param_block *b);
bool param_block_finite(const param_block *b); /* parameters only */

/* The dtype of `real` tensors in files: SCDC_F32 (SCDC_F64 in the double build). */
extern const scdc_dtype param_dtype;

#endif
