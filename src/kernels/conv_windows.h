/* Windows of images with zeros around them, a chunk that stays in the processor's cache at a time:
 * where each window begins, and where its pixel of the result goes. */
#ifndef SCDC_KERNELS_CONV_WINDOWS_H
#define SCDC_KERNELS_CONV_WINDOWS_H

#include "base/real.h"
#include "base/variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define chunk_size VARIANT(chunk_size)
#define chunk_room VARIANT(chunk_room)
#define chunk_start VARIANT(chunk_start)
#define chunk_next VARIANT(chunk_next)

typedef struct windows {
    size_t height, width, channels; /* of the images that are read */
    ptrdiff_t top, left;            /* the first window begins so far above and left of them */
    size_t lines, columns;          /* of a window; 0: windows are empty */
    size_t step;                    /* lines and columns from window to window */
    size_t out_lines, out_columns;  /* windows of an image */
} windows;

/* Steps from pixel to pixel of the result. */
typedef struct places {
    size_t image, line, pixel;
} places;

/* Pixels are handled so many at a time: from and to have copies of the last pixel behind them. */
enum { MOST_AT_A_TIME = 16 };

/* Some lines of an image's windows, or all windows of several images. Its pixels lie position by
 * position, images next to each other: those of one position have the same part of their windows
 * outside of the image, where there is nothing to add up. */
typedef struct chunk {
    const windows *g;
    places places;
    const real *images;     /* that are read */
    size_t image, y, lines; /* this one begins with this image, at this line of windows */
    size_t images_here;
    size_t pixels;       /* lines x out_columns x images_here */
    size_t line;         /* values of a padded line */
    real *padded;        /* image by image */
    uint32_t *from, *to; /* [pixels] into padded; into the result, from `image` on */
    size_t count, most_images, most_lines; /* images in all; of a chunk */
} chunk;

/* Lines of windows and images of a chunk at most, for results of `filters` values a pixel. */
void chunk_size(size_t *lines, size_t *images, const windows *g, size_t filters);
/* Values of scratch for one. */
size_t chunk_room(const windows *g, size_t filters);
/* Before the first chunk; chunk_next makes one after the other and returns false behind the last.
 */
chunk chunk_start(const windows *g, size_t filters, places to, const real *images, size_t count,
                  real *scratch);
bool chunk_next(chunk *c);

/* [*begin, *end) of `length` lines (or columns) of a window that lie inside the image for at least
 * one of the windows first .. last, the image being `size` long and beginning `before` behind the
 * first window. */
static inline void inside_of(size_t *begin, size_t *end, size_t first, size_t last, size_t step,
                             ptrdiff_t before, size_t size, size_t length)
{
    ptrdiff_t from = before - (ptrdiff_t)(last * step), to = before - (ptrdiff_t)(first * step);
    to += (ptrdiff_t)size;
    *begin = from > 0 ? (size_t)from : 0;
    *end = to > (ptrdiff_t)length ? length : to > 0 ? (size_t)to : 0;
    if (*begin > *end) *begin = *end;
}

#endif
