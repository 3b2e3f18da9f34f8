/* Random rows from named streams. */
#include "kernels/noise.h"

void normal_noise(real *out, size_t n, uint64_t seed, rng_purpose purpose, uint32_t epoch,
                  uint64_t item, size_t index)
{
    rng r;
    rng_init(&r, seed, purpose, epoch, item);
    /* A pair of normals takes one block. */
    r.counter[0] = (uint32_t)(index * ((n + 1) / 2));
    for (size_t i = 0; i < n; i++) out[i] = (real)rng_normal(&r);
}

static void init_uniform(real *weights, size_t n, double limit, uint64_t seed, uint64_t layer)
{
    rng r;
    rng_init(&r, seed, RNG_INIT_WEIGHTS, 0, layer);
    for (size_t i = 0; i < n; i++) weights[i] = (real)(limit * (2 * rng_uniform(&r) - 1));
}

void init_he(real *weights, size_t n, size_t inputs, uint64_t seed, uint64_t layer)
{
    init_uniform(weights, n, sqrt(6.0 / (double)inputs), seed, layer);
}

void init_glorot(real *weights, size_t n, size_t inputs, size_t outputs, uint64_t seed,
                 uint64_t layer)
{
    init_uniform(weights, n, sqrt(6.0 / (double)(inputs + outputs)), seed, layer);
}
