/* What every benchmark program shares: arguments, a clock, best and median of several interleaved
 * runs, shares of the stages. A figure is one JSON object on a line of stdout; bench_figure and
 * bench_end frame it. */
#ifndef SCDC_BENCH_H
#define SCDC_BENCH_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* --quick: small sizes and one round, only to see that the program works. --threads N: 0 = all
 * cores. --rounds N. Sets the threads of parallel loops. */
typedef struct bench_options {
    bool quick;
    int threads, rounds;
} bench_options;
bench_options bench_arguments(int argc, char **argv, int rounds);
/* Ends the program when status is not SCDC_OK. */
void bench_need(int status);

/* Seconds: of the wall, or with one thread of the processor, which does not count the time other
 * programs take on a busy machine. */
double bench_now(int threads);

typedef struct bench_time {
    double best, median; /* seconds of one run */
    int rounds;
} bench_time;
typedef void (*bench_body)(void *context);
enum { BENCH_MOST_BODIES = 8, BENCH_MOST_ROUNDS = 256 };

/* Times `repeats` runs of each body, in `rounds` rounds. Bodies take turns, so that a busy machine
 * disturbs all of them alike. */
void bench_compare(bench_time *out, const bench_body *bodies, void **contexts, size_t count,
                   int rounds, int repeats, int threads);

void bench_figure(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* , "NAME_ms": best, "NAME_median_ms": median */
void bench_put_time(const char *name, const bench_time *t);
void bench_put(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* , "stages": shares of the stages since scdc_timings_start */
void bench_put_stages(void);
void bench_end(void);

#endif
