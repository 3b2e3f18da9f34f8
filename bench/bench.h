/* What every benchmark program shares: a clock, and the least time of several interleaved runs. */
#ifndef SCDC_BENCH_H
#define SCDC_BENCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds: of the wall, or with one thread of the processor, which does not count the time other
 * programs take on a busy machine. */
static inline double bench_now(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void (*bench_body)(void *context);

/* Least seconds of one run of each body. Bodies take turns, so that a busy machine disturbs all of
 * them alike. */
static inline void bench_compare(double *least, const bench_body *bodies, void **contexts,
                                 size_t count, int rounds, int repeats, int threads)
{
    for (size_t i = 0; i < count; i++) least[i] = INFINITY;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            double begin = bench_now(threads);
            for (int r = 0; r < repeats; r++) bodies[i](contexts[i]);
            least[i] = fmin(least[i], (bench_now(threads) - begin) / repeats);
        }
    }
}

#endif
