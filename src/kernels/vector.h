/* The widest vectors of `real` that a copy of a file may count on, and products added to them in
 * one rounding where the processor does that (the compiler may not by itself: -ffp-contract=off).
 * Sums, products and comparisons are the compiler's own operators. */
#ifndef SCDC_KERNELS_VECTOR_H
#define SCDC_KERNELS_VECTOR_H

#include "base/real.h"

#include <string.h>

#if defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64, VECTOR_REGISTERS = 32 };
#elif defined(__AVX__)
enum { VECTOR_BYTES = 32, VECTOR_REGISTERS = 16 };
#else
enum { VECTOR_BYTES = 16, VECTOR_REGISTERS = 16 };
#endif
enum { VECTOR = VECTOR_BYTES / sizeof(real) }; /* values of a vector */

typedef real vector __attribute__((vector_size(VECTOR_BYTES)));

static inline vector vector_load(const real *from)
{
    vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void vector_store(real *to, vector v)
{
    memcpy(to, &v, sizeof v);
}

static inline vector vector_of(real x)
{
    return x - (vector){0};
}

/* a b + c */
static inline vector vector_fma(vector a, vector b, vector c)
{
#if defined(SCDC_REAL_DOUBLE)
    return a * b + c;
#elif defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX__) && defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

/* What a comparison of vectors gives: all bits of a value set, or none. */
typedef __typeof__((vector){0} < (vector){0}) vector_mask;

/* v where the mask is set, else 0. */
static inline vector vector_where(vector_mask mask, vector v)
{
    return (vector)((vector_mask)v & mask);
}

#endif
