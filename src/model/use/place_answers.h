/* Placing annotated items with their answers: the messages of all answers about the items at hand,
 * a few rounds, on top of what the items themselves say. */
#ifndef SCDC_MODEL_PLACE_ANSWERS_H
#define SCDC_MODEL_PLACE_ANSWERS_H

#include "model/model.h"

/* Gets q(z) [K] of an annotated item. */
typedef void (*placed_item)(void *context, size_t item, const double *z);

/* Places every item that has an answer in `crowd`, whose workers must be some of the model's, in
 * any order. */
int place_with_answers(const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd,
                       placed_item placed, void *context);

#endif
