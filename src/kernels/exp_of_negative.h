/* The exponential in double for loops that become vector code, of differences from a maximum alone:
 * the one in float, for any value, is in vmath.h. */
#ifndef SCDC_KERNELS_EXP_OF_NEGATIVE_H
#define SCDC_KERNELS_EXP_OF_NEGATIVE_H

#include <stdint.h>
#include <string.h>

static inline double vd_fma(double a, double b, double c)
{
#ifdef __FMA__
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

static inline double vd_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint64_t vd_bits(double x)
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
    double shifted = vd_fma(x, 1.4426950408889634, magic), n = shifted - magic;
    double r = vd_fma(n, -1.90821492927058770002e-10, vd_fma(n, -6.93147180369123816490e-01, x));
    double p = 1.6059043836821613e-10; /* 1 / 13!, and so on: Taylor's series, |r| < 0.35 */
    p = vd_fma(p, r, 2.0876756987868100e-09);
    p = vd_fma(p, r, 2.5052108385441720e-08);
    p = vd_fma(p, r, 2.7557319223985893e-07);
    p = vd_fma(p, r, 2.7557319223985888e-06);
    p = vd_fma(p, r, 2.4801587301587302e-05);
    p = vd_fma(p, r, 1.9841269841269841e-04);
    p = vd_fma(p, r, 1.3888888888888889e-03);
    p = vd_fma(p, r, 8.3333333333333332e-03);
    p = vd_fma(p, r, 4.1666666666666664e-02);
    p = vd_fma(p, r, 1.6666666666666666e-01);
    p = vd_fma(p, r, 0.5);
    p = vd_fma(p, r * r, r) + 1;
    /* Times 2^n, n in -1020 .. 0. */
    double power = vd_from_bits((vd_bits(shifted) - vd_bits(magic) + 1023) << 52);
    return v < least ? 0 : p * power;
}

#endif
