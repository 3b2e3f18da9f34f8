/* base/ranks and base/tree_sum: the same bits on any number of processes, and what they agree on.
 * Threads take the place of processes. */
#include "base/ranks.h"
#include "base/rng.h"
#include "base/tree_sum.h"
#include "support/processes.h"

enum { DOUBLES = 13, REALS = 1001, MOST = 40 };

/* A summand: values of all magnitudes, so that the order of adding shows. */
static void summand(double *doubles, real *reals, size_t shard)
{
    rng r;
    rng_init(&r, 5, RNG_BASELINE, 0, shard);
    for (size_t i = 0; i < DOUBLES; i++) doubles[i] = rng_normal(&r) * exp(9 * rng_normal(&r));
    for (size_t i = 0; i < REALS; i++) reals[i] = (real)(rng_normal(&r) * exp(5 * rng_normal(&r)));
}

/* The tree itself, plainly. */
static void plain_sum(double *doubles, real *reals, size_t begin, size_t end)
{
    if (end - begin == 1) {
        summand(doubles, reals, begin);
        return;
    }
    double right_d[DOUBLES];
    real right_r[REALS];
    size_t half = begin + (end - begin) / 2;
    plain_sum(doubles, reals, begin, half);
    plain_sum(right_d, right_r, half, end);
    for (size_t i = 0; i < DOUBLES; i++) doubles[i] += right_d[i];
    for (size_t i = 0; i < REALS; i++) reals[i] += right_r[i];
}

typedef struct sums {
    size_t shards;
    int status[MOST_PROCESSES];
    double doubles[MOST_PROCESSES][DOUBLES];
    real reals[MOST_PROCESSES][REALS];
} sums;

static void sum_up(size_t rank, void *context)
{
    sums *s = context;
    tree_sum t;
    s->status[rank] = tree_sum_create(&t, s->shards, DOUBLES, REALS, true);
    if (s->status[rank] != SCDC_OK) return;
    /* Twice: the second sum does not see the first. */
    for (int round = 0; round < 2 && s->status[rank] == SCDC_OK; round++) {
        tree_sum_begin(&t, DOUBLES, REALS);
        for (size_t shard = t.begin; shard < t.end; shard++) {
            double doubles[DOUBLES];
            real reals[REALS];
            summand(doubles, reals, shard);
            tree_sum_add(&t, doubles, reals);
        }
        s->status[rank] = tree_sum_finish(s->doubles[rank], s->reals[rank], &t);
    }
    tree_sum_free(&t);
}

static void test_same_bits(void **state)
{
    static const size_t shards[] = {1, 2, 3, 7, 8, 16, MOST};
    static const size_t counts[] = {1, 2, 3, 4, 5, 8};
    static sums s;
    (void)state;
    for (size_t i = 0; i < sizeof shards / sizeof *shards; i++) {
        double doubles[DOUBLES];
        real reals[REALS];
        plain_sum(doubles, reals, 0, shards[i]);
        for (size_t c = 0; c < sizeof counts / sizeof *counts && counts[c] <= shards[i]; c++) {
            s.shards = shards[i];
            run_processes(counts[c], sum_up, &s);
            for (size_t r = 0; r < counts[c]; r++) {
                assert_int_equal(s.status[r], SCDC_OK);
                assert_memory_equal(s.doubles[r], doubles, sizeof doubles);
                assert_memory_equal(s.reals[r], reals, sizeof reals);
            }
        }
    }
}

/* One process that has all shards although there are others: no word is exchanged. */
static void test_alone(void **state)
{
    static sums s = {.shards = 16};
    double doubles[DOUBLES];
    real reals[REALS];
    (void)state;
    sum_up(0, &s);
    assert_ok(s.status[0]);
    plain_sum(doubles, reals, 0, 16);
    assert_memory_equal(s.doubles[0], doubles, sizeof doubles);
    assert_memory_equal(s.reals[0], reals, sizeof reals);
    assert_int_equal(scdc_ranks_sent(), 0);
    assert_int_equal(scdc_ranks_count(), 1);
}

typedef struct words {
    size_t count, bad;
    int status[MOST_PROCESSES];
    char message[MOST_PROCESSES][200];
    int values[MOST_PROCESSES][1000];
} words;

/* Its own values, in parts of seven. */
static void fill_own(words *w, size_t rank)
{
    size_t begin, end;
    ranks_own(&begin, &end, (w->count + 6) / 7);
    for (size_t i = begin * 7; i < end * 7 && i < w->count; i++)
        w->values[rank][i] = (int)(3 * i + 1);
}

/* One to five processes, with some numbers of values. */
static void try_all(void (*body)(size_t rank, void *context),
                    void (*check)(const words *w, size_t n))
{
    static words w;
    for (size_t n = 1; n <= 5; n++) {
        for (size_t count = 1; count < 100; count += 13) {
            memset(&w, 0, sizeof w);
            w.count = count;
            run_processes(n, body, &w);
            for (size_t r = 0; r < n; r++) assert_int_equal(w.status[r], SCDC_OK);
            check(&w, n);
        }
    }
}

static void say_values(size_t rank, void *context)
{
    words *w = context;
    fill_own(w, rank);
    w->status[rank] = ranks_share(w->values[rank], sizeof(int), w->count, 7);
}

static void all_have_all(const words *w, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < w->count; i++) assert_int_equal(w->values[r][i], 3 * i + 1);
    }
}

static void test_share(void **state)
{
    (void)state;
    try_all(say_values, all_have_all);
}

/* The same, for process 0 alone; and counts of all of them, for all. */
static void bring_values(size_t rank, void *context)
{
    words *w = context;
    size_t counts[3] = {rank, 1, 100 * rank};
    fill_own(w, rank);
    w->status[rank] = ranks_bring(w->values[rank], sizeof(int), w->count, 7);
    if (w->status[rank] == SCDC_OK) w->status[rank] = ranks_add_counts(counts, 3);
    for (size_t i = 0; i < 3; i++) w->values[rank][500 + i] = (int)counts[i];
}

static void the_first_has_all(const words *w, size_t n)
{
    for (size_t i = 0; i < w->count; i++) {
        size_t had = 0;
        assert_int_equal(w->values[0][i], 3 * i + 1);
        for (size_t r = 1; r < n; r++) had += w->values[r][i] != 0;
        assert_true(had <= 1);
    }
    for (size_t r = 0; r < n; r++) {
        assert_int_equal(w->values[r][500], n * (n - 1) / 2);
        assert_int_equal(w->values[r][501], n);
        assert_int_equal(w->values[r][502], 100 * (n * (n - 1) / 2));
    }
}

static void test_bring(void **state)
{
    (void)state;
    try_all(bring_values, the_first_has_all);
}

static void say_options(size_t rank, void *context)
{
    words *w = context;
    const char *text = rank == w->bad ? "8" : "16";
    int first;
    size_t by;
    w->status[rank] = scdc_ranks_same("option shards", text);
    snprintf(w->message[rank], sizeof w->message[rank], "%s", scdc_last_error());
    if (scdc_ranks_agree(&first, &by, rank == w->bad ? 7 : 0) == SCDC_OK)
        w->values[rank][0] = first * 100 + (int)by;
}

static void test_differences_are_found(void **state)
{
    static words w;
    (void)state;
    w.bad = 2;
    run_processes(4, say_options, &w);
    for (size_t r = 0; r < 4; r++) {
        assert_int_equal(w.status[r], SCDC_ERR_ARGUMENT);
        assert_non_null(strstr(w.message[r], "option shards: rank 2 has 8, rank 0 has 16"));
        assert_int_equal(w.values[r][0], 702);
    }
    w.bad = MOST_PROCESSES;
    run_processes(4, say_options, &w);
    for (size_t r = 0; r < 4; r++) assert_int_equal(w.status[r], SCDC_OK);
}

/* Blocks of different lengths, one of them empty, in the first process; alone nobody is waited for,
 * however deep. */
static void bring_blocks(size_t rank, void *context)
{
    words *w = context;
    int own[MOST_PROCESSES];
    size_t bytes[MOST_PROCESSES];
    for (size_t r = 0; r < MOST_PROCESSES; r++) {
        own[r] = (int)(10 * rank + r);
        bytes[r] = r % 3 * sizeof *own;
    }
    w->status[rank] = ranks_collect(rank ? NULL : w->values[0], own, bytes);
    scdc_ranks_alone(1);
    scdc_ranks_alone(1);
    scdc_ranks_alone(0);
    w->values[rank][10] = (int)(scdc_ranks_count() * 10 + scdc_ranks_rank());
    scdc_ranks_alone(0);
    w->values[rank][11] = (int)(scdc_ranks_count() * 10 + scdc_ranks_rank());
}

static void test_collect(void **state)
{
    static words w;
    static const int blocks[] = {10, 20, 21, 40};
    (void)state;
    run_processes(5, bring_blocks, &w);
    assert_memory_equal(w.values[0], blocks, sizeof blocks);
    for (size_t r = 0; r < 5; r++) {
        assert_int_equal(w.status[r], SCDC_OK);
        assert_int_equal(w.values[r][10], 10);
        assert_int_equal(w.values[r][11], 50 + r);
    }
}

static void test_bad_ranks_are_refused(void **state)
{
    (void)state;
    scdc_ranks ranks = {.size = sizeof ranks, .rank = 2, .count = 2};
    assert_fails(scdc_ranks_use(&ranks), SCDC_ERR_ARGUMENT, "process 2 of 2");
    ranks.rank = 0;
    assert_fails(scdc_ranks_use(&ranks), SCDC_ERR_ARGUMENT, "missing");
    assert_ok(scdc_ranks_use(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_share),     cmocka_unit_test(test_differences_are_found),
        cmocka_unit_test(test_collect),   cmocka_unit_test(test_bad_ranks_are_refused),
        cmocka_unit_test(test_bring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
