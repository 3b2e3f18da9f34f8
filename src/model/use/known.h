/* What networks and components say of the items of a fit: latent means, likely components, nearest
 * items. It stays as long as networks and components do, whatever is answered: an update reads it
 * instead of placing all items again. */
#ifndef SCDC_MODEL_KNOWN_H
#define SCDC_MODEL_KNOWN_H

#include "model/model.h"

typedef struct known_items {
    size_t users; /* models that have it */
    size_t n, d, k, components;
    uint32_t data, model; /* checksums of what they were made from */
    float *latent;        /* [n][d] */
    uint32_t *near;       /* [n][k] */
    /* q(z) of item i: component[start[i] .. start[i + 1] - 1] and their shares; others have none */
    int64_t *start;
    int32_t *component;
    float *share;
} known_items;

/* Places all items by the mixture and finds their neighbours. */
int known_make(known_items **out, const scdc_model *model, const scdc_data *data);
/* The same for one more model: freed when no one has it any more. */
known_items *known_share(known_items *k);
void known_free(known_items *k);
/* Whether it is of these items and of this model as it is. */
bool known_fits(const known_items *k, const scdc_model *model, const scdc_data *data);
/* model->known of these items: as it is, or made. */
int known_prepare(scdc_model *model, const scdc_data *data);
/* q(z) [K] of an item. */
void known_z(double *z, const known_items *k, size_t item);

#endif
