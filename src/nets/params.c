/* The parameter block. */
#include "nets/params.h"
#include "base/parallel.h"
#include "base/status.h"
#include "kernels/optimiser.h"

#include <string.h>

enum { ROOM_MULTIPLE = 16, FINITE_PIECE = 1 << 15 };

#ifdef SCDC_REAL_DOUBLE
const scdc_dtype param_dtype = SCDC_F64;
#else
const scdc_dtype param_dtype = SCDC_F32;
#endif

size_t param_room(size_t values)
{
    return (values + ROOM_MULTIPLE - 1) / ROOM_MULTIPLE * ROOM_MULTIPLE;
}

int param_block_create(param_block *out, arena *a, size_t count)
{
    param_block b = {.count = count};
    b.params = arena_new(a, count, sizeof *b.params, "the parameters");
    b.grads = arena_new(a, count, sizeof *b.grads, "the gradients");
    b.m = arena_new(a, count, sizeof *b.m, "the optimiser's state");
    b.v = arena_new(a, count, sizeof *b.v, "the optimiser's state");
    SCDC_TRY(arena_status(a));
    *out = b;
    return SCDC_OK;
}

void param_block_step(param_block *b, scdc_optimizer optimizer, double rate, double momentum)
{
    b->steps++;
    if (optimizer == SCDC_OPTIMIZER_ADAM) {
        adam_step(b->params, b->m, b->v, b->grads, b->count, rate, b->steps);
    } else {
        momentum_step(b->params, b->m, b->grads, b->count, rate, momentum);
    }
}

void param_block_reset(param_block *b)
{
    memset(b->m, 0, b->count * sizeof *b->m);
    memset(b->v, 0, b->count * sizeof *b->v);
    b->steps = 0;
}

/* x - x is 0 for every finite x and NaN otherwise. */
static double not_finite(void *context, size_t begin, size_t end)
{
    const param_block *b = context;
    int bad = 0;
    for (size_t i = begin; i < end; i++) bad |= b->params[i] - b->params[i] != 0;
    return bad;
}

bool param_block_finite(const param_block *b)
{
    param_block view = *b;
    return parallel_sum(b->count, FINITE_PIECE, not_finite, &view) == 0;
}
