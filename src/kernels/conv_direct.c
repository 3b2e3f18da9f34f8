/* Convolution whose sums stay in registers: a tile of a few pixels (or, for the gradient of
 * weights, places of the window) times one or two vectors of filters. */
#include "kernels/conv_direct.h"
#include "kernels/conv_windows.h"
#include "kernels/loop.h"
#include "kernels/vector.h"

/* Sums, a vector or two of weights and a broadcast value fit the registers. */
enum { ROWS = VECTOR_REGISTERS == 32 ? 8 : 6, PANEL = 2 * VECTOR };
/* Groups of images: enough for a few threads, few enough that adding up their gradients costs
 * little. */
enum { GROUPS = 8 };
/* Pixels whose windows and gradients stay in the first-level cache while they are multiplied. */
enum { SLOPE_PIXELS = 128 };

#define INLINED static inline __attribute__((always_inline))

static size_t whole_vectors(size_t values)
{
    return (values + VECTOR - 1) / VECTOR * VECTOR;
}

/* ---- tiles ---- */

typedef struct product {
    const chunk *c;
    const real *w;    /* panels of PANEL filters (the last may be shorter), [window][panel] each */
    const real *bias; /* NULL: none */
    real *out;        /* of the chunk's first image */
    size_t filters;
    bool relu;
} product;

/* The part of their windows that pixels of the chunk see something in. */
typedef struct seen {
    size_t top, bottom, left, right;
} seen;

static seen what_is_seen(const chunk *c, size_t first, size_t last)
{
    const windows *g = c->g;
    size_t images = c->images_here, columns = g->out_columns;
    size_t from = first / images, to = (last < c->pixels ? last : c->pixels - 1) / images;
    size_t y = from / columns, last_y = to / columns;
    seen s = {.right = g->columns};
    inside_of(&s.top, &s.bottom, c->y + y, c->y + last_y, g->step, g->top, g->height, g->lines);
    if (y == last_y) {
        inside_of(&s.left, &s.right, from % columns, to % columns, g->step, g->left, g->width,
                  g->columns);
    }
    return s;
}

/* The values of a tile's row that there is room for. */
INLINED void store_row(real *to, const vector *sum, size_t room, const int width)
{
    if (room >= (size_t)width * VECTOR) {
#pragma GCC unroll 2
        for (int v = 0; v < width; v++) vector_store(to + v * VECTOR, sum[v]);
    } else {
        real own[PANEL];
#pragma GCC unroll 2
        for (int v = 0; v < width; v++) vector_store(own + v * VECTOR, sum[v]);
        for (size_t i = 0; i < room; i++) to[i] = own[i];
    }
}

/* ROWS pixels from `pixel` on, `width` vectors of filters from `f` on. */
INLINED void window_tile(const product *p, size_t pixel, size_t f, const int width)
{
    const chunk *c = p->c;
    seen s = what_is_seen(c, pixel, pixel + ROWS - 1);
    size_t C = c->g->channels, skip = s.left * C, count = (s.right - s.left) * C;
    size_t w_line = c->g->columns * C * (size_t)width * VECTOR;
    const real *w = p->w + f * c->g->lines * c->g->columns * C + s.top * w_line, *a[ROWS];
    vector sum[ROWS][2];
    w += skip * (size_t)width * VECTOR;
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) {
        a[r] = c->padded + c->from[pixel + (size_t)r] + s.top * c->line + skip;
#pragma GCC unroll 2
        for (int v = 0; v < width; v++)
            sum[r][v] = p->bias ? vector_load(p->bias + f + v * VECTOR) : vector_of(0);
    }
    for (size_t i = s.top; i < s.bottom; i++, w += w_line) {
        for (size_t k = 0; k < count; k++) {
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++) {
                vector x = vector_of(a[r][k]);
#pragma GCC unroll 2
                for (int v = 0; v < width; v++)
                    sum[r][v] = vector_fma(
                        x, vector_load(w + (k * (size_t)width + (size_t)v) * VECTOR), sum[r][v]);
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) a[r] += c->line;
    }
    if (p->relu) {
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
#pragma GCC unroll 2
            for (int v = 0; v < width; v++)
                sum[r][v] = vector_where(~(sum[r][v] < vector_of(0)), sum[r][v]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
        store_row(p->out + c->to[pixel + (size_t)r] + f, sum[r], p->filters - f, width);
}

static void multiply_chunk(const product *p)
{
    for (size_t f = 0; f < p->filters; f += PANEL) {
        for (size_t pixel = 0; pixel < p->c->pixels; pixel += ROWS) {
            if (p->filters - f > VECTOR) window_tile(p, pixel, f, 2);
            else window_tile(p, pixel, f, 1);
        }
    }
}

/* Some lines of a chunk's windows and what arrived at their pixels. */
typedef struct slopes {
    const chunk *c;
    size_t y, lines;
    const real *d; /* panels of filters, [pixels of the lines][panel] each */
    real *dw;      /* [window][filters] */
    size_t filters;
} slopes;

/* Lines (columns) of windows in which one of the places first .. last of the window is inside. */
static void windows_with(size_t *begin, size_t *end, size_t first, size_t last, size_t step,
                         ptrdiff_t before, size_t size)
{
    ptrdiff_t from = before - (ptrdiff_t)last, to = before + (ptrdiff_t)size - (ptrdiff_t)first;
    size_t low = from > 0 ? ((size_t)from + step - 1) / step : 0;
    size_t high = to > 0 ? ((size_t)to + step - 1) / step : 0;
    if (*begin < low) *begin = low;
    if (*end > high) *end = high;
    if (*end < *begin) *end = *begin;
}

/* `rows` places of the window from k on, `width` vectors of filters from f on: summed over the
 * pixels of all lines, and added to dw. */
INLINED void slope_tile(const slopes *s, size_t k, size_t f, size_t rows, const int width)
{
    const chunk *c = s->c;
    const windows *g = c->g;
    size_t count = g->columns * g->channels, i = k / count, last_i = (k + rows - 1) / count;
    size_t y = s->y, end_y = s->y + s->lines, x = 0, end_x = g->out_columns;
    size_t images = c->images_here, in_line = g->out_columns * images;
    const real *at[ROWS];
    vector sum[ROWS][2];
    windows_with(&y, &end_y, i, last_i, g->step, g->top, g->height);
    if (i == last_i)
        windows_with(&x, &end_x, k % count / g->channels, (k + rows - 1) % count / g->channels,
                     g->step, g->left, g->width);
#pragma GCC unroll 8
    for (size_t r = 0; r < ROWS; r++) {
        size_t place = k + (r < rows ? r : rows - 1);
        at[r] = c->padded + place / count * c->line + place % count;
#pragma GCC unroll 2
        for (int v = 0; v < width; v++) sum[r][v] = vector_of(0);
    }
    for (; y < end_y; y++) {
        const uint32_t *from = c->from + (y - c->y) * in_line;
        const real *d =
            s->d + f * s->lines * in_line + (y - s->y) * in_line * (size_t)width * VECTOR;
        for (size_t p = x * images; p < end_x * images; p++) {
            size_t window = from[p];
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++) {
                vector value = vector_of(at[r][window]);
#pragma GCC unroll 2
                for (int v = 0; v < width; v++)
                    sum[r][v] =
                        vector_fma(value, vector_load(d + (p * (size_t)width + (size_t)v) * VECTOR),
                                   sum[r][v]);
            }
        }
    }
    size_t room = s->filters - f;
#pragma GCC unroll 8
    for (size_t r = 0; r < ROWS; r++) {
        real *to = s->dw + (k + r) * s->filters + f;
        if (r >= rows) break;
        if (room >= (size_t)width * VECTOR) {
#pragma GCC unroll 2
            for (int v = 0; v < width; v++)
                vector_store(to + v * VECTOR, vector_load(to + v * VECTOR) + sum[r][v]);
        } else {
            real own[PANEL];
            store_row(own, sum[r], PANEL, width);
            for (size_t n = 0; n < room; n++) to[n] += own[n];
        }
    }
}

static __attribute__((noinline)) void slope_pair(const slopes *s, size_t k, size_t f, size_t rows)
{
    slope_tile(s, k, f, rows, 2);
}

static __attribute__((noinline)) void slope_single(const slopes *s, size_t k, size_t f, size_t rows)
{
    slope_tile(s, k, f, rows, 1);
}

static void add_slopes(const slopes *s)
{
    size_t window = s->c->g->lines * s->c->g->columns * s->c->g->channels;
    for (size_t f = 0; f < s->filters; f += PANEL) {
        for (size_t k = 0; k < window; k += ROWS) {
            size_t rows = window - k < ROWS ? window - k : ROWS;
            if (s->filters - f > VECTOR) slope_pair(s, k, f, rows);
            else slope_single(s, k, f, rows);
        }
    }
}

/* ---- weights in panels ---- */

/* Rows from `first` on of panels of `all` rows: row r, column c is from[r row + c column]. */
static void pack(real *to, size_t first, size_t all, const real *from, size_t rows, size_t columns,
                 size_t row, size_t column)
{
    for (size_t f = 0; f < columns; f += PANEL) {
        size_t width = whole_vectors(columns - f);
        if (width > PANEL) width = PANEL;
        real *line = to + f * all + first * width;
        for (size_t r = 0; r < rows; r++, line += width) {
            for (size_t c = 0; c < width; c++)
                line[c] = f + c < columns ? from[r * row + (f + c) * column] : 0;
        }
    }
}

/* The windows of forward. */
static windows windows_of(const conv_shape *s)
{
    return (windows){.height = s->height,
                     .width = s->width,
                     .channels = s->channels,
                     .top = (ptrdiff_t)s->pad,
                     .left = (ptrdiff_t)s->pad,
                     .lines = s->side,
                     .columns = s->side,
                     .step = s->stride,
                     .out_lines = s->out_height,
                     .out_columns = s->out_width};
}

/* Backward to the input is a convolution of d_out by turned weights. In steps of more than a pixel
 * lines first, first + stride, ... of the input see every stride-th line of the window, from `own`
 * on: `count` of them, beginning `before` lines above. */
typedef struct phase {
    size_t own, count, lines;
    ptrdiff_t before;
} phase;

static phase phase_of(const conv_shape *s, size_t first, size_t length)
{
    phase p = {.own = (first + s->pad) % s->stride};
    p.count = p.own < s->side ? (s->side - p.own + s->stride - 1) / s->stride : 0;
    p.lines = first < length ? (length - first + s->stride - 1) / s->stride : 0;
    p.before = (ptrdiff_t)p.count - 1 - (ptrdiff_t)((first + s->pad) / s->stride);
    return p;
}

static windows turned_windows(const conv_shape *s, phase y, phase x)
{
    return (windows){.height = s->out_height,
                     .width = s->out_width,
                     .channels = s->filters,
                     .top = y.before,
                     .left = x.before,
                     .lines = y.count,
                     .columns = x.count,
                     .step = 1,
                     .out_lines = y.lines,
                     .out_columns = x.lines};
}

static void pack_turned(real *to, const conv_shape *s, const real *w, phase y, phase x)
{
    size_t all = y.count * x.count * s->filters, place = s->channels * s->filters;
    for (size_t i = 0; i < y.count; i++) {
        for (size_t j = 0; j < x.count; j++) {
            size_t line = y.own + (y.count - 1 - i) * s->stride;
            size_t column = x.own + (x.count - 1 - j) * s->stride;
            pack(to, (i * x.count + j) * s->filters, all, w + (line * s->side + column) * place,
                 s->filters, s->channels, 1, s->filters);
        }
    }
}

/* ---- scratch: weights in panels, then of each group a chunk, its d_out in whole vectors and the
 * gradients ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t packed_values(const conv_shape *s)
{
    size_t window = s->side * s->side;
    size_t forward = (window * s->channels + 1) * whole_vectors(s->filters); /* with the bias */
    return larger(forward, window * s->filters * whole_vectors(s->channels));
}

/* Lines of windows whose gradients are multiplied at a time, of so many images. */
static size_t slope_lines(const conv_shape *s, size_t images)
{
    return larger(1, SLOPE_PIXELS / (s->out_width * images));
}

static size_t panel_values(const conv_shape *s)
{
    windows g = windows_of(s);
    size_t lines, images;
    chunk_size(&lines, &images, &g, s->filters);
    return larger(SLOPE_PIXELS, s->out_width * images) * whole_vectors(s->filters);
}

static size_t chunk_values(const conv_shape *s)
{
    windows g = windows_of(s);
    size_t room = chunk_room(&g, s->filters);
    for (size_t y = 0; y < s->stride; y++) {
        for (size_t x = 0; x < s->stride; x++) {
            g = turned_windows(s, phase_of(s, y, s->height), phase_of(s, x, s->width));
            if (g.out_lines && g.out_columns) room = larger(room, chunk_room(&g, s->channels));
        }
    }
    return room;
}

static size_t gradient_values(const conv_shape *s)
{
    return (s->side * s->side * s->channels + 1) * s->filters;
}

static size_t group_values(const conv_shape *s)
{
    return chunk_values(s) + panel_values(s) + gradient_values(s);
}

size_t conv_direct_scratch(const conv_shape *s)
{
    return packed_values(s) + GROUPS * group_values(s);
}

bool conv_direct_wins(const conv_shape *s)
{
#if (defined(__AVX__) && defined(__FMA__)) || defined(SCDC_REAL_DOUBLE)
    (void)s;
    return true;
#else
    (void)s;
    return false;
#endif
}

/* ---- groups of images ---- */

typedef struct direct_job {
    const conv_shape *s;
    const real *in, *w, *bias, *out;
    real *result, *d_out, *d_in, *packed, *groups;
    size_t group_values;
    bool relu;
} direct_job;

static void forward_group(void *context, size_t begin, size_t end, size_t group)
{
    const direct_job *j = context;
    const conv_shape *s = j->s;
    windows g = windows_of(s);
    places to = {s->out_height * s->out_width * s->filters, s->out_width * s->filters, s->filters};
    chunk c = chunk_start(&g, s->filters, to, j->in + begin * s->height * s->width * s->channels,
                          end - begin, j->groups + group * j->group_values);
    product p = {.c = &c, .w = j->packed, .bias = j->bias, .filters = s->filters, .relu = j->relu};
    while (chunk_next(&c)) {
        p.out = j->result + (begin + c.image) * to.image;
        multiply_chunk(&p);
    }
}

/* What arrived at a pixel at `width` vectors of filters, without what the rectifier stopped: in its
 * place, in a panel, and added to db. */
INLINED void collect_vectors(real *panel, real *db, real *d_out, const real *out, const int width)
{
#pragma GCC unroll 2
    for (int v = 0; v < width * VECTOR; v += VECTOR) {
        vector d = vector_load(d_out + v);
        if (out) {
            d = vector_where(vector_load(out + v) != vector_of(0), d);
            vector_store(d_out + v, d);
        }
        vector_store(db + v, vector_load(db + v) + d);
        vector_store(panel + v, d);
    }
}

/* The same of the last few filters, where they are no whole vectors. */
static void collect_rest(real *panel, real *db, real *d_out, const real *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (out && out[i] == 0) d_out[i] = 0;
        db[i] += d_out[i];
        panel[i] = d_out[i];
    }
    for (size_t i = count; i < whole_vectors(count); i++) panel[i] = 0;
}

static void collect(real *panels, real *db, const chunk *c, size_t first, size_t pixels,
                    real *d_out, const real *out, size_t filters)
{
    for (size_t p = 0; p < pixels; p++) {
        real *d = d_out + c->to[first + p];
        const real *o = out ? out + c->to[first + p] : NULL;
        size_t f = 0;
        for (; f + PANEL <= filters; f += PANEL)
            collect_vectors(panels + f * pixels + p * PANEL, db + f, d + f, o ? o + f : NULL, 2);
        size_t left = filters - f;
        real *panel = panels + f * pixels + p * whole_vectors(left);
        if (left == VECTOR) collect_vectors(panel, db + f, d + f, o ? o + f : NULL, 1);
        else if (left) collect_rest(panel, db + f, d + f, o ? o + f : NULL, left);
    }
}

static void backward_to_weights(const direct_job *j, size_t begin, size_t end, real *room)
{
    const conv_shape *s = j->s;
    windows g = windows_of(s);
    places to = {s->out_height * s->out_width * s->filters, s->out_width * s->filters, s->filters};
    real *dw = room + j->group_values - gradient_values(s);
    real *panels = dw - panel_values(s), *db = dw + gradient_values(s) - s->filters;
    chunk c = chunk_start(&g, s->filters, to, j->in + begin * s->height * s->width * s->channels,
                          end - begin, room);
    memset(dw, 0, gradient_values(s) * sizeof *dw);
    while (chunk_next(&c)) {
        size_t at = (begin + c.image) * to.image, in_line = g.out_columns * c.images_here;
        size_t most = slope_lines(s, c.images_here);
        for (size_t y = 0; y < c.lines; y += most) {
            slopes own = {.c = &c, .y = c.y + y, .d = panels, .dw = dw, .filters = s->filters};
            own.lines = c.lines - y < most ? c.lines - y : most;
            collect(panels, db, &c, y * in_line, own.lines * in_line, j->d_out + at,
                    j->out ? j->out + at : NULL, s->filters);
            add_slopes(&own);
        }
    }
}

static void backward_to_input(const direct_job *j, size_t begin, size_t end, real *room)
{
    const conv_shape *s = j->s;
    const real *w = j->packed;
    size_t C = s->channels, image = s->out_height * s->out_width * s->filters;
    places to = {s->height * s->width * C, s->stride * s->width * C, s->stride * C};
    for (size_t y = 0; y < s->stride; y++) {
        for (size_t x = 0; x < s->stride; x++) {
            windows g = turned_windows(s, phase_of(s, y, s->height), phase_of(s, x, s->width));
            if (g.out_lines && g.out_columns) {
                chunk c = chunk_start(&g, C, to, j->d_out + begin * image, end - begin, room);
                product p = {.c = &c, .w = w, .filters = C};
                while (chunk_next(&c)) {
                    p.out = j->d_in + (begin + c.image) * to.image + (y * s->width + x) * C;
                    multiply_chunk(&p);
                }
            }
            w += g.lines * g.columns * s->filters * whole_vectors(C);
        }
    }
}

static void backward_group(void *context, size_t begin, size_t end, size_t group)
{
    const direct_job *j = context;
    real *room = j->groups + group * j->group_values;
    backward_to_weights(j, begin, end, room);
    if (j->d_in) backward_to_input(j, begin, end, room);
}

/* ---- all groups ---- */

static size_t images_per_group(size_t images)
{
    return (images + GROUPS - 1) / GROUPS;
}

void conv_direct_forward(real *out, const conv_shape *s, const real *in, const real *w,
                         const real *bias, size_t images, bool relu, real *scratch)
{
    size_t window = s->side * s->side * s->channels;
    real *padded_bias = scratch + window * whole_vectors(s->filters);
    direct_job j = {.s = s,
                    .in = in,
                    .bias = padded_bias,
                    .result = out,
                    .packed = scratch,
                    .groups = scratch + packed_values(s),
                    .group_values = group_values(s),
                    .relu = relu};
    if (!images) return;
    pack(scratch, 0, window, w, window, s->filters, s->filters, 1);
    memset(padded_bias, 0, whole_vectors(s->filters) * sizeof *padded_bias);
    memcpy(padded_bias, bias, s->filters * sizeof *bias);
    kernel_for(images, images_per_group(images), forward_group, &j);
}

static void pack_all_turned(real *to, const conv_shape *s, const real *w)
{
    for (size_t y = 0; y < s->stride; y++) {
        for (size_t x = 0; x < s->stride; x++) {
            phase py = phase_of(s, y, s->height), px = phase_of(s, x, s->width);
            pack_turned(to, s, w, py, px);
            to += py.count * px.count * s->filters * whole_vectors(s->channels);
        }
    }
}

void conv_direct_backward(real *d_in, real *dw, real *db, bool add, const conv_shape *s,
                          real *d_out, const real *out, const real *in, const real *w,
                          size_t images, real *scratch)
{
    direct_job j = {.s = s,
                    .in = in,
                    .out = out,
                    .d_out = d_out,
                    .d_in = d_in,
                    .packed = scratch,
                    .groups = scratch + packed_values(s),
                    .group_values = group_values(s)};
    size_t weights = s->side * s->side * s->channels * s->filters;
    if (!add) {
        memset(dw, 0, weights * sizeof *dw);
        memset(db, 0, s->filters * sizeof *db);
    }
    if (!images) return;
    if (d_in) pack_all_turned(scratch, s, w);
    kernel_for(images, images_per_group(images), backward_group, &j);
    for (size_t g = 0; g < parallel_pieces(images, images_per_group(images)); g++) {
        const real *own = j.groups + (g + 1) * j.group_values - gradient_values(s);
        for (size_t i = 0; i < weights; i++) dw[i] += own[i];
        for (size_t f = 0; f < s->filters; f++) db[f] += own[weights + f];
    }
}
