/* Components of images that look alike: a small network is taught to tell them apart in views of
 * the items, and what it takes for one another is linked. Pieces of one kind have no border that a
 * picture shows, however far apart their latents are; two kinds that touch in latent space have. */
#ifndef SCDC_MODEL_LOOK_ALIKES_H
#define SCDC_MODEL_LOOK_ALIKES_H

#include "model/model.h"

/* At the end of training, links of look-alikes in place of those of neighbours and of components'
 * own views; nothing where items are no images, are few, or views are not wanted, or where clusters
 * are not groups of components. Clusters are grouped anew. */
int link_look_alikes(scdc_model *model, const scdc_data *data);

#endif
