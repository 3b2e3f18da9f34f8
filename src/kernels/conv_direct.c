/* Convolution by tiles of sums in registers: weights and gradients in panels, groups of images. */
#include "kernels/conv_tiles.h"
#include "kernels/conv_ways.h"
#include "kernels/loop.h"

/* Pixels whose windows and gradients stay in the first-level cache while they are multiplied. */
enum { SLOPE_PIXELS = 512 };

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

static size_t panel_values(const conv_shape *s)
{
    return SLOPE_PIXELS * whole_vectors(s->filters);
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

static size_t group_values(const conv_shape *s)
{
    return chunk_values(s) + panel_values(s) + gradient_values(s);
}

size_t conv_direct_scratch(const conv_shape *s)
{
    return packed_values(s) + CONV_GROUPS * group_values(s);
}

bool conv_direct_wins(const conv_shape *s)
{
#if (defined(__AVX__) && defined(__FMA__)) || defined(SCDC_REAL_DOUBLE)
    return s->side <= MOST_SIDE;
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
    chunk c;
    chunk_start(&c, &g, s->filters, to, j->in + begin * s->height * s->width * s->channels,
                end - begin, j->groups + group * j->group_values);
    product p = {.c = &c, .w = j->packed, .bias = j->bias, .filters = s->filters, .relu = j->relu};
    while (chunk_next(&c)) {
        p.out = j->result + (begin + c.image) * to.image;
        multiply_windows(&p);
    }
}

/* What arrives at the pixels of a chunk, on its way into panels. */
typedef struct arrival {
    real *panels, *db; /* db: added to */
    real *d_out;       /* what the rectifier stopped is taken out */
    const real *out;   /* NULL: there is no rectifier */
    size_t filters;
    bool kept; /* d_out, too, is wanted without it */
} arrival;

/* `width` vectors of filters of a pixel, from value `at` on. */
static inline __attribute__((always_inline)) void
collect_vectors(const arrival *a, real *panel, size_t at, size_t f, const int width)
{
#pragma GCC unroll 2
    for (int v = 0; v < width; v++, at += VECTOR, f += VECTOR, panel += VECTOR) {
        vector d = vector_load(a->d_out + at);
        if (a->out) d = vector_where(vector_load(a->out + at) != vector_of(0), d);
        if (a->out && a->kept) vector_store(a->d_out + at, d);
        vector_store(a->db + f, vector_load(a->db + f) + d);
        vector_store(panel, d);
    }
}

/* The same of the last few filters, where they are no whole vectors. */
static void collect_rest(const arrival *a, real *panel, size_t at, size_t f)
{
    size_t count = a->filters - f;
    for (size_t i = 0; i < count; i++) {
        if (a->out && a->out[at + i] == 0) a->d_out[at + i] = 0;
        a->db[f + i] += a->d_out[at + i];
        panel[i] = a->d_out[at + i];
    }
    for (size_t i = count; i < whole_vectors(count); i++) panel[i] = 0;
}

/* Of slots that a chunk's slopes are added up of. */
static void collect(const arrival *a, const slopes *s)
{
    const chunk *c = s->c;
    size_t slots = s->end - s->begin, whole = a->filters / PANEL * PANEL;
    size_t left = a->filters - whole, rest = whole_vectors(left);
    for (const run *q = c->run; q < c->run + c->runs; q++) {
        size_t first = q->first < s->begin ? s->begin : q->first;
        for (size_t p = first; p < q->end && p < s->end; p++) {
            real *panel = a->panels + (p - s->begin) * PANEL;
            size_t at = c->to[p];
            for (size_t f = 0; f < whole; f += PANEL)
                collect_vectors(a, panel + f * slots, at + f, f, 2);
            panel = a->panels + whole * slots + (p - s->begin) * rest;
            if (left == VECTOR) collect_vectors(a, panel, at + whole, whole, 1);
            else if (left) collect_rest(a, panel, at + whole, whole);
        }
    }
}

static void backward_to_weights(const direct_job *j, size_t begin, size_t end, real *room)
{
    const conv_shape *s = j->s;
    windows g = windows_of(s);
    places to = {s->out_height * s->out_width * s->filters, s->out_width * s->filters, s->filters};
    real *dw = room + j->group_values - gradient_values(s);
    real *panels = dw - panel_values(s), *db = dw + gradient_values(s) - s->filters;
    chunk c;
    chunk_start(&c, &g, s->filters, to, j->in + begin * s->height * s->width * s->channels,
                end - begin, room);
    memset(dw, 0, gradient_values(s) * sizeof *dw);
    arrival a = {.panels = panels, .db = db, .filters = s->filters, .kept = j->d_in};
    while (chunk_next(&c)) {
        size_t at = (begin + c.image) * to.image;
        a.d_out = j->d_out + at;
        a.out = j->out ? j->out + at : NULL;
        chunk_expect(&c, j->d_out + begin * to.image, to.image, to.line);
        if (j->out) chunk_expect(&c, j->out + begin * to.image, to.image, to.line);
        for (size_t first = 0; first < c.slots; first += SLOPE_PIXELS) {
            slopes own = {.c = &c, .begin = first, .d = panels, .dw = dw, .filters = s->filters};
            own.end = c.slots - first < SLOPE_PIXELS ? c.slots : first + SLOPE_PIXELS;
            collect(&a, &own);
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
                chunk c;
                chunk_start(&c, &g, C, to, j->d_out + begin * image, end - begin, room);
                product p = {.c = &c, .w = w, .filters = C};
                while (chunk_next(&c)) {
                    p.out = j->d_in + (begin + c.image) * to.image + (y * s->width + x) * C;
                    multiply_windows(&p);
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

void conv_direct_backward(real *d_in, real *dw, real *db, const conv_shape *s, real *d_out,
                          const real *out, const real *in, const real *w, size_t images,
                          real *scratch)
{
    direct_job j = {.s = s,
                    .in = in,
                    .out = out,
                    .d_out = d_out,
                    .d_in = d_in,
                    .packed = scratch,
                    .groups = scratch + packed_values(s),
                    .group_values = group_values(s)};
    if (d_in) pack_all_turned(scratch, s, w);
    kernel_for(images, images_per_group(images), backward_group, &j);
    conv_add_groups(dw, db, s, j.groups, j.group_values, images);
}
