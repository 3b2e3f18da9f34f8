/* Answers that were kept back from the fit (train/unheard.h), and how well a word on the annotated
 * items foretells them. Only the crowd as a whole is judged, so that words of different clusters
 * can be compared. */
#ifndef SCDC_MODEL_KEPT_ANSWERS_H
#define SCDC_MODEL_KEPT_ANSWERS_H

#include "model/clusters/cluster_level.h"

typedef struct kept_pair {
    uint32_t left, right; /* nodes, one of which at least nobody has heard of */
    bool same;
    double weight; /* placements_worth */
} kept_pair;

typedef struct kept_answers {
    kept_pair *pair;
    size_t count;
    double *one; /* [count] scratch: P(of one cluster) */
    arena memory;
} kept_answers;

/* None where nothing was kept back. */
int kept_answers_create(kept_answers *out, const cluster_level *t);
void kept_answers_free(kept_answers *k);

/* If the likeliest clusters of a word [nodes][C] were right: how much more often workers say "same"
 * of items of one cluster than of items of two. 0 is guessing, by workers or by the word. */
double kept_answers_told(const kept_answers *k, const double *word, size_t C);
/* Their log likelihood, taking the word as it is or at its likeliest clusters (experts may be
 * timid: docs/math.md, "Items alone"), and doubting it as far as explains them best. */
double kept_answers_fit(const kept_answers *k, const double *word, size_t C);

#endif
