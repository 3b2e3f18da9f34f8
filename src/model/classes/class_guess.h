/* A first guess at the classes of annotated items: a linear softmax of their values, fitted to the
 * answers. As MCVC (Chang et al. 2017) with one view, but with point estimates of the weights: its
 * variational posterior gives up classes that a few answers more would tell apart. */
#ifndef SCDC_MODEL_CLASS_GUESS_H
#define SCDC_MODEL_CLASS_GUESS_H

#include "base/real.h"
#include "crowd/graph.h"
#include "crowd/two_coin.h"

/* What is answered about whom; borrowed. */
typedef struct guess_case {
    const real *x; /* [nodes][dims] values of the graph's nodes */
    size_t dims;
    const crowd_graph *graph;
    const scdc_answer *answers;
    const double *weight; /* [answers] what each counts */
    size_t workers;
    const two_coin_counts *known; /* [workers] of their answers elsewhere; NULL: nothing */
} guess_case;

/* r [nodes][k]: class probabilities of the graph's nodes, and the workers' coins [workers]; the
 * best of several starts by likelihood of the answers and a N(0, 1) prior on the weights of
 * standardised columns, some of them without correlations. O(nodes dims k + answers k) time per
 * evaluation, a few hundred of them. */
int class_guess(double *r, two_coin *coins, size_t k, const guess_case *given, uint64_t seed);

/* Guesses of one start each: ways to look at the values are made once, and chosen by one fold. */
typedef struct class_guesser class_guesser;
int class_guesser_create(class_guesser **out, size_t k, const guess_case *given, uint64_t seed);
int class_guess_again(double *r, two_coin *coins, class_guesser *g, uint64_t seed);
void class_guesser_free(class_guesser *g);

#endif
