/* Random binarisation of images, drawn anew for every epoch: each value becomes 1 with the
 * probability it stands for. Stream (seed, RNG_BINARISE, epoch, item), 16 random bits per value:
 * 0 never becomes 1 and the largest value always does. */
#ifndef SCDC_KERNELS_BINARISE_H
#define SCDC_KERNELS_BINARISE_H

#include "base/real.h"
#include "base/variant.h"

#include <stddef.h>
#include <stdint.h>

#define binarise_u8 VARIANT(binarise_u8)
#define binarise_row VARIANT(binarise_row)

/* out[c] = 1 with probability pixels[c] / 255, else 0. */
void binarise_u8(real *out, const uint8_t *pixels, size_t n, uint64_t seed, uint32_t epoch,
                 uint64_t item);
/* In place, from probabilities in [0, 1]; p / 255.0f gives the bits binarise_u8 gives for p. */
void binarise_row(real *row, size_t n, uint64_t seed, uint32_t epoch, uint64_t item);

#endif
