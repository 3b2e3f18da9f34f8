/* How long processes take to add up the sums of their shards, and what they send for it: the
 * exchange of one step. Started by mpirun; bench/mpi_cost.py fits a model of the cost to it. One
 * JSON object for each size, the numbers of values that are given as arguments. */
#include "base/clock.h"
#include "base/ranks.h"
#include "base/tree_sum.h"
#include "bench.h"

#include <scdc/mpi.h>

enum { SHARDS = 16, ROUNDS = 15 };

static int in_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One sum of so many values; all begin together. */
static double time_sum(tree_sum *t, real *values, size_t count)
{
    double nothing = 0;
    bool any;
    tree_sum_begin(t, 1, count);
    for (size_t shard = t->begin; shard < t->end; shard++) tree_sum_add(t, &nothing, values);
    bench_need(ranks_any(&any, false));
    double begun = seconds_now();
    bench_need(tree_sum_finish(&nothing, values, t));
    return seconds_now() - begun;
}

static void time_sums(size_t count)
{
    double seconds[ROUNDS];
    tree_sum t;
    real *values = calloc(count, sizeof *values);
    if (!values) bench_need(SCDC_ERR_MEMORY);
    bench_need(tree_sum_create(&t, SHARDS, 1, count, true));
    time_sum(&t, values, count); /* the first one makes connections */
    uint64_t before = scdc_ranks_sent();
    for (int i = 0; i < ROUNDS; i++) seconds[i] = time_sum(&t, values, count);
    uint64_t sent = (scdc_ranks_sent() - before) / ROUNDS;
    qsort(seconds, ROUNDS, sizeof *seconds, in_order);
    if (scdc_ranks_rank() == 0) {
        printf("{\"processes\": %zu, \"values\": %zu, \"sent\": %llu, \"best\": %.6f, "
               "\"median\": %.6f}\n",
               scdc_ranks_count(), count, (unsigned long long)sent, seconds[0],
               seconds[ROUNDS / 2]);
    }
    tree_sum_free(&t);
    free(values);
}

int main(int argc, char **argv)
{
    bench_need(scdc_mpi_begin(&argc, &argv));
    for (int i = 1; i < argc; i++) time_sums(strtoul(argv[i], NULL, 10));
    return scdc_mpi_end(0, NULL);
}
