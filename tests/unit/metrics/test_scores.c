/* scores: golden numbers of scikit-learn and scipy, any label values, trivial partitions, many
 * clusters, bad arguments. */
#include "base/parallel.h"
#include "base/rng.h"
#include "metrics/contingency.h"
#include "metrics/information.h"
#include "support/check.h"
#include "golden/metrics.h"

/* The generator of tests/golden/metrics.py. */
static uint64_t golden_state;
static uint32_t golden_draw(uint32_t n)
{
    golden_state = golden_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((golden_state >> 33) % n);
}

static void golden_labels(int64_t *labels, int64_t *truth, const struct golden_scores *g)
{
    golden_state = g->seed;
    for (uint32_t i = 0; i < g->items; i++) {
        uint32_t t = golden_draw(g->classes);
        if (g->skew) {
            uint32_t other = golden_draw(g->classes);
            if (other < t) t = other;
        }
        labels[i] = golden_draw(1000) < g->noise ? golden_draw(g->clusters) : t % g->clusters;
        truth[i] = t;
    }
}

static void check_golden(const int64_t *labels, const int64_t *truth, const struct golden_scores *g)
{
    scdc_scores s;
    assert_ok(scdc_score(&s, labels, truth, g->items));
    assert_int_equal(s.items, g->items);
    assert_int_equal(s.clusters, g->found_clusters);
    assert_int_equal(s.classes, g->found_classes);
    assert_close(s.acc, g->acc, 1e-12);
    assert_close(s.nmi, g->nmi, 1e-10);
    assert_close(s.ami, g->ami, 1e-9);
    assert_close(s.ari, g->ari, 1e-12);
}

static void scores_are_golden_for_any_label_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_scores / sizeof *golden_scores; i++) {
        const struct golden_scores *g = golden_scores + i;
        int64_t *labels = calloc(g->items, sizeof *labels);
        int64_t *truth = calloc(g->items, sizeof *truth);
        golden_labels(labels, truth, g);
        check_golden(labels, truth, g);
        /* Negative and huge values: the same partitions, so the same scores. */
        for (uint32_t j = 0; j < g->items; j++) {
            labels[j] = INT64_MIN + labels[j] * 1000003 * 2654435761;
            truth[j] = truth[j] % 2 ? INT64_MAX - truth[j] * 4096 : -truth[j];
        }
        check_golden(labels, truth, g);
        free(labels);
        free(truth);
    }
}

static void renamed_partitions_are_perfect(void **state)
{
    (void)state;
    int64_t a[] = {5, 5, -1, 7, 7, -1}, b[] = {0, 0, 9, INT64_MIN, INT64_MIN, 9};
    scdc_scores s;
    assert_ok(scdc_score(&s, a, b, 6));
    assert_true(s.acc == 1 && s.nmi == 1 && s.ami == 1 && s.ari == 1);
    assert_int_equal(s.clusters, 3);
    assert_ok(scdc_score(&s, a, b, 1)); /* one item, one cluster */
    assert_true(s.acc == 1 && s.nmi == 1 && s.ami == 1 && s.ari == 1);
}

static void trivial_partitions_score_nothing(void **state)
{
    (void)state;
    int64_t one[] = {3, 3, 3, 3}, each[] = {1, 2, 3, 4}, halves[] = {0, 0, 1, 1};
    scdc_scores s;
    assert_ok(scdc_score(&s, one, halves, 4));
    assert_true(s.acc == 0.5 && s.nmi == 0 && s.ami == 0 && s.ari == 0);
    assert_ok(scdc_score(&s, each, halves, 4));
    assert_true(s.acc == 0.5 && s.ami == 0 && s.ari == 0);
    assert_close(s.nmi, 2.0 / 3, 1e-12); /* ln 2 / ((ln 4 + ln 2) / 2) */
    assert_ok(scdc_score(&s, each, one, 4));
    assert_true(s.acc == 0.25 && s.nmi == 0 && s.ami == 0 && s.ari == 0);
}

/* Worse than chance: both adjusted scores of crossed halves are negative. */
static void adjusted_scores_can_be_negative(void **state)
{
    (void)state;
    int64_t a[] = {0, 0, 1, 1}, b[] = {0, 1, 0, 1};
    scdc_scores s;
    assert_ok(scdc_score(&s, a, b, 4));
    assert_close(s.acc, 0.5, 0);
    assert_close(s.nmi, 0, 0);
    assert_close(s.ari, -0.5, 1e-15);
    /* Of the 6 ways to deal, 2 give MI ln 2: E = ln 2 / 3, so (0 - 1/3) / (1 - 1/3). */
    assert_close(s.ami, -0.5, 1e-12);
}

/* Very many clusters on both sides: nothing may grow with clusters x classes. */
static void many_clusters_take_little_memory(void **state)
{
    (void)state;
    enum { ITEMS = 300000 };
    int64_t *a = calloc(ITEMS, sizeof *a), *b = calloc(ITEMS, sizeof *b);
    for (int64_t i = 0; i < ITEMS; i++) {
        a[i] = i;
        b[i] = INT64_MIN + i * 1000000007;
    }
    scdc_scores s;
    assert_ok(scdc_score(&s, a, b, ITEMS));
    assert_int_equal(s.clusters, ITEMS);
    assert_int_equal(s.classes, ITEMS);
    assert_true(s.acc == 1 && s.nmi == 1 && s.ami == 1 && s.ari == 1);
    for (int64_t i = 0; i < ITEMS; i++) b[i] = i / 2; /* pairs against single items */
    assert_ok(scdc_score(&s, a, b, ITEMS));
    assert_true(s.acc == 0.5 && s.ami == 0 && s.ari == 0);
    for (int64_t i = 0; i < ITEMS; i++) a[i] = (i + 1) / 2; /* a chain of overlapping pairs */
    assert_ok(scdc_score(&s, a, b, ITEMS));
    assert_int_equal(s.clusters, ITEMS / 2 + 1);
    assert_close(s.acc, 0.5, 1e-5);
    free(a);
    free(b);
}

/* E[MI] by dealing out every permutation of five items. */
static double mean_over_permutations(int64_t *a, int64_t *b, size_t fixed, size_t *count)
{
    if (fixed == 5) {
        contingency t;
        assert_ok(contingency_build(&t, a, b, 5));
        double mutual = mutual_information(&t);
        contingency_free(&t);
        ++*count;
        return mutual;
    }
    double sum = 0;
    for (size_t i = fixed; i < 5; i++) {
        int64_t swap = b[fixed];
        b[fixed] = b[i];
        b[i] = swap;
        sum += mean_over_permutations(a, b, fixed + 1, count);
        swap = b[fixed];
        b[fixed] = b[i];
        b[i] = swap;
    }
    return sum;
}

static void expected_information_is_the_mean_over_permutations(void **state)
{
    (void)state;
    int64_t a[][5] = {{0, 0, 0, 1, 1}, {0, 1, 2, 2, 2}, {0, 0, 0, 0, 1}};
    int64_t b[][5] = {{0, 0, 1, 1, 2}, {0, 0, 1, 1, 1}, {0, 1, 1, 1, 1}};
    for (int i = 0; i < 3; i++) {
        contingency t;
        double expected;
        size_t count = 0;
        assert_ok(contingency_build(&t, a[i], b[i], 5));
        assert_ok(expected_mutual_information(&expected, &t));
        contingency_free(&t);
        double sum = mean_over_permutations(a[i], b[i], 0, &count);
        assert_int_equal(count, 120);
        assert_close(expected, sum / 120, 1e-14);
    }
}

static void scores_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { ITEMS = 30000 };
    int64_t *a = calloc(ITEMS, sizeof *a), *b = calloc(ITEMS, sizeof *b);
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (int i = 0; i < ITEMS; i++) {
        a[i] = (int64_t)rng_below(&r, 200);
        b[i] = (int64_t)rng_below(&r, 300);
    }
    scdc_scores first, s;
    memset(&first, 0, sizeof first);
    memset(&s, 0, sizeof s);
    for (int threads = 1; threads <= 4; threads++) {
        parallel_set_threads(threads);
        assert_ok(scdc_score(threads == 1 ? &first : &s, a, b, ITEMS));
        if (threads > 1) assert_memory_equal(&first, &s, sizeof s);
    }
    parallel_set_threads(0);
    free(a);
    free(b);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    int64_t a[] = {1};
    scdc_scores s = {.items = 77};
    assert_fails(scdc_score(&s, a, a, 0), SCDC_ERR_ARGUMENT, "not 0");
    assert_fails(scdc_score(&s, a, a, SIZE_MAX), SCDC_ERR_ARGUMENT, "number of items");
    assert_fails(scdc_score(&s, NULL, a, 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_score(&s, a, NULL, 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_score(NULL, a, a, 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_int_equal(s.items, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_golden_for_any_label_values),
        cmocka_unit_test(renamed_partitions_are_perfect),
        cmocka_unit_test(trivial_partitions_score_nothing),
        cmocka_unit_test(adjusted_scores_can_be_negative),
        cmocka_unit_test(many_clusters_take_little_memory),
        cmocka_unit_test(expected_information_is_the_mean_over_permutations),
        cmocka_unit_test(scores_do_not_depend_on_threads),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
