/* Clusters that a network learns from answers alone, for images of which a mixture and a kernel of
 * pixels tell nothing (photographs). */
#ifndef SCDC_MODEL_BY_ANSWERS_H
#define SCDC_MODEL_BY_ANSWERS_H

#include "model/model.h"

/* Where the fit is at a loss about the answers that were kept back from it, or has not as many
 * clusters as were asked for: a network of these layers is taught by the other answers, with more
 * outputs than may be needed. If it foretells those kept back better, the outputs that hold items
 * are the model's clusters from here on, each with components of its own, and the network is its
 * pupil: model_is_led(). Else nothing changes. */
int learn_from_answers(const char *words, scdc_model *model, const scdc_data *data);

#endif
