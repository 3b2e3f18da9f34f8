/* The coins that answers teach a network with. */
#ifndef SCDC_MODEL_LESSON_COINS_H
#define SCDC_MODEL_LESSON_COINS_H

#include "model/clusters/remembered.h"
#include "model/core.h"

/* Sensitivity and specificity [workers] as the fit found them: learned beside a network that knows
 * nothing yet they would soon say that answers mean nothing, and beside one that takes two kinds
 * for one that workers seldom see what items have in common. That is how workers look to a fit that
 * does so, too; trusted they are taken to see it as surely as they tell items apart. */
void lesson_coins(double (*coins)[2], const core *c, bool trusted);

/* What answers of such workers would tell of clusters that are right (kept_answers_told). */
double answers_could_tell(const remembered *r, const double (*coins)[2]);

#endif
