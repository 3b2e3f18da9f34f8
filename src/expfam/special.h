/* Special functions of the conjugate families, in double: digamma, trigamma, log gamma, their
 * multivariate forms, and the incomplete beta function. Arguments are positive; anything else gives
 * NaN. No global state: safe to call from several threads (the C library's lgamma is not). */
#ifndef SCDC_EXPFAM_SPECIAL_H
#define SCDC_EXPFAM_SPECIAL_H

#include <stddef.h>

double digamma(double x);
double trigamma(double x);
double log_gamma(double x);
/* ln Gamma(x) - (its Stirling approximation), for x >= 10: about 1/(12 x). */
double stirling_rest(double x);
/* ln B(a, b), without the cancellation of three log gammas when a or b is large. */
double log_beta(double a, double b);

/* ln Gamma_d(x) = d(d-1)/4 ln pi + sum_i ln Gamma(x + (1-i)/2), i = 1..d; needs x > (d-1)/2. */
double log_multigamma(double x, size_t d);
/* psi_d(x) = sum_i psi(x + (1-i)/2), i = 1..d. */
double multidigamma(double x, size_t d);

/* Beta(a, b): P(X <= x), and the x below which the probability p lies. The quantile is 0 or 1 when
 * it is closer to that end than a double can say. */
double beta_distribution(double x, double a, double b);
double beta_quantile(double p, double a, double b);

#endif
