/* The regularised incomplete beta function and its inverse: distribution function and quantiles of
 * Beta(a, b). The continued fraction (evaluated by Lentz's method) on the side of the mean where it
 * converges fast; the power factor in the deviance form, which does not cancel for large
 * parameters. The inverse is Newton's method on the logit of x, kept inside a shrinking bracket. */
#include "expfam/special.h"

#include <float.h>
#include <math.h>

/* How far a power factor falls with the relative distance u from its mean; rounding may bring u a
 * little below its least value, -1, where the factor is 0. */
static double deviance(double u)
{
    return u > -1 ? u - log1p(u) : INFINITY;
}

/* x^a y^b / B(a, b), where y = 1 - x is given too because it may be too small to be told from x. */
static double power_factor(double a, double b, double x, double y)
{
    if (a < 10 || b < 10) {
        double log_x = y < 0.5 ? log1p(-y) : log(x), log_y = x < 0.5 ? log1p(-x) : log(y);
        return exp(a * log_x + b * log_y - log_beta(a, b));
    }
    /* With x0 = a/(a+b): a ln(x/x0) + b ln(y/y0), whose linear parts cancel exactly. */
    double n = a + b, offset = (b * x - a * y) / n;
    double exponent = a * deviance(offset * n / a) + b * deviance(-offset * n / b);
    double rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(n);
    return sqrt(a / n * b / (2 * M_PI)) * exp(-exponent - rest);
}

/* x^a y^b / B(a, b) / I_x(a, b) as a continued fraction b_0 + a_1/(b_1 + a_2/(b_2 + ...)): the even
 * part of the classical one (DLMF 8.17.22), whose terms do not cancel however close x is to the
 * mean or to 1. Converges fast for x < (a+1)/(a+b+2), in a number of terms that grows as the root
 * of the parameters. */
static double fraction(double a, double b, double x, double y)
{
    const double tiny = 1e-300;
    double lambda = a * y - b * x + 1; /* a - (a+b) x + 1 */
    double value = fmax(a * lambda / (a + 1), tiny), c = value, d = 0;
    double most = 1000 + 20 * sqrt(fmax(a, b));
    for (double m = 1; m < most; m++) {
        double odd = a + 2 * m - 1;
        double top = (a + m - 1) / odd * ((a + b + m - 1) / odd) * m * (b - m) * x * x;
        double bottom = m + m * (b - m) * x / odd + (a + m) * (lambda + m * (1 + y)) / (odd + 2);
        d = bottom + top * d;
        c = bottom + top / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        if (fabs(c) < tiny) c = tiny;
        value *= c * d;
        if (fabs(c * d - 1) < 2 * DBL_EPSILON) break;
    }
    return value;
}

/* I_x(a, b) - p, given both x and y = 1 - x and the power factor of the two. */
static double excess(double a, double b, double x, double y, double factor, double p)
{
    if (x < (a + 1) / (a + b + 2)) return factor / fraction(a, b, x, y) - p;
    return (1 - p) - factor / fraction(b, a, y, x);
}

/* The fraction takes as many terms as the root of the parameters. Long before that matters Beta is
 * normal to all digits anybody reads. */
static const double LARGE = 1e10;

double beta_distribution(double x, double a, double b)
{
    if (!(a > 0 && b > 0) || isnan(x)) return NAN;
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    if (fmax(a, b) > LARGE) {
        double mean = 1 / (1 + b / a), spread = sqrt(mean * (1 - mean) / (a + b + 1));
        return spread > 0 ? 0.5 * erfc((mean - x) / spread / sqrt(2)) : (double)(x >= mean);
    }
    double value = excess(a, b, x, 1 - x, power_factor(a, b, x, 1 - x), 0);
    return fmin(fmax(value, 0), 1);
}

/* z with P(Z <= z) = p of the standard normal, by halving: nothing here is in a hurry. */
static double normal_quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 64; i++) {
        double middle = 0.5 * (low + high);
        if (0.5 * erfc(-middle / sqrt(2)) < p) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

static double narrow_quantile(double p, double a, double b)
{
    double mean = 1 / (1 + b / a); /* a + b may overflow */
    double spread = sqrt(mean * (1 - mean) / (a + b + 1));
    return fmin(fmax(mean + spread * normal_quantile(p), 0), 1);
}

double beta_quantile(double p, double a, double b)
{
    if (!(a > 0 && b > 0) || isnan(p)) return NAN;
    if (p <= 0) return 0;
    if (p >= 1) return 1;
    if (fmax(a, b) > LARGE) return narrow_quantile(p, a, b);
    /* Logits beyond +-708 have an x or a y that underflows. */
    double low = -708, high = 708, logit = fmin(fmax(log(a) - log(b), low + 1), high - 1);
    for (int i = 0; i < 300; i++) {
        double x = 1 / (1 + exp(-logit)), y = 1 / (1 + exp(logit));
        /* The derivative of I with respect to the logit is exactly the power factor. */
        double slope = power_factor(a, b, x, y), miss = excess(a, b, x, y, slope, p);
        if (miss == 0) break;
        if (miss > 0) high = logit;
        else low = logit;
        /* Asked before the bracket is: a step of nothing ends on the bracket, not inside it. */
        double next = logit - miss / slope, least = 4 * DBL_EPSILON * fmax(1, fabs(logit));
        if (fabs(next - logit) <= least || high - low <= least) break;
        logit = next > low && next < high ? next : 0.5 * (low + high);
    }
    if (logit < -707.9) return 0;
    return 1 / (1 + exp(-logit));
}
