/* Random binarisation: vectors of Philox blocks compared with pixel values. */
#include "kernels/binarise.h"
#include "base/rng.h"
#include "kernels/loop.h"

/* Binarisation works on groups of GROUP columns: column c of a group takes its 16 bits from Philox
 * block c % LANES of the group, from half c / LANES of the eight halves of a block. The rule is
 * fixed; it puts neighbouring columns into neighbouring vector lanes. */
enum { LANES = 8, HALVES = 8, GROUP = LANES * HALVES, ROUNDS = 10 };

static void philox_lanes(uint32_t out[4][LANES], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c0[LANES], c1[LANES], c2[LANES], c3[LANES], k0 = key[0], k1 = key[1];
    for (uint32_t l = 0; l < LANES; l++) {
        c0[l] = counter[0] + l;
        c1[l] = counter[1];
        c2[l] = counter[2];
        c3[l] = counter[3];
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int l = 0; l < LANES; l++) {
            uint64_t p0 = (uint64_t)0xD2511F53u * c0[l], p1 = (uint64_t)0xCD9E8D57u * c2[l];
            c0[l] = (uint32_t)(p1 >> 32) ^ c1[l] ^ k0;
            c2[l] = (uint32_t)(p0 >> 32) ^ c3[l] ^ k1;
            c1[l] = (uint32_t)p1;
            c3[l] = (uint32_t)p0;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int l = 0; l < LANES; l++) {
        out[0][l] = c0[l];
        out[1][l] = c1[l];
        out[2][l] = c2[l];
        out[3][l] = c3[l];
    }
}

/* 16 random bits for each column of a group. */
static void group_bits(uint16_t bits[GROUP], rng *r)
{
    uint32_t words[4][LANES];
    philox_lanes(words, r->counter, r->key);
    r->counter[0] += LANES;
    for (int w = 0; w < 4; w++) {
        for (int l = 0; l < LANES; l++) {
            bits[2 * w * LANES + l] = (uint16_t)words[w][l];
            bits[(2 * w + 1) * LANES + l] = (uint16_t)(words[w][l] >> 16);
        }
    }
}

/* round(65536 p / 255), in 0 .. 65536 */
static inline uint32_t threshold_u8(uint32_t p)
{
    return p * 257 + (p >= 128);
}

/* round(65536 p), exactly; below 0 and NaN: 0, above 1: 65536 */
static inline uint32_t threshold_unit(float p)
{
    p = p > 0 ? p : 0;
    p = p < 1 ? p : 1;
    float scaled = p * 65536.0f;
    int32_t whole = (int32_t)scaled;
    return (uint32_t)(whole + (scaled - (float)whole >= 0.5f));
}

void binarise_u8(real *out, const uint8_t *pixels, size_t n, uint64_t seed, uint32_t epoch,
                 uint64_t item)
{
    rng r;
    uint16_t bits[GROUP];
    rng_init(&r, seed, RNG_BINARISE, epoch, item);
    size_t c = 0;
    for (; c + GROUP <= n; c += GROUP) {
        group_bits(bits, &r);
        for (size_t l = 0; l < GROUP; l++) out[c + l] = bits[l] < threshold_u8(pixels[c + l]);
    }
    if (c < n) group_bits(bits, &r);
    for (size_t l = 0; c + l < n; l++) out[c + l] = bits[l] < threshold_u8(pixels[c + l]);
}

void binarise_row(real *row, size_t n, uint64_t seed, uint32_t epoch, uint64_t item)
{
    rng r;
    uint16_t bits[GROUP];
    uint32_t threshold[GROUP];
    rng_init(&r, seed, RNG_BINARISE, epoch, item);
    for (size_t c = 0; c < n; c += GROUP) {
        size_t count = n - c < GROUP ? n - c : GROUP;
        group_bits(bits, &r);
        for (size_t l = 0; l < count; l++) threshold[l] = threshold_unit((float)row[c + l]);
        for (size_t l = 0; l < count; l++) row[c + l] = bits[l] < threshold[l];
    }
}
