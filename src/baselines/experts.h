/* Workers as experts of unknown accuracy who hold one of several views of how to cluster the items:
 * what mcvc and deep-mcvc share. Knows nothing of features: the methods give, for each view, how
 * likely each item is in each cluster.
 *
 * Model (Chang et al. 2017): expert m holds view c_m, a draw from a truncated stick-breaking
 * process with concentration 1; sensitivity and specificity ~ Beta(10, 1); an answer is "same" with
 * probability sensitivity when the two items share a cluster of that view, and 1 - specificity
 * otherwise. q(c), q(sticks), q(sensitivity), q(specificity) are updated in closed form. */
#ifndef SCDC_BASELINES_EXPERTS_H
#define SCDC_BASELINES_EXPERTS_H

#include "base/memory.h"
#include "baselines/baseline.h"
#include "crowd/graph.h"
#include "crowd/two_coin.h"

typedef struct experts {
    const scdc_answer *answers;
    const crowd_graph *graph; /* its nodes are the items here: annotated ones only */
    size_t n_answers, n_workers;
    size_t n, k, views;  /* n annotated items */
    double *eta;         /* views x n x k: cluster probabilities, set by the method */
    double *same;        /* answers x views: probability that the pair shares a cluster */
    double *sensitivity; /* workers x 2: Beta */
    double *specificity; /* workers x 2: Beta */
    two_coin *coin;      /* workers: expected logarithms */
    double *view;        /* workers x views: q(c) */
    double *stick;       /* views x 2: Beta; the last one is always whole */
    double *log_share;   /* views: expected log proportion */
} experts;

/* views and view in their domains. */
int experts_check_options(const scdc_baseline_options *options);
/* graph: of the input's answers; it outlives the experts. */
int experts_create(experts *out, arena *a, const baseline_input *in, const crowd_graph *graph,
                   size_t k, size_t views);
/* Accuracies at their prior, views drawn at random. */
void experts_start(experts *e, uint64_t seed, size_t start);
/* With eta as it is: one round of closed-form updates. Returns the bound's terms that belong to
 * experts and answers. Never lowers the bound. */
double experts_update(experts *e);
/* Expected log likelihood of the answers, and its gradient (views x n x k) in eta. */
double experts_gradient(experts *e, double *d_eta);
/* Views by number of experts: the view at this rank, 0 = the most. */
size_t experts_ranked_view(const experts *e, size_t rank);
/* Posterior mean accuracies (the prior's for a worker without answers) and the rank of the view
 * each worker most likely holds. */
void experts_report(baseline_result *out, const experts *e);

#endif
