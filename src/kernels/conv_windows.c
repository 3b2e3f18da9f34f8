/* Chunks of windows. */
#include "kernels/conv_windows.h"

#include <string.h>

/* Values that are read or written in a chunk: about a quarter of a megabyte, so that both fit a
 * second-level cache. Images of fewer channels are copied: a tile of the gradient of weights would
 * hardly be filled by the channels of one place of the window. */
enum { CHUNK_VALUES = 1 << 16, FEW_CHANNELS = 6 };

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_padded(const windows *g)
{
    return g->channels < FEW_CHANNELS;
}

/* Values of a line with zeros around it. */
static size_t padded_line(const windows *g)
{
    return ((g->out_columns - 1) * g->step + g->columns) * g->channels;
}

/* Values under some lines of windows, with zeros around them. */
static size_t padded_values(const windows *g, size_t lines)
{
    return ((lines - 1) * g->step + g->lines) * padded_line(g);
}

/* Many small images at once, or some lines of a large one. */
static void chunk_size(size_t *lines, size_t *images, const windows *g, size_t filters)
{
    size_t results = g->out_columns * filters, line = larger(padded_line(g), 1);
    size_t whole = larger(padded_values(g, g->out_lines), g->out_lines * results);
    *lines = g->out_lines;
    *images = 1;
    if (whole <= CHUNK_VALUES) {
        *images = CHUNK_VALUES / whole;
    } else {
        size_t rows = CHUNK_VALUES / line, fit = rows > g->lines ? (rows - g->lines) / g->step : 0;
        *lines = smaller(g->out_lines, larger(1, smaller(fit, CHUNK_VALUES / results)));
    }
}

static size_t copied_values(const windows *g, size_t lines, size_t images)
{
    return is_padded(g) ? images * padded_values(g, lines) : 0;
}

/* Kinds of lines there are at most. */
static size_t kinds(size_t length)
{
    return smaller(length, 2 * MOST_SIDE + 1);
}

static size_t table_values(const windows *g, size_t lines, size_t images)
{
    size_t entries = images * lines * g->out_columns;
    entries += AT_A_TIME * (is_padded(g) ? 1 : kinds(lines) * kinds(g->out_columns));
    return (entries * sizeof(uint32_t) + sizeof(real) - 1) / sizeof(real);
}

size_t chunk_room(const windows *g, size_t filters)
{
    size_t lines, images;
    chunk_size(&lines, &images, g, filters);
    return copied_values(g, lines, images) + 2 * table_values(g, lines, images);
}

void chunk_start(chunk *c, const windows *g, size_t filters, places to, const real *images,
                 size_t count, real *scratch)
{
    size_t lines, most;
    chunk_size(&lines, &most, g, filters);
    size_t chunks = (count + most - 1) / most;
    c->g = g;
    c->places = to;
    c->images = images;
    c->count = count;
    c->image = c->y = c->lines = c->images_here = 0;
    c->padded = is_padded(g);
    c->line = c->padded ? padded_line(g) : g->width * g->channels;
    c->copy = scratch;
    scratch += copied_values(g, lines, most);
    c->from = (uint32_t *)(void *)scratch;
    c->to = (uint32_t *)(void *)(scratch + table_values(g, lines, most));
    c->most_lines = lines;
    c->most_images = (count + chunks - 1) / chunks;
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

/* Lines (or columns) of windows that have the same part of them inside. */
typedef struct stretch {
    size_t first, end, begin_inside, end_inside;
} stretch;

/* [*begin, *end) of the `length` lines of a window that begins at line `at` of an image of `size`
 * lines, of which some may be before the first one. */
static void inside(size_t *begin, size_t *end, ptrdiff_t at, size_t size, size_t length)
{
    ptrdiff_t last = (ptrdiff_t)size - at;
    *begin = smaller(at < 0 ? (size_t)-at : 0, length);
    *end = larger(*begin, last < 0 ? 0 : smaller((size_t)last, length));
}

/* The one that begins with `first`, before `end`. */
static stretch stretch_from(size_t first, size_t end, size_t step, ptrdiff_t before, size_t size,
                            size_t length)
{
    stretch s = {.first = first, .end = first};
    inside(&s.begin_inside, &s.end_inside, (ptrdiff_t)(first * step) - before, size, length);
    do {
        size_t from, to;
        s.end++;
        inside(&from, &to, (ptrdiff_t)(s.end * step) - before, size, length);
        if (from != s.begin_inside || to != s.end_inside) break;
    } while (s.end < end);
    return s;
}

/* The pixels of one run, position by position, images next to each other. `origin`: of the first
 * window's first value inside; image: values from image to image. */
static void add_run(chunk *c, stretch y, stretch x, ptrdiff_t origin, size_t image)
{
    const windows *g = c->g;
    run *r = &c->run[c->runs++];
    bool sees = y.end_inside > y.begin_inside && x.end_inside > x.begin_inside;
    size_t at = c->slots;
    *r = (run){.first = (uint32_t)at};
    if (sees) {
        r->top = (uint8_t)y.begin_inside, r->bottom = (uint8_t)y.end_inside;
        r->left = (uint8_t)x.begin_inside, r->right = (uint8_t)x.end_inside;
    }
    for (size_t v = y.first; v < y.end; v++) {
        for (size_t u = x.first; u < x.end; u++) {
            size_t down = (v - y.first) * g->step * c->line, to = v * c->places.line;
            size_t from = sees ? (size_t)origin + down + (u - x.first) * g->step * g->channels : 0;
            to += u * c->places.pixel;
            for (size_t i = 0; i < c->images_here; i++, at++) {
                c->from[at] = (uint32_t)(sees ? from + i * image : 0);
                c->to[at] = (uint32_t)(to + i * c->places.image);
            }
        }
    }
    r->end = (uint32_t)at;
    for (size_t i = 0; i < AT_A_TIME; i++, at++) {
        c->from[at] = c->from[r->end - 1];
        c->to[at] = c->to[r->end - 1];
    }
    c->slots = at;
}

static void note_places(chunk *c)
{
    const windows *g = c->g;
    size_t end = c->y + c->lines, columns = g->out_columns;
    c->slots = c->runs = 0;
    if (c->padded) {
        add_run(c, (stretch){c->y, end, 0, g->lines}, (stretch){0, columns, 0, g->columns}, 0,
                padded_values(g, c->lines));
        return;
    }
    for (stretch y = {.end = c->y}; y.end < end;) {
        y = stretch_from(y.end, end, g->step, g->top, g->height, g->lines);
        for (stretch x = {.end = 0}; x.end < columns;) {
            x = stretch_from(x.end, columns, g->step, g->left, g->width, g->columns);
            ptrdiff_t line = (ptrdiff_t)(y.first * g->step + y.begin_inside) - g->top;
            ptrdiff_t column = (ptrdiff_t)(x.first * g->step + x.begin_inside) - g->left;
            add_run(c, y, x, line * (ptrdiff_t)c->line + column * (ptrdiff_t)g->channels,
                    g->height * c->line);
        }
    }
}

/* Where the chunk behind this one begins. */
static void find_next(size_t *image, size_t *y, const chunk *c)
{
    bool same = c->y + c->lines < c->g->out_lines;
    *y = same ? c->y + c->lines : 0;
    *image = same ? c->image : c->image + c->images_here;
}

void chunk_expect(chunk *c, const real *values, size_t image, size_t line)
{
    size_t next, y;
    find_next(&next, &y, c);
    if (next == c->count) return;
    size_t images = smaller(c->most_images, c->count - next);
    size_t lines = smaller(c->most_lines, c->g->out_lines - y);
    const real *at = values + next * image + y * line;
    size_t count = images > 1 ? images * image : smaller(lines * line, image - y * line);
    c->ahead[c->ahead_count].at = (const char *)at;
    c->ahead[c->ahead_count++].end = (const char *)(at + count);
}

bool chunk_next(chunk *c)
{
    const windows *g = c->g;
    size_t size = g->height * g->width * g->channels;
    find_next(&c->image, &c->y, c);
    if (c->image == c->count) return false;
    c->lines = smaller(c->most_lines, g->out_lines - c->y);
    c->images_here = smaller(c->most_images, c->count - c->image);
    c->values = c->images + c->image * size;
    for (size_t i = 0; i < c->images_here && c->padded; i++)
        pad_lines(c->copy + i * padded_values(g, c->lines), c, c->values + i * size);
    if (c->padded) c->values = c->copy;
    note_places(c);
    c->ahead_count = 0;
    chunk_expect(c, c->images, size,
                 smaller(g->step * g->width * g->channels, size / g->out_lines));
    return true;
}
