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

/* Links of neighbours, these and links of views, and look-alikes alone: three kinds of links where
 * the views are look-alikes, else two, or one where there are no views. */
enum { MOST_KINDS = 3, ALIKE = 2, MOST_WAYS = MOST_KINDS * (1 + N_WEAK) };

static size_t kinds_of(const cluster_level *t)
{
    return look_alikes_count(&t->state) ? 3 : has_views(t) ? 2 : 1;
}

static double links_of(size_t kind, bool held)
{
    static const double links[MOST_KINDS][2] = {{LINKS, HELD_LINKS},
                                                {LINKS_AND_VIEWS, HELD_LINKS_AND_VIEWS},
                                                {LOOK_ALIKES, HELD_LOOK_ALIKES}};
    return links[kind][held];
}

/* Ways [MOST_WAYS], kinds of links in turn, at the strength that answers about pairs tell and at so
 * many weaker ones. Returns in *ways how many there are. */
static int try_all(belief *b, size_t *ways, cluster_level *t, const kept_answers *kept,
                   size_t weaker)
{
    cluster_state before = t->state;
    size_t kinds = kinds_of(t);
    double coins[MOST_KINDS][2] = {{0}}; /* of links, by clusters that they and answers made */
    *ways = kinds * (1 + weaker);
    for (size_t way = 0; way < *ways; way++) {
        size_t weak = way / kinds, kind = way % kinds;
        b[way].state = before;
        b[way].state.has_links = links_of(kind, weak);
        if (weak) {
            b[way].state.strength = ldexp(1, WEAK[weak - 1]);
            memcpy(b[way].state.coins, coins[kind], sizeof coins[kind]);
        }
        SCDC_TRY(try_belief(&b[way], t, kept));
        if (!weak) memcpy(coins[kind], t->state.coins, sizeof coins[kind]);
    }
    return SCDC_OK;
}

/* Ways that one is chosen among: those of kinds first to last. */
typedef struct choice {
    const belief *b;
    size_t ways, kinds, first, last;
} choice;

static bool is_open(const choice *c, size_t way)
{
    return way % c->kinds >= c->first && way % c->kinds <= c->last;
}

/* The one that foretells best. */
static size_t best_of(const choice *c)
{
    size_t best = c->first;
    for (size_t way = 0; way < c->ways; way++) {
        if (is_open(c, way) && c->b[way].fit > c->b[best].fit) best = way;
    }
    return best;
}

/* Of those that do so nearly the one of the fewest clusters: pieces of a kind foretell as well as
 * the kind. */
static size_t fewest_of(const choice *c)
{
    const belief *b = c->b;
    size_t best = best_of(c), chosen = best;
    for (size_t way = 0; way < c->ways; way++) {
        if (!is_open(c, way) || b[way].fit < b[best].fit - EXPERT_MUST_GAIN) continue;
        bool fewer = b[way].clusters < b[chosen].clusters;
        bool better = b[way].clusters == b[chosen].clusters && b[way].fit > b[chosen].fit;
        if (fewer || better) chosen = way;
    }
    return chosen;
}

/* Look-alikes are believed, not neighbours, unless these foretell clearly better: answers that say
 * little take nothing back that no answers had. */
static choice look_alikes_or_not(const choice *all)
{
    choice others = *all, alike = *all;
    others.last = ALIKE - 1;
    alike.first = ALIKE;
    bool worse = all->b[best_of(&others)].fit > all->b[best_of(&alike)].fit + EXPERT_MUST_GAIN;
    return worse ? others : alike;
}

static int weigh(cluster_level *t, size_t weaker)
{
    kept_answers kept;
    belief b[MOST_WAYS];
    size_t ways = 0, kinds = kinds_of(t);
    double nothing = 0;
    int status = kept_answers_create(&kept, t);
    if (status == SCDC_OK && kept.count) {
        SCDC_TRY_OR(done, status, try_all(b, &ways, t, &kept, weaker));
        SCDC_TRY_OR(done, status, fit_of_nothing(&nothing, t, &kept));
        choice all = {b, ways, kinds, 0, kinds - 1};
        bool told = weaker && b[best_of(&all)].fit > nothing + LINKS_MUST_TELL;
        if (!told) all.ways = kinds;
        if (kinds > ALIKE) all = look_alikes_or_not(&all);
        t->state = b[told ? fewest_of(&all) : best_of(&all)].state;
        status = t->source->group(t, true);
    }
done:
    kept_answers_free(&kept);
    return status;
}

int cluster_level_told(double *told, cluster_level *t)
{
    kept_answers kept;
    double *word = NULL;
    size_t C = t->groups.clusters;
    *told = 0;
    int status = kept_answers_create(&kept, t);
    if (status == SCDC_OK && kept.count) {
        status = mem_zeroed(&word, t->graph.nodes, C * sizeof *word, "clusters");
        if (status == SCDC_OK) {
            clusters_of_nodes(word, t);
            *told = kept_answers_told(&kept, word, C);
        }
    }
    mem_free(word);
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
