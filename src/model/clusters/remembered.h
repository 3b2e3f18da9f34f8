/* Remembered messages: q(z_i) of every annotated item, kept between minibatches, so that an item
 * hears all of its neighbours and not only those drawn with it; and what follows from all answers
 * at once: evidence between components, worker posteriors, the answer term of the bound. Answers
 * are pairs or groupings (piles.h); callers need not ask which.
 *
 * Kept in a compact form: the `slots` most likely components of an item, renormalised. What that
 * drops is summed up in `dropped` (mean over items of the mass left out). */
#ifndef SCDC_MODEL_REMEMBERED_H
#define SCDC_MODEL_REMEMBERED_H

#include "base/memory.h"
#include "crowd/graph.h"
#include "kernels/gather.h"
#include "crowd/two_coin.h"
#include "model/clusters/piles.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REMEMBERED_SLOTS = 16 };

typedef struct remembered {
    const scdc_answer *answers; /* attached before use, as is the graph */
    const crowd_graph *graph;   /* over the N_l annotated items */
    size_t nodes, n_answers;    /* N_l, N_a */
    size_t components, slots;
    int32_t *component; /* [N_l][slots] */
    float *share;       /* [N_l][slots], sums to 1 over an item */
    float *lost;        /* [N_l] mass that did not fit into the slots */
    double *weight;     /* [N_a] w of every answer under the current worker posteriors */
    double *row;        /* [K] scratch */
    bool *unheard;      /* [N_l] items whose answers count as not given (remembered_hear) */
    bool *left_out;     /* [placements] of these; NULL: there are no groupings */
    /* Pairs alone: edges pair_start[i] .. pair_start[i + 1] - 1 of node i, numbers of the graph's.
     */
    size_t *pair_start;
    uint32_t *pair_edge;
    piles piles;
    const double *q; /* [K][stride] clusters of components, borrowed; NULL: none yet */
    size_t stride, clusters;
    double *by_pile;   /* [most piles of a task][K] scratch of the evidence */
    double *mass;      /* [2][K] */
    uint32_t *live;    /* [K] */
    gather_term *term; /* [K] */
    arena memory, attached;
} remembered;

int remembered_create(remembered *out, size_t nodes, size_t n_answers, size_t components);
/* The answers and their graph, borrowed; of the sizes given at creation. Looks for groupings. */
int remembered_attach(remembered *r, const scdc_answer *answers, const crowd_graph *graph);
/* Answers about these items [N_l] are not heard from now on; NULL: all are. Clusters are to be told
 * again. */
void remembered_hear(remembered *r, const bool *unheard);
/* Groupings are about clusters: component k is in cluster c with the probability q[k * stride + c],
 * c below `clusters`, which is at most K. Borrowed; to be told again whenever q changes. */
void remembered_set_clusters(remembered *r, const double *q, size_t stride, size_t clusters);
void remembered_free(remembered *r);

/* Remembers q(z) [K] of a node of the graph. */
void remembered_store(remembered *r, size_t node, const double *z);
/* The remembered q(z), dense [K]. */
void remembered_read(double *z, const remembered *r, size_t node);
double remembered_dropped(const remembered *r);
/* What was written from outside names existing components only. */
bool remembered_valid(const remembered *r);

/* Answer weights from the workers' (expected) logs. */
void remembered_weigh(remembered *r, const two_coin *workers);

/* Messages to a node from all its answers: field_k = sum_l A_kl sum_j w_ij z_jl.
 * same is A, [K][K]. */
void remembered_field(double *field, remembered *r, size_t node, const double *same);
/* The same for `count` nodes from `first` on, field [count][K], divided among threads. */
int remembered_fields(double *field, remembered *r, size_t first, size_t count, const double *same);

/* G = Z' W Z, [K][K]. Pairs of a grouping count by what its placements are worth: pairs of items
 * whose clusters (set_clusters) have n and n' items there count 1 / (n + n' - 1) each, so that a
 * slip is heard once. `likeliest`: of each item's likeliest component alone; between two that share
 * doubtful items, "same" answers inside either would count as evidence for both being one. */
void remembered_evidence(double *evidence, remembered *r, bool likeliest);

/* Adds the expected counts of all workers from all answers, with s = z_i' A z_j. */
void remembered_count(two_coin_counts *workers, const remembered *r, const double *same);

/* How well answers are foretold by the items and all other answers: the mean log likelihood of a
 * pair when its own message is taken back from the q(z) of its two items, or of a placement. */
double remembered_held_out(const remembered *r, const double *same, const two_coin *workers);

/* Log likelihood of all answers: the answer term of the bound. */
double remembered_answer_term(const remembered *r, const double *same, const two_coin *workers);

#endif
