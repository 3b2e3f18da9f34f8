/* Rounds between workers, experts and annotated items: workers from the items' clusters, the
 * classifier taught by them, every item anew from the experts' word and its answers. Some answers
 * can be kept out, to see how well they are foretold. Pairs are heard as pairs, groupings as
 * placements (piles.h). */
#ifndef SCDC_MODEL_EXPERT_ROUNDS_H
#define SCDC_MODEL_EXPERT_ROUNDS_H

#include "kernels/gather.h"
#include "model/classes/experts.h"
#include "model/clusters/piles.h"

/* Every FOLDS-th answer is kept out at a time. */
enum { EXPERT_FOLDS = 5 };

typedef struct expert_rounds {
    const expert_case *given;
    size_t nodes, clusters;
    double *mixture; /* [nodes][C] with doubt */
    double *r;       /* [nodes][C] clusters of the items */
    double *field;   /* [nodes][C] scratch */
    double *word;    /* [nodes][C] ln of what the experts say; scratch */
    double *others;  /* [nodes][C] by a classifier taught with r; scratch */
    piles piles;
    two_coin *coins;
    two_coin_counts *counts;
    double *habit;    /* [workers] share of "same" among the answers heard */
    int fold;         /* answers of this fold are kept out; -1: none */
    uint8_t *fold_of; /* [answers] pairs */
    uint8_t *placed;  /* [placements] fold of each */
    bool *left_out;   /* [placements] */
    /* Pairs that are heard, by node in the order of the answers: pair[start[n]] and on, each the
     * other node and the number of its nats. */
    size_t *start;     /* [nodes + 1] */
    gather_term *pair; /* [2 answers] */
    double *nats;      /* [workers][2] what an answer "different", "same" weighs */
    arena memory;
} expert_rounds;

int expert_rounds_create(expert_rounds *out, const expert_case *given);
void expert_rounds_free(expert_rounds *s);
/* The share of the mixture's word that is given to all clusters alike. */
void expert_rounds_doubt(expert_rounds *s, double doubt);
void expert_rounds_keep_out(expert_rounds *s, int fold);
/* Beginning with the mixture. The school's classifier is taught by the items as they are in the
 * last round; NULL: the classifier's power is 0. */
typedef struct expert_way {
    double mixture, classifier; /* powers of their words */
} expert_way;
void expert_rounds_run(expert_rounds *s, expert_way way, lesson *school);
/* The same for several, each by its own way and without what it keeps out, at once: lessons are
 * learned together. The school has room for all of them, and of several its classifier stays. */
enum { EXPERT_MOST_AT_ONCE = EXPERT_WAYS };
void expert_rounds_run_all(expert_rounds *const *all, const expert_way *way, size_t count,
                           lesson *school);
/* Workers from the clusters as they are. */
void expert_rounds_judge(expert_rounds *s);
/* Adds the log likelihood of what was kept out to `fit` when the items are r [nodes][C], the
 * workers being judged by s->r: whoever is compared is compared by the same workers. Their answers
 * were heard, so that they may look better than they are; therefore for several shares of answers
 * that tell a worker's habit alone, the best of which counts in the end. */
enum { EXPERT_SLIPS = 6 };
extern const double expert_slips[EXPERT_SLIPS];
void expert_rounds_foretold(double fit[EXPERT_SLIPS], const expert_rounds *s, const double *r);
double expert_best_fit(const double fit[EXPERT_SLIPS]);

/* p with a share of it given to all alike; and ln of mixture^a classifier^b, not normalised. */
double expert_doubted(double p, double doubt, size_t clusters);
double expert_mixed(double a, double b, double mixing, double kernel);

#endif
