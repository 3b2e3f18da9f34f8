/* Where clusters come from when latents are fixed: groups of components that the items form, or
 * classes learned from the answers. Both are found several times without some of the answers, and
 * compared by how likely these are under what they found. */
#ifndef SCDC_MODEL_CONTEST_H
#define SCDC_MODEL_CONTEST_H

#include "model/clusters/candidates.h"
#include "model/model.h"

/* Whether an answer is left out in a fold: every fifth pair; of a grouping the answers about every
 * tenth item, so that what is left is a grouping of the others. */
bool contest_leaves_out(const scdc_answer *a, uint32_t task, size_t fold);

/* The pool was opened with the model's own answers. Where classes win, model->doubt is how far
 * their word is to be doubted. */
int contest_classes(bool *win, scdc_model *model, const scdc_data *data, candidate_pool *pool);

#endif
