/* Groupings at the level of clusters: what the placements of a task say about an item, its worker
 * and clusters. Each cluster has a pile of its own in every task, unknown but for the items that
 * lie there: P(pile g | cluster) = B_t[cluster, g]. A worker who puts two clusters on one pile, or
 * one cluster on several, is understood; an item on a wrong pile is one slip.
 *
 * An item goes where its cluster is with the probability `stay`, else it is a stray: by itself with
 * the probability `alone`, or on any of the G piles. A cluster that is new in the task opens
 * another pile with m_new = apart^G and joins each with m_g = (1 - m_new) / G. Both rates follow
 * from the worker's two coins. Given the other items of the task, n_cg of which are of cluster c,
 * on pile g and meant to be there rather than strays, P(g | c) = stay (n_cg + a m_g) / (n_c + a) +
 * (1 - stay) s_g,   a = 1 - stay, s being where strays go. Where it is not sure that any other is
 * of cluster c, the row is mixed with m_g accordingly (docs/math.md, section 7). */
#ifndef SCDC_MODEL_PILES_H
#define SCDC_MODEL_PILES_H

#include "crowd/placements.h"
#include "crowd/two_coin.h"

typedef struct piles {
    placements tasks;
    size_t nodes, clusters; /* C at present */
    size_t workers;         /* who have a task: numbers are below this */
    bool shared;            /* all workers are one */
    size_t *row;            /* [tasks + 1] where the piles of a task begin */
    const bool *left_out;   /* [placements] that are not heard; NULL: all are */
    uint32_t *height; /* [all piles] items on each, as are the next two without those left out */
    uint32_t *filled, *items; /* [tasks] piles with items, and items */
    double *stay, *apart;     /* [tasks] of the task's worker */
    double alone;             /* share of strays that lie by themselves, of the whole crowd */
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

/* Leaves placements [count] out from now on (NULL: none), and forgets all items. Borrowed. */
void piles_leave_out(piles *p, const bool *left_out);
/* Forgets all items; from now on there are so many clusters. */
void piles_reset(piles *p, size_t clusters);
/* The clusters [C] of an item. O(C) for each of its tasks. */
void piles_set(piles *p, size_t node, const double *c);
/* How good the workers are: from their placements as the items are now, each drawn towards the
 * crowd of them by a few placements; before any item is known, from their (expected) logs. */
void piles_weigh(piles *p, const two_coin *workers);

/* out [C + 1] = ln P(the pile of a placement | cluster of its item, all other items of the task);
 * the last one for an item of no cluster. O(C G). */
void piles_message(double *out, const piles *p, size_t placement);

/* Adds expected counts of workers: as many as the placements of a task are worth, however many
 * pairs they make. */
void piles_count(two_coin_counts *workers, const piles *p);

/* Sums over all placements: expected log likelihood given all others; and the log likelihood when
 * a placement's own message is taken back from its item. */
double piles_term(const piles *p);
double piles_held_out(const piles *p);
/* Adds log likelihoods of the placements that are left out to sums [count], their items being c
 * [nodes][C]: as the model says with the probability 1 - slip, else anywhere. */
void piles_foretold(double *sums, const piles *p, const double *c, const double *slips,
                    size_t count);

#endif
