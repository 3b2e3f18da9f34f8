/* The regularised incomplete beta function and its inverse: distribution function and quantiles of
 * Beta(a, b). Used for the intervals shown to users, not in training. */
#ifndef SCDC_EXPFAM_INCBETA_H
#define SCDC_EXPFAM_INCBETA_H

/* I_x(a, b) = P(X <= x) for X ~ Beta(a, b); a, b > 0 (else NaN). */
double incbeta(double a, double b, double x);
/* The x with I_x(a, b) = p. 0 or 1 when that x is closer to the end than a double can say. */
double incbeta_inverse(double a, double b, double p);

#endif
