/* Pixels keep their proportions (input.h): how much a column varies tells how much it matters. Of
 * few images it often tells only where light falls. Where there are answers, they decide. */
#ifndef SCDC_MODEL_TRAIN_SCALE_TRIAL_H
#define SCDC_MODEL_TRAIN_SCALE_TRIAL_H

#include "model/train/problem.h"

/* A fit without networks of few items whose columns were taken to be of one kind: each column by
 * its own width, with latents of its own, if answers are likelier by the components that these
 * show. Not asked when options tell the scaling or the latent size, nor without answers. */
int scale_by_answers(problem *p, const scdc_data *data, const scdc_crowd *crowd,
                     const scdc_options *options);

/* The same of many columns that hold more than the most latents show: twice as many latents, if
 * halves of the items show more clusters there as well, until answers are clearly likelier by the
 * components of the other. Many kinds need many directions (embeddings); others are only noise. */
int size_by_trials(problem *p, const scdc_data *data, const scdc_crowd *crowd,
                   const scdc_options *options);

#endif
