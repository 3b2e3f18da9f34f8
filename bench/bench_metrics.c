/* Times the scores and the matchings, best of three. One JSON object per line. */
#include "base/rng.h"
#include "bench.h"
#include "metrics/matching.h"

#include <scdc/scdc.h>

enum { REPEATS = 3 };

static void *allocate(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (!block) {
        fprintf(stderr, "bench_metrics: out of memory\n");
        exit(1);
    }
    return block;
}

/* Scores of n items whose label is the class with probability `right`, else any cluster. */
static void time_scores(const char *name, size_t n, size_t clusters, size_t classes, double right)
{
    int64_t *labels = allocate(n, sizeof *labels), *truth = allocate(n, sizeof *truth);
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (size_t i = 0; i < n; i++) {
        truth[i] = (int64_t)rng_below(&r, classes);
        bool known = rng_uniform(&r) < right;
        labels[i] = known ? truth[i] % (int64_t)clusters : (int64_t)rng_below(&r, clusters);
    }
    scdc_scores s = {0};
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double start = bench_now(1);
        bench_need(scdc_score(&s, labels, truth, n));
        best = fmin(best, bench_now(1) - start);
    }
    printf("{\"name\": \"%s\", \"items\": %zu, \"clusters\": %zu, \"classes\": %zu, "
           "\"seconds\": %.4f, \"acc\": %.6f, \"nmi\": %.6f, \"ami\": %.6f, \"ari\": %.6f}\n",
           name, n, s.clusters, s.classes, best, s.acc, s.nmi, s.ami, s.ari);
    free(labels);
    free(truth);
}

static void time_hungarian(size_t rows, size_t cols)
{
    double *cost = allocate(rows * cols, sizeof *cost), total = 0;
    uint32_t *match = allocate(rows, sizeof *match);
    rng r;
    rng_init(&r, 2, RNG_TEST, 0, 0);
    for (size_t i = 0; i < rows * cols; i++) cost[i] = rng_uniform(&r);
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double start = bench_now(1);
        bench_need(hungarian(match, cost, rows, cols));
        best = fmin(best, bench_now(1) - start);
    }
    for (size_t i = 0; i < rows; i++) {
        if (match[i] != UNMATCHED) total += cost[i * cols + match[i]];
    }
    printf("{\"name\": \"hungarian %zu x %zu\", \"seconds\": %.4f, \"cost\": %.6f}\n", rows, cols,
           best, total);
    free(cost);
    free(match);
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, 1);
    size_t less = o.quick ? 100 : 1;
    time_scores("scores, 12 clusters", 10000000 / less, 12, 10, 0.9);
    time_scores("scores, 1000 clusters", 10000000 / less, 1000, 1000, 0.5);
    time_scores("scores, all distinct", 1000000 / less, 1000000 / less, 1000000 / less, 1);
    time_scores("scores, hard matching", 1000000 / less, 300000 / less, 300000 / less, 0);
    time_hungarian(o.quick ? 100 : 1000, o.quick ? 100 : 1000);
    time_hungarian(o.quick ? 300 : 3000, o.quick ? 100 : 1000);
    return 0;
}
