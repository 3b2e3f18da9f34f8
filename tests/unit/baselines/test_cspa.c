/* Consensus of clusterings: identical ones come back, a majority wins, workers make their own. */
#include "base/parallel.h"
#include "baselines/cspa.h"
#include "planted.h"

enum { N = 120 };

#ifdef SCDC_HAVE_METIS
static void identical_clusterings_come_back(void **state)
{
    (void)state;
    uint32_t clusterings[3 * N], labels[N];
    for (size_t i = 0; i < N; i++) {
        /* the same partition under three names for its clusters */
        for (size_t c = 0; c < 3; c++) clusterings[c * N + i] = (uint32_t)((i + c) % 4);
    }
    double cut;
    assert_ok(cspa_consensus(labels, &cut, clusterings, 3, N, 4, 1));
    assert_close(cut, 0, 0);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_int_equal(labels[i] == labels[j], i % 4 == j % 4);
        }
    }
}

static void two_good_clusterings_outvote_a_random_one(void **state)
{
    (void)state;
    uint32_t clusterings[3 * N], labels[N];
    int64_t found[N];
    rng r;
    rng_init(&r, 3, RNG_TEST, 0, 0);
    for (size_t i = 0; i < N; i++) {
        clusterings[i] = (uint32_t)(i % 3);
        clusterings[N + i] = (uint32_t)(i % 3);
        clusterings[2 * N + i] = (uint32_t)rng_below(&r, 3);
    }
    assert_ok(cspa_consensus(labels, NULL, clusterings, 3, N, 3, 1));
    for (size_t i = 0; i < N; i++) found[i] = labels[i];
    assert_true(planted_nmi(found, N, 3) > .99);
    assert_ok(cspa_consensus(labels, NULL, clusterings, 3, N, 1, 1));
    for (size_t i = 0; i < N; i++) assert_int_equal(labels[i], 0);
}

static void one_clustering_per_worker(void **state)
{
    (void)state;
    float *x = planted_items(N, 2, 4, 6, 1);
    double quality[3] = {1, .95, .9};
    scdc_answer *answers = planted_answers(N, 4, quality, 3, 200, 5);
    baseline_input in = {.x = x,
                         .n = N,
                         .dims = 2,
                         .answers = answers,
                         .n_answers = 600,
                         .n_workers = 4}; /* the fourth never answered */
    baseline_result first = result_for(&in, 4), other = result_for(&in, 4);
    scdc_baseline_options o = options_with_k(4);
    for (int threads = 1; threads <= 4; threads *= 2) {
        parallel_set_threads(threads);
        baseline_result *r = threads == 1 ? &first : &other;
        assert_ok(baseline_run(r, baseline_find("cspa"), &in, &o));
        assert_memory_equal(r->labels, first.labels, N * sizeof *r->labels);
    }
    parallel_set_threads(0);
    assert_int_equal(first.iterations, 3);
    assert_true(planted_nmi(first.labels, N, 4) > .9);
    result_free(&first);
    result_free(&other);
    mem_free(answers);
    mem_free(x);
}

static void too_many_items_are_refused(void **state)
{
    (void)state;
    assert_fails(cspa_consensus(NULL, NULL, NULL, 1, 1000000, 2, 1), SCDC_ERR_UNSUPPORTED,
                 "1000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_clusterings_come_back),
        cmocka_unit_test(two_good_clusterings_outvote_a_random_one),
        cmocka_unit_test(one_clustering_per_worker),
        cmocka_unit_test(too_many_items_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void says_what_is_missing(void **state)
{
    (void)state;
    uint32_t clusterings[N] = {0}, labels[N];
    assert_fails(cspa_consensus(labels, NULL, clusterings, 1, N, 2, 1), SCDC_ERR_UNSUPPORTED,
                 "METIS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_is_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
