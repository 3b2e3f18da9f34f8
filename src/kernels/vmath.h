/* exp, log, softplus and sigmoid as branch-free inline functions of one value that compilers turn
 * into vector code without -ffast-math. Float: about 1 ulp over the whole range, infinities and
 * NaN as in <math.h>. In the double build they are the functions of <math.h>: that build exists to
 * check gradients, not to be fast. */
#ifndef SCDC_KERNELS_VMATH_H
#define SCDC_KERNELS_VMATH_H

#include "base/real.h"

#include <stdint.h>
#include <string.h>

#ifdef SCDC_REAL_DOUBLE

static inline real vm_exp(real x)
{
    return exp(x);
}
static inline real vm_log(real x)
{
    return log(x);
}
/* ln(1 + u) for 0 <= u <= 1. */
static inline real vm_log1p_unit(real u)
{
    return log1p(u);
}

#else

/* a * b + c, in one rounding where the processor can. */
static inline float vm_fma(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

/* Bit patterns are unsigned so that NaN, which also passes through here, cannot overflow. */
static inline float vm_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint32_t vm_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float vm_exp(float x)
{
    /* Beyond these the result is 0 or infinity anyway; NaN passes. */
    x = x < -104.0f ? -104.0f : x;
    x = x > 89.0f ? 89.0f : x;
    /* x = n ln 2 + r. Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits. */
    const float magic = 12582912.0f;
    float shifted = vm_fma(x, 1.44269504088896341f, magic);
    float n = shifted - magic;
    float r = vm_fma(n, 2.12194440e-4f, x - n * 0.693359375f);
    float p = 1.9875691500e-4f;
    p = vm_fma(p, r, 1.3981999507e-3f);
    p = vm_fma(p, r, 8.3334519073e-3f);
    p = vm_fma(p, r, 4.1665795894e-2f);
    p = vm_fma(p, r, 1.6666665459e-1f);
    p = vm_fma(p, r, 5.0000001201e-1f);
    p = vm_fma(p, r * r, r) + 1.0f;
    /* Times 2^n in two halves, so that neither overflows before the product does. */
    uint32_t whole = vm_bits(shifted) - vm_bits(magic), half = (uint32_t)((int32_t)whole >> 1);
    return p * vm_from_bits((half + 127) << 23) * vm_from_bits((whole - half + 127) << 23);
}

/* ln x of a normal positive x given as bits, with `extra` added to the exponent. */
static inline float vm_log_normal(uint32_t bits, int32_t extra)
{
    /* x = 2^e m with m in [sqrt(1/2), sqrt 2). */
    int32_t e = (int32_t)(bits - 0x3f3504f3u) >> 23;
    float f = vm_from_bits(bits - ((uint32_t)e << 23)) - 1.0f;
    float z = f * f, n = (float)(e + extra);
    float p = 7.0376836292e-2f;
    p = vm_fma(p, f, -1.1514610310e-1f);
    p = vm_fma(p, f, 1.1676998740e-1f);
    p = vm_fma(p, f, -1.2420140846e-1f);
    p = vm_fma(p, f, 1.4249322787e-1f);
    p = vm_fma(p, f, -1.6668057665e-1f);
    p = vm_fma(p, f, 2.0000714765e-1f);
    p = vm_fma(p, f, -2.4999993993e-1f);
    p = vm_fma(p, f, 3.3333331174e-1f);
    p = vm_fma(p * f, z, n * -2.12194440e-4f) - 0.5f * z;
    return vm_fma(n, 0.693359375f, f + p);
}

static inline float vm_log(float x)
{
    /* Denormals are scaled into the normal range first. */
    float scaled = x < 1.17549435e-38f ? x * 8388608.0f : x;
    float y = vm_log_normal(vm_bits(scaled), x < 1.17549435e-38f ? -23 : 0);
    y = x == 0 ? -INFINITY : y;
    y = x < 0 ? NAN : y;
    return x < INFINITY ? y : x; /* infinity and NaN are their own logarithms */
}

static inline float vm_log1p_unit(float u)
{
    /* The second term puts back what 1 + u rounded away. */
    float w = 1.0f + u;
    return vm_log_normal(vm_bits(w), 0) + (u - (w - 1.0f)) / w;
}

#endif

/* ln(1 + e^x). */
static inline real vm_softplus(real x)
{
    real y = vm_log1p_unit(vm_exp(-real_fabs(x)));
    return (x > 0 ? x : 0) + (x == x ? y : x);
}

/* 1 / (1 + e^-x). */
static inline real vm_sigmoid(real x)
{
    real u = vm_exp(-real_fabs(x));
    return (x >= 0 ? 1 : u) / (1 + u);
}

#endif
