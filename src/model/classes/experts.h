/* Experts that are weighed: what the mixture and the kernel classifier say about an item, mixed in
 * several ways, each way counted by how well it foretells answers that were kept from it.
 *
 * A way is a pair of exponents (a, b): p(c) ~ mixture(c)^a classifier(c)^b. Rounds between workers,
 * classifier and annotated items run for each way on most of the answers; the likelihood of the
 * others is the way's score. The weights are the softmax of the scores, so that few answers leave
 * the mixture in the lead and many let the better expert lead. */
#ifndef SCDC_MODEL_EXPERTS_H
#define SCDC_MODEL_EXPERTS_H

#include "model/classes/classifier.h"

#include "crowd/graph.h"
#include "crowd/two_coin.h"

enum { EXPERT_WAYS = 8 };

typedef struct experts {
    double weight[EXPERT_WAYS]; /* of each way, sum 1 */
    double doubt;               /* share of a mixture's word that is given to all clusters alike */
} experts;

/* The mixture alone, with this doubt. */
experts experts_mixture_only(double doubt);
/* p [C]: the word of all, from the mixture's and the classifier's (NULL: there is none) [C]. */
void experts_say(double *p, const experts *e, const double *mixing, const double *kernel,
                 size_t clusters);
/* Whether any way listens to the classifier. */
bool experts_need_classifier(const experts *e);

/* What they are weighed by. */
typedef struct expert_case {
    const scdc_answer *answers;
    const double *worth; /* [answers] of each answer (partition.h) */
    const crowd_graph *graph;
    size_t workers, clusters;
    const double *mixture; /* [nodes][C] of the annotated items */
    const scdc_options *options;
    const two_coin_counts *known; /* [workers] of their answers elsewhere; NULL: nothing */
} expert_case;

/* Weighs the ways, and teaches `taught` (its x set, clusters classes; NULL: there is no
 * classifier). r [nodes][C]: clusters of the annotated items by everything. others [nodes][C]: what
 * the classifier takes each for when taught by the others. coins [workers]. SCDC_ERR_NUMERIC when
 * no kernel can be made of the items. */
int experts_weigh(experts *out, double *r, double *others, two_coin *coins, classifier *taught,
                  const expert_case *c);

#endif
