/* Log-sum-exp, softmax and finiteness in double. */
#include "base/numeric.h"

#include <math.h>

double log_sum_exp(const double *x, size_t n)
{
    double top = -INFINITY;
    for (size_t i = 0; i < n; i++) top = x[i] > top ? x[i] : top;
    if (!(top > -INFINITY)) return top;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += exp(x[i] - top);
    return top + log(sum);
}

double softmax(double *p, const double *x, size_t n)
{
    double top = -INFINITY;
    for (size_t i = 0; i < n; i++) top = x[i] > top ? x[i] : top;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        p[i] = exp(x[i] - top);
        sum += p[i];
    }
    for (size_t i = 0; i < n; i++) p[i] /= sum;
    return top + log(sum);
}

/* x - x is 0 for finite values and NaN otherwise; gathered without a branch, so that compilers make
 * vector code of it. */
size_t argmax_f64(const double *x, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++) best = x[i] > x[best] ? i : best;
    return best;
}

size_t argmax_f32(const float *x, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++) best = x[i] > x[best] ? i : best;
    return best;
}

bool all_finite(const double *x, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) bad |= x[i] - x[i] != 0;
    return !bad;
}

bool all_finite_f32(const float *x, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) bad |= x[i] - x[i] != 0;
    return !bad;
}
