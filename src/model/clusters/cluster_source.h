/* Where clusters come from, as the cluster level sees it: groups of components, which answers and
 * neighbours decide again and again, or clusters that are given and stay (classes learned from
 * answers, or chosen together with the components). Which of them it is is written here alone:
 * cores, loops and the rest of the cluster level do not ask. */
#ifndef SCDC_MODEL_CLUSTER_SOURCE_H
#define SCDC_MODEL_CLUSTER_SOURCE_H

#include "model/clusters/cluster_level.h"

typedef struct cluster_source {
    int (*link)(cluster_level *t, const float *x, const uint32_t *component, size_t n,
                uint64_t seed);
    /* Components into clusters, by links and (unless `answers` is false) answers. */
    int (*group)(cluster_level *t, bool answers);
    /* Adds what it knows of rows to the messages of a minibatch. Returns the first row with any. */
    size_t (*add_to_field)(cluster_level *t, const minibatch *b);
} cluster_source;

extern const cluster_source grouped_components, given_clusters;

#endif
