/* Passes over the pixels of images, channel by channel: what normalisation over a minibatch is made
 * of. Arrays are [pixels][channels], sums and settings [channels]. Single-threaded: callers run
 * them inside of pieces. The plain twins are in reference.h. */
#ifndef SCDC_KERNELS_CHANNELS_H
#define SCDC_KERNELS_CHANNELS_H

#include "base/real.h"
#include "base/variant.h"

#include <stdbool.h>
#include <stddef.h>

#define channels_sum VARIANT(channels_sum)
#define channels_squares VARIANT(channels_squares)
#define channels_normalise VARIANT(channels_normalise)
#define channels_slopes VARIANT(channels_slopes)
#define channels_back VARIANT(channels_back)

/* y = gamma u + beta for u = (x - centre) rate. */
typedef struct channel_norm {
    size_t channels;
    const real *centre, *rate, *gamma, *beta;
    bool relu; /* y is rectified */
} channel_norm;

/* sum += x, sum += (x - centre)^2 */
void channels_sum(real *sum, const real *x, size_t pixels, size_t channels);
void channels_squares(real *sum, const real *x, const real *centre, size_t pixels, size_t channels);

void channels_normalise(real *y, const real *x, const channel_norm *n, size_t pixels);
/* What the rectifier stopped (y is 0) is taken out of d; along += d u, sum += d. */
void channels_slopes(real *along, real *sum, real *d, const real *y, const real *x,
                     const channel_norm *n, size_t pixels);
/* d_x = gamma rate (d - sum - u along) */
void channels_back(real *d_x, const real *d, const real *x, const real *along, const real *sum,
                   const channel_norm *n, size_t pixels);

#endif
