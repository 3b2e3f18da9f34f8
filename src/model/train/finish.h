/* The end of a fit: experts are weighed, and clusters that hold no item are none. */
#ifndef SCDC_MODEL_FINISH_H
#define SCDC_MODEL_FINISH_H

#include "model/use/settled.h"

int finish_fit(scdc_model *model, const scdc_data *data);
/* SCDC_ERR_ARGUMENT when so many clusters were asked for that some hold no item; asked when a
 * network has had its say, too. */
int clusters_as_asked(const scdc_model *model);

/* What the mixture, a classifier taught by all answers, and neighbours count (classes/). Leaves the
 * items among their neighbours in h, unless it did not look at these (h->n is 0). */
int weigh_experts(scdc_model *model, hood *h, const scdc_data *data);

#endif
