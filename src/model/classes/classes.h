/* Classes of annotated items from the answers and the items' values, without a mixture: for kinds
 * that are not the groups the items form by themselves (poses of faces, which differ less than
 * persons do).
 *
 * A first guess comes from a linear softmax fitted to the answers (class_guess.h). Then, in turn:
 * workers' coins from the classes; a classifier (classifier.h) learns the classes; every item's
 * class anew from what the classifier, taught by the others alone, takes it for, and from its
 * answers; classes that the answers say are one are merged. */
#ifndef SCDC_MODEL_CLASSES_H
#define SCDC_MODEL_CLASSES_H

#include "crowd/graph.h"
#include "model/train/input.h"
#include "model/classes/classifier.h"

enum { CLASSES_MOST_DIMS = SCDC_LIMIT_VALUES };

typedef struct classes {
    /* The answers it used: all, or those between the CLASSIFIER_MOST_ITEMS items with the most. */
    scdc_answer *answers;
    double *weight; /* [n_answers] placements_worth of each */
    size_t n_answers;
    crowd_graph graph;
    classifier classifier;
    double *r;       /* [nodes][classes of the classifier] */
    double *others;  /* the same as the classifier says, taught by all other items alone */
    two_coin *coins; /* [workers] */
    arena memory;
} classes;

/* Clusters of all items that may hold several kinds each, or share one. */
typedef struct class_start {
    const int64_t *cluster; /* [N] */
    size_t again;           /* so many times what was found is divided in turn */
} class_start;

/* options: seed, clusters, components, coins and the workers' priors count. Leaves
 * out->classifier.items 0 when there is nothing to learn from: one class, fewer than two items,
 * values without a kernel, items of more than 20,000 values.
 * start: clusters that a guess divides, whereupon answers join the pieces again; and of these
 * classes in turn, the best of which is kept. NULL: a guess alone. */
int classes_find(classes *out, const scdc_data *data, const input_scale *input,
                 const scdc_answer *answers, size_t n_answers, size_t workers,
                 const two_coin_counts *known, const scdc_options *options,
                 const class_start *start);
/* The most classes that are looked for: what was asked for, else a fixed number. */
size_t classes_most(const scdc_options *o);
void classes_free(classes *c);
/* Only the answers that count, and their graph (out->graph.nodes 0: there are none). */
int classes_take_answers(classes *out, const scdc_answer *answers, size_t n_answers);

/* Log likelihood of the answers both of whose items are nodes of a graph, each as often as its
 * weight says (placements_worth): under the workers, when nodes have class probabilities p
 * [nodes][C]. */
double answers_fit(const crowd_graph *graph, const scdc_answer *answers, const double *weight,
                   size_t count, const double *p, size_t C, const two_coin *workers);
/* The same when each worker answers "same" as often as it does in these, whatever the items. */
int answers_fit_by_habit(double *out, const crowd_graph *graph, const scdc_answer *answers,
                         const double *weight, size_t count, size_t workers);

#endif
