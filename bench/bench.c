/* Arguments, clock and output of the benchmark programs. */
#include "bench.h"

#include "base/parallel.h"

#include <scdc/scdc.h>
#include <string.h>
#include <time.h>

bench_options bench_arguments(int argc, char **argv, int rounds)
{
    bench_options o = {.rounds = rounds};
    bool asked = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            o.quick = true;
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            o.threads = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
            o.rounds = atoi(argv[++i]);
            asked = true;
        } else {
            fprintf(stderr, "usage: %s [--quick] [--threads N] [--rounds N]\n", argv[0]);
            exit(2);
        }
    }
    if (o.quick && !asked) o.rounds = 1;
    if (o.rounds < 1) o.rounds = 1;
    if (o.rounds > BENCH_MOST_ROUNDS) o.rounds = BENCH_MOST_ROUNDS;
    parallel_set_threads(o.threads);
    o.threads = parallel_threads();
    return o;
}

void bench_need(int status)
{
    if (status == SCDC_OK) return;
    fprintf(stderr, "benchmark: %s\n", scdc_last_error());
    exit(EXIT_FAILURE);
}

double bench_now(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_compare(bench_time *out, const bench_body *bodies, void **contexts, size_t count,
                   int rounds, int repeats, int threads)
{
    /* Long enough for the BLAS library's own threads, which spin for a while after their work, to
     * fall asleep: they would take a core from whoever is timed next. */
    const struct timespec pause = {.tv_nsec = 60000000};
    static double seconds[BENCH_MOST_BODIES][BENCH_MOST_ROUNDS];
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            if (threads > 1) nanosleep(&pause, NULL);
            double begin = bench_now(threads);
            for (int r = 0; r < repeats; r++) bodies[i](contexts[i]);
            seconds[i][round] = (bench_now(threads) - begin) / repeats;
        }
    }
    for (size_t i = 0; i < count; i++) {
        qsort(seconds[i], (size_t)rounds, sizeof **seconds, by_size);
        double middle = (seconds[i][(rounds - 1) / 2] + seconds[i][rounds / 2]) / 2;
        out[i] = (bench_time){seconds[i][0], middle, rounds};
    }
}

/* ---- output ---- */

void bench_figure(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    printf("{\"name\": \"");
    vprintf(format, rest);
    printf("\"");
    va_end(rest);
}

void bench_put(const char *name, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    printf(", \"%s\": ", name);
    vprintf(format, rest);
    va_end(rest);
}

void bench_put_time(const char *name, const bench_time *t)
{
    printf(", \"%s_ms\": %.3f, \"%s_median_ms\": %.3f", name, 1e3 * t->best, name, 1e3 * t->median);
}

void bench_put_stages(void)
{
    double sum = 0, seconds;
    const char *name, *comma = "";
    for (size_t i = 0; scdc_timings_stage(i, &seconds); i++) sum += seconds;
    printf(", \"stages\": {");
    for (size_t i = 0; (name = scdc_timings_stage(i, &seconds)); i++) {
        if (seconds < 0.0005 * sum) continue;
        printf("%s\"%s\": %.3f", comma, name, seconds / sum);
        comma = ", ";
    }
    printf("}");
}

void bench_end(void)
{
    printf("}\n");
    fflush(stdout);
}
