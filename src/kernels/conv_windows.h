/* Windows of images, a chunk of them that stays in the processor's cache at a time: where each one
 * begins, which part of it lies inside of the image, and where its pixel of the result goes. */
#ifndef SCDC_KERNELS_CONV_WINDOWS_H
#define SCDC_KERNELS_CONV_WINDOWS_H

#include "base/real.h"
#include "base/variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define chunk_room VARIANT(chunk_room)
#define chunk_start VARIANT(chunk_start)
#define chunk_next VARIANT(chunk_next)
#define chunk_expect VARIANT(chunk_expect)

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

/* Pixels whose windows have the same part inside of their images: lines [top, bottom), columns
 * [left, right). */
typedef struct run {
    uint32_t first, end;
    uint8_t top, bottom, left, right;
} run;

static inline bool run_sees(const run *r, size_t line, size_t column)
{
    return line >= r->top && line < r->bottom && column >= r->left && column < r->right;
}

enum {
    MOST_SIDE = 8, /* of windows: so many kinds of lines above, below, and one between */
    MOST_RUNS = (2 * MOST_SIDE + 1) * (2 * MOST_SIDE + 1),
    MOST_AHEAD = 3,
    AT_A_TIME = 8 /* pixels, at most: behind each run there are as many copies of its last one */
};

/* Some lines of an image's windows, or all windows of several images. */
typedef struct chunk {
    const windows *g;
    places places;
    const real *images;     /* all that are read */
    size_t count;           /* of them */
    size_t image, y, lines; /* the chunk begins with this image, at this line of windows */
    size_t images_here;
    const real *values;  /* that windows are read from: the images, or with zeros around them */
    size_t line;         /* values of a line of these */
    bool padded;         /* with zeros, for images of few channels: all windows are inside */
    uint32_t *from, *to; /* [slots] the first value inside; the result, from `image` on */
    size_t slots, runs;
    run run[MOST_RUNS];
    size_t most_images, most_lines; /* of a chunk */
    real *copy;
    size_t ahead_count;
    struct {
        const char *at, *end;
    } ahead[MOST_AHEAD]; /* what the next chunk will read and is not in the cache yet */
} chunk;

/* Brings a little more of it into the cache: `calls` of them bring all. */
static inline void look_ahead(chunk *c, size_t calls)
{
    enum { LINE = 64 };
    for (size_t i = 0; i < c->ahead_count; i++) {
        size_t lines = (size_t)(c->ahead[i].end - c->ahead[i].at) / LINE / (calls ? calls : 1) + 1;
        for (; lines && c->ahead[i].at < c->ahead[i].end; lines--, c->ahead[i].at += LINE)
            __builtin_prefetch(c->ahead[i].at, 0, 2);
    }
}

/* Values of scratch, for results of `filters` values a pixel. */
size_t chunk_room(const windows *g, size_t filters);
/* Before the first chunk; chunk_next makes one after the other and returns false behind the last.
 */
void chunk_start(chunk *c, const windows *g, size_t filters, places to, const real *images,
                 size_t count, real *scratch);
bool chunk_next(chunk *c);
/* After chunk_next: the next one will also need its part of `values`, of so many values per image
 * and line of windows. */
void chunk_expect(chunk *c, const real *values, size_t image, size_t line);

#endif
