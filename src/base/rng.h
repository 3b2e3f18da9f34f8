/* Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011).
 *
 * A stream is named by (seed, purpose, epoch, item), so a draw depends on what it is for and never
 * on the number of threads, the layout of minibatches or the order of work. */
#ifndef SCDC_BASE_RNG_H
#define SCDC_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* One name per use, so that two uses never share a stream. Append only: the order is part of what
 * a seed means. */
typedef enum rng_purpose {
    RNG_TEST = 0,
    RNG_PINWHEEL,
    RNG_BLOBS,
    RNG_SIMULATE_ITEMS,
    RNG_SIMULATE_ANSWERS,
    RNG_KMEANS,
    RNG_INIT_WEIGHTS,
    RNG_INIT_GLOBALS,
    RNG_SHUFFLE_ITEMS,
    RNG_SHUFFLE_ANSWERS,
    RNG_BINARISE,
    RNG_LATENT_NOISE,
    RNG_START_Z,
    RNG_SAMPLE_COMPONENT,
    RNG_GENERATE,
    RNG_BASELINE,
    RNG_SPLIT,
    RNG_NEIGHBOURS,
    RNG_REPORT,
    RNG_CLASS_GUESS,
    RNG_RIDGE_ITEMS,
    RNG_CANDIDATES,
    RNG_DROPOUT,
    RNG_VIEW,
    RNG_PUPIL,
    RNG_ASKING,
    RNG_GROUPINGS
} rng_purpose;

typedef struct rng {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    int used;       /* words of block already handed out */
    int has_normal; /* a second normal of the last pair is waiting */
    double normal;
} rng;

/* One Philox block: out = philox4x32_10(counter, key). */
void philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

void rng_init(rng *r, uint64_t seed, rng_purpose purpose, uint32_t epoch, uint64_t item);
uint32_t rng_u32(rng *r);
uint64_t rng_u64(rng *r);
double rng_uniform(rng *r);             /* open interval (0, 1), 53 bits */
uint64_t rng_below(rng *r, uint64_t n); /* 0 .. n-1 without bias; n >= 1 */
double rng_normal(rng *r);              /* mean 0, variance 1 */
double rng_gamma(rng *r, double shape); /* scale 1; shape > 0 */
double rng_beta(rng *r, double a, double b);
size_t rng_categorical(rng *r, const double *p, size_t n); /* weights >= 0, not all 0 */
void rng_permutation(rng *r, uint32_t *out, size_t n);     /* 0 .. n-1 shuffled */

/* Bulk draws for one stream: same numbers whatever the vector width. */
void rng_fill_uniform_f32(rng *r, float *out, size_t n); /* [0, 1) on a 2^-24 grid */
void rng_fill_normal_f32(rng *r, float *out, size_t n);

#endif
