/* softmax and softplus in double, as loops over lanes. */
#include "kernels/softmax.h"
#include "kernels/exp_of_negative.h"

#include <math.h>

enum { PARTS = 8 };

/* The largest value; a NaN may or may not be passed over. */
static double largest(const double *x, size_t n)
{
    double top[PARTS];
    size_t i = 0;
    for (size_t l = 0; l < PARTS; l++) top[l] = -INFINITY;
    for (; i + PARTS <= n; i += PARTS) {
        for (size_t l = 0; l < PARTS; l++) top[l] = x[i + l] > top[l] ? x[i + l] : top[l];
    }
    for (size_t l = 0; i + l < n; l++) top[l] = x[i + l] > top[l] ? x[i + l] : top[l];
    for (size_t l = 1; l < PARTS; l++) top[0] = top[l] > top[0] ? top[l] : top[0];
    return top[0];
}

static double sum_of(const double *x, size_t n)
{
    double sum[PARTS] = {0};
    size_t i = 0;
    for (; i + PARTS <= n; i += PARTS) {
        for (size_t l = 0; l < PARTS; l++) sum[l] += x[i + l];
    }
    for (size_t l = 0; i + l < n; l++) sum[l] += x[i + l];
    for (size_t l = PARTS / 2; l > 0; l /= 2) {
        for (size_t k = 0; k < l; k++) sum[k] += sum[k + l];
    }
    return sum[0];
}

double softmax_vector(double *p, const double *x, size_t n)
{
    double top = largest(x, n);
    for (size_t i = 0; i < n; i++) p[i] = exp_of_negative(x[i] - top);
    double sum = sum_of(p, n), share = 1 / sum;
    for (size_t i = 0; i < n; i++) p[i] *= share;
    return top + log(sum);
}

/* ln(1 + u) for 0 <= u <= 1, within a few units of the last place: 2 artanh(s), s = u / (2 + u) at
 * most 1/3, by its series. */
static inline double log1p_of_unit(double u)
{
    double s = u / (2 + u), z = s * s, sum = 1.0 / 31;
    for (int odd = 29; odd > 0; odd -= 2) sum = vd_fma(sum, z, 1.0 / odd);
    return 2 * s * sum;
}

void softplus_vector(double *y, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double v = x[i];
        y[i] = (v > 0 ? v : 0) + log1p_of_unit(exp_of_negative(v > 0 ? -v : v));
    }
}

void decay_vector(double *y, const double *x, double rate, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = exp_of_negative(-rate * x[i]);
}
