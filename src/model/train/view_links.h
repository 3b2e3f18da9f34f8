/* Views of images as links: an image that is turned, sheared or shifted a little shows the same
 * thing, so that the components of an image and of its view are rather one cluster than two drawn
 * at random. Latents of a network know little of that: digits 1 that lean and that stand are far
 * from each other, and no neighbour links them. */
#ifndef SCDC_MODEL_VIEW_LINKS_H
#define SCDC_MODEL_VIEW_LINKS_H

#include "model/model.h"

/* Links of views for the cluster level, as many in all as there are of neighbours; nothing where
 * items are no images, there are no links, or views are not wanted. */
int link_views(scdc_model *model, const scdc_data *data);

#endif
