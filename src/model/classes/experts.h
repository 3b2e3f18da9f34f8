/* Experts that are weighed: what the mixture, the kernel classifier and neighbours say about an
 * item, mixed in several ways, each way counted by how well it foretells answers that were kept
 * from it.
 *
 * A way is a pair of exponents (a, b): p(c) ~ mixture(c)^a classifier(c)^b. Rounds between workers,
 * classifier and annotated items run for each way on most of the answers (expert_rounds.h); the
 * likelihood of the others is the way's score. The weights are the softmax of the scores, so that
 * few answers leave the mixture in the lead and many let the better expert lead. Then neighbours
 * (use/smooth.c), heard with several shares of their weight, are weighed in the same manner. */
#ifndef SCDC_MODEL_EXPERTS_H
#define SCDC_MODEL_EXPERTS_H

#include "model/classes/classifier.h"

#include "crowd/graph.h"
#include "crowd/two_coin.h"

enum { EXPERT_WAYS = 8, EXPERT_TRIALS = 3, EXPERT_SHARES = 4 };

/* What experts and network count in the word on an item that is placed alone (alone.h). */
typedef struct alone_word {
    double experts, network; /* powers of their words */
    double doubt;            /* share that is given to all clusters alike */
} alone_word;

typedef struct experts {
    double weight[EXPERT_WAYS];  /* of each way, sum 1 */
    double doubt;                /* share of a mixture's word that is given to all clusters alike */
    double heard[EXPERT_SHARES]; /* of hearing neighbours by each share, sum 1 */
    alone_word alone;
} experts;

/* The shares of their weight by which neighbours are heard; the first is 1, all of it. */
extern const double expert_shares[EXPERT_SHARES];

/* The mixture alone, with this doubt, and neighbours fully heard. */
experts experts_mixture_only(double doubt);
/* p [C]: the word of all, from the mixture's and the classifier's (NULL: there is none) [C]. */
void experts_say(double *p, const experts *e, const double *mixing, const double *kernel,
                 size_t clusters);
/* p [C] (may be kernel): the classifier's word, taught by `items` with shares base [C] of the
 * clusters. A cluster it was taught by hardly an item it has no word on: the mixture says how
 * likely it is, and the classifier divides the rest. */
void experts_defer(double *p, const double *kernel, const double *mixing, const double *base,
                   size_t items, size_t clusters);
/* Whether any way listens to the classifier. */
bool experts_need_classifier(const experts *e);

/* The weight of ways that leave the mixture a say beside the classifier. */
double experts_heed_mixture(const experts *e);

/* What they are weighed by. */
typedef struct expert_case {
    const scdc_answer *answers;
    const crowd_graph *graph;
    size_t workers, clusters;
    const double *mixture; /* [nodes][C] of the annotated items */
    const scdc_options *options;
    const two_coin_counts *known; /* [workers] of their answers elsewhere; NULL: nothing */
} expert_case;

/* Weighs the ways, and teaches `taught` (its x set, clusters classes; NULL: there is no
 * classifier). r [nodes][C]: clusters of the annotated items by everything. trial
 * [EXPERT_TRIALS][nodes][C]: the same without the answers that each trial keeps out. others
 * [nodes][C]: what the classifier takes each for when taught by the others. SCDC_ERR_NUMERIC when
 * no kernel can be made of the items. */
int experts_weigh(experts *out, double *r, double *trial, double *others, classifier *taught,
                  const expert_case *c);

/* How far the word of all is to be doubted, weighed by the answers kept out: word
 * [EXPERT_TRIALS][nodes][C] as users would get it in each trial, `usual` as doubted before. */
int experts_choose_doubt(double *doubt, double usual, const double *trial, const double *word,
                         const expert_case *c);

/* Weighs shares of the neighbours' weight: said[share] [EXPERT_TRIALS][nodes][C] is what `trial` is
 * when neighbours are heard too. heard_first (networks, and clusters that are islands of
 * neighbours): any share but all must gain. Otherwise any but nothing: answers chose mixture and
 * clusters by the very values that neighbours are found by. */
int experts_weigh_neighbours(experts *e, const double *trial, double *const said[EXPERT_SHARES],
                             const expert_case *c, bool heard_first);

#endif
