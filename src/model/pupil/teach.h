/* How a pupil is taught at the end of a fit.
 *
 *   maximise  sum over items i that are sure of  ln q(label_i | view(o_i))
 *
 * Labels are the fit's own in the first epochs, with all answers heard; in the last ones the
 * pupil's, again with all answers heard, so that annotated items are told by picture and answers
 * together and the others by what the pupil sees without a view. Sure is who has a probability
 * above .9. Answers teach it in every epoch, too (lesson_answers.h): where nobody is sure, they
 * alone do. In between nobody is asked to be: answers alone then part what the fit's labels join,
 * and what that was worth is told by answers kept back (school.h). */
#ifndef SCDC_MODEL_TEACH_H
#define SCDC_MODEL_TEACH_H

#include "data/data.h"
#include "model/model.h"
#include "model/pupil/lesson_answers.h"
#include "model/pupil/pupil.h"
#include "model/pupil/views.h"

/* Teaches the model a pupil where its options ask for one, and keeps it where it is asked for by
 * name, or where answers that neither it nor the fit has heard (train/unheard.h) give it a weight
 * beside the experts. */
int teach_pupil(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd);
/* A model that took the place of another one gets a pupil if that had one: the same where the
 * clusters are the same and networks stay, else one that is taught anew. */
int teach_again(scdc_model *model, const scdc_model *before, const scdc_data *data,
                const scdc_crowd *crowd, bool networks_stay);

/* The pupil of another model with the same clusters. */
int teach_as_before(scdc_model *model, const scdc_model *before, const scdc_data *data);

/* What a pupil says of the items of a fit (told.c): whether it is known; room for it; what that of
 * the model says of items from `first` on. */
bool pupil_knows(const pupil *f, const scdc_data *data);
int pupil_make_room(pupil *f, const scdc_data *data);
int pupil_tell(const scdc_model *model, const scdc_data *data, size_t first);
/* Parameters and words of an earlier one, whose output from[c] is output c here. */
void pupil_take(pupil *to, const pupil *earlier, const size_t *from);
uint32_t pupil_checksum(const pupil *f);

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
    double rate;                   /* at the beginning; falls as half a cosine */
    const lesson_answers *answers; /* NULL: none teach */
} lesson_plan;
/* One epoch of them over all items that are sure, and over all answers. SCDC_ERR_NUMERIC when the
 * network ran away. */
int pupil_epoch(pupil *f, const lesson_items *t, const lesson_plan *plan, size_t epoch);

#endif
