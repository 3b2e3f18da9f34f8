/* Whether images are what they are when mirrored: photographs mostly, digits and letters not. A
 * network that has not seen mirrored images is asked about them; answers kept back tell whether its
 * word on them is worth as much as on the images as they are. */
#ifndef SCDC_MODEL_MIRRORED_H
#define SCDC_MODEL_MIRRORED_H

#include "data/data.h"
#include "model/model.h"
#include "model/pupil/pupil.h"

/* What a network says of items (NULL: the first n), mirrored or as they are, word [n][outputs]. */
int pupil_words(float *word, pupil *f, const scdc_model *model, const scdc_data *data,
                const uint32_t *items, size_t n, bool mirrored);

/* false where no answers were kept back, or views were asked for by name. */
int may_be_mirrored(bool *out, pupil *f, const scdc_model *model, const scdc_data *data);

#endif
