/* Rows as SIMD lanes: the product in tiles whose sums stay in registers. */
#include "kernels/lanes.h"
#include "kernels/exp_of_negative.h"

#include <math.h>

#ifdef __AVX__
#include <immintrin.h>
enum { VECTOR = 4 };
#else
enum { VECTOR = 2 };
#endif

typedef double vector __attribute__((vector_size(VECTOR * 8), aligned(8), may_alias));

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* c + a b. The compiler fuses scalars of its own accord only, and not at all with fp-contract=off.
 */
ALWAYS_INLINE void fuse(vector *c, const vector *a, double b)
{
#if defined(__AVX__) && defined(__FMA__)
    *c = (vector)_mm256_fmadd_pd((__m256d)*a, _mm256_set1_pd(b), (__m256d)*c);
#else
    *c += *a * b;
#endif
}

/* A tile of `rows` features and `width` vectors of lanes; both are constants where it is called,
 * and at most 12 vectors in all, so that the sums need not leave the registers. */
ALWAYS_INLINE void add_tile(double *out, const double *w, size_t w_length, const double *x,
                            size_t inner, const int rows, const int width)
{
    vector sum[12];
#pragma GCC unroll 12
    for (int s = 0; s < rows * width; s++) {
        sum[s] = *(const vector *)(out + s / width * LANES + s % width * VECTOR);
    }
    for (size_t i = 0; i < inner; i++, w += w_length, x += LANES) {
#pragma GCC unroll 12
        for (int s = 0; s < rows * width; s++) {
            fuse(&sum[s], (const vector *)(x + s % width * VECTOR), w[s / width]);
        }
    }
#pragma GCC unroll 12
    for (int s = 0; s < rows * width; s++) {
        *(vector *)(out + s / width * LANES + s % width * VECTOR) = sum[s];
    }
}

void lanes_add_product(double *out, const double *w, size_t w_length, const double *x, size_t inner,
                       size_t features)
{
    size_t j = 0;
    for (; j + 6 <= features; j += 6) {
        for (size_t l = 0; l < LANES; l += 2 * VECTOR) {
            add_tile(out + j * LANES + l, w + j, w_length, x + l, inner, 6, 2);
        }
    }
    for (; j + 3 <= features; j += 3) {
        for (size_t l = 0; l < LANES; l += 4 * VECTOR) {
            add_tile(out + j * LANES + l, w + j, w_length, x + l, inner, 3, 4);
        }
    }
    for (; j < features; j++) {
        for (size_t l = 0; l < LANES; l += 8 * VECTOR) {
            add_tile(out + j * LANES + l, w + j, w_length, x + l, inner, 1, 8);
        }
    }
}

void lanes_softmax(double *x, size_t n)
{
    double top[LANES], sum[LANES] = {0}, *end = x + n * LANES;
    for (size_t l = 0; l < LANES; l++) top[l] = -INFINITY;
    for (const double *v = x; v < end; v += LANES) {
        for (size_t l = 0; l < LANES; l++) top[l] = v[l] > top[l] ? v[l] : top[l];
    }
    for (double *v = x; v < end; v += LANES) {
        for (size_t l = 0; l < LANES; l++) v[l] = exp_of_negative(v[l] - top[l]);
        for (size_t l = 0; l < LANES; l++) sum[l] += v[l];
    }
    for (size_t l = 0; l < LANES; l++) sum[l] = 1 / sum[l];
    for (double *v = x; v < end; v += LANES) {
        for (size_t l = 0; l < LANES; l++) v[l] *= sum[l];
    }
}
