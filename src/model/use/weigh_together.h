/* How far items are doubted that hear their neighbours (hood.h), where networks learned from
 * answers: weighed like the word on an item alone (weigh_alone.h), when a fit is done. */
#ifndef SCDC_MODEL_WEIGH_TOGETHER_H
#define SCDC_MODEL_WEIGH_TOGETHER_H

#include "model/classes/classes.h"
#include "model/use/hood.h"

/* Sets model->doubt: by the answers of `found` that were kept back from training where there are
 * any, else by all. The hood is as hood_find left it, and is left so; its proba change. */
int weigh_together(scdc_model *model, hood *h, const scdc_data *data, const classes *found);

#endif
