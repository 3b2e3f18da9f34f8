/* When a fit has done enough: the bound no longer rises, or items no longer change clusters. */
#ifndef SCDC_MODEL_STOP_H
#define SCDC_MODEL_STOP_H

#include "model/model.h"

/* Clusters [count] of evenly spread items, each placed by its values alone; count at most N. */
int sample_clusters(int64_t *cluster, size_t count, scdc_model *model, const scdc_data *data);

/* Share of a sample of items whose cluster is not the one most of its old cluster went to; 1 when
 * there is nothing to compare with. Remembers the sample for the next time. For a model with a
 * cluster level. */
int share_moved(double *moved, scdc_model *model, const scdc_data *data);

/* True when for `patience` epochs the bound has not risen, or clusters stayed as they were. */
bool fit_is_done(scdc_model *model, const scdc_epoch *last);

#endif
