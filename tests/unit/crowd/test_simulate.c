/* simulated workers: every argument, the schemes, rates achieved, same seed same answers. */
#include "crowd/crowd.h"
#include "crowd/simulate.h"
#include "support/check.h"

enum { ITEMS = 400 };
static int64_t truth[ITEMS];
static scdc_labels *labels;

static int make_labels(void **state)
{
    (void)state;
    /* Five classes of unequal sizes with odd values. */
    static const int64_t values[] = {-7, INT64_MAX, 0, 12345678901234, 3};
    for (int i = 0; i < ITEMS; i++) truth[i] = values[(i * i / 7) % 5];
    return scdc_labels_from_memory(&labels, truth, ITEMS);
}
static int free_labels(void **state)
{
    (void)state;
    scdc_labels_free(labels);
    return 0;
}

static scdc_crowd *run(const scdc_simulation *options)
{
    scdc_crowd *crowd = NULL;
    assert_ok(scdc_simulate_answers(&crowd, labels, options));
    return crowd;
}

typedef struct rates {
    double same, different; /* truly such pairs */
    double sensitivity, specificity;
} rates;
static rates measure(const scdc_crowd *crowd, uint32_t worker)
{
    size_t count;
    const scdc_answer *a = scdc_crowd_answers(crowd, &count);
    rates r = {0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (worker != UINT32_MAX && a[i].worker != worker) continue;
        if (truth[a[i].left] == truth[a[i].right]) {
            r.same++;
            r.sensitivity += a[i].same;
        } else {
            r.different++;
            r.specificity += !a[i].same;
        }
    }
    r.sensitivity /= r.same;
    r.specificity /= r.different;
    return r;
}

/* No worker is asked the same pair twice; returns the number of distinct items. */
static size_t check_distinct(const scdc_crowd *crowd)
{
    size_t count, items = 0;
    const scdc_answer *a = scdc_crowd_answers(crowd, &count);
    static uint32_t asked[ITEMS][ITEMS];
    static unsigned char used[ITEMS];
    memset(asked, 0, sizeof asked);
    memset(used, 0, sizeof used);
    for (size_t i = 0; i < count; i++) {
        uint32_t low = a[i].left < a[i].right ? a[i].left : a[i].right;
        uint32_t high = a[i].left + a[i].right - low;
        assert_true(low < high && high < ITEMS);
        assert_true(asked[low][high] != a[i].worker + 1);
        asked[low][high] = a[i].worker + 1; /* answers come worker by worker */
        used[low] = used[high] = 1;
    }
    for (int i = 0; i < ITEMS; i++) items += used[i];
    return items;
}

static void defaults_are_the_pinwheel_experiment(void **state)
{
    (void)state;
    scdc_simulation o;
    scdc_crowd_info info;
    scdc_simulation_init(&o);
    o.items = 100;
    scdc_crowd *crowd = run(&o);
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.answers, 980);
    assert_int_equal(info.workers, 20);
    assert_true(info.min_per_worker == 49 && info.max_per_worker == 49);
    assert_int_equal(info.tasks, 0);
    assert_int_equal(check_distinct(crowd), 100); /* 1960 ends miss none of 100 items */
    assert_string_equal(scdc_crowd_worker_name(crowd, 3), "w03");
    scdc_crowd_free(crowd);
}

static void pairs_have_the_workers_rates(void **state)
{
    (void)state;
    double sensitivity[] = {0.95, 0.7, 1}, specificity[] = {0.8, 0.6, 1};
    scdc_simulation o;
    scdc_simulation_init(&o);
    o.workers = 3;
    o.sensitivity = sensitivity;
    o.specificity = specificity;
    o.n_sensitivity = o.n_specificity = 3;
    o.pairs = 60000;
    scdc_crowd *crowd = run(&o);
    assert_int_equal(check_distinct(crowd), ITEMS);
    for (uint32_t w = 0; w < 3; w++) {
        rates r = measure(crowd, w);
        double a = sensitivity[w], b = specificity[w];
        assert_int_equal(r.same + r.different, 20000);
        assert_close(r.sensitivity, a, 5 * sqrt(a * (1 - a) / r.same));
        assert_close(r.specificity, b, 5 * sqrt(b * (1 - b) / r.different));
    }
    scdc_crowd_free(crowd);
}

/* As many pairs as there are: each worker sees every one exactly once. */
static void all_pairs_can_be_asked(void **state)
{
    (void)state;
    scdc_simulation o;
    scdc_simulation_init(&o);
    o.workers = 2;
    o.items = 40;
    o.pairs = 2 * 780;
    scdc_crowd_info info;
    scdc_crowd *crowd = run(&o);
    check_distinct(crowd);
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.pairs, 780);
    assert_int_equal(info.items, 40);
    scdc_crowd_free(crowd);
    o.pairs++;
    assert_fails(scdc_simulate_answers(&crowd, labels, &o), SCDC_ERR_ARGUMENT,
                 "781 pairs, but 40 items have only 780");
}

/* Uniform draws: every pair of few items comes up about equally often. */
static void pairs_are_uniform(void **state)
{
    (void)state;
    int seen[6] = {0};
    int64_t values[] = {1, 1, 2, 3};
    scdc_labels *four;
    assert_ok(scdc_labels_from_memory(&four, values, 4));
    scdc_simulation o;
    scdc_simulation_init(&o);
    o.workers = 30000;
    o.pairs = 60000;
    scdc_crowd *crowd;
    size_t count;
    assert_ok(scdc_simulate_answers(&crowd, four, &o));
    const scdc_answer *a = scdc_crowd_answers(crowd, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t low = a[i].left < a[i].right ? a[i].left : a[i].right;
        uint32_t high = a[i].left + a[i].right - low;
        seen[low == 0 ? high - 1 : low + high]++;
    }
    for (int i = 0; i < 6; i++) assert_close(seen[i], 10000, 5 * sqrt(30000 * 2.0 / 9));
    scdc_crowd_free(crowd);
    scdc_labels_free(four);
}

static void balanced_pairs_are_half_and_half(void **state)
{
    (void)state;
    scdc_simulation o;
    scdc_simulation_init(&o);
    o.scheme = SCDC_SCHEME_BALANCED;
    o.workers = 5;
    o.pairs = 1004; /* 201 for four workers, 200 for the last */
    o.items = 100;
    double one = 1;
    o.sensitivity = o.specificity = &one;
    scdc_crowd *crowd = run(&o);
    check_distinct(crowd);
    for (uint32_t w = 0; w < 5; w++) {
        rates r = measure(crowd, w);
        assert_int_equal(r.same + r.different, w < 4 ? 201 : 200);
        assert_true(fabs(r.same - r.different) <= (w < 4 ? 1 : 0));
        assert_true(r.sensitivity == 1 && r.specificity == 1);
    }
    scdc_crowd_free(crowd);
    int64_t alone[] = {1, 2, 3, 4}, together[] = {1, 1, 1, 1};
    scdc_labels *other;
    o.items = 0;
    o.workers = 1;
    o.pairs = 2;
    assert_ok(scdc_labels_from_memory(&other, alone, 4));
    assert_fails(scdc_simulate_answers(&crowd, other, &o), SCDC_ERR_ARGUMENT, "1 same pairs");
    scdc_labels_free(other);
    assert_ok(scdc_labels_from_memory(&other, together, 4));
    assert_fails(scdc_simulate_answers(&crowd, other, &o), SCDC_ERR_ARGUMENT, "1 different pairs");
    scdc_labels_free(other);
}

/* Each task is complete, belongs to one worker and is a partition. */
static void check_tasks(const scdc_crowd *crowd, size_t tasks, size_t grid)
{
    size_t count, each = grid * (grid - 1) / 2;
    const scdc_answer *a = scdc_crowd_answers(crowd, &count);
    assert_int_equal(count, tasks * each);
    static unsigned char same[ITEMS][ITEMS];
    for (size_t t = 0; t < tasks; t++, a += each) {
        uint32_t shown[ITEMS];
        size_t n = 0;
        memset(same, 2, sizeof same);
        shown[n++] = a[0].left;
        for (size_t i = 0; i < each; i++) {
            assert_int_equal(a[i].task, t);
            assert_int_equal(a[i].worker, a[0].worker);
            assert_int_equal(same[a[i].left][a[i].right], 2);
            same[a[i].left][a[i].right] = same[a[i].right][a[i].left] = (unsigned char)a[i].same;
            if (i < grid - 1) shown[n++] = a[i].right;
        }
        assert_int_equal(n, grid);
        for (size_t i = 0; i < grid; i++) {
            for (size_t j = i + 1; j < grid; j++) {
                for (size_t k = j + 1; k < grid; k++) {
                    int ij = same[shown[i]][shown[j]], jk = same[shown[j]][shown[k]];
                    assert_true(ij + jk + same[shown[i]][shown[k]] != 2); /* two sames, one not */
                }
            }
        }
    }
}

static void grids_are_partitions_with_the_rates(void **state)
{
    (void)state;
    double wanted[][2] = {{0.983, 0.992}, {0.9, 0.9}, {0.6, 0.95}, {0.95, 0.6}, {0.5, 0.5}};
    for (int i = 0; i < 5; i++) {
        scdc_simulation o;
        scdc_simulation_init(&o);
        o.scheme = SCDC_SCHEME_GRID;
        o.workers = 3;
        o.tasks = 3000;
        o.grid = 12;
        o.sensitivity = &wanted[i][0];
        o.specificity = &wanted[i][1];
        o.seed = 11;
        scdc_crowd *crowd = run(&o);
        check_tasks(crowd, 3000, 12);
        rates r = measure(crowd, UINT32_MAX);
        /* Errors within a task hang together; 3000 tasks pin the rates to about this. */
        assert_close(r.sensitivity, wanted[i][0], 0.015);
        assert_close(r.specificity, wanted[i][1], 0.015);
        scdc_crowd_free(crowd);
    }
}

static void perfect_grids_are_the_truth(void **state)
{
    (void)state;
    double one = 1, zero = 0;
    scdc_simulation o;
    scdc_simulation_init(&o);
    o.scheme = SCDC_SCHEME_GRID;
    o.workers = 4;
    o.tasks = 10;
    o.sensitivity = o.specificity = &one;
    scdc_crowd *crowd = run(&o);
    check_tasks(crowd, 10, 36);
    rates r = measure(crowd, UINT32_MAX);
    assert_true(r.sensitivity == 1 && r.specificity == 1);
    scdc_crowd_info info;
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.tasks, 10);
    assert_true(info.min_per_worker == 2 * 630 && info.max_per_worker == 3 * 630);
    scdc_crowd_free(crowd);
    o.specificity = &zero; /* everything in one group */
    crowd = run(&o);
    r = measure(crowd, UINT32_MAX);
    assert_true(r.sensitivity == 1 && r.specificity == 0);
    scdc_crowd_free(crowd);
    o.sensitivity = &zero;
    o.specificity = &one; /* every item alone */
    crowd = run(&o);
    r = measure(crowd, UINT32_MAX);
    assert_true(r.sensitivity == 0 && r.specificity == 1);
    scdc_crowd_free(crowd);
    o.specificity = &zero;
    assert_fails(scdc_simulate_answers(&crowd, labels, &o), SCDC_ERR_ARGUMENT, "worse than");
}

/* Items on the piles of their kinds, or each on another one of the task with the chance 1 - A. */
static void slips_of_single_items(void **state)
{
    (void)state;
    double stay = 0.8;
    scdc_simulation o;
    scdc_simulation_init(&o);
    o.scheme = SCDC_SCHEME_GRID;
    o.slips = SCDC_SLIPS_PILES;
    o.workers = 1;
    o.tasks = 3000;
    o.grid = 12;
    o.sensitivity = &stay;
    scdc_crowd *crowd = run(&o);
    check_tasks(crowd, 3000, 12);
    rates r = measure(crowd, UINT32_MAX);
    /* Both stay, or both go to the same one of the other piles, of which there are at least 1. */
    assert_true(r.sensitivity > stay * stay && r.sensitivity < stay * stay + 0.04);
    assert_true(r.specificity > 0.8 && r.specificity < 0.95);
    scdc_crowd_free(crowd);
}

/* Workers without slips: whoever takes two classes for one never tells them apart, whoever halves
 * them never mixes them. */
static void other_ideas_of_kinds(void **state)
{
    (void)state;
    double one = 1;
    scdc_simulation o;
    scdc_simulation_init(&o);
    o.scheme = SCDC_SCHEME_GRID;
    o.workers = 4;
    o.tasks = 400;
    o.grid = 12;
    o.sensitivity = o.specificity = &one;
    o.kinds = SCDC_KINDS_COARSE;
    scdc_crowd *crowd = run(&o);
    rates r = measure(crowd, UINT32_MAX);
    assert_true(r.sensitivity == 1 && r.specificity > 0.5 && r.specificity < 0.99);
    scdc_crowd_free(crowd);
    o.kinds = SCDC_KINDS_FINE;
    crowd = run(&o);
    r = measure(crowd, UINT32_MAX);
    assert_close(r.sensitivity, 0.5, 0.05);
    assert_true(r.specificity == 1);
    scdc_crowd_free(crowd);
    o.kinds = SCDC_KINDS_OTHER; /* classes say nothing: "same" is as frequent in both cases */
    crowd = run(&o);
    r = measure(crowd, UINT32_MAX);
    assert_close(r.sensitivity + r.specificity, 1, 0.05);
    scdc_crowd_free(crowd);
    o.kinds = SCDC_KINDS_MIXED;
    crowd = run(&o);
    r = measure(crowd, 0);
    assert_true(r.sensitivity == 1 && r.specificity == 1);
    r = measure(crowd, 1);
    assert_true(r.sensitivity == 1 && r.specificity < 1);
    r = measure(crowd, 2);
    assert_true(r.sensitivity < 1 && r.specificity == 1);
    scdc_crowd_free(crowd);
}

/* Large groups are merged as often as small ones, although a task tends to show them first. */
static void merging_does_not_favour_large_groups(void **state)
{
    (void)state;
    int64_t kinds[48];
    for (int i = 0; i < 48; i++) kinds[i] = i < 40 ? i % 2 : i; /* 20 + 20 + 8 alone */
    scdc_labels *few;
    double together = 0, pairs = 0, one = 1, specificity = 0.7;
    assert_ok(scdc_labels_from_memory(&few, kinds, 48));
    scdc_simulation o;
    scdc_simulation_init(&o);
    o.scheme = SCDC_SCHEME_GRID;
    o.workers = 1;
    o.tasks = 3000;
    o.grid = 24;
    o.sensitivity = &one;
    o.specificity = &specificity;
    scdc_crowd *crowd;
    assert_ok(scdc_simulate_answers(&crowd, few, &o));
    for (size_t i = 0; i < crowd->count; i++) {
        const scdc_answer *a = crowd->answers + i;
        if (a->left >= 40 || a->right >= 40 || kinds[a->left] == kinds[a->right]) continue;
        pairs++;
        together += a->same;
    }
    /* In a task these pairs go all together: as good as 3000 tosses. */
    assert_close(together / pairs, 0.3, 5 * sqrt(0.3 * 0.7 / 3000));
    scdc_crowd_free(crowd);
    scdc_labels_free(few);
}

/* The chance of a merge is calibrated: three groups by hand, any number by inversion. */
static void merging_is_calibrated(void **state)
{
    (void)state;
    /* Second joins the first with q; the third joins with q either of the two, so it is with a
     * given one with q (1 + q) / 2. Mean over the three pairs: (q + 2 q (1 + q) / 2) / 3. */
    double q = 0.3;
    assert_close(merge_together(3, q), (q + q * (1 + q)) / 3, 1e-15);
    assert_close(merge_together(2, q), q, 1e-15);
    size_t groups[] = {2, 3, 10, 36, 500};
    double together[] = {0.001, 0.2, 0.7, 0.999};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 4; j++) {
            double chance = merge_chance(groups[i], together[j]);
            assert_close(merge_together(groups[i], chance), together[j], 1e-12);
        }
        assert_close(merge_together(groups[i], 1), 1, 1e-12);
    }
    assert_true(merge_chance(5, 0) == 0 && merge_chance(5, 1) == 1);
}

static void same_seed_same_answers(void **state)
{
    (void)state;
    for (int scheme = SCDC_SCHEME_PAIRS; scheme <= SCDC_SCHEME_GRID; scheme++) {
        scdc_simulation o;
        scdc_simulation_init(&o);
        o.scheme = (scdc_scheme)scheme;
        o.workers = 4;
        o.pairs = 400;
        o.tasks = 8;
        o.items = 60;
        o.seed = 5;
        scdc_crowd *a = run(&o), *b = run(&o);
        size_t bytes = a->count * sizeof *a->answers;
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->answers, b->answers, bytes);
        scdc_crowd_free(b);
        /* Other rates change what is said, not what is asked. */
        double perfect = 1;
        o.sensitivity = o.specificity = &perfect;
        b = run(&o);
        size_t differ = 0;
        for (size_t i = 0; i < a->count; i++) {
            assert_int_equal(a->answers[i].left, b->answers[i].left);
            assert_int_equal(a->answers[i].right, b->answers[i].right);
            differ += a->answers[i].same != b->answers[i].same;
        }
        assert_true(differ > 0);
        scdc_crowd_free(b);
        o.seed = 6;
        b = run(&o);
        assert_memory_not_equal(a->answers, b->answers, bytes);
        scdc_crowd_free(a);
        scdc_crowd_free(b);
    }
}

static void refuse(scdc_simulation o, const char *text)
{
    scdc_crowd *crowd = NULL;
    assert_fails(scdc_simulate_answers(&crowd, labels, &o), SCDC_ERR_ARGUMENT, text);
    assert_null(crowd);
}

static void every_argument_is_checked(void **state)
{
    (void)state;
    scdc_simulation good, o;
    double bad[] = {0.5, NAN, 1.5};
    scdc_simulation_init(&good);
    scdc_simulation_init(NULL);
    refuse((o = good, o.size = 3, o), "scdc_simulation_init");
    refuse((o = good, o.workers = 0, o), "workers");
    refuse((o = good, o.sensitivity = NULL, o), "sensitivity");
    refuse((o = good, o.specificity = NULL, o), "specificity");
    refuse((o = good, o.n_sensitivity = 0, o), "20 workers, not 0");
    refuse((o = good, o.sensitivity = bad, o.n_sensitivity = 3, o), "20 workers, not 3");
    refuse((o = good, o.workers = 3, o.specificity = bad, o.n_specificity = 3, o), "not nan");
    refuse((o = good, o.sensitivity = bad + 2, o), "not 1.5");
    refuse((o = good, o.items = 1, o), "not 1");
    refuse((o = good, o.items = ITEMS + 1, o), "the 400 labelled ones, not 401");
    refuse((o = good, o.pairs = 19, o), "not 19");
    refuse((o = good, o.pairs = SIZE_MAX, o), "pairs");
    refuse((o = good, o.scheme = (scdc_scheme)9, o), "scheme 9");
    refuse((o = good, o.kinds = SCDC_KINDS_FINE, o), "need the scheme grid");
    good.scheme = SCDC_SCHEME_GRID;
    refuse((o = good, o.kinds = (scdc_worker_kinds)5, o), "no kinds 5");
    refuse((o = good, o.slips = (scdc_slips)2, o), "no slips 2");
    refuse((o = good, o.grid = 1, o), "not 1");
    refuse((o = good, o.items = 30, o), "the 30 to annotate, not 36");
    refuse((o = good, o.tasks = 19, o), "19 tasks are too few for 20 workers");
    refuse((o = good, o.tasks = SIZE_MAX, o), "answers");
    scdc_crowd *crowd;
    assert_fails(scdc_simulate_answers(NULL, labels, &good), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_simulate_answers(&crowd, NULL, &good), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_simulate_answers(&crowd, labels, NULL), SCDC_ERR_ARGUMENT, "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_pinwheel_experiment),
        cmocka_unit_test(pairs_have_the_workers_rates),
        cmocka_unit_test(all_pairs_can_be_asked),
        cmocka_unit_test(pairs_are_uniform),
        cmocka_unit_test(balanced_pairs_are_half_and_half),
        cmocka_unit_test(grids_are_partitions_with_the_rates),
        cmocka_unit_test(perfect_grids_are_the_truth),
        cmocka_unit_test(slips_of_single_items),
        cmocka_unit_test(other_ideas_of_kinds),
        cmocka_unit_test(merging_does_not_favour_large_groups),
        cmocka_unit_test(merging_is_calibrated),
        cmocka_unit_test(same_seed_same_answers),
        cmocka_unit_test(every_argument_is_checked),
    };
    return cmocka_run_group_tests(tests, make_labels, free_labels);
}
