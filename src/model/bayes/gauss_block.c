/* The Gaussian algebra of a block of rows. Every step is a loop over lanes, so the compiler turns
 * it into vector instructions without any reordering of sums. */
#include "model/bayes/gauss_block.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Largest d for which all algebra of a block runs over lanes. */
enum { LANES_UP_TO = 44 };

/* Row of packed element (a, b), a >= b. */
#define AT(m, a, b) ((m) + (size_t)BLOCK * ((a) * ((a) + 1) / 2 + (b)))
#define ROW(m, a) ((m) + (size_t)BLOCK * (a))
#define LANES for (size_t l = 0; l < BLOCK; l++)

static inline void add_product(double *restrict y, const double *a, const double *b)
{
    LANES y[l] += a[l] * b[l];
}
static inline void subtract_product(double *restrict y, const double *a, const double *b)
{
    LANES y[l] -= a[l] * b[l];
}
static inline void set_product(double *restrict y, const double *a, const double *b)
{
    LANES y[l] = a[l] * b[l];
}

/* m: J packed on entry; L below the diagonal and 1 / L_aa on it on return. */
static void cholesky(double *m, size_t d)
{
    for (size_t b = 0; b < d; b++) {
        double *pivot = AT(m, b, b);
        for (size_t k = 0; k < b; k++) subtract_product(pivot, AT(m, b, k), AT(m, b, k));
        LANES pivot[l] = 1 / sqrt(pivot[l]);
        for (size_t a = b + 1; a < d; a++) {
            double *v = AT(m, a, b);
            for (size_t k = 0; k < b; k++) subtract_product(v, AT(m, a, k), AT(m, b, k));
            LANES v[l] *= pivot[l];
        }
    }
}

/* In place: L (with the inverted diagonal of cholesky) to L^-1. Element (a, b) of the inverse
 * needs elements b.. of row a of L, which rising b has not overwritten yet. */
static void invert_lower(double *m, size_t d)
{
    for (size_t a = 1; a < d; a++) {
        const double *pivot = AT(m, a, a);
        for (size_t b = 0; b < a; b++) {
            double *v = AT(m, a, b);
            const double *diagonal = AT(m, b, b);
            LANES v[l] *= diagonal[l];
            for (size_t k = b + 1; k < a; k++) add_product(v, AT(m, a, k), AT(m, k, b));
            LANES v[l] *= -pivot[l];
        }
    }
}

/* out [d] = m' v for a lower-triangular m. */
static void lower_transposed_times(double *out, const double *m, const double *v, size_t d)
{
    for (size_t a = 0; a < d; a++) {
        double *y = ROW(out, a);
        set_product(y, AT(m, a, a), ROW(v, a));
        for (size_t k = a + 1; k < d; k++) add_product(y, AT(m, k, a), ROW(v, k));
    }
}

static void sum_log_partition(double *out, const double *y, const double *factor, size_t d)
{
    LANES out[l] = 0;
    for (size_t a = 0; a < d; a++) {
        const double *v = ROW(y, a), *diagonal = AT(factor, a, a);
        LANES out[l] += 0.5 * v[l] * v[l] + log(diagonal[l]);
    }
}

void gauss_from_natural(double *gauss, double *factor, double *log_partition, const double *eta,
                        size_t d)
{
    double *mu = gauss, *sigma = ROW(gauss, d);
    const double *h = eta, *second = ROW(eta, d);
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b <= a; b++) {
            double scale = a == b ? -2 : -1, *j = AT(factor, a, b);
            const double *e = AT(second, a, b);
            LANES j[l] = scale * e[l];
        }
    }
    cholesky(factor, d);
    invert_lower(factor, d);
    /* y = L^-1 h stays in the place of Sigma until mu = L^-T y is known (q >= d). */
    double *y = sigma;
    for (size_t a = 0; a < d; a++) {
        double *v = ROW(y, a);
        LANES v[l] = 0;
        for (size_t b = 0; b <= a; b++) add_product(v, AT(factor, a, b), ROW(h, b));
    }
    if (log_partition) sum_log_partition(log_partition, y, factor, d);
    lower_transposed_times(mu, factor, y, d);
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b <= a; b++) {
            double *v = AT(sigma, a, b);
            set_product(v, AT(factor, a, a), AT(factor, a, b));
            for (size_t k = a + 1; k < d; k++) add_product(v, AT(factor, k, a), AT(factor, k, b));
        }
    }
}

void gauss_statistics(double *s, const double *gauss, size_t d)
{
    const double *mu = gauss;
    memcpy(s, gauss, (d + packed_size(d)) * BLOCK * sizeof *s);
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b <= a; b++) add_product(AT(ROW(s, d), a, b), ROW(mu, a), ROW(mu, b));
    }
}

void gauss_sample(double *x, const double *gauss, const double *factor, const double *noise,
                  size_t d)
{
    lower_transposed_times(x, factor, noise, d);
    for (size_t i = 0; i < d * BLOCK; i++) x[i] += gauss[i];
}

/* second, a packed gradient by Sigma with each product once, becomes 2 Sigma G Sigma, G its
 * symmetric matrix: 2 G holds the off-diagonals as packed and the diagonal doubled. */
static void sandwich_lanes(double *second, double *w, const double *sigma, size_t d)
{
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b < d; b++) {
            double *v = ROW(w, a * d + b);
            set_product(v, AT(second, a, a), ROW(sigma, packed_at(a, b)));
            for (size_t k = 0; k < d; k++) {
                add_product(v, ROW(second, packed_at(a, k)), ROW(sigma, packed_at(k, b)));
            }
        }
    }
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b <= a; b++) {
            double *v = AT(second, a, b);
            set_product(v, AT(sigma, a, 0), ROW(w, b));
            for (size_t k = 1; k < d; k++) {
                add_product(v, ROW(sigma, packed_at(a, k)), ROW(w, k * d + b));
            }
        }
    }
}

/* The same one row at a time through BLAS: for large d the lanes of all elements no longer fit
 * into the cache. Rows are taken out of the block 8 at a time, a cache line of lanes. */
static void sandwich_rows(double *second, double *scratch, const double *sigma, size_t d)
{
    enum { AT_ONCE = 8 };
    size_t dd = d * d;
    double *full = scratch, *g = full + AT_ONCE * dd, *product = g + AT_ONCE * dd;
    for (size_t first = 0; first < BLOCK; first += AT_ONCE) {
        for (size_t a = 0; a < d; a++) {
            for (size_t b = 0; b <= a; b++) {
                const double *s = AT(sigma, a, b) + first, *v = AT(second, a, b) + first;
                for (size_t l = 0; l < AT_ONCE; l++) {
                    full[l * dd + a * d + b] = full[l * dd + b * d + a] = s[l];
                    g[l * dd + a * d + b] = a == b ? 2 * v[l] : v[l];
                }
            }
        }
        for (size_t l = 0; l < AT_ONCE; l++) {
            int n = (int)d;
            cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, n, n, 1, g + l * dd, n, full + l * dd,
                        n, 0, product, n);
            cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, n, n, 1, full + l * dd, n, product, n,
                        0, g + l * dd, n);
        }
        for (size_t a = 0; a < d; a++) {
            for (size_t b = 0; b <= a; b++) {
                double *v = AT(second, a, b) + first;
                for (size_t l = 0; l < AT_ONCE; l++) v[l] = g[l * dd + a * d + b];
            }
        }
    }
}

void gauss_backward(double *g, double *scratch, const double *gauss, size_t d)
{
    const double *mu = gauss, *sigma = ROW(gauss, d);
    double *second = ROW(g, d); /* packed: by each product once */
    double *gmu = ROW(scratch, d * d), *gh = ROW(scratch, d * d + d);
    /* s = Sigma + mu mu': with G the symmetric matrix of the gradient, by mu it is 2 G mu. */
    for (size_t a = 0; a < d; a++) {
        double *v = ROW(gmu, a);
        const double *own = AT(second, a, a), *mean = ROW(mu, a), *direct = ROW(g, a);
        LANES v[l] = direct[l] + own[l] * mean[l];
        for (size_t b = 0; b < d; b++) add_product(v, ROW(second, packed_at(a, b)), ROW(mu, b));
    }
    /* mu = Sigma h: by h it is Sigma gmu. */
    for (size_t a = 0; a < d; a++) {
        double *v = ROW(gh, a);
        LANES v[l] = 0;
        for (size_t b = 0; b < d; b++) add_product(v, ROW(sigma, packed_at(a, b)), ROW(gmu, b));
    }
    memcpy(g, gh, d * BLOCK * sizeof *g);
    /* By J: -Sigma G Sigma - (gh mu' + mu gh') / 2; eta holds -J/2 (doubled off the diagonal), so
     * by eta it is -2 times that. */
    if (d > LANES_UP_TO) sandwich_rows(second, scratch, sigma, d);
    else sandwich_lanes(second, scratch, sigma, d);
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b <= a; b++) {
            double *v = AT(second, a, b);
            add_product(v, ROW(gh, a), ROW(mu, b));
            add_product(v, ROW(gh, b), ROW(mu, a));
        }
    }
}

void gauss_sample_backward(double *g, double *scratch, const double *factor, const double *noise,
                           const double *gx, size_t d)
{
    /* x = mu + L^-T e. A change dJ moves L by L Phi(L^-1 dJ L^-T), Phi keeping the lower triangle
     * and half the diagonal, so the gradient by J is -sym(L^-T Phi(e v') L^-1) with v = L^-1 gx. */
    double *y = scratch, *v = ROW(scratch, d * d);
    for (size_t a = 0; a < d; a++) {
        double *out = ROW(v, a);
        LANES out[l] = 0;
        for (size_t b = 0; b <= a; b++) add_product(out, AT(factor, a, b), ROW(gx, b));
    }
    /* y = Phi(e v') L^-1, lower triangular, packed. */
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b <= a; b++) {
            double *out = AT(y, a, b);
            const double *last = ROW(v, a), *m = AT(factor, a, b), *e = ROW(noise, a);
            LANES out[l] = 0.5 * last[l] * m[l];
            for (size_t k = b; k < a; k++) add_product(out, ROW(v, k), AT(factor, k, b));
            LANES out[l] *= e[l];
        }
    }
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b <= a; b++) {
            double *out = AT(ROW(g, d), a, b);
            for (size_t k = a; k < d; k++) {
                add_product(out, AT(factor, k, a), AT(y, k, b));
                add_product(out, AT(factor, k, b), AT(y, k, a));
            }
        }
    }
}
