/* Ways to believe links, judged by answers kept back: of one part of the annotated items, or of
 * several parts in turn. */
#ifndef SCDC_MODEL_LINK_TRIAL_H
#define SCDC_MODEL_LINK_TRIAL_H

#include "model/clusters/cluster_level.h"

/* Links of neighbours, these and links of views, and look-alikes alone: three kinds of links where
 * the views are look-alikes, else two, or one where there are no views. Each at the strength that
 * answers about pairs of components tell, and at some weaker ones. */
enum { LINK_KINDS = 3, LINK_WEAKER = 3, LINK_WAYS = LINK_KINDS * (1 + LINK_WEAKER) };

/* A way, how well its clusters foretell what was kept back, and how many there are; the sum of the
 * parts so far. */
typedef struct link_belief {
    cluster_state state;
    double fit;
    size_t clusters;
} link_belief;

typedef struct link_trial {
    link_belief way[LINK_WAYS]; /* kinds in turn */
    size_t ways, kinds, kept;   /* kept: answers that judged */
    double nothing;             /* how well one cluster of all items foretells */
    double times;               /* how often an answer judges */
} link_trial;

/* Nothing has judged yet. Weaker strengths, up to LINK_WEAKER, are tried, too. */
void link_trial_begin(link_trial *trial, const cluster_level *t, size_t weaker, double times);
/* Tries the ways on a level that keeps answers back and has heard the others. Its clusters are then
 * those of any way. */
int link_trial_add(link_trial *trial, cluster_level *t);
/* The way that is best, where any answer judged; clusters are not grouped again. */
void link_trial_choose(const link_trial *trial, cluster_level *t);

#endif
