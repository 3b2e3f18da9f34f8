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

/* A way to believe links, and how well its clusters foretell what was kept back. */
typedef struct belief {
    cluster_state state;
    double fit;
    size_t clusters;
} belief;

/* Groups components this way. */
static int try_belief(belief *b, cluster_level *t, const kept_answers *kept)
{
    double *word;
    t->state = b->state;
    SCDC_TRY(t->source->group(t, true));
    b->clusters = t->groups.clusters;
    SCDC_TRY(mem_zeroed(&word, t->graph.nodes, b->clusters * sizeof *word, "clusters"));
    clusters_of_nodes(word, t);
    b->fit = kept_answers_fit(kept, word, b->clusters);
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

/* How well they are foretold by one cluster of all items. */
static int fit_of_nothing(double *fit, const cluster_level *t, const kept_answers *kept)
{
    double *one;
    SCDC_TRY(mem_zeroed(&one, t->graph.nodes, sizeof *one, "clusters"));
    for (size_t i = 0; i < t->graph.nodes; i++) one[i] = 1;
    *fit = kept_answers_fit(kept, one, 1);
    mem_free(one);
    return SCDC_OK;
}

enum { MOST_WAYS = 2 * (1 + N_WEAK) };

/* Ways [MOST_WAYS] with and without views, at the strength that answers about pairs tell and at so
 * many weaker ones. Returns in *ways how many there are. */
static int try_all(belief *b, size_t *ways, cluster_level *t, const kept_answers *kept,
                   size_t weaker)
{
    cluster_state before = t->state;
    size_t kinds = has_views(t) ? 2 : 1;
    double coins[2] = {0}; /* of neighbours, by clusters that they and answers made */
    *ways = kinds * (1 + weaker);
    for (size_t way = 0; way < *ways; way++) {
        size_t weak = way / kinds;
        bool viewed = way % kinds;
        b[way].state = before;
        b[way].state.has_links = weak ? (viewed ? HELD_LINKS_AND_VIEWS : HELD_LINKS)
                                      : (viewed ? LINKS_AND_VIEWS : LINKS);
        if (weak) {
            b[way].state.strength = ldexp(1, WEAK[weak - 1]);
            memcpy(b[way].state.coins, coins, sizeof coins);
        }
        SCDC_TRY(try_belief(&b[way], t, kept));
        if (way == 0) memcpy(coins, t->state.coins, sizeof coins);
    }
    return SCDC_OK;
}

/* The one that foretells best; where weaker links are among them, of those that do nearly so the
 * one of the fewest clusters: pieces of a kind foretell as well as the kind. */
static size_t choose(const belief *b, size_t ways, bool fewest)
{
    size_t best = 0;
    for (size_t way = 1; way < ways; way++) {
        if (b[way].fit > b[best].fit) best = way;
    }
    size_t chosen = best;
    for (size_t way = 0; way < ways && fewest; way++) {
        if (b[way].fit < b[best].fit - EXPERT_MUST_GAIN) continue;
        bool fewer = b[way].clusters < b[chosen].clusters;
        bool better = b[way].clusters == b[chosen].clusters && b[way].fit > b[chosen].fit;
        if (fewer || better) chosen = way;
    }
    return chosen;
}

static int weigh(cluster_level *t, size_t weaker)
{
    kept_answers kept;
    belief b[MOST_WAYS];
    size_t ways = 0, usual = has_views(t) ? 2 : 1;
    double nothing = 0;
    int status = kept_answers_create(&kept, t);
    if (status == SCDC_OK && kept.count) {
        SCDC_TRY_OR(done, status, try_all(b, &ways, t, &kept, weaker));
        SCDC_TRY_OR(done, status, fit_of_nothing(&nothing, t, &kept));
        size_t best = choose(b, ways, false);
        bool told = weaker && b[best].fit > nothing + LINKS_MUST_TELL;
        t->state = b[told ? choose(b, ways, true) : choose(b, usual, false)].state;
        status = t->source->group(t, true);
    }
done:
    kept_answers_free(&kept);
    return status;
}

int cluster_level_weigh_views(cluster_level *t)
{
    return t->unheard && t->state.has_links && has_views(t) ? weigh(t, 0) : SCDC_OK;
}

int cluster_level_weigh_links(cluster_level *t)
{
    return t->unheard && t->state.has_links ? weigh(t, N_WEAK) : SCDC_OK;
}
