/* Rows as SIMD lanes: the product in tiles whose sums stay in registers where the build may count
 * on vectors of four, else by BLAS, which finds out when the program starts. */
#include "kernels/lanes.h"
#include "kernels/exp_of_negative.h"

#include <math.h>

#if defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>

enum { VECTOR = 4 };

/* A tile of `rows` features and `width` vectors of lanes; both are constants where it is called,
 * and 12 vectors at most, so that the sums need not leave the registers. */
static inline __attribute__((always_inline)) void add_tile(double *out, const double *w,
                                                           size_t w_length, const double *x,
                                                           size_t inner, const int rows,
                                                           const int width)
{
    __m256d sum[12];
#pragma GCC unroll 12
    for (int s = 0; s < rows * width; s++) {
        sum[s] = _mm256_loadu_pd(out + s / width * LANES + s % width * VECTOR);
    }
    for (size_t i = 0; i < inner; i++, w += w_length, x += LANES) {
#pragma GCC unroll 12
        for (int s = 0; s < rows * width; s++) {
            __m256d value = _mm256_loadu_pd(x + s % width * VECTOR);
            sum[s] = _mm256_fmadd_pd(value, _mm256_set1_pd(w[s / width]), sum[s]);
        }
    }
#pragma GCC unroll 12
    for (int s = 0; s < rows * width; s++) {
        _mm256_storeu_pd(out + s / width * LANES + s % width * VECTOR, sum[s]);
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
        add_tile(out + j * LANES, w + j, w_length, x, inner, 1, LANES / VECTOR);
    }
}

#else
#include <cblas.h>

void lanes_add_product(double *out, const double *w, size_t w_length, const double *x, size_t inner,
                       size_t features)
{
    if (!inner || !features) return;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)features, LANES, (int)inner, 1, w,
                (int)w_length, x, LANES, 1, out, LANES);
}
#endif

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
