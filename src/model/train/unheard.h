/* Answers that are kept back until the networks have learned: about a tenth of the annotated items.
 * What networks that never heard them say of these items is what they will say of new ones, and the
 * answers tell how far to trust it (use/weigh_alone.h). Heard from the start, they would look
 * better foretold by those who learned from them than by anybody else. */
#ifndef SCDC_MODEL_UNHEARD_H
#define SCDC_MODEL_UNHEARD_H

#include "model/model.h"

/* Before training, where networks learn and there are enough annotated items. */
int keep_answers_back(scdc_model *model);
/* When it is known where clusters come from: where a classifier learned them from all answers, all
 * are heard (it tells every item by the others). */
int keep_back_or_not(scdc_model *model);
/* When training is done: clusters and workers by all answers. */
int hear_answers_kept_back(scdc_model *model);
/* Workers, clusters of components and annotated items from all answers, whatever was known. */
int hear_answers_again(scdc_model *model, const scdc_data *data);
/* The same for components that no answer had a say in: parts of the answers, kept back in turn,
 * first choose how links are believed (clusters/link_trial.h). */
int hear_first_answers(scdc_model *model, const scdc_data *data);

#endif
