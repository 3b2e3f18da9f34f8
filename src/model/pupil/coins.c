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

double answers_could_tell(const remembered *r, const double (*coins)[2])
{
    double right = 0, all = 0;
    for (size_t a = 0; a < r->n_answers; a++) {
        const double *coin = coins[r->answers[a].worker];
        double weight = placements_worth(&r->piles.tasks, a);
        all += weight;
        right += weight * (coin[0] + coin[1] - 1);
    }
    return all > 0 ? right / all : 0;
}
