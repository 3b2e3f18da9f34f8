/* Distinct pairs with what the workers said about them. Methods made for constraints from one
 * source see the majority; who answered is lost here on purpose. */
#ifndef SCDC_BASELINES_PAIRS_H
#define SCDC_BASELINES_PAIRS_H

#include <scdc/scdc.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pair {
    uint32_t left, right; /* left < right */
    uint32_t same, different;
} pair;

typedef struct pairs {
    pair *list; /* sorted by (left, right) */
    size_t count;
} pairs;

enum { ALL_WORKERS = -1 };

/* The answers of one worker, or of all. */
int pairs_collect(pairs *out, const scdc_answer *answers, size_t n_answers, int64_t worker);
void pairs_free(pairs *p);

/* +1 mostly "same", -1 mostly "different", 0 undecided. */
static inline int pair_majority(const pair *p)
{
    return p->same > p->different ? 1 : p->same < p->different ? -1 : 0;
}

#endif
