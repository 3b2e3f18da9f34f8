/* The figure of the items that a model is surest of: a row per cluster. */
#ifndef SCDC_REPRODUCE_CERTAIN_H
#define SCDC_REPRODUCE_CERTAIN_H

#include <scdc/scdc.h>

/* A PNG of the `count` images of `images` with the largest probability of each cluster, the surest
 * first; clusters from the largest to the smallest, at most `most` of them. */
int certain_write(const char *path, const scdc_model *model, const scdc_data *images, size_t count,
                  size_t most);

#endif
