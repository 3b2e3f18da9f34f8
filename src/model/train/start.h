/* The default recipe's start: latent means of the items (of many: of those that are looked at,
 * seen.h) under the warmed-up autoencoder, k-means on them, first components and first clusters. No
 * component starts dead. */
#ifndef SCDC_MODEL_START_H
#define SCDC_MODEL_START_H

#include "kmeans/kmeans.h"
#include "model/classes/classes.h"
#include "model/clusters/candidates.h"
#include "model/model.h"
#include "model/train/seen.h"

/* From warmed-up networks to components and clusters. */
int start_components(scdc_model *model, const scdc_data *data);
/* Components, and classes, chosen anew where networks that stay put the items, as in a fit that has
 * none. */
int start_components_again(scdc_model *model, const scdc_data *data);
/* Where classes that the answers tell explain them better than the components begun do: takes a
 * classifier, gives each class components of its own (component, of the items seen) and fixes the
 * clusters. pool is what the components were chosen from, NULL where networks go on from them. */
int start_from_classes(bool *taken, uint32_t *component, scdc_model *model, const scdc_data *data,
                       const seen_items *seen, const float *mean, candidate_pool *pool);
/* The same without asking whether they are better; not taken where the answers tell none. */
int take_classes(bool *taken, uint32_t *component, scdc_model *model, const scdc_data *data,
                 const seen_items *seen, const float *mean, const class_start *begin);
/* Classes and components inside them where networks that stay put the items. `begin`:
 * clusters that classes are looked for in; NULL: not known. */
int start_in_classes(bool *taken, scdc_model *model, const scdc_data *data,
                     const class_start *begin);
/* Components [n] inside the classes that the items have in their place, which are those of
 * t->verdict and the clusters from here on; mean [n][d]. */
int components_of_classes(uint32_t *component, scdc_model *model, size_t n, const float *mean);
/* Clusters anew where networks that stay put the items: by a word on all items [N][C]. */
int start_from_words(scdc_model *model, const scdc_data *data, const float *word, size_t C);
/* The classifier's word on the items that this process learns from, for training. */
int classify_all(scdc_model *model, const scdc_data *data);
/* How k-means divides latent means into k components. */
kmeans_options start_kmeans(size_t k, const core_spec *s);
/* Neighbour links anew from where the items are now. */
int refresh_links(scdc_model *model, const scdc_data *data);

#endif
