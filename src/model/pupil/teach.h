/* How a pupil is taught at the end of a fit.
 *
 *   maximise  sum over items i that are sure of  ln q(label_i | view(o_i))
 *
 * Labels are the fit's own in the first epochs, with all answers heard; from then on the pupil's,
 * again with all answers heard, so that annotated items are told by picture and answers together
 * and the others by what the pupil sees without a view. Sure is who has a probability above .9. */
#ifndef SCDC_MODEL_TEACH_H
#define SCDC_MODEL_TEACH_H

#include "data/data.h"
#include "model/model.h"
#include "model/pupil/pupil.h"
#include "model/pupil/views.h"

/* Teaches the model a pupil where its options ask for one, and keeps it where it is asked for by
 * name, or where answers that neither it nor the fit has heard (train/unheard.h) give it a weight
 * beside the experts. */
int teach_pupil(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd);
/* A model that took the place of another one gets a pupil if that had one. */
int teach_again(scdc_model *model, const scdc_model *before, const scdc_data *data,
                const scdc_crowd *crowd);

/* The steps of it. */
typedef struct lesson_items {
    size_t items;
    int64_t *label;      /* [items] */
    double *probability; /* [items] of the label */
    bool *kept_out;      /* [items] not to be taught */
} lesson_items;

typedef struct lesson_plan {
    const scdc_data *data;
    const input_scale *input;
    scdc_augment augment;
    uint64_t seed;
    size_t epochs;
    double rate; /* at the beginning; falls as half a cosine */
} lesson_plan;
/* One epoch of them over all items that are sure. SCDC_ERR_NUMERIC when the network ran away. */
int pupil_epoch(pupil *f, const lesson_items *t, const lesson_plan *plan, size_t epoch);

#endif
