/* Greedy k-means++: each new centre is the best of a few items drawn with probability proportional
 * to their squared distance from the centres so far. Not Lloyd's iterations (kmeans.c).
 *
 * Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007. The number
 * of candidates, 2 + ln k, is the authors' own choice for the greedy variant they mention. */
#include "kmeans/kmeans.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "kmeans/distance.h"

#include <math.h>
#include <string.h>

enum { ROWS = 1024, MOST_CANDIDATES = 16 };

typedef struct seeding {
    const float *x;
    size_t n, dims;
    float *nearest;      /* n: squared distance to the closest centre so far */
    float *trial;        /* candidates x n: the same if the candidate were added */
    const float *centre; /* of the pass that sets nearest */
    size_t candidate[MOST_CANDIDATES];
    size_t n_candidates;
    size_t counted; /* candidate whose potential is summed */
} seeding;

size_t kmeans_candidates(size_t k)
{
    size_t count = 2 + (size_t)log((double)k);
    return count < MOST_CANDIDATES ? count : MOST_CANDIDATES;
}

static void distances_to_first(void *context, size_t begin, size_t end, size_t piece)
{
    seeding *s = context;
    (void)piece;
    for (size_t i = begin; i < end; i++) {
        s->nearest[i] = squared_distance(s->x + i * s->dims, s->centre, s->dims);
    }
}

static void distances_to_candidates(void *context, size_t begin, size_t end, size_t piece)
{
    seeding *s = context;
    (void)piece;
    for (size_t i = begin; i < end; i++) {
        const float *row = s->x + i * s->dims;
        for (size_t c = 0; c < s->n_candidates; c++) {
            float distance = squared_distance(row, s->x + s->candidate[c] * s->dims, s->dims);
            s->trial[c * s->n + i] = distance < s->nearest[i] ? distance : s->nearest[i];
        }
    }
}

static double potential_piece(void *context, size_t begin, size_t end)
{
    seeding *s = context;
    const float *values = s->trial + s->counted * s->n;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += values[i];
    return sum;
}

/* The item where the running sum of `nearest` passes u * total. */
static size_t draw_by_distance(const seeding *s, double total, rng *r)
{
    if (!(total > 0)) return rng_below(r, s->n); /* every item is a centre already */
    double target = rng_uniform(r) * total, sum = 0;
    size_t last = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->nearest[i] <= 0) continue;
        sum += s->nearest[i];
        last = i;
        if (sum > target) break;
    }
    return last;
}

void kmeans_plus_plus(float *centres, float *nearest, float *scratch, const float *x, size_t n,
                      size_t dims, size_t k, uint64_t seed, size_t start)
{
    seeding s = {.x = x, .n = n, .dims = dims, .nearest = nearest, .trial = scratch};
    rng r;
    rng_init(&r, seed, RNG_KMEANS, (uint32_t)start, 0);
    memcpy(centres, x + rng_below(&r, n) * dims, dims * sizeof *centres);
    s.centre = centres;
    parallel_for(n, ROWS, distances_to_first, &s);
    s.n_candidates = kmeans_candidates(k);
    for (size_t c = 1; c < k; c++) {
        double total = 0;
        for (size_t i = 0; i < n; i++) total += nearest[i];
        for (size_t t = 0; t < s.n_candidates; t++) {
            s.candidate[t] = draw_by_distance(&s, total, &r);
        }
        parallel_for(n, ROWS, distances_to_candidates, &s);
        size_t best = 0;
        double least = INFINITY;
        for (s.counted = 0; s.counted < s.n_candidates; s.counted++) {
            double potential = parallel_sum(n, ROWS, potential_piece, &s);
            if (potential < least) {
                least = potential;
                best = s.counted;
            }
        }
        memcpy(nearest, s.trial + best * n, n * sizeof *nearest);
        memcpy(centres + c * dims, x + s.candidate[best] * dims, dims * sizeof *centres);
    }
}
