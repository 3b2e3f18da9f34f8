/* Philox 4x32-10 and the draws made from it. */
#include "base/rng.h"

#include <math.h>

enum { ROUNDS = 10 };
__extension__ typedef unsigned __int128 u128;

void philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void rng_init(rng *r, uint64_t seed, rng_purpose purpose, uint32_t epoch, uint64_t item)
{
    /* The counter: number of the block, item (56 bits), epoch, purpose (8 bits). */
    *r = (rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
               .counter = {0, (uint32_t)item, epoch,
                           (uint32_t)purpose << 24 | (uint32_t)(item >> 32 & 0xFFFFFF)},
               .used = 4};
}

uint32_t rng_u32(rng *r)
{
    if (r->used == 4) {
        philox4x32(r->block, r->counter, r->key);
        r->counter[0]++;
        r->used = 0;
    }
    return r->block[r->used++];
}

uint64_t rng_u64(rng *r)
{
    uint64_t low = rng_u32(r);
    return (uint64_t)rng_u32(r) << 32 | low;
}

double rng_uniform(rng *r)
{
    return ((double)(rng_u64(r) >> 11) + 0.5) * 0x1p-53;
}

uint64_t rng_below(rng *r, uint64_t n)
{
    /* Lemire's multiplication with rejection of the few values that would favour small results. */
    u128 product = (u128)rng_u64(r) * n;
    if ((uint64_t)product < n) {
        uint64_t threshold = -n % n;
        while ((uint64_t)product < threshold) product = (u128)rng_u64(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double rng_normal(rng *r)
{
    if (r->has_normal) {
        r->has_normal = 0;
        return r->normal;
    }
    double radius = sqrt(-2 * log(rng_uniform(r))), angle = 2 * M_PI * rng_uniform(r);
    r->normal = radius * sin(angle);
    r->has_normal = 1;
    return radius * cos(angle);
}

double rng_gamma(rng *r, double shape)
{
    /* Marsaglia and Tsang 2000; shapes below 1 by the power of a uniform. */
    if (shape < 1) {
        double u = rng_uniform(r);
        return rng_gamma(r, shape + 1) * pow(u, 1 / shape);
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = rng_normal(r), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (log(rng_uniform(r)) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
    }
}

double rng_beta(rng *r, double a, double b)
{
    double x = rng_gamma(r, a), y = rng_gamma(r, b);
    /* Both can underflow for tiny shapes: then the draw is at one end or the other. */
    if (x + y == 0) return rng_uniform(r) < a / (a + b) ? 1 : 0;
    return x / (x + y);
}

size_t rng_categorical(rng *r, const double *p, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++) total += p[i];
    double u = rng_uniform(r) * total;
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] <= 0) continue;
        last = i;
        u -= p[i];
        if (u < 0) return i;
    }
    return last;
}

void rng_permutation(rng *r, uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = rng_below(r, i + 1);
        out[i] = out[j];
        out[j] = (uint32_t)i;
    }
}

void rng_fill_uniform_f32(rng *r, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = (float)(rng_u32(r) >> 8) * 0x1p-24f;
}

void rng_fill_normal_f32(rng *r, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = (float)rng_normal(r);
}
