/* A first guess at the classes of annotated items: a linear softmax of their values, fitted to the
 * answers. As MCVC (Chang et al. 2017) with one view, but with point estimates of the weights: its
 * variational posterior gives up classes that a few answers more would tell apart. */
#ifndef SCDC_MODEL_CLASS_GUESS_H
#define SCDC_MODEL_CLASS_GUESS_H

#include "base/real.h"
#include "crowd/graph.h"
#include "crowd/two_coin.h"

/* r [nodes][k]: class probabilities of the graph's nodes with values x [nodes][dims], and the
 * workers' coins [workers]; the best of
 * several starts by likelihood of the answers and a N(0, 1) prior on the weights of standardised
 * columns, some of them without correlations. O(nodes dims k + answers k) time per evaluation, a
 * few hundred of them. once: one start, its view chosen by one fold. */
int class_guess(double *r, two_coin *coins, size_t k, const real *x, size_t dims,
                const crowd_graph *graph, const scdc_answer *answers, const double *weight,
                size_t workers, uint64_t seed, bool once);

#endif
