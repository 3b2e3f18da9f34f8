/* Groupings at the level of clusters: what the placements of a task say about an item, its worker
 * and clusters. Each cluster has a pile of its own in every task, unknown but for the items that
 * lie there: P(pile g | cluster) = B_t[cluster, g]. A worker who puts two clusters on one pile, or
 * one cluster on several, is understood; an item on a wrong pile is one slip.
 *
 * The worker's two coins say all that is needed, and two items give back exactly these:
 *   stay   an item goes where its cluster is, stay^2 = (alpha + beta - 1) / beta; else anywhere,
 *   apart  a cluster that is new in the task and one of those before it are apart: beta. So among
 *          G piles it opens another with m_new = beta^G and joins each with m_g = (1 - m_new) / G.
 * Given the other items of the task, n_cg of which are of cluster c and on pile g,
 *   P(g | c) = stay (n_cg + a m_g) / (n_c + a) + (1 - stay) m_g,   a = (1 - stay) / stay.
 * Where it is not sure that any other is of cluster c, the row is mixed with m_g accordingly. */
#ifndef SCDC_MODEL_PILES_H
#define SCDC_MODEL_PILES_H

#include "crowd/placements.h"
#include "crowd/two_coin.h"

typedef struct piles {
    placements tasks;
    size_t nodes, clusters;   /* C at present */
    size_t workers;           /* who have a task: numbers are below this */
    bool shared;              /* all workers are one */
    size_t *row;              /* [tasks + 1] where the piles of a task begin */
    uint32_t *height;         /* [all piles] items on each */
    double *stay, *apart;     /* [tasks] of the task's worker */
    double *same, *different; /* [tasks] weights of its answers, were they pairs */
    double *c;                /* [nodes][C] clusters of items; rows may sum to less than 1 */
    double *on;               /* [all piles][C] n_cg */
    double *of;               /* [tasks][C] n_c */
    double *absent;           /* [tasks][C] ln P(no item is of cluster c) */
    two_coin_counts *counts;  /* [workers] scratch */
    double *message;          /* [C + 1] scratch */
    arena memory;
} piles;

/* Finds the groupings among the answers; up to `most` clusters. */
int piles_create(piles *out, const scdc_answer *answers, const crowd_graph *graph, size_t most);
void piles_free(piles *p);

/* Forgets all items; from now on there are so many clusters. */
void piles_reset(piles *p, size_t clusters);
/* The clusters [C] of an item. O(C) for each of its tasks. */
void piles_set(piles *p, size_t node, const double *c);
/* How good the workers are: from their placements as the items are now, each drawn towards the
 * crowd of them by a few placements; before any item is known, from their (expected) logs. */
void piles_weigh(piles *p, const two_coin *workers);

/* out [C + 1] = ln P(the pile of a placement | cluster of its item, all other items of the task);
 * the last one for an item of no cluster. O(C). */
void piles_message(double *out, const piles *p, size_t placement);

/* Adds expected counts of workers: as many as the placements of a task are worth, however many
 * pairs they make. */
void piles_count(two_coin_counts *workers, const piles *p);

/* Sums over all placements: expected log likelihood given all others; and the log likelihood when
 * a placement's own message is taken back from its item. */
double piles_term(const piles *p);
double piles_held_out(const piles *p);

#endif
