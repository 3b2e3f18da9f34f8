/* Normal noise and first weights, each from its own named stream. */
#ifndef SCDC_KERNELS_NOISE_H
#define SCDC_KERNELS_NOISE_H

#include "base/real.h"
#include "base/rng.h"

#include <stddef.h>
#include <stdint.h>

/* n normal values of the stream (seed, purpose, epoch, item), beginning at vector number `index`
 * of a sequence of vectors of n values: a vector does not depend on which others are drawn. */
void normal_noise(real *out, size_t n, uint64_t seed, rng_purpose purpose, uint32_t epoch,
                  uint64_t item, size_t index);

/* First weights of a layer, stream (seed, RNG_INIT_WEIGHTS, 0, layer): uniform with the variance
 * 2 / inputs that keeps the scale of activations through rectified layers (He et al. 2015), or
 * 2 / (inputs + outputs) for linear ones (Glorot and Bengio 2010). */
void init_he(real *weights, size_t n, size_t inputs, uint64_t seed, uint64_t layer);
void init_glorot(real *weights, size_t n, size_t inputs, size_t outputs, uint64_t seed,
                 uint64_t layer);

#endif
