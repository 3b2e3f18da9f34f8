/* The default recipe's start: latent means of all items under the warmed-up autoencoder, k-means on
 * them, first components and first clusters. No component starts dead. */
#ifndef SCDC_MODEL_START_H
#define SCDC_MODEL_START_H

#include "model/model.h"

/* Latent means of all items as float, [N][d], and their most likely components, [N] (may be NULL).
 */
int place_all(float *mean, uint32_t *component, scdc_model *model, const scdc_data *data);

/* From warmed-up networks to components and clusters. */
int start_components(scdc_model *model, const scdc_data *data);
/* Neighbour links anew from where the items are now. */
int refresh_links(scdc_model *model, const scdc_data *data);

#endif
