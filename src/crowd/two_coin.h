/* The two-coin worker: sensitivity alpha = P(answers same | same), specificity beta =
 * P(answers different | different). What one answer L contributes to the log likelihood given
 * s = P(the pair is of one kind), and the statistics it adds for its worker.
 *
 * Logarithms are passed in: plain ones of point estimates, or expectations under Beta posteriors
 * (digamma differences). Nothing here knows which. */
#ifndef SCDC_CROWD_TWO_COIN_H
#define SCDC_CROWD_TWO_COIN_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct two_coin {
    double ln_alpha, ln_not_alpha; /* ln alpha, ln (1 - alpha), or their expectations */
    double ln_beta, ln_not_beta;
} two_coin;

/* The log likelihood of an answer is weight * s + constant. */
static inline double two_coin_weight(const two_coin *w, uint32_t same)
{
    return same ? w->ln_alpha - w->ln_not_beta : w->ln_not_alpha - w->ln_beta;
}
static inline double two_coin_constant(const two_coin *w, uint32_t same)
{
    return same ? w->ln_not_beta : w->ln_beta;
}
static inline double two_coin_log_likelihood(const two_coin *w, uint32_t same, double s)
{
    return two_coin_weight(w, same) * s + two_coin_constant(w, same);
}

/* How likely an answer is about a pair of one kind, and of two; of a pair that is of one kind with
 * probability s: s if_same + (1 - s) if_not, whose logarithm is no less than the line above. */
typedef struct two_coin_chances {
    double if_same, if_not;
} two_coin_chances;
static inline two_coin_chances two_coin_chances_of(const two_coin *w, uint32_t same)
{
    return (two_coin_chances){exp(same ? w->ln_alpha : w->ln_not_alpha),
                              exp(same ? w->ln_not_beta : w->ln_beta)};
}
static inline double two_coin_chance(two_coin_chances c, double s)
{
    return s * c.if_same + (1 - s) * c.if_not;
}

/* What users see as a worker's weight: how much one of its answers is worth, 0 for guessing. */
static inline double two_coin_shown_weight(const two_coin *w)
{
    return w->ln_alpha - w->ln_not_alpha + w->ln_beta - w->ln_not_beta;
}

/* Expected counts of a worker: what is added to its Beta parameters. */
typedef struct two_coin_counts {
    double alpha[2]; /* truly same: answered same, different */
    double beta[2];  /* truly different: answered different, same */
} two_coin_counts;
static inline void two_coin_count_some(two_coin_counts *c, uint32_t same, double s, double weight)
{
    c->alpha[same ? 0 : 1] += weight * s;
    c->beta[same ? 1 : 0] += weight * (1 - s);
}
static inline void two_coin_count(two_coin_counts *c, uint32_t same, double s)
{
    two_coin_count_some(c, same, s, 1);
}

/* Counts to begin with: those known [workers], or none (NULL). */
void two_coin_begin(two_coin_counts *counts, const two_coin_counts *known, size_t workers);
/* All workers as one: everybody has the sum of all counts. */
void two_coin_share(two_coin_counts *counts, size_t workers);

/* Point estimates, from rates strictly between 0 and 1. */
two_coin two_coin_from_rates(double alpha, double beta);

#endif
