/* Placing annotated items with their answers: the messages of all answers about the items at hand,
 * a few rounds, on top of what the items themselves say. */
#ifndef SCDC_MODEL_PLACE_ANSWERS_H
#define SCDC_MODEL_PLACE_ANSWERS_H

#include "model/use/known.h"
#include "model/use/predict.h"

/* Gets q(z) [K] of an annotated item. */
typedef void (*placed_item)(void *context, size_t item, const double *z);

/* Places every item that has an answer. What the items themselves say is taken from `known` where
 * it is there (NULL: it is not). */
int place_with_answers(const scdc_model *model, const scdc_data *data, const answer_list *answers,
                       const known_items *known, placed_item take, void *context);

/* The answers of a crowd (NULL: none), whose workers must be some of the model's, in any order. */
int answers_of_crowd(answer_list *out, const scdc_model *model, const scdc_crowd *crowd);
/* As scdc_crowd_checksum of a crowd with these answers. */
uint32_t answers_checksum(const answer_list *l);
void answer_list_free(answer_list *l);

#endif
