/* Optimiser steps over a whole parameter block. */
#include "kernels/optimiser.h"
#include "kernels/loop.h"

#define DECAY_M 0.9
#define DECAY_V 0.999
#define EPSILON REAL(1e-8)

typedef struct step_job {
    real *params, *m, *v;
    const real *gradient;
    real rate, momentum, scale_v;
} step_job;

static void adam_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const step_job *j = context;
    (void)piece;
    real *restrict p = j->params + begin, *restrict m = j->m + begin, *restrict v = j->v + begin;
    const real *restrict g = j->gradient + begin;
    real rate = j->rate, scale_v = j->scale_v;
    for (size_t i = 0; i < end - begin; i++) {
        m[i] = (real)DECAY_M * m[i] + (real)(1 - DECAY_M) * g[i];
        v[i] = (real)DECAY_V * v[i] + (real)(1 - DECAY_V) * (g[i] * g[i]);
        p[i] += rate * m[i] / (real_sqrt(v[i] * scale_v) + EPSILON);
    }
}

void adam_step(real *params, real *m, real *v, const real *gradient, size_t n, double rate,
               int64_t t)
{
    /* The averages start at zero; these factors undo the pull towards it. */
    double correct_m = 1 / (1 - pow(DECAY_M, (double)t));
    double correct_v = 1 / (1 - pow(DECAY_V, (double)t));
    step_job j = {.params = params,
                  .m = m,
                  .v = v,
                  .gradient = gradient,
                  .rate = (real)(rate * correct_m),
                  .scale_v = (real)correct_v};
    kernel_for(n, PIECE_VALUES, adam_piece, &j);
}

static void momentum_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const step_job *j = context;
    (void)piece;
    real *restrict p = j->params + begin, *restrict m = j->m + begin;
    const real *restrict g = j->gradient + begin;
    real rate = j->rate, momentum = j->momentum;
    for (size_t i = 0; i < end - begin; i++) {
        m[i] = momentum * m[i] + g[i];
        p[i] += rate * m[i];
    }
}

void momentum_step(real *params, real *velocity, const real *gradient, size_t n, double rate,
                   double momentum)
{
    step_job j = {.params = params,
                  .m = velocity,
                  .gradient = gradient,
                  .rate = (real)rate,
                  .momentum = (real)momentum};
    kernel_for(n, PIECE_VALUES, momentum_piece, &j);
}
