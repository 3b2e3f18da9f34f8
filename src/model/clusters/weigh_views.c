/* Whether links of views count beside answers, and how much links do. */
#include "base/status.h"
#include "model/clusters/cluster_source.h"
#include "model/clusters/kept_answers.h"
#include "model/clusters/link_trial.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

/* Powers of two that are tried beside the strength that answers about pairs of components tell. */
static const int WEAK[LINK_WEAKER] = {-8, -10, -12};
enum { TOGETHER = 1, ALIKE = 2, MIDDLE = 2 }; /* kinds, and the strength in the middle */

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

/* Groups components this way. */
static int try_belief(link_belief *b, cluster_level *t, const kept_answers *kept)
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

static size_t kinds_of(const cluster_level *t)
{
    return look_alikes_count(&t->state) ? 3 : has_views(t) ? 2 : 1;
}

static double links_of(size_t kind, bool held)
{
    static const double links[LINK_KINDS][2] = {{LINKS, HELD_LINKS},
                                                {LINKS_AND_VIEWS, HELD_LINKS_AND_VIEWS},
                                                {LOOK_ALIKES, HELD_LOOK_ALIKES}};
    return links[kind][held];
}

/* Whether a way is tried. Where there are look-alikes: these, and all links together, weaker (at
 * their usual strength, too: they learn their coins there). */
static bool is_tried(const link_trial *trial, size_t way)
{
    size_t kind = way % trial->kinds, weak = way / trial->kinds;
    if (trial->kinds <= ALIKE) return true;
    return way == ALIKE || (kind == TOGETHER && (!weak || weak == MIDDLE));
}

static int try_all(link_belief *b, const link_trial *trial, cluster_level *t,
                   const kept_answers *kept)
{
    cluster_state before = t->state;
    size_t kinds = trial->kinds;
    double coins[LINK_KINDS][2] = {{0}}; /* of links, by clusters that they and answers made */
    for (size_t way = 0; way < trial->ways; way++) {
        size_t weak = way / kinds, kind = way % kinds;
        if (!is_tried(trial, way)) continue;
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

/* The way that foretells best, of the first so many. */
static size_t best_of(const link_trial *trial, size_t ways)
{
    size_t best = 0;
    for (size_t way = 1; way < ways; way++) {
        if (trial->way[way].fit > trial->way[best].fit) best = way;
    }
    return best;
}

/* Of those that do so nearly the one of the fewest clusters: pieces of a kind foretell as well as
 * the kind. */
static size_t fewest_of(const link_trial *trial)
{
    const link_belief *b = trial->way;
    size_t best = best_of(trial, trial->ways), chosen = best;
    for (size_t way = 0; way < trial->ways; way++) {
        if (b[way].fit < b[best].fit - EXPERT_MUST_GAIN) continue;
        bool fewer = b[way].clusters < b[chosen].clusters;
        bool better = b[way].clusters == b[chosen].clusters && b[way].fit > b[chosen].fit;
        if (fewer || better) chosen = way;
    }
    return chosen;
}

static size_t without_look_alikes(const link_trial *trial)
{
    double best = trial->way[best_of(trial, trial->ways)].fit;
    bool told = trial->ways > trial->kinds && best > trial->nothing + LINKS_MUST_TELL;
    return told ? fewest_of(trial) : best_of(trial, trial->kinds);
}

/* Answers that say little take nothing back that look-alikes showed. Others are mostly too noisy to
 * tell ways apart: what did best on several kinds of data is taken unless it is clearly worse. */
static size_t with_look_alikes(const link_trial *trial)
{
    size_t together = MIDDLE * trial->kinds + TOGETHER;
    double fit = trial->way[together].fit / trial->times;
    bool told = fit > trial->nothing / trial->times + LINKS_MUST_TELL;
    bool worse = trial->way[ALIKE].fit / trial->times > fit + EXPERT_MUST_GAIN;
    return trial->ways > together && told && !worse ? together : ALIKE;
}

void link_trial_begin(link_trial *trial, const cluster_level *t, size_t weaker, double times)
{
    *trial = (link_trial){.kinds = kinds_of(t), .times = times};
    trial->ways = trial->kinds * (1 + weaker);
}

int link_trial_add(link_trial *trial, cluster_level *t)
{
    kept_answers kept;
    link_belief b[LINK_WAYS];
    double nothing;
    int status = kept_answers_create(&kept, t);
    if (status == SCDC_OK && kept.count) {
        SCDC_TRY_OR(done, status, try_all(b, trial, t, &kept));
        SCDC_TRY_OR(done, status, fit_of_nothing(&nothing, t, &kept));
        for (size_t way = 0; way < trial->ways; way++) {
            if (!is_tried(trial, way)) continue;
            trial->way[way].state = b[way].state;
            trial->way[way].fit += b[way].fit;
            trial->way[way].clusters += b[way].clusters;
        }
        trial->kept += kept.count;
        trial->nothing += nothing;
    }
done:
    kept_answers_free(&kept);
    return status;
}

void link_trial_choose(const link_trial *trial, cluster_level *t)
{
    if (!trial->kept) return;
    size_t way = trial->kinds > ALIKE ? with_look_alikes(trial) : without_look_alikes(trial);
    t->state = trial->way[way].state;
}

static int weigh(cluster_level *t, size_t weaker)
{
    link_trial trial;
    link_trial_begin(&trial, t, weaker, 1);
    SCDC_TRY(link_trial_add(&trial, t));
    if (!trial.kept) return SCDC_OK;
    link_trial_choose(&trial, t);
    return t->source->group(t, true);
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
    return t->unheard && t->state.has_links ? weigh(t, LINK_WEAKER) : SCDC_OK;
}
