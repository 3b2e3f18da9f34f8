/* Sums of products that stay in registers: tiles of a few pixels (or, for the gradient of weights,
 * places of the window) times one or two vectors of filters. What has filters lies in panels of
 * PANEL of them, [rows][panel] each; the last one may be a single vector wide, with zeros behind.
 */
#ifndef SCDC_KERNELS_CONV_TILES_H
#define SCDC_KERNELS_CONV_TILES_H

#include "kernels/conv_windows.h"
#include "kernels/vector.h"

#define multiply_windows VARIANT(multiply_windows)
#define add_slopes VARIANT(add_slopes)

enum { PANEL = 2 * VECTOR };

static inline size_t whole_vectors(size_t values)
{
    return (values + VECTOR - 1) / VECTOR * VECTOR;
}

/* Every pixel of the chunk: its window times w [lines][columns][channels][filters] (in panels),
 * plus bias (in whole vectors; NULL: none), rectified when `relu`. out: of the chunk's first image.
 */
typedef struct product {
    chunk *c;
    const real *w, *bias;
    real *out;
    size_t filters;
    bool relu;
} product;
void multiply_windows(const product *p);

/* Slots [begin, end) of a chunk, and what arrived at their pixels. */
typedef struct slopes {
    chunk *c;
    size_t begin, end;
    const real *d; /* [slots][filters] in panels */
    real *dw;      /* [lines][columns][channels][filters], added to */
    size_t filters;
} slopes;
void add_slopes(const slopes *s);

#endif
