/* Clusters that are given and stay; where a classifier decides them, its word on every item. */
#include "base/status.h"
#include "model/clusters/cluster_source.h"

#include <math.h>
#include <string.h>

void cluster_level_fix_clusters(cluster_level *t, const uint32_t *cluster)
{
    size_t K = t->core->spec.components;
    memset(t->groups.q, 0, K * K * sizeof *t->groups.q);
    for (size_t k = 0; k < K; k++) {
        if (cluster[k] != NO_CLUSTER) t->groups.q[k * K + cluster[k]] = 1;
    }
    t->groups.kl = 0;
    /* Links have nothing to say any more. */
    memset(t->links, 0, K * K * sizeof *t->links);
    t->state.has_links = 0;
    if (!cluster_level_fixed(t)) t->state.given = 1;
    t->source = &given_clusters;
    grouping_restore(&t->groups);
}

bool cluster_level_fixed(const cluster_level *t)
{
    return t->state.given > 0;
}

void cluster_level_given_by(cluster_level *t, given_by by)
{
    t->state.given = by;
}

bool cluster_level_is_given_by(const cluster_level *t, given_by by)
{
    return t->state.given > by - 0.5 && t->state.given < by + 0.5;
}

static int link_nothing(cluster_level *t, const float *x, const uint32_t *component, size_t n,
                        uint64_t seed)
{
    (void)t, (void)x, (void)component, (void)n, (void)seed;
    return SCDC_OK;
}

static int stay(cluster_level *t, bool answers)
{
    (void)t, (void)answers;
    return SCDC_OK;
}

/* The classifier's word on every row. */
static size_t add_verdict(cluster_level *t, const minibatch *b)
{
    size_t K = t->core->spec.components, C = t->verdict_classes;
    if (!t->verdict) return b->plain; /* the mixture places items itself */
    for (size_t row = 0; row < b->rows; row++) {
        const float *p = t->verdict + b->item[row] * C;
        for (size_t k = 0; k < K; k++) {
            int64_t cluster = t->groups.cluster[k];
            double own = cluster >= 0 && cluster < (int64_t)C ? (double)p[cluster] : 0;
            t->field[row * K + k] += log(own > 1e-6 ? own : 1e-6);
        }
    }
    return 0;
}

const cluster_source given_clusters = {link_nothing, stay, add_verdict};
