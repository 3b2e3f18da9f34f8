/* Whether links of views count beside answers, and how much links do. */
#include "base/status.h"
#include "model/clusters/cluster_source.h"
#include "model/clusters/kept_answers.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

/* Powers of two that are tried beside the strength that answers about pairs of components tell. */
static const int WEAK[] = {-8, -10, -12};
enum { N_WEAK = sizeof WEAK / sizeof *WEAK };

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

/* A way to believe links, and how well it foretells what was kept back. */
typedef struct belief {
    cluster_state state;
    double fit;
} belief;

/* Groups components this way. */
static int try_belief(belief *b, cluster_level *t, const kept_answers *kept)
{
    double *word;
    t->state = b->state;
    SCDC_TRY(t->source->group(t, true));
    SCDC_TRY(mem_zeroed(&word, t->graph.nodes, t->groups.clusters * sizeof *word, "clusters"));
    clusters_of_nodes(word, t);
    b->fit = kept_answers_fit(kept, word, t->groups.clusters);
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

/* The best of both, views or not, at the strength that answers about pairs tell, and at weaker ones
 * if these are clearly better. */
static int try_all(belief *best, cluster_level *t, const kept_answers *kept)
{
    cluster_state before = t->state;
    bool views = has_views(t);
    best->fit = -INFINITY;
    for (size_t way = 0; way < (size_t)(views ? 2 : 1) * (1 + N_WEAK); way++) {
        size_t weak = way / (views ? 2 : 1);
        belief b = {.state = before};
        bool viewed = views && way % 2;
        b.state.has_links = weak ? (viewed ? HELD_LINKS_AND_VIEWS : HELD_LINKS)
                                 : (viewed ? LINKS_AND_VIEWS : LINKS);
        if (weak) b.state.strength = ldexp(1, WEAK[weak - 1]);
        SCDC_TRY(try_belief(&b, t, kept));
        bool held = links_are_held(&best->state) == links_are_held(&b.state);
        if (way == 0 || b.fit > best->fit + (held ? 0 : LEAST_GAIN)) *best = b;
    }
    return SCDC_OK;
}

int cluster_level_weigh_views(cluster_level *t)
{
    cluster_state before = t->state;
    kept_answers kept;
    belief best = {.state = before};
    if (!t->unheard || !t->state.has_links) return SCDC_OK;
    int status = kept_answers_create(&kept, t);
    if (status == SCDC_OK && kept.count) {
        status = try_all(&best, t, &kept);
        t->state = before;
        t->state.has_links = best.state.has_links;
        if (links_are_held(&best.state)) t->state.strength = best.state.strength;
        if (status == SCDC_OK) status = t->source->group(t, true);
    }
    kept_answers_free(&kept);
    return status;
}
