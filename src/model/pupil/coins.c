/* Coins of lessons. */
#include "model/pupil/coins.h"

#include <math.h>

void lesson_coins(double (*coins)[2], const core *c, bool trusted)
{
    for (size_t m = 0; m < c->spec.workers; m++) {
        worker_estimate w;
        c->ops->worker(&w, c, m);
        double sensitivity = w.sensitivity[0] / (w.sensitivity[0] + w.sensitivity[1]);
        double specificity = w.specificity[0] / (w.specificity[0] + w.specificity[1]);
        coins[m][0] = trusted ? fmax(sensitivity, specificity) : sensitivity;
        coins[m][1] = specificity;
    }
}
