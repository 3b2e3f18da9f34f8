/* One start of a fit. */
#ifndef SCDC_MODEL_FIT_H
#define SCDC_MODEL_FIT_H

#include "model/model.h"

/* Who is told about progress, and which of several starts this is. */
typedef struct listener {
    scdc_progress_fn progress;
    void *user;
    size_t restart, restarts;
} listener;

/* On SCDC_ERR_STOPPED *out holds the model so far. */
int fit_once(scdc_model **out, const scdc_data *data, const scdc_crowd *crowd,
             const scdc_options *options, const listener *to);

#endif
