/* Views of images. */
#include "model/pupil/views.h"
#include "kernels/loop.h"

#include <math.h>

enum { LEAST_SIDE = 8 }; /* of an image */

/* How far a view may be from the image: an angle in radians, shares of the size, shares of half a
 * side. */
typedef struct reach {
    double turn, scale, shear, shift;
    bool mirror;
} reach;

static const reach reaches[] = {
    [SCDC_AUGMENT_NONE] = {0},
    [SCDC_AUGMENT_SHIFT] = {.shift = 0.15},
    [SCDC_AUGMENT_AFFINE] = {.turn = 0.25, .scale = 0.15, .shear = 0.2, .shift = 0.15},
    [SCDC_AUGMENT_FLIP] =
        {.turn = 0.25, .scale = 0.15, .shear = 0.2, .shift = 0.15, .mirror = true},
    [SCDC_AUGMENT_CROP] = {.shift = 0.25, .mirror = true},
};

bool shows_something(shape s)
{
    return s.height >= LEAST_SIDE && s.width >= LEAST_SIDE;
}

scdc_augment view_kind(scdc_augment asked, shape s)
{
    if (asked != SCDC_AUGMENT_AUTO) return asked;
    if (!shows_something(s)) return SCDC_AUGMENT_NONE;
    return s.channels == 1 ? SCDC_AUGMENT_AFFINE : SCDC_AUGMENT_SHIFT;
}

scdc_augment view_gentle(scdc_augment asked, shape s)
{
    scdc_augment kind = view_kind(asked, s);
    return asked == SCDC_AUGMENT_AUTO && kind == SCDC_AUGMENT_AFFINE ? SCDC_AUGMENT_SHIFT : kind;
}

scdc_augment view_mirrored(scdc_augment kind)
{
    if (kind == SCDC_AUGMENT_SHIFT) return SCDC_AUGMENT_CROP;
    return kind == SCDC_AUGMENT_AFFINE ? SCDC_AUGMENT_FLIP : kind;
}

void mirror_rows(real *o, shape s, size_t rows)
{
    for (size_t line = 0; line < rows * s.channels * s.height; line++, o += s.width) {
        for (size_t left = 0, right = s.width - 1; left < right; left++, right--) {
            real value = o[left];
            o[left] = o[right];
            o[right] = value;
        }
    }
}

static double between(double far, rng *r)
{
    return far * (2 * rng_uniform(r) - 1);
}

view_map view_draw(scdc_augment kind, shape s, rng *r)
{
    const reach *far = &reaches[kind];
    double turn = between(far->turn, r), scale = 1 + between(far->scale, r);
    double shear = between(far->shear, r), x0 = between(far->shift, r), y0 = between(far->shift, r);
    bool mirrored = rng_uniform(r) < 0.5 && far->mirror;
    if (far->turn == 0) { /* by whole pixels: nothing is blurred */
        x0 = round(x0 * (double)s.width / 2) * 2 / (double)s.width;
        y0 = round(y0 * (double)s.height / 2) * 2 / (double)s.height;
    }
    view_map m = {.xx = cos(turn) * scale,
                  .xy = -sin(turn) * scale + shear,
                  .x0 = x0,
                  .yx = sin(turn) * scale,
                  .yy = cos(turn) * scale,
                  .y0 = y0};
    if (mirrored) m.xx = -m.xx, m.yx = -m.yx;
    return m;
}

/* A place between pixels: the one before it, the one behind it, and how near the latter is. */
typedef struct place {
    size_t before, behind;
    real share;
} place;

static place place_of(real at, size_t count)
{
    real last = (real)(count - 1);
    if (!(at > 0)) at = 0;
    if (at > last) at = last;
    size_t before = (size_t)at;
    return (place){before, before + 1 < count ? before + 1 : before, at - (real)before};
}

void view_image(real *view, const real *image, shape s, const view_map *m)
{
    size_t pixels = s.height * s.width;
    double half_width = (double)s.width / 2, half_height = (double)s.height / 2;
    for (size_t pixel = 0; pixel < pixels; pixel++) {
        double x = ((double)(pixel % s.width) + 0.5) / half_width - 1;
        double y = ((double)(pixel / s.width) + 0.5) / half_height - 1;
        place across =
            place_of((real)((m->xx * x + m->xy * y + m->x0 + 1) * half_width - 0.5), s.width);
        place down =
            place_of((real)((m->yx * x + m->yy * y + m->y0 + 1) * half_height - 0.5), s.height);
        const real *upper = image + down.before * s.width, *lower = image + down.behind * s.width;
        for (size_t c = 0; c < s.channels; c++, upper += pixels, lower += pixels) {
            real a =
                upper[across.before] + across.share * (upper[across.behind] - upper[across.before]);
            real b =
                lower[across.before] + across.share * (lower[across.behind] - lower[across.before]);
            view[pixel * s.channels + c] = a + down.share * (b - a);
        }
    }
}

typedef struct view_job {
    real *view;
    const real *o;
    shape s;
    const uint32_t *item;
    scdc_augment kind;
    uint64_t seed;
    uint32_t epoch;
} view_job;

static void plain_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const view_job *j = context;
    size_t pixels = j->s.height * j->s.width, C = j->s.channels;
    for (size_t row = begin; row < end; row++) {
        const real *o = j->o + row * pixels * C;
        real *view = j->view + row * pixels * C;
        for (size_t c = 0; c < C; c++) {
            for (size_t p = 0; p < pixels; p++) view[p * C + c] = o[c * pixels + p];
        }
    }
}

void view_as_it_is(real *view, const real *o, shape s, size_t rows)
{
    view_job j = {.view = view, .o = o, .s = s};
    kernel_for(rows, rows_per_piece(shape_size(s), PIECE_VALUES), plain_rows, &j);
}

static void drawn_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const view_job *j = context;
    size_t values = shape_size(j->s);
    for (size_t row = begin; row < end; row++) {
        rng r;
        rng_init(&r, j->seed, RNG_VIEW, j->epoch, j->item[row]);
        view_map m = view_draw(j->kind, j->s, &r);
        view_image(j->view + row * values, j->o + row * values, j->s, &m);
    }
}

void view_rows(real *view, const real *o, shape s, const uint32_t *item, size_t rows,
               scdc_augment kind, uint64_t seed, uint32_t epoch)
{
    view_job j = {view, o, s, item, kind, seed, epoch};
    if (kind == SCDC_AUGMENT_NONE) view_as_it_is(view, o, s, rows);
    else kernel_for(rows, rows_per_piece(shape_size(s), PIECE_VALUES / 4), drawn_rows, &j);
}
