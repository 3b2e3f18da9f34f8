/* Small numeric helpers: log-sum-exp, softmax, the largest of many. */
#ifndef SCDC_BASE_NUMERIC_H
#define SCDC_BASE_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>

/* ln sum exp(x_i), without overflow; -inf for n = 0 or all -inf. */
double log_sum_exp(const double *x, size_t n);
/* p = softmax(x); returns log_sum_exp(x). p may be x. */
double softmax(double *p, const double *x, size_t n);
/* argmax(x, n): place of the largest value, the first of several; 0 for n = 0. */
size_t argmax_f64(const double *x, size_t n);
size_t argmax_f32(const float *x, size_t n);
#define argmax(x, n)                                                                               \
    _Generic((x), float * : argmax_f32, const float * : argmax_f32, default : argmax_f64)(x, n)
bool all_finite(const double *x, size_t n);
bool all_finite_f32(const float *x, size_t n);

#endif
