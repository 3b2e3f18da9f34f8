/* Doubt as edges between sampled partitions, and questions that cut them (edge cutting: Golovin,
 * Krause and Ray 2010; with noisy answers an edge is not cut but weakened, by the Bhattacharyya
 * bound on confusing its ends). The doubt that a batch leaves falls by less and less with every
 * question (it is supermodular), so that greedy batches are near the best and never ask for the
 * same twice. */
#include "asking/choose.h"

#include <math.h>

double coins_overlap(const coins *c)
{
    return sqrt(c->sensitivity * (1 - c->specificity)) +
           sqrt((1 - c->sensitivity) * c->specificity);
}

void doubt_start(doubt *d, const partitions *p)
{
    d->p = p;
    for (size_t i = 0; i < (size_t)SAMPLES * SAMPLES; i++)
        d->edge[i] = p->apart[i] / ((double)SAMPLES * SAMPLES);
}

double doubt_left(const doubt *d)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)SAMPLES * SAMPLES; i++) sum += d->edge[i];
    return sum;
}

uint64_t same_in(const partitions *p, size_t left, size_t right)
{
    uint64_t same = 0;
    for (size_t s = 0; s < SAMPLES; s++) {
        const uint16_t *group = p->group + s * p->blocks;
        same |= (uint64_t)(group[left] == group[right]) << s;
    }
    return same;
}

double doubt_gain(const doubt *d, uint64_t same, double overlap)
{
    double cut = 0;
    for (size_t s = 0; s < SAMPLES; s++) {
        if (!(same >> s & 1)) continue;
        const double *row = d->edge + s * SAMPLES;
        for (size_t t = 0; t < SAMPLES; t++) cut += same >> t & 1 ? 0 : row[t];
    }
    return 2 * cut * (1 - overlap);
}

void doubt_asked(doubt *d, uint64_t same, double overlap)
{
    for (size_t s = 0; s < SAMPLES; s++) {
        for (size_t t = 0; t < SAMPLES; t++) {
            if ((same >> s ^ same >> t) & 1) d->edge[s * SAMPLES + t] *= overlap;
        }
    }
}
