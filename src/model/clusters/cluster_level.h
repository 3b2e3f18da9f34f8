/* The default recipe's cluster level: what all answers together, and neighbours in latent space,
 * say about which components are one cluster; worker posteriors from all answers; messages to
 * annotated items from all their neighbours. Beside the core, not inside it: components are the
 * core's. */
#ifndef SCDC_MODEL_CLUSTER_LEVEL_H
#define SCDC_MODEL_CLUSTER_LEVEL_H

#include "model/core.h"
#include "model/clusters/grouping.h"
#include "model/clusters/remembered.h"

typedef enum given_by {
    GIVEN_BY_OTHERS = 1,
    GIVEN_BY_DENSITIES, /* of components */
    GIVEN_BY_NEIGHBOURS /* islands */
} given_by;

/* Links of neighbours, and whether those of views (or look-alikes) count, too; or links of
 * look-alikes alone. Held is whose strength answers kept back chose (weigh_views.c). */
enum links_state {
    NO_LINKS,
    LINKS,
    LINKS_AND_VIEWS,
    HELD_LINKS,
    HELD_LINKS_AND_VIEWS,
    LOOK_ALIKES,
    HELD_LOOK_ALIKES
};

typedef struct cluster_state {
    double strength;  /* tempering of the neighbour evidence, in (0, 1] */
    double coins[2];  /* sensitivity and specificity of the neighbour links */
    double has_links; /* a links_state */
    double given;     /* given_by: the clusters are given and stay; 0: they do not */
} cluster_state;

static inline bool views_count(const cluster_state *s)
{
    return s->has_links == LINKS_AND_VIEWS || s->has_links == HELD_LINKS_AND_VIEWS;
}

static inline bool look_alikes_count(const cluster_state *s)
{
    return s->has_links == LOOK_ALIKES || s->has_links == HELD_LOOK_ALIKES;
}

static inline bool links_are_held(const cluster_state *s)
{
    return s->has_links >= HELD_LINKS && s->has_links != LOOK_ALIKES;
}

/* What is known of links; their strength and coins only where they are held: otherwise both are
 * learned again from the answers at hand. */
static inline void take_links(cluster_state *to, const cluster_state *from)
{
    to->has_links = from->has_links;
    if (!links_are_held(from)) return;
    to->strength = from->strength;
    to->coins[0] = from->coins[0];
    to->coins[1] = from->coins[1];
}

typedef struct cluster_level {
    core *core;
    const struct cluster_source *source; /* where clusters come from */
    crowd_graph graph;
    remembered remembered;
    grouping groups;
    bool has_answers;
    bool updated; /* an update: answers came after the components were found */
    /* No answer had a say in the components: what links, those of views too, say of them alone
     * stays until answers say something else. */
    bool unasked;
    uint32_t *first; /* [K] then: clusters by links alone */
    /* Items [N_l] whose answers are kept back until the end of training (train/unheard.h); NULL:
     * there are none. */
    bool *unheard;
    /* Where a classifier decides clusters: its word on every item, [N][verdict_classes]; else NULL.
     */
    float *verdict;
    size_t verdict_classes;
    cluster_state state;
    /* [K][K] of neighbours; of views, or at the end of training of look-alikes. */
    double *links, *views;
    double *linked; /* those that are believed, added up */
    double *evidence, *from_links, *share;
    bool *use;
    two_coin *workers;
    two_coin_counts *counts;
    double *field; /* [max_rows][K] */
    /* Clusters of evenly spread items after the last epoch, to see when they stay; at first -2. */
    int64_t *sample;
    size_t sampled;
    arena memory;
} cluster_level;

/* For nodes annotated items (0: no answers). */
int cluster_level_create(cluster_level *out, core *c, size_t nodes);
/* The answers, borrowed. SCDC_ERR_ARGUMENT when they touch another number of items. */
int cluster_level_attach(cluster_level *t, const scdc_answer *answers, size_t n_answers);
void cluster_level_free(cluster_level *t);

/* The part of the state that is not the core's, for saving and snapshots; and what follows from it
 * after it was written. */
size_t cluster_level_tensors(tensor_ref *out, cluster_level *t);
int cluster_level_restore(cluster_level *t);
/* What was written from outside names existing components and clusters only. */
bool cluster_level_valid(const cluster_level *t);

/* Links of n items to their neighbours, from their latent means x [n][d] and components; none where
 * the clusters are given. */
int cluster_level_link(cluster_level *t, const float *x, const uint32_t *component, size_t n,
                       uint64_t seed);

/* Links of views [K][K], symmetric, beside those of neighbours; in all they count as much. */
void cluster_level_link_views(cluster_level *t, const double *links);

/* Links of components that look alike [K][K], symmetric, believed in place of those of neighbours
 * and of views, which are no more; in all they count as much as neighbours do. */
void cluster_level_link_look_alikes(cluster_level *t, const double *links);

/* Decides, where answers are kept back, whether links of views count beside the others: they join
 * pieces of a kind that few or noisy answers leave apart, and kinds that look alike. Clusters are
 * grouped both ways, and the one is taken that foretells better what was kept back. */
int cluster_level_weigh_views(cluster_level *t);
/* At the end of training also how strong links are: weaker ones let answers join what links leave
 * apart, and clusters are then what likely groupings have in common (likely_groupings.h). */
int cluster_level_weigh_links(cluster_level *t);

/* What answers kept back tell of the clusters as they are (kept_answers_told); 0: there are none.
 */
int cluster_level_told(double *told, cluster_level *t);

/* First clusters from the links alone, and what they say of the workers: whoever contradicts the
 * items is not believed from the start, be they half of the crowd. */
int cluster_level_begin(cluster_level *t);
/* The cluster of every component, [K], is given and stays; NO_CLUSTER: it holds nothing. */
#define NO_CLUSTER UINT32_MAX
void cluster_level_fix_clusters(cluster_level *t, const uint32_t *cluster);
/* Clusters get the numbers [clusters], several the same to be one; those of NO_CLUSTER are no more.
 */
void cluster_level_renumber(cluster_level *t, const uint32_t *number);
bool cluster_level_fixed(const cluster_level *t);
/* Who tells that given clusters are there. Where components are clusters of their own, not bricks
 * of another shape, their word on an item stands, and it need not hear its neighbours; where
 * neighbours tell, it should. */
void cluster_level_given_by(cluster_level *t, given_by by);
bool cluster_level_is_given_by(const cluster_level *t, given_by by);
/* Groups components (unless that is given) and re-estimates all workers, `rounds` times in turn. */
int cluster_level_regroup(cluster_level *t, size_t rounds);

/* Answers about these items [N_l] are kept back; all are heard; nothing is noted any more. */
int cluster_level_keep_back(cluster_level *t, const bool *unheard);
int cluster_level_hear_all(cluster_level *t);
void cluster_level_forget_unheard(cluster_level *t);

/* Worker posteriors from the annotated items as they are remembered; clusters stay. */
int cluster_level_judge_workers(cluster_level *t);

/* Adds the messages of all answers to a minibatch of PLAN_REMEMBERED. */
void cluster_level_send(cluster_level *t, minibatch *b);
/* Remembers q(z) [rows][K] of a minibatch's annotated rows. */
void cluster_level_remember(cluster_level *t, const minibatch *b, const double *z);
/* The mean log likelihood of an answer, foretold by everything else; 0 without answers. */
double cluster_level_held_out(const cluster_level *t);
/* The answer term of the bound, and the prior of the grouping subtracted. */
double cluster_level_answer_term(const cluster_level *t);

#endif
