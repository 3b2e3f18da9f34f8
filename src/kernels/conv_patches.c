/* Convolution as products of patches, a few lines of pixels at a time, so that they stay in the
 * processor's cache. */
#include "kernels/blas.h"
#include "kernels/conv_ways.h"
#include "kernels/gemm.h"
#include "kernels/loop.h"

#include <string.h>

/* Patches of a chunk fill about half of a second-level cache. */
enum { CHUNK_VALUES = 1 << 16 };

typedef struct conv_job {
    const conv_shape *s;
    const real *in, *w, *bias, *out;
    real *result, *d_out, *d_in, *scratch;
    size_t images;
    bool relu;
} conv_job;

/* Lines of output pixels whose patches are made at a time. */
static size_t chunk_lines(const conv_shape *s)
{
    size_t line = s->out_width * s->side * s->side * s->channels;
    return line < CHUNK_VALUES ? CHUNK_VALUES / line : 1;
}

static size_t patch_values(const conv_shape *s)
{
    return chunk_lines(s) * s->out_width * s->side * s->side * s->channels;
}

/* A group's scratch: patches, then its own gradients of weights and biases. */
static size_t group_values(const conv_shape *s)
{
    return (patch_values(s) + 15) / 16 * 16 + gradient_values(s);
}

size_t conv_patches_scratch(const conv_shape *s)
{
    return CONV_GROUPS * group_values(s);
}

/* Whether the pixels themselves are the patches. */
static bool is_plain(const conv_shape *s)
{
    return s->side == 1 && s->stride == 1 && s->pad == 0;
}

/* ---- patches ---- */

/* The part of a window's line that lies inside the image: `count` values at `from` of the image's
 * line, `skip` values into the window's line. */
typedef struct overlap {
    size_t skip, from, count;
} overlap;

static overlap window_overlap(const conv_shape *s, size_t x)
{
    size_t left = x * s->stride, end = s->width + s->pad;
    size_t first = left < s->pad ? s->pad - left : 0, last = s->side; /* columns [first, last) */
    if (first > s->side) first = s->side;
    if (left + last > end) last = left < end ? end - left : 0;
    if (last <= first) return (overlap){0};
    return (overlap){first * s->channels, (left + first - s->pad) * s->channels,
                     (last - first) * s->channels};
}

/* The image's line under line i of the windows of output line y; false: outside. */
static bool source_line(size_t *line, const conv_shape *s, size_t y, size_t i)
{
    size_t at = y * s->stride + i;
    *line = at - s->pad;
    return at >= s->pad && at - s->pad < s->height;
}

static void add_values(real *restrict to, const real *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] += from[i];
}

/* Output pixels [*begin, *end) of a line whose windows lie inside the image from side to side. */
static void whole_windows(size_t *begin, size_t *end, const conv_shape *s)
{
    *begin = (s->pad + s->stride - 1) / s->stride;
    *end = s->width + s->pad < s->side ? 0 : (s->width + s->pad - s->side) / s->stride + 1;
    if (*end > s->out_width) *end = s->out_width;
    if (*end < *begin) *begin = *end = s->out_width;
}

/* One line of the windows of an output line, `pixels` the image's line: to [out_width] windows. */
static void make_line(real *to, const conv_shape *s, const real *pixels, size_t begin, size_t end)
{
    size_t row = s->side * s->channels, window = s->side * row, step = s->stride * s->channels;
    for (size_t x = 0; x < s->out_width; x++) {
        if (x == begin && begin < end) {
            const real *from = pixels + begin * step - s->pad * s->channels;
            for (; x < end; x++, from += step) memcpy(to + x * window, from, row * sizeof *to);
            if (x == s->out_width) break;
        }
        overlap part = window_overlap(s, x);
        memset(to + x * window, 0, row * sizeof *to);
        memcpy(to + x * window + part.skip, pixels + part.from, part.count * sizeof *to);
    }
}

static void add_line(real *pixels, const conv_shape *s, const real *from, size_t begin, size_t end)
{
    size_t row = s->side * s->channels, window = s->side * row, step = s->stride * s->channels;
    for (size_t x = 0; x < s->out_width; x++) {
        if (x == begin && begin < end) {
            real *to = pixels + begin * step - s->pad * s->channels;
            for (; x < end; x++, to += step) add_values(to, from + x * window, row);
            if (x == s->out_width) break;
        }
        overlap part = window_overlap(s, x);
        add_values(pixels + part.from, from + x * window + part.skip, part.count);
    }
}

/* Patches [lines * out_width][side][side][channels] of output lines first .. of a group's images.
 */
static void make_patches(real *patches, const conv_shape *s, const real *in, size_t first,
                         size_t lines)
{
    size_t row = s->side * s->channels, window = s->side * row, begin, end;
    whole_windows(&begin, &end, s);
    for (size_t l = 0; l < lines; l++) {
        size_t image = (first + l) / s->out_height, y = (first + l) % s->out_height, line;
        const real *pixels = in + image * s->height * s->width * s->channels;
        for (size_t i = 0; i < s->side; i++) {
            real *to = patches + l * s->out_width * window + i * row;
            if (source_line(&line, s, y, i)) {
                make_line(to, s, pixels + line * s->width * s->channels, begin, end);
            } else {
                for (size_t x = 0; x < s->out_width; x++)
                    memset(to + x * window, 0, row * sizeof *to);
            }
        }
    }
}

/* The other way: what arrived at the patches is added to the pixels they were made of. */
static void add_patches(real *d_in, const conv_shape *s, const real *patches, size_t first,
                        size_t lines)
{
    size_t row = s->side * s->channels, window = s->side * row, begin, end;
    whole_windows(&begin, &end, s);
    for (size_t l = 0; l < lines; l++) {
        size_t image = (first + l) / s->out_height, y = (first + l) % s->out_height, line;
        real *pixels = d_in + image * s->height * s->width * s->channels;
        for (size_t i = 0; i < s->side; i++) {
            if (!source_line(&line, s, y, i)) continue;
            add_line(pixels + line * s->width * s->channels, s,
                     patches + l * s->out_width * window + i * row, begin, end);
        }
    }
}

/* ---- a group ---- */

static void add_bias(real *restrict out, const real *restrict bias, size_t rows, size_t filters,
                     bool relu)
{
    for (size_t r = 0; r < rows; r++, out += filters) {
        for (size_t f = 0; f < filters; f++) {
            real v = out[f] + bias[f];
            out[f] = relu && v < 0 ? 0 : v;
        }
    }
}

static void forward_group(void *context, size_t begin, size_t end, size_t group)
{
    const conv_job *j = context;
    const conv_shape *s = j->s;
    size_t window = s->side * s->side * s->channels, chunk = chunk_lines(s);
    size_t lines = (end - begin) * s->out_height, pixels = s->height * s->width * s->channels;
    const real *in = j->in + begin * pixels;
    real *patches = j->scratch + group * group_values(s);
    real *out = j->result + begin * s->out_height * s->out_width * s->filters;
    for (size_t first = 0; first < lines; first += chunk) {
        size_t count = lines - first < chunk ? lines - first : chunk, rows = count * s->out_width;
        const real *a = in + first * s->out_width * s->channels;
        if (!is_plain(s)) {
            make_patches(patches, s, in, first, count);
            a = patches;
        }
        real *to = out + first * s->out_width * s->filters;
        gemm_serial(GEMM_NONE, GEMM_NONE, rows, s->filters, window, 1, a, j->w, 0, to);
        add_bias(to, j->bias, rows, s->filters, j->relu);
    }
}

static void mask_and_sum(real *restrict d, real *restrict db, const real *restrict out, size_t rows,
                         size_t filters)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t f = 0; f < filters; f++) {
            if (out) d[r * filters + f] = out[r * filters + f] == 0 ? 0 : d[r * filters + f];
            db[f] += d[r * filters + f];
        }
    }
}

static void backward_group(void *context, size_t begin, size_t end, size_t group)
{
    const conv_job *j = context;
    const conv_shape *s = j->s;
    size_t window = s->side * s->side * s->channels, chunk = chunk_lines(s);
    size_t lines = (end - begin) * s->out_height, pixels = s->height * s->width * s->channels;
    size_t line_values = s->out_width * s->filters, at = begin * s->out_height * line_values;
    const real *in = j->in + begin * pixels;
    real *patches = j->scratch + group * group_values(s),
         *dw = patches + group_values(s) - gradient_values(s);
    real *db = dw + window * s->filters, *d_in = j->d_in ? j->d_in + begin * pixels : NULL;
    memset(db, 0, s->filters * sizeof *db);
    if (d_in && !is_plain(s)) memset(d_in, 0, (end - begin) * pixels * sizeof *d_in);
    for (size_t first = 0; first < lines; first += chunk) {
        size_t count = lines - first < chunk ? lines - first : chunk, rows = count * s->out_width;
        size_t here = first * s->out_width * s->channels;
        real *d = j->d_out + at + first * line_values;
        mask_and_sum(d, db, j->out ? j->out + at + first * line_values : NULL, rows, s->filters);
        if (!is_plain(s)) make_patches(patches, s, in, first, count);
        gemm_serial(GEMM_TRANSPOSED, GEMM_NONE, window, s->filters, rows, 1,
                    is_plain(s) ? in + here : patches, d, first > 0, dw);
        if (!d_in) continue;
        gemm_serial(GEMM_NONE, GEMM_TRANSPOSED, rows, window, s->filters, 1, d, j->w, 0,
                    is_plain(s) ? d_in + here : patches);
        if (!is_plain(s)) add_patches(d_in, s, patches, first, count);
    }
}

/* ---- all groups ---- */

static void run_groups(conv_job *j, parallel_body body)
{
    blas_serial_begin();
    kernel_for(j->images, images_per_group(j->images), body, j);
    blas_serial_end();
}

void conv_patches_forward(real *out, const conv_shape *s, const real *in, const real *w,
                          const real *bias, size_t images, bool relu, real *scratch)
{
    conv_job j = {.s = s,
                  .in = in,
                  .w = w,
                  .bias = bias,
                  .result = out,
                  .scratch = scratch,
                  .images = images,
                  .relu = relu};
    run_groups(&j, forward_group);
}

void conv_patches_backward(real *d_in, real *dw, real *db, const conv_shape *s, real *d_out,
                           const real *out, const real *in, const real *w, size_t images,
                           real *scratch)
{
    conv_job j = {.s = s,
                  .in = in,
                  .w = w,
                  .out = out,
                  .d_out = d_out,
                  .d_in = d_in,
                  .scratch = scratch,
                  .images = images};
    run_groups(&j, backward_group);
    conv_add_groups(dw, db, s, scratch, group_values(s), images);
}
