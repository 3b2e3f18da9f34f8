/* Small numeric helpers in double: log-sum-exp, softmax. */
#ifndef SCDC_BASE_NUMERIC_H
#define SCDC_BASE_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>

/* ln sum exp(x_i), without overflow; -inf for n = 0 or all -inf. */
double log_sum_exp(const double *x, size_t n);
/* p = softmax(x); returns log_sum_exp(x). p may be x. */
double softmax(double *p, const double *x, size_t n);
bool all_finite(const double *x, size_t n);
bool all_finite_f32(const float *x, size_t n);

#endif
