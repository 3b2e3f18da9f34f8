/* Remembered messages: q(z_i) of every annotated item, kept between minibatches, so that an item
 * hears all of its neighbours and not only those drawn with it; and what follows from all answers
 * at once: evidence between components, worker posteriors, the answer term of the bound.
 *
 * Kept in a compact form: the `slots` most likely components of an item, renormalised. What that
 * drops is summed up in `dropped` (mean over items of the mass left out). */
#ifndef SCDC_MODEL_RECALL_H
#define SCDC_MODEL_RECALL_H

#include "base/memory.h"
#include "crowd/graph.h"
#include "crowd/two_coin.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECALL_SLOTS = 16 };

typedef struct recall {
    const scdc_answer *answers; /* attached before use, as is the graph */
    const crowd_graph *graph;   /* over the N_l annotated items */
    size_t nodes, n_answers;    /* N_l, N_a */
    size_t components, slots;
    int32_t *component; /* [N_l][slots] */
    float *share;       /* [N_l][slots], sums to 1 over an item */
    float *lost;        /* [N_l] mass that did not fit into the slots */
    double *weight;     /* [N_a] w of every answer under the current worker posteriors */
    double *row;        /* [K] scratch */
    arena memory;
} recall;

int recall_create(recall *out, size_t nodes, size_t n_answers, size_t components);
/* The answers and their graph, borrowed; of the sizes given at creation. */
void recall_attach(recall *r, const scdc_answer *answers, const crowd_graph *graph);
void recall_free(recall *r);

/* Remembers q(z) [K] of a node of the graph. */
void recall_store(recall *r, size_t node, const double *z);
/* The remembered q(z), dense [K]. */
void recall_read(double *z, const recall *r, size_t node);
double recall_dropped(const recall *r);
/* What was written from outside names existing components only. */
bool recall_valid(const recall *r);

/* Answer weights from the workers' (expected) logs. */
void recall_weigh(recall *r, const two_coin *workers);

/* Messages to a node from all its answers: field_k = sum_l A_kl sum_j w_ij z_jl.
 * same is A, [K][K]. */
void recall_field(double *field, recall *r, size_t node, const double *same);

/* G = Z' W Z, [K][K]. */
void recall_evidence(double *evidence, recall *r);

/* Adds the expected counts of all workers from all answers, with s = z_i' A z_j. */
void recall_count(two_coin_counts *workers, const recall *r, const double *same);

/* How well answers are foretold by the items and all other answers: the mean log likelihood of one
 * when its own message is taken back from the q(z) of its two items. */
double recall_foretold(const recall *r, const double *same, const two_coin *workers);

/* Log likelihood of all answers: the answer term of the bound. */
double recall_answer_term(const recall *r, const double *same, const two_coin *workers);

#endif
