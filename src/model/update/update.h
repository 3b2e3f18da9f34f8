/* New answers for a fitted model: a larger model around the same networks and components (grow.c),
 * the fit's components or classes in their place (rivals.h, use/kept.h), what all answers say of
 * workers and clusters (settle.c), clusters under their earlier numbers (numbers.c). The result
 * depends on the networks, the components and the set of all answers, not on what earlier updates
 * made of some of them. */
#ifndef SCDC_MODEL_UPDATE_H
#define SCDC_MODEL_UPDATE_H

#include "model/model.h"

/* Whether answers had a say in the networks and components. Those of updates have none: in one go
 * or in parts, they find the same. */
bool update_was_taught(const scdc_model *from);

/* A model with the networks and components of `from` and room for these items, answers and workers,
 * which it knows nothing of yet. */
int update_grow(scdc_model **out, const scdc_model *from, const scdc_data *data,
                const scdc_crowd *crowd);

/* Workers, clusters of components, annotated items and experts from all answers. */
int update_settle(scdc_model *model, const scdc_data *data);

/* Item i of `count` evenly spread among n; and the most likely clusters [count] of these items, by
 * position. */
size_t sampled_item(size_t i, size_t count, size_t n);
int update_sample(int64_t *cluster, size_t count, scdc_model *model, const scdc_data *data,
                  size_t n);

/* Gives the clusters of `model` the numbers of those of `from` that they share most items with:
 * before and after [count] are the clusters of the same items, by number and by position. */
int update_numbers(scdc_model *model, const scdc_model *from, const int64_t *before,
                   const int64_t *after, size_t count);

#endif
