/* Two-coin workers: from point estimates of their rates; all of them as one. */
#include "crowd/two_coin.h"

#include <math.h>

two_coin two_coin_from_rates(double alpha, double beta)
{
    return (two_coin){log(alpha), log1p(-alpha), log(beta), log1p(-beta)};
}

void two_coin_share(two_coin_counts *counts, size_t workers)
{
    two_coin_counts all = {0};
    for (size_t m = 0; m < workers; m++) {
        for (size_t side = 0; side < 2; side++) {
            all.alpha[side] += counts[m].alpha[side];
            all.beta[side] += counts[m].beta[side];
        }
    }
    for (size_t m = 0; m < workers; m++) counts[m] = all;
}

void two_coin_begin(two_coin_counts *counts, const two_coin_counts *known, size_t workers)
{
    for (size_t m = 0; m < workers; m++) counts[m] = known ? known[m] : (two_coin_counts){0};
}
