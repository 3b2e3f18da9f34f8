/* The default recipe's second level: what all answers together, and neighbours in latent space, say
 * about which components are one cluster; worker posteriors from all answers; messages to annotated
 * items from all their neighbours. Beside the core, not inside it: components are the core's. */
#ifndef SCDC_MODEL_TWOLEVEL_H
#define SCDC_MODEL_TWOLEVEL_H

#include "model/core.h"
#include "model/grouping.h"
#include "model/recall.h"

typedef struct twolevel {
    core *core;
    crowd_graph graph;
    recall recall;
    grouping groups;
    bool has_answers;
    /* Where a judge decides clusters: its word on every item, [N][verdict_classes]; else NULL. */
    float *verdict;
    size_t verdict_classes;
    /* strength: tempering of the neighbour evidence, in (0, 1]; coins: sensitivity and specificity
     * of the neighbour links; whether there are links; whether the clusters are given. */
    double *state;
    double *links, *evidence, *from_links, *share;
    bool *use;
    two_coin *workers;
    two_coin_counts *counts;
    double *field; /* [max_rows][K] */
    /* Clusters of evenly spread items after the last epoch, to see when they stay; at first -2. */
    int64_t *sample;
    size_t sampled;
    arena memory;
} twolevel;

/* For nodes annotated items (0: no answers). */
int twolevel_create(twolevel *out, core *c, size_t nodes);
/* The answers, borrowed. SCDC_ERR_ARGUMENT when they touch another number of items. */
int twolevel_attach(twolevel *t, const scdc_answer *answers, size_t n_answers);
void twolevel_free(twolevel *t);

/* The part of the state that is not the core's, for saving and snapshots; and what follows from it
 * after it was written. */
size_t twolevel_tensors(tensor_ref *out, twolevel *t);
int twolevel_restore(twolevel *t);
/* What was written from outside names existing components and clusters only. */
bool twolevel_valid(const twolevel *t);

/* Links of all items to their neighbours, from their latent means x [N][d] and components. */
int twolevel_link(twolevel *t, const float *x, const uint32_t *component, uint64_t seed);

/* First clusters from the links alone, and what they say of the workers: whoever contradicts the
 * items is not believed from the start, be they half of the crowd. */
int twolevel_begin(twolevel *t);
/* The cluster of every component, [K], is given and stays. */
void twolevel_fix_clusters(twolevel *t, const uint32_t *cluster);
bool twolevel_fixed(const twolevel *t);
/* Groups components (unless that is given) and re-estimates all workers, `rounds` times in turn. */
int twolevel_regroup(twolevel *t, size_t rounds);

/* Adds the messages of all answers to a minibatch of PLAN_REMEMBERED. */
void twolevel_send(twolevel *t, minibatch *b);
/* Remembers q(z) [rows][K] of a minibatch's annotated rows. */
void twolevel_remember(twolevel *t, const minibatch *b, const double *z);
/* The mean log likelihood of an answer, foretold by everything else; 0 without answers. */
double twolevel_foretold(const twolevel *t);
/* The answer term of the bound, and the prior of the grouping subtracted. */
double twolevel_answer_term(const twolevel *t);

#endif
