/* softmax and softplus in double, as loops over lanes. */
#include "kernels/softmax.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 8 };

static inline double fused(double a, double b, double c)
{
#ifdef __FMA__
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

static inline double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* e^x for x <= 0, within 2 units of the last place; 0 where it would be denormal or nearly so, NaN
 * for NaN. Without a branch, so that the loop around it becomes vector code. */
static inline double exp_of_negative(double v)
{
    const double least = -707, magic = 6755399441055744.0; /* 1.5 * 2^52 */
    double x = v < least ? least : v;
    /* x = n ln 2 + r. Adding the magic number rounds to an integer and leaves it in the low bits.
     */
    double shifted = fused(x, 1.4426950408889634, magic), n = shifted - magic;
    double r = fused(n, -1.90821492927058770002e-10, fused(n, -6.93147180369123816490e-01, x));
    double p = 1.6059043836821613e-10; /* 1 / 13!, and so on: Taylor's series, |r| < 0.35 */
    p = fused(p, r, 2.0876756987868100e-09);
    p = fused(p, r, 2.5052108385441720e-08);
    p = fused(p, r, 2.7557319223985893e-07);
    p = fused(p, r, 2.7557319223985888e-06);
    p = fused(p, r, 2.4801587301587302e-05);
    p = fused(p, r, 1.9841269841269841e-04);
    p = fused(p, r, 1.3888888888888889e-03);
    p = fused(p, r, 8.3333333333333332e-03);
    p = fused(p, r, 4.1666666666666664e-02);
    p = fused(p, r, 1.6666666666666666e-01);
    p = fused(p, r, 0.5);
    p = fused(p, r * r, r) + 1;
    /* Times 2^n, n in -1020 .. 0. */
    double power = from_bits((to_bits(shifted) - to_bits(magic) + 1023) << 52);
    return v < least ? 0 : p * power;
}

/* The largest value; a NaN may or may not be passed over. */
static double largest(const double *x, size_t n)
{
    double top[LANES];
    size_t i = 0;
    for (size_t l = 0; l < LANES; l++) top[l] = -INFINITY;
    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++) top[l] = x[i + l] > top[l] ? x[i + l] : top[l];
    }
    for (size_t l = 0; i + l < n; l++) top[l] = x[i + l] > top[l] ? x[i + l] : top[l];
    for (size_t l = 1; l < LANES; l++) top[0] = top[l] > top[0] ? top[l] : top[0];
    return top[0];
}

static double sum_of(const double *x, size_t n)
{
    double sum[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++) sum[l] += x[i + l];
    }
    for (size_t l = 0; i + l < n; l++) sum[l] += x[i + l];
    for (size_t l = LANES / 2; l > 0; l /= 2) {
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
    for (int odd = 29; odd > 0; odd -= 2) sum = fused(sum, z, 1.0 / odd);
    return 2 * s * sum;
}

void softplus_vector(double *y, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double v = x[i];
        y[i] = (v > 0 ? v : 0) + log1p_of_unit(exp_of_negative(v > 0 ? -v : v));
    }
}
