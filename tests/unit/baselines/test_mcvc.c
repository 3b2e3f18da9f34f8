/* MCVC and deep MCVC: the gradient against finite differences, the bound that never falls, planted
 * workers and views, threads. Includes the method itself to reach its bound. */
#include "base/parallel.h"
#include "baselines/experts.c"
#include "baselines/mcvc.c"

#include "golden/baselines.h"
#include "planted.h"

static const double QUALITY[5] = {.95, .9, .85, .8, .75};

static void gradient_agrees_with_differences(void **state)
{
    (void)state;
    enum { N = 30, D = 3, K = 3 };
    float *x = planted_items(N, D, K, 3, 1);
    scdc_answer *answers = planted_answers(N - 5, K, QUALITY, 3, 40, 1);
    baseline_input in = {
        .x = x, .n = N, .dims = D, .answers = answers, .n_answers = 120, .n_workers = 3};
    scdc_baseline_options o = options_with_k(K);
    o.views = 2;
    mcvc_job job = {.in = &in, .options = &o};
    mcvc *m = &job.workspaces[0];
    assert_ok(crowd_graph_build(&job.graph, answers, 120));
    assert_ok(workspace_create(m, &job));
    assert_ok(gather_annotated(&job, 1));
    experts_start(&m->people, 1, 0);
    start_weights(m, 1, 0);
    size_t values = 2 * 2 * (D + 1) * K;
    assert_int_equal(m->search.n, values);
    for (size_t j = values / 2; j < values; j++) m->parameters[j] = -1 + .1 * (double)(j % 7);
    set_probabilities(m, m->parameters);
    experts_update(&m->people);
    double gradient[2 * 2 * (D + 1) * K], ignored[2 * 2 * (D + 1) * K];
    negative_bound(m, gradient, m->parameters);
    for (size_t j = 0; j < values; j++) {
        double kept = m->parameters[j], step = 1e-5;
        m->parameters[j] = kept + step;
        double above = negative_bound(m, ignored, m->parameters);
        m->parameters[j] = kept - step;
        double below = negative_bound(m, ignored, m->parameters);
        m->parameters[j] = kept;
        assert_near(gradient[j], (above - below) / (2 * step), 1e-5);
    }
    arena_free(&job.memory);
    crowd_graph_free(&job.graph);
    mem_free(answers);
    mem_free(x);
}

/* The bound of given posteriors, term by term. */
static void the_bound_is_that_of_the_definition(void **state)
{
    (void)state;
    enum { N = 5, D = 2, K = 3, VIEWS = 2, VALUES = VIEWS * (D + 1) * K };
    scdc_answer answers[7] = {{0, 1, 0, 0, 1}, {1, 2, 0, 0, 0}, {2, 3, 1, 0, 1}, {3, 4, 1, 0, 0},
                              {0, 4, 2, 0, 1}, {1, 3, 2, 0, 0}, {0, 2, 2, 0, 1}};
    float unused[N * D] = {0};
    baseline_input in = {
        .x = unused, .n = N, .dims = D, .answers = answers, .n_answers = 7, .n_workers = 3};
    scdc_baseline_options o = options_with_k(K);
    o.views = VIEWS;
    mcvc_job job = {.in = &in, .options = &o};
    mcvc *m = &job.workspaces[0];
    assert_ok(crowd_graph_build(&job.graph, answers, 7));
    assert_ok(workspace_create(m, &job));
    assert_ok(gather_annotated(&job, 1));
    for (size_t i = 0; i < N; i++) {
        for (size_t d = 0; d < D; d++) job.x[i * (D + 1) + d] = sin((double)(i * D + d) + 1);
    }
    for (size_t j = 0; j < N * (D + 1); j++) job.squared[j] = job.x[j] * job.x[j];
    for (size_t j = 0; j < VALUES; j++) {
        m->parameters[j] = .5 * cos(.7 * (double)j);
        m->parameters[VALUES + j] = -1 + .1 * (double)(j % 5);
    }
    const double view[6] = {.8, .2, .5, .5, .1, .9}, sensitivity[6] = {9, 2, 5, 4, 12, 1};
    const double specificity[6] = {8, 1, 3, 3, 10, 2}, stick[2] = {2.4, 2.6};
    memcpy(m->people.view, view, sizeof view);
    memcpy(m->people.sensitivity, sensitivity, sizeof sensitivity);
    memcpy(m->people.specificity, specificity, sizeof specificity);
    memcpy(m->people.stick, stick, sizeof stick);
    for (size_t w = 0; w < 3; w++) refresh_coin(&m->people, w);
    refresh_shares(&m->people);
    double gradient[2 * VALUES];
    double with_answers = -negative_bound(m, gradient, m->parameters);
    assert_near(with_answers, golden_mcvc[1], 1e-12);
    double alone = with_answers - experts_gradient(&m->people, m->d_eta);
    assert_near(alone, golden_mcvc[0], 1e-12);
    assert_near(alone + bound(&m->people), golden_mcvc[2], 1e-12);
    /* .8 + .5 + .1 workers hold view 0, .2 + .5 + .9 view 1 */
    assert_int_equal(experts_ranked_view(&m->people, 0), 1);
    assert_int_equal(experts_ranked_view(&m->people, 1), 0);
    arena_free(&job.memory);
    crowd_graph_free(&job.graph);
}

static void the_bound_never_falls(void **state)
{
    (void)state;
    enum { N = 60 };
    float *x = planted_items(N, 2, 3, 3, 1);
    scdc_answer *answers = planted_answers(N, 3, QUALITY, 5, 60, 2);
    baseline_input in = {
        .x = x, .n = N, .dims = 2, .answers = answers, .n_answers = 300, .n_workers = 5};
    baseline_result r = result_for(&in, 3);
    scdc_baseline_options o = options_with_k(3);
    o.views = 3;
    o.starts = 1;
    o.tolerance = 0;
    double before = -INFINITY;
    for (o.max_iterations = 1; o.max_iterations <= 15; o.max_iterations++) {
        assert_ok(baseline_run(&r, baseline_find("mcvc"), &in, &o));
        assert_true(r.objective >= before - 1e-9 * fabs(before));
        before = r.objective;
    }
    result_free(&r);
    mem_free(answers);
    mem_free(x);
}

static void planted_workers_are_found(void **state)
{
    (void)state;
    enum { N = 200, K = 4 };
    float *x = planted_items(N, 2, K, 5, 1);
    scdc_answer *answers = planted_answers(N / 2, K, QUALITY, 5, 600, 3);
    baseline_input in = {
        .x = x, .n = N, .dims = 2, .answers = answers, .n_answers = 3000, .n_workers = 5};
    const char *methods[] = {"mcvc", "deep-mcvc"};
    for (size_t t = 0; t < 2; t++) {
        baseline_result first = result_for(&in, K), other = result_for(&in, K);
        scdc_baseline_options o = options_with_k(K);
        o.starts = 8;
        o.seed = 0;
        o.max_iterations = t ? 100 : 10;
        for (int threads = 1; threads <= 4; threads *= 2) {
            parallel_set_threads(threads);
            baseline_result *r = threads == 1 ? &first : &other;
            assert_ok(baseline_run(r, baseline_find(methods[t]), &in, &o));
            assert_memory_equal(r->probabilities, first.probabilities, N * K * sizeof(double));
            assert_memory_equal(r->sensitivity, first.sensitivity, 5 * sizeof(double));
        }
        parallel_set_threads(0);
        double nmi = planted_nmi(first.labels, N, K);
        if (nmi < .9) fail_msg("%s: NMI %g", methods[t], nmi);
        for (size_t w = 0; w < 5; w++) {
            assert_close(first.sensitivity[w], QUALITY[w], .07);
            assert_close(first.specificity[w], QUALITY[w], .07);
        }
        result_free(&first);
        result_free(&other);
    }
    mem_free(answers);
    mem_free(x);
}

/* Three workers sort by the first column, two by the second: two views of the same items. */
static void two_views_are_told_apart(void **state)
{
    (void)state;
    enum { N = 120, WORKERS = 5, EACH = 300 };
    float *x = planted_items(N, 2, 4, 6, 1); /* bit 0 of i % 4: column 0; bit 1: column 1 */
    static scdc_answer answers[WORKERS * EACH];
    for (size_t t = 0; t < WORKERS * EACH; t++) {
        rng r;
        rng_init(&r, 5, RNG_TEST, 4, t);
        uint32_t worker = (uint32_t)(t / EACH), left = (uint32_t)rng_below(&r, N), right;
        do right = (uint32_t)rng_below(&r, N);
        while (right == left);
        uint32_t bit = worker < 3 ? 0 : 1, truth = (left >> bit & 1) == (right >> bit & 1);
        answers[t] = (scdc_answer){.left = left,
                                   .right = right,
                                   .worker = worker,
                                   .task = SCDC_NO_TASK,
                                   .same = rng_uniform(&r) < .9 ? truth : !truth};
    }
    baseline_input in = {.x = x,
                         .n = N,
                         .dims = 2,
                         .answers = answers,
                         .n_answers = WORKERS * EACH,
                         .n_workers = WORKERS};
    const char *methods[] = {"mcvc", "deep-mcvc"};
    for (size_t m = 0; m < 2; m++) {
        for (size_t view = 0; view < 2; view++) {
            baseline_result r = result_for(&in, 2);
            scdc_baseline_options o = options_with_k(2);
            o.views = 3;
            o.view = view;
            o.starts = 6;
            o.max_iterations = m ? 80 : 8;
            assert_ok(baseline_run(&r, baseline_find(methods[m]), &in, &o));
            size_t wrong = 0;
            for (size_t i = 0; i < N; i++) {
                wrong += (r.labels[i] == r.labels[0]) != ((i >> view & 1) == 0);
            }
            if (wrong > 3) fail_msg("%s: view %zu: %zu items wrong", methods[m], view, wrong);
            for (size_t w = 0; w < WORKERS; w++) {
                assert_close(r.sensitivity[w], .9, .08);
                assert_int_equal(r.worker_views[w], w < 3 ? 0 : 1);
            }
            result_free(&r);
        }
    }
    scdc_baseline_options o = options_with_k(2);
    o.view = 1;
    baseline_result r = result_for(&in, 2);
    assert_fails(baseline_run(&r, baseline_find("mcvc"), &in, &o), SCDC_ERR_ARGUMENT, "views");
    result_free(&r);
    mem_free(x);
}

static double rosenbrock(void *context, double *g, const double *x)
{
    (void)context;
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
}

static void lbfgs_finds_a_curved_valley(void **state)
{
    (void)state;
    arena a = {0};
    lbfgs l;
    assert_ok(lbfgs_create(&l, &a, 2));
    double x[2] = {-1.2, 1};
    double value = lbfgs_minimise(&l, x, rosenbrock, NULL, 100, 1e-8);
    assert_close(value, 0, 1e-14);
    assert_close(x[0], 1, 1e-7);
    assert_close(x[1], 1, 1e-7);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lbfgs_finds_a_curved_valley),
        cmocka_unit_test(gradient_agrees_with_differences),
        cmocka_unit_test(the_bound_is_that_of_the_definition),
        cmocka_unit_test(the_bound_never_falls),
        cmocka_unit_test(planted_workers_are_found),
        cmocka_unit_test(two_views_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
