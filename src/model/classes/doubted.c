/* The posterior mean of doubt. */
#include "model/classes/doubted.h"

#include <math.h>

/* Of doubts up to halfway to the next ones. */
static double stretch(const double *doubt, size_t i, size_t count)
{
    double low = i ? doubt[i - 1] : doubt[0], high = i + 1 < count ? doubt[i + 1] : doubt[i];
    return count > 1 ? (high - low) / 2 : 1;
}

double doubt_expected(const double *doubt, const double *prior, size_t doubts, const double *slip,
                      size_t slips, const double *fit)
{
    double best = -INFINITY, all = 0, sum = 0;
    for (size_t i = 0; i < doubts * slips; i++) best = fmax(best, fit[i]);
    for (size_t i = 0; i < doubts; i++) {
        double likely = stretch(doubt, i, doubts) * exp(prior ? prior[i] : 0);
        for (size_t e = 0; e < slips; e++) {
            double weight = likely * exp(fit[i * slips + e] - best);
            all += weight;
            sum += weight * (1 - (1 - doubt[i]) * sqrt(1 - slip[e]));
        }
    }
    double range = doubt[doubts - 1] - doubt[0];
    double as_it_is = prior ? range * exp(prior[0] + fit[0] - best) : 0;
    return (sum + as_it_is * doubt[0]) / (all + as_it_is);
}
