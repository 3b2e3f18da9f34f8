/* Whether links of views count beside answers. */
#include "base/status.h"
#include "model/clusters/cluster_source.h"
#include "model/clusters/kept_answers.h"

#include <string.h>

/* Clusters [nodes][C] of the annotated items as they are remembered. */
static void clusters_of_nodes(double *word, cluster_level *t)
{
    size_t K = t->core->spec.components, C = t->groups.clusters;
    double *z = t->field; /* the messages of a minibatch are long heard */
    for (size_t n = 0; n < t->graph.nodes; n++, word += C) {
        remembered_read(z, &t->remembered, n);
        memset(word, 0, C * sizeof *word);
        for (size_t k = 0; k < K; k++) {
            if (z[k] == 0) continue;
            for (size_t c = 0; c < C; c++) word[c] += z[k] * t->groups.q[k * K + c];
        }
    }
}

/* Groups components with or without views; *fit is how well that foretells what was kept back. */
static int try_views(double *fit, cluster_level *t, const kept_answers *kept, bool views)
{
    double *word;
    t->state.has_links = views ? 2 : 1;
    SCDC_TRY(t->source->group(t, true));
    SCDC_TRY(mem_zeroed(&word, t->graph.nodes, t->groups.clusters * sizeof *word, "clusters"));
    clusters_of_nodes(word, t);
    *fit = kept_answers_fit(kept, word, t->groups.clusters);
    mem_free(word);
    return SCDC_OK;
}

static bool has_views(const cluster_level *t)
{
    size_t K = t->core->spec.components;
    for (size_t i = 0; i < K * K; i++) {
        if (t->views[i] > 0) return true;
    }
    return false;
}

int cluster_level_weigh_views(cluster_level *t)
{
    cluster_state before = t->state;
    kept_answers kept;
    double with = 0, without = 0;
    if (!t->unheard || !t->state.has_links || !has_views(t)) return SCDC_OK;
    int status = kept_answers_create(&kept, t);
    if (status == SCDC_OK) status = try_views(&without, t, &kept, false);
    t->state = before;
    if (status == SCDC_OK) status = try_views(&with, t, &kept, true);
    t->state = before;
    t->state.has_links = with > without ? 2 : 1;
    if (status == SCDC_OK) status = t->source->group(t, true);
    kept_answers_free(&kept);
    return status;
}
