/* Simulated workers: what the schemes share. */
#ifndef SCDC_CROWD_SIMULATE_H
#define SCDC_CROWD_SIMULATE_H

#include "base/rng.h"
#include "crowd/crowd.h"

/* Streams of RNG_SIMULATE_ANSWERS: which questions are asked and how they are answered are drawn
 * apart, so that other rates leave the questions as they are. */
enum { STREAM_QUESTIONS = 0, STREAM_ANSWERS = 1, STREAM_TRAITS = 2 };

typedef struct simulation {
    const scdc_simulation *options;
    size_t items;    /* drawn for annotation */
    uint32_t *item;  /* [items] item numbers, sorted by class */
    uint32_t *kind;  /* [items] class of each, 0, 1, ... */
    uint32_t *after; /* [items] where the class of each ends */
    scdc_crowd *crowd;
} simulation;

double simulated_sensitivity(const simulation *s, size_t worker);
double simulated_specificity(const simulation *s, size_t worker);
/* Part of `total` that falls to a worker; the first ones take what does not divide. */
size_t simulated_share(const simulation *s, size_t total, size_t worker);

/* The schemes: append all answers to s->crowd. */
int simulate_pairs(simulation *s);
int simulate_grid(simulation *s);

/* Chance q that a group joins an earlier one, so that each pair of `groups` groups ends together
 * with probability `together` (see simulate_grid.c); and the inverse. */
double merge_chance(size_t groups, double together);
double merge_together(size_t groups, double q);

#endif
