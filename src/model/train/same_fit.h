/* Whether all processes that are to share a fit have the same program, options, items and answers.
 */
#ifndef SCDC_MODEL_TRAIN_SAME_FIT_H
#define SCDC_MODEL_TRAIN_SAME_FIT_H

#include <scdc/scdc.h>

/* SCDC_ERR_ARGUMENT, on all of them, naming the first that differs and in what. Of many items some
 * thousand are compared, those evenly spaced. */
int same_fit(const scdc_data *data, const scdc_crowd *crowd, const scdc_options *options);
/* The state of a fit that goes on. */
int same_state(const scdc_model *model);

#endif
