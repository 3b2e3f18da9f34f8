/* One start of a fit. */
#ifndef SCDC_MODEL_FIT_H
#define SCDC_MODEL_FIT_H

#include "model/model.h"
#include "model/train/problem.h"

/* Who is told about progress, and which of several starts this is. */
typedef struct listener {
    scdc_progress_fn progress;
    void *user;
    size_t restart, restarts;
} listener;

/* On SCDC_ERR_STOPPED *out holds the model so far. */
int fit_once(scdc_model **out, const scdc_data *data, const scdc_crowd *crowd,
             const scdc_options *options, const listener *to);

batcher_spec batches_of(const core_spec *spec, const input_scale *input, const scdc_data *data,
                        const scdc_crowd *crowd);
/* A model in its first state; it owns the problem's inputs from here on. */
int start_model(scdc_model **out, problem *p, const scdc_crowd *crowd);
/* From where the model stands to so many epochs in all, and the experts' weights at the end. */
int fit_run(scdc_model *model, const scdc_data *data, const batcher_spec *batches, size_t epochs,
            const listener *to);

#endif
