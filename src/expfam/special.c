/* Special functions: see special.h. Small arguments are shifted up by the recurrence, large ones
 * use the asymptotic series in 1/x^2 (Bernoulli numbers). */
#include "expfam/special.h"

#include <math.h>

/* From here on the series below are good to the last bits of a double. */
#define SERIES_FROM 10.0

/* c[0] + c[1] u + ... + c[n-1] u^(n-1) */
static double polynomial(const double *c, size_t n, double u)
{
    double sum = 0;
    for (size_t i = n; i-- > 0;) sum = sum * u + c[i];
    return sum;
}

double digamma(double x)
{
    if (!(x > 0)) return NAN;
    /* B_2k / (2k) */
    static const double c[] = {1.0 / 12,  -1.0 / 120,       1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760.0, 1.0 / 12};
    double shift = 0;
    for (; x < SERIES_FROM; x += 1) shift += 1 / x;
    double u = 1 / (x * x);
    return log(x) - 0.5 / x - u * polynomial(c, sizeof c / sizeof *c, u) - shift;
}

double trigamma(double x)
{
    if (!(x > 0)) return NAN;
    /* B_2k */
    static const double c[] = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                               5.0 / 66, -691.0 / 2730.0, 7.0 / 6,  -3617.0 / 510};
    double shift = 0;
    for (; x < SERIES_FROM; x += 1) shift += 1 / (x * x);
    double u = 1 / (x * x);
    return 1 / x + 0.5 * u + u / x * polynomial(c, sizeof c / sizeof *c, u) + shift;
}

double log_gamma(double x)
{
    if (!(x > 0)) return NAN;
    int sign;
    return lgamma_r(x, &sign);
}

double stirling_rest(double x)
{
    /* B_2k / (2k (2k-1)) */
    static const double c[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360.0, 1.0 / 156};
    return polynomial(c, sizeof c / sizeof *c, 1 / (x * x)) / x;
}

double log_beta(double a, double b)
{
    if (!(a > 0 && b > 0)) return NAN;
    if (a > b) {
        double swap = a;
        a = b;
        b = swap;
    }
    if (b < SERIES_FROM) return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    double rest = stirling_rest(b) - stirling_rest(a + b);
    if (a < SERIES_FROM) {
        return log_gamma(a) + a - a * log(a + b) - (b - 0.5) * log1p(a / b) + rest;
    }
    return 0.5 * log(2 * M_PI / b) - (a - 0.5) * log1p(b / a) - b * log1p(a / b) + rest +
           stirling_rest(a);
}

double log_multigamma(double x, size_t d)
{
    double sum = 0.25 * (double)d * ((double)d - 1) * log(M_PI);
    for (size_t i = 0; i < d; i++) sum += log_gamma(x - 0.5 * (double)i);
    return sum;
}

double multidigamma(double x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++) sum += digamma(x - 0.5 * (double)i);
    return sum;
}
