/* When a fit has done enough: the bound no longer rises, or items no longer change clusters. */
#ifndef SCDC_MODEL_STOP_H
#define SCDC_MODEL_STOP_H

#include "model/model.h"

/* Clusters [count] of evenly spread items, each placed by its values alone; count at most N. */
int sample_clusters(int64_t *cluster, size_t count, scdc_model *model, const scdc_data *data);

/* Of n items, those outside the largest part of each old cluster or of each new one, whichever are
 * more: clusters that fall apart and clusters that join. Numbers from -1 (none) to `clusters` - 1;
 * `table` has (clusters + 1)^2 zeros. */
size_t count_moved(const int64_t *before, const int64_t *after, size_t n, size_t clusters,
                   size_t *table);

/* Share of a sample of items that moved (see above) since the last time; 1 when there is nothing to
 * compare with. Remembers the sample for the next time. For a model with a cluster level. */
int share_moved(double *moved, scdc_model *model, const scdc_data *data);

/* Epochs that left the clusters as they were, after one more that moved this share of the items.
 * Only items count: a cluster that holds none may come and go. */
size_t steady_after(size_t steady, double moved);

/* True when for `patience` epochs the bound has not risen, or clusters stayed as they were. */
bool fit_is_done(scdc_model *model, const scdc_epoch *last);

#endif
