/* Groupings of components that are likely, in place of the likeliest alone. Under noise the best
 * grouping owes most of its evidence to chance: what groupings drawn from the posterior have in
 * common is nearer to the truth than any of them. */
#ifndef SCDC_MODEL_LIKELY_GROUPINGS_H
#define SCDC_MODEL_LIKELY_GROUPINGS_H

#include "model/clusters/grouping.h"

/* g is a grouping found with this evidence. Draws groupings from
 *
 *   p(c | G)  ~  exp( sum over pairs k < l of one cluster of G_kl )  p(c),
 *
 * rho of p(c) summed out, beginning with g, and puts each component where most of them have it,
 * their clusters matched to one another by the items they hold (share [K]). */
int grouping_draw(grouping *g, const double *evidence, const bool *use, const double *share,
                  double concentration, uint64_t seed);

#endif
