/* Views of images: the same thing seen a little differently. Inputs come as they are stored,
 * [channels][height][width], and views are pixel by pixel, [height][width][channels]. */
#ifndef SCDC_MODEL_VIEWS_H
#define SCDC_MODEL_VIEWS_H

#include "base/rng.h"
#include "nets/layer.h"

#include <scdc/scdc.h>

/* Whether images of this shape have room for views. */
bool shows_something(shape s);
/* The kind of views that are asked for; when that is `auto` it is chosen by the images, none of
 * which is mirrored before answers have told that it may be (mirrored.h). */
scdc_augment view_kind(scdc_augment asked, shape s);
/* The same for lessons that answers alone give: shifted only, not turned, when that is `auto`. */
scdc_augment view_gentle(scdc_augment asked, shape s);
/* The same views and mirrored ones. */
scdc_augment view_mirrored(scdc_augment kind);

/* A map of the plane, in units of half an image's side around its middle: the pixel at (x, y) of
 * the view is what the image shows at (xx x + xy y + x0, yx x + yy y + y0). */
typedef struct view_map {
    double xx, xy, x0, yx, yy, y0;
} view_map;

/* A map drawn for this kind of views of images of this shape. */
view_map view_draw(scdc_augment kind, shape s, rng *r);
/* One image through a map, between pixels by their distances; beyond the edge it is as at the edge.
 */
void view_image(real *view, const real *image, shape s, const view_map *m);

/* Rows as they are stored, left for right. */
void mirror_rows(real *o, shape s, size_t rows);

void view_as_it_is(real *view, const real *o, shape s, size_t rows);
/* A view of each row, drawn from the stream of its item in this epoch. */
void view_rows(real *view, const real *o, shape s, const uint32_t *item, size_t rows,
               scdc_augment kind, uint64_t seed, uint32_t epoch);

#endif
