/* Methods made for constraints (itml, mpckmeans): projections computed by hand, answers that flip a
 * k-means split, contradictions, and the checks all methods share. */
#include "baselines/itml.h"
#include "baselines/mpckmeans.h"
#include "baselines/mpckmeans_start.h"
#include "golden/baselines.h"
#include "planted.h"

static void pairs_are_counted_once(void **state)
{
    (void)state;
    scdc_answer a[] = {{.left = 3, .right = 1, .worker = 0, .same = 1},
                       {.left = 1, .right = 3, .worker = 1, .same = 0},
                       {.left = 0, .right = 2, .worker = 1, .same = 1},
                       {.left = 1, .right = 3, .worker = 0, .same = 0}};
    pairs p;
    assert_ok(pairs_collect(&p, a, 4, ALL_WORKERS));
    assert_int_equal(p.count, 2);
    assert_int_equal(p.list[0].left, 0);
    assert_int_equal(pair_majority(&p.list[0]), 1);
    assert_int_equal(p.list[1].same, 1);
    assert_int_equal(p.list[1].different, 2);
    assert_int_equal(pair_majority(&p.list[1]), -1);
    pairs_free(&p);
    assert_ok(pairs_collect(&p, a, 4, 0));
    assert_int_equal(p.count, 1);
    assert_int_equal(pair_majority(&p.list[0]), 0);
    pairs_free(&p);
}

/* Worked by hand from algorithm 1 with gamma = 1, u = 1, l = 4:
 * (2,0) same:      p = 4, alpha = -3/8, beta = -3/20, bound 8/5   -> A11 = 2/5
 * (0,1) different: p = 1, alpha = -3/8, beta =  3/5,  bound 8/5   -> A22 = 8/5
 * (1,1) different: p = 2, alpha = -1/8, beta =  1/6               -> A += (2/5,8/5)(2/5,8/5)'/6 */
static void itml_projections_are_those_of_the_paper(void **state)
{
    (void)state;
    float x[12] = {0, 0, 2, 0, 5, 0, 5, 1, 0, 0, 1, 1};
    pair list[3] = {{0, 1, 1, 0}, {2, 3, 0, 1}, {4, 5, 0, 2}};
    pairs p = {list, 3};
    itml_options o = {.near = 1, .far = 4, .slack = 1, .max_passes = 1, .block = 1};
    double a[4] = {1, 0, 0, 1};
    size_t passes;
    int converged;
    assert_ok(itml_learn(a, &passes, &converged, x, 2, &p, &o));
    assert_int_equal(passes, 1);
    assert_close(a[0], .4 + .16 / 6, 1e-12);
    assert_close(a[1], .64 / 6, 1e-12);
    assert_close(a[2], .64 / 6, 1e-12);
    assert_close(a[3], 1.6 + 2.56 / 6, 1e-12);
    /* The first two are orthogonal: after one pass they agree with their bounds. */
    p.count = 2;
    double b[4] = {1, 0, 0, 1};
    o.max_passes = 10;
    assert_ok(itml_learn(b, &passes, &converged, x, 2, &p, &o));
    assert_close(b[0], .4, 1e-12);
    assert_close(b[3], 1.6, 1e-12);
    assert_true(converged);
    assert_true(passes <= 3);
}

static void itml_reaches_the_optimum(void **state)
{
    (void)state;
    float x[16] = {0, 0, 2, .5f, 0, 0, 1, -1, 0, 0, .3f, 1, 0, 0, .7f, .6f};
    pair list[4] = {{0, 1, 1, 0}, {2, 3, 1, 0}, {4, 5, 0, 1}, {6, 7, 0, 1}};
    pairs p = {list, 4};
    itml_options o = {
        .near = 1, .far = 4, .slack = 2.5, .max_passes = 100000, .tolerance = 1e-10, .block = 1};
    double a[4] = {1, 0, 0, 1};
    size_t passes;
    int converged;
    assert_ok(itml_learn(a, &passes, &converged, x, 2, &p, &o));
    assert_true(converged);
    assert_close(a[0], golden_itml[0], 1e-5);
    assert_close(a[1], golden_itml[1], 1e-5);
    assert_close(a[3], golden_itml[2], 1e-5);
}

/* A block's shared products are corrected to what one projection after the other gives. */
static void itml_in_blocks_makes_the_same_projections(void **state)
{
    (void)state;
    enum { N = 60, D = 70, ANSWERS = 200 };
    float *x = planted_items(N, D, 2, 1, 1);
    double quality[1] = {.9}, *metric[2];
    scdc_answer *answers = planted_answers(N, 2, quality, 1, ANSWERS, 3);
    pairs p;
    size_t passes[2];
    int converged[2];
    assert_ok(pairs_collect(&p, answers, ANSWERS, ALL_WORKERS));
    assert_true(itml_block(2) == 1 && itml_block(D) > 1 && p.count % itml_block(D) != 0);
    for (size_t b = 0; b < 2; b++) {
        itml_options o = {.near = 100,
                          .far = 200,
                          .slack = 1,
                          .max_passes = 40,
                          .tolerance = 1e-3,
                          .block = b ? itml_block(D) : 1};
        assert_ok(mem_zeroed(&metric[b], D * D, sizeof(double), "metric"));
        for (size_t d = 0; d < D; d++) metric[b][d * D + d] = 1;
        assert_ok(itml_learn(metric[b], &passes[b], &converged[b], x, D, &p, &o));
    }
    assert_true(passes[0] == passes[1] && passes[0] > 3);
    for (size_t j = 0; j < D * D; j++) assert_close(metric[1][j], metric[0][j], 1e-9);
    mem_free(metric[0]);
    mem_free(metric[1]);
    pairs_free(&p);
    mem_free(answers);
    mem_free(x);
}

/* Points on a wide, flat grid: k-means cuts across the wide side, the answers ask for the flat. */
static float *flat_grid(void)
{
    float *x = planted_items(200, 2, 1, 0, .3);
    for (size_t i = 0; i < 200; i++) {
        x[2 * i] += (float)((i / 2) % 2 ? 4 : -4);
        x[2 * i + 1] += (float)(i % 2 ? 1.5 : -1.5);
    }
    return x;
}

static double nmi_of(const char *method, const baseline_input *in)
{
    baseline_result r = result_for(in, 2);
    scdc_baseline_options o = options_with_k(2);
    assert_ok(baseline_run(&r, baseline_find(method), in, &o));
    double nmi = planted_nmi(r.labels, in->n, 2);
    result_free(&r);
    return nmi;
}

static void answers_flip_the_split(void **state)
{
    (void)state;
    float *x = flat_grid();
    double perfect[3] = {1, 1, 1}, noisy[3] = {.97, .95, .92};
    scdc_answer *right = planted_answers(200, 2, perfect, 3, 150, 1);
    scdc_answer *wrong = planted_answers(200, 2, noisy, 3, 150, 1);
    baseline_input in = {
        .x = x, .n = 200, .dims = 2, .answers = right, .n_answers = 450, .n_workers = 3};
    assert_true(nmi_of("kmeans", &in) < .1);
    assert_true(nmi_of("itml", &in) > .95);
    assert_true(nmi_of("mpckmeans", &in) > .95);
    in.answers = wrong;
    assert_true(nmi_of("itml", &in) > .95);
    assert_true(nmi_of("mpckmeans", &in) > .5); /* greedy and unaware of wrong answers */
    mem_free(right);
    mem_free(wrong);
    mem_free(x);
}

/* Ten items on the left, ten on the right. */
static void two_groups(float x[40])
{
    for (size_t i = 0; i < 20; i++) {
        x[2 * i] = (float)(i < 10 ? 0 : 3) + .1f * (float)(i % 3);
        x[2 * i + 1] = .1f * (float)(i % 5);
    }
}

static void mpckmeans_keeps_links_of_single_items(void **state)
{
    (void)state;
    /* One item of the left group is tied to the right one by many answers. */
    float x[40];
    two_groups(x);
    pair list[40];
    size_t count = 0;
    for (uint32_t j = 10; j < 20; j++) list[count++] = (pair){0, j, 3, 0};
    for (uint32_t j = 1; j < 10; j++) list[count++] = (pair){0, j, 0, 3};
    pairs p = {list, count};
    uint32_t labels[20];
    mpck_report report;
    mpck_options o = MPCK_DEFAULTS;
    o.k = 2;
    assert_ok(mpck_fit(labels, &report, x, 20, 2, &p, &o));
    for (size_t i = 2; i < 10; i++) assert_int_equal(labels[i], labels[1]);
    for (size_t i = 10; i < 20; i++) assert_int_equal(labels[i], labels[0]);
    assert_int_not_equal(labels[0], labels[1]);
    o.link_weight = 0;
    assert_ok(mpck_fit(labels, &report, x, 20, 2, &p, &o));
    assert_int_equal(labels[0], labels[1]);
}

static void mpckmeans_obeys_different_alone(void **state)
{
    (void)state;
    float x[40];
    two_groups(x);
    pair list[9];
    for (uint32_t j = 1; j < 10; j++) list[j - 1] = (pair){0, j, 0, 3};
    pairs p = {list, 9};
    uint32_t labels[20];
    mpck_report report;
    mpck_options o = MPCK_DEFAULTS;
    o.k = 2;
    assert_ok(mpck_fit(labels, &report, x, 20, 2, &p, &o));
    for (size_t i = 2; i < 10; i++) assert_int_equal(labels[i], labels[1]);
    assert_int_not_equal(labels[0], labels[1]);
}

static void mpckmeans_starts_from_large_and_distant_neighbourhoods(void **state)
{
    (void)state;
    /* Neighbourhoods of 5 items at 0, 4 items at 1 and 2 items at 10; two items belong to none. */
    float x[13] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 10, 10, 50, 60};
    pair list[8] = {{0, 1, 1, 0}, {1, 2, 1, 0}, {2, 3, 1, 0}, {3, 4, 1, 0},
                    {5, 6, 2, 1}, {6, 7, 1, 0}, {7, 8, 1, 0}, {9, 10, 1, 0}};
    pairs p = {list, 8};
    double centres[5];
    assert_ok(mpck_start_centres(centres, x, 13, 1, 2, &p, 1, 0));
    assert_close(centres[0], 0, 1e-12);  /* the largest */
    assert_close(centres[1], 10, 1e-12); /* 2 items * 10 away beats 4 items * 1 away */
    assert_ok(mpck_start_centres(centres, x, 13, 1, 5, &p, 1, 0));
    assert_close(centres[0], 0, 1e-12);
    assert_close(centres[1], 1, 1e-12);
    assert_close(centres[2], 10, 1e-12);
    assert_true(centres[3] >= 50 || centres[4] >= 50); /* drawn by distance */
    /* Later starts: a drawn item and those answered "same" with it, not the whole neighbourhood. */
    float line[4] = {0, 10, 20, 40};
    pair chain[2] = {{0, 1, 1, 0}, {1, 2, 1, 0}};
    pairs q = {chain, 2};
    for (size_t start = 1; start < 20; start++) {
        assert_ok(mpck_start_centres(centres, line, 4, 1, 1, &q, 1, start));
        double c = centres[0];
        assert_true(c == 5 || c == 10 || c == 15 || c == 40);
    }
}

static void contradictions_are_accepted(void **state)
{
    (void)state;
    float *x = planted_items(60, 3, 2, 8, 1);
    scdc_answer answers[360];
    for (uint32_t t = 0; t < 360; t++) { /* every pair gets both answers, one cycle is impossible */
        answers[t] = (scdc_answer){.left = t % 60,
                                   .right = (t % 60 + 1 + t / 120) % 60,
                                   .worker = t % 2,
                                   .task = SCDC_NO_TASK,
                                   .same = t / 60 % 2};
    }
    baseline_input in = {
        .x = x, .n = 60, .dims = 3, .answers = answers, .n_answers = 360, .n_workers = 2};
    baseline_result r = result_for(&in, 2);
    scdc_baseline_options o = options_with_k(2);
    assert_ok(baseline_run(&r, baseline_find("mpckmeans"), &in, &o));
    assert_true(planted_nmi(r.labels, 60, 2) > .9); /* nothing to go by but the features */
    assert_ok(baseline_run(&r, baseline_find("itml"), &in, &o));
    assert_true(planted_nmi(r.labels, 60, 2) > .9);
    result_free(&r);
    mem_free(x);
}

static void every_method_checks_its_input(void **state)
{
    (void)state;
    float x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    scdc_answer good = {.left = 0, .right = 1, .worker = 0, .same = 1}, bad = good;
    for (size_t m = 0; m < baseline_method_count; m++) {
        const baseline_method *method = &baseline_methods[m];
        baseline_input in = {
            .x = x, .n = 4, .dims = 2, .answers = &good, .n_answers = 1, .n_workers = 1};
        baseline_result r = result_for(&in, 8);
        scdc_baseline_options o = options_with_k(5);
        assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_ARGUMENT, "4 items");
        o.k = 0;
        assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_ARGUMENT, "k must be");
        o.k = 2;
        o.slack = -1;
        assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_ARGUMENT, "slack");
        o.slack = 1;
        if (method->needs_items) {
            in.x = NULL;
            assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_ARGUMENT, "features");
            float nan[8] = {0, 0, 0, NAN};
            in.x = nan;
            assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_INPUT, "item 1");
            in.x = x;
        }
        if (method->needs_answers) {
            in.n_answers = 0;
            assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_ARGUMENT, "none");
            in.n_answers = 1;
            in.answers = &bad;
            bad = (scdc_answer){.left = 0, .right = 4, .worker = 0};
            assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_INPUT, "item 4");
            bad = (scdc_answer){.left = 2, .right = 2, .worker = 0};
            assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_INPUT, "itself");
            bad = (scdc_answer){.left = 2, .right = 1, .worker = 9};
            assert_fails(baseline_run(&r, method, &in, &o), SCDC_ERR_INPUT, "worker 9");
        }
        result_free(&r);
    }
    assert_null(baseline_find("nothing"));
}

static void options_are_parsed_and_checked(void **state)
{
    (void)state;
    scdc_baseline_options o;
    memset(&o, 0xff, sizeof o);
    scdc_baseline_options_init(&o);
    assert_int_equal(o.size, sizeof o);
    assert_ok(scdc_baseline_set(&o, "k", "12"));
    assert_int_equal(o.k, 12);
    assert_ok(scdc_baseline_set(&o, "seed", "12345678901234567"));
    assert_true(o.seed == 12345678901234567u);
    assert_ok(scdc_baseline_set(&o, "tolerance", "1e-7"));
    assert_close(o.tolerance, 1e-7, 0);
    assert_ok(scdc_baseline_set(&o, "tolerance", "auto"));
    assert_true(o.tolerance < 0);
    assert_ok(scdc_baseline_set(&o, "covariance", "diagonal"));
    assert_int_equal(o.covariance, SCDC_COVARIANCE_DIAGONAL);
    assert_fails(scdc_baseline_set(&o, "k", "2.5"), SCDC_ERR_ARGUMENT, "whole");
    assert_fails(scdc_baseline_set(&o, "k", "many"), SCDC_ERR_ARGUMENT, "many");
    assert_fails(scdc_baseline_set(&o, "slack", "nan"), SCDC_ERR_ARGUMENT, "slack");
    assert_fails(scdc_baseline_set(&o, "seed", "-4"), SCDC_ERR_ARGUMENT, "seed");
    assert_fails(scdc_baseline_set(&o, "covariance", "round"), SCDC_ERR_ARGUMENT, "diagonal");
    assert_fails(scdc_baseline_set(&o, "colour", "red"), SCDC_ERR_ARGUMENT, "colour");
    size_t count = 0;
    const char *help = NULL;
    while (scdc_baseline_key(count, &help)) {
        assert_true(help && help[0]);
        count++;
    }
    assert_true(count > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted_once),
        cmocka_unit_test(itml_projections_are_those_of_the_paper),
        cmocka_unit_test(itml_reaches_the_optimum),
        cmocka_unit_test(itml_in_blocks_makes_the_same_projections),
        cmocka_unit_test(answers_flip_the_split),
        cmocka_unit_test(mpckmeans_keeps_links_of_single_items),
        cmocka_unit_test(mpckmeans_obeys_different_alone),
        cmocka_unit_test(mpckmeans_starts_from_large_and_distant_neighbourhoods),
        cmocka_unit_test(contradictions_are_accepted),
        cmocka_unit_test(every_method_checks_its_input),
        cmocka_unit_test(options_are_parsed_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
