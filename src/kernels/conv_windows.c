/* Chunks of padded images. */
#include "kernels/conv_windows.h"

#include <string.h>

/* Values that are read or written in a chunk: about a quarter of a megabyte, so that both fit a
 * second-level cache. */
enum { CHUNK_VALUES = 1 << 16 };

static size_t line_values(const windows *g)
{
    return ((g->out_columns - 1) * g->step + g->columns) * g->channels;
}

static size_t band_values(const windows *g, size_t lines)
{
    return ((lines - 1) * g->step + g->lines) * line_values(g);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Many small images at once, or some lines of a large one. */
void chunk_size(size_t *lines, size_t *images, const windows *g, size_t filters)
{
    size_t results = g->out_columns * filters;
    size_t whole = larger(band_values(g, g->out_lines), g->out_lines * results);
    *lines = g->out_lines;
    *images = 1;
    if (whole <= CHUNK_VALUES) {
        *images = CHUNK_VALUES / whole;
    } else {
        size_t rows = CHUNK_VALUES / larger(line_values(g), 1);
        size_t fit = rows > g->lines ? (rows - g->lines) / g->step + 1 : 1;
        *lines = smaller(g->out_lines, larger(1, smaller(fit, CHUNK_VALUES / results)));
    }
}

static size_t table_values(size_t pixels)
{
    size_t entries = pixels + MOST_AT_A_TIME;
    return (entries * sizeof(uint32_t) + sizeof(real) - 1) / sizeof(real);
}

size_t chunk_room(const windows *g, size_t filters)
{
    size_t lines, images;
    chunk_size(&lines, &images, g, filters);
    return images * band_values(g, lines) + 2 * table_values(images * lines * g->out_columns);
}

chunk chunk_start(const windows *g, size_t filters, places to, const real *images, size_t count,
                  real *scratch)
{
    chunk c = {.g = g, .places = to, .images = images, .count = count, .line = line_values(g)};
    chunk_size(&c.most_lines, &c.most_images, g, filters);
    real *tables = scratch + c.most_images * band_values(g, c.most_lines);
    size_t chunks = (count + c.most_images - 1) / c.most_images;
    c.padded = scratch;
    c.from = (uint32_t *)(void *)tables;
    tables += table_values(c.most_images * c.most_lines * g->out_columns);
    c.to = (uint32_t *)(void *)tables;
    c.most_images = (count + chunks - 1) / chunks;
    return c;
}

/* The lines of an image under the chunk's lines of windows, zeros where there is no image. */
static void pad_lines(real *to, const chunk *c, const real *image)
{
    const windows *g = c->g;
    size_t C = g->channels, columns = c->line / C;
    size_t begin = g->left > 0 ? smaller((size_t)g->left, columns) : 0;
    ptrdiff_t last = (ptrdiff_t)g->width + g->left;
    size_t end = larger(begin, last > 0 ? smaller((size_t)last, columns) : 0);
    for (size_t r = 0; r < (c->lines - 1) * g->step + g->lines; r++, to += c->line) {
        ptrdiff_t y = (ptrdiff_t)(c->y * g->step + r) - g->top;
        if (y < 0 || y >= (ptrdiff_t)g->height || begin == end) {
            memset(to, 0, c->line * sizeof *to);
            continue;
        }
        ptrdiff_t pixel = y * (ptrdiff_t)g->width + (ptrdiff_t)begin - g->left;
        memset(to, 0, begin * C * sizeof *to);
        memcpy(to + begin * C, image + (size_t)pixel * C, (end - begin) * C * sizeof *to);
        memset(to + end * C, 0, (columns - end) * C * sizeof *to);
    }
}

static void note_places(chunk *c)
{
    const windows *g = c->g;
    size_t at = 0, band = band_values(g, c->lines);
    for (size_t y = 0; y < c->lines; y++) {
        for (size_t x = 0; x < g->out_columns; x++) {
            size_t from = y * g->step * c->line + x * g->step * g->channels;
            size_t to = (c->y + y) * c->places.line + x * c->places.pixel;
            for (size_t i = 0; i < c->images_here; i++, at++) {
                c->from[at] = (uint32_t)(from + i * band);
                c->to[at] = (uint32_t)(to + i * c->places.image);
            }
        }
    }
    c->pixels = at;
    for (size_t i = 0; i < MOST_AT_A_TIME; i++) {
        c->from[at + i] = c->from[at - 1];
        c->to[at + i] = c->to[at - 1];
    }
}

bool chunk_next(chunk *c)
{
    const windows *g = c->g;
    c->y += c->lines;
    if (c->y == g->out_lines) {
        c->y = 0;
        c->image += c->images_here;
    }
    if (c->image == c->count) return false;
    c->lines = smaller(c->most_lines, g->out_lines - c->y);
    c->images_here = smaller(c->most_images, c->count - c->image);
    size_t size = g->height * g->width * g->channels, band = band_values(g, c->lines);
    for (size_t i = 0; i < c->images_here; i++)
        pad_lines(c->padded + i * band, c, c->images + (c->image + i) * size);
    note_places(c);
    return true;
}
