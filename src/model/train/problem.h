/* What a fit is made from: data, answers and options as the sizes and choices of a core. */
#ifndef SCDC_MODEL_TRAIN_PROBLEM_H
#define SCDC_MODEL_TRAIN_PROBLEM_H

#include "model/core.h"
#include "model/train/batcher.h"
#include "model/train/linear_map.h"

typedef struct problem {
    core_spec spec;
    input_scale input; /* owned until a model takes it */
    linear_map map;    /* net linear; else empty */
} problem;

/* Fills in what is automatic, chooses likelihood, scaling and, without networks, the latents. On
 * failure what was made is freed by problem_free. */
int problem_describe(problem *p, const scdc_data *data, const scdc_crowd *crowd,
                     const scdc_options *options);
void problem_free(problem *p);
/* The most rows and answers the core will see at once. */
int problem_measure(core_spec *spec, const batcher_spec *batches, const scdc_data *data);

/* Answers are about items that exist. */
int crowd_check(const scdc_crowd *crowd, const scdc_data *data);
/* Items with answers; crowd may be NULL. */
int crowd_annotated(size_t *out, const scdc_crowd *crowd);
/* Its answers, NULL and 0 without a crowd. */
const scdc_answer *crowd_answers_of(const scdc_crowd *crowd, size_t *count);

#endif
