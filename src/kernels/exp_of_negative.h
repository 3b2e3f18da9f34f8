/* The exponential in double for loops that become vector code. */
#ifndef SCDC_KERNELS_EXP_OF_NEGATIVE_H
#define SCDC_KERNELS_EXP_OF_NEGATIVE_H

#include <stdint.h>
#include <string.h>

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

#endif
