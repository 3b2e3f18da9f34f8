/* The two-coin worker from point estimates of its rates. */
#include "crowd/two_coin.h"

#include <math.h>

two_coin two_coin_from_rates(double alpha, double beta)
{
    return (two_coin){log(alpha), log1p(-alpha), log(beta), log1p(-beta)};
}
