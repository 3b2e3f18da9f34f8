/* Crowdclustering: moments of the pair model, the bound that never falls, planted workers, items
 * without answers, threads. Includes the method to reach its moments and rounds. */
#include "baselines/crowdclustering.c"
#include "baselines/pair_model.c"

#include "planted.h"

enum { N = 60, K = 3, WORKERS = 4, EACH = 300 };
static const double QUALITY[WORKERS] = {.95, .9, .8, .5};

/* Right after the start x is known exactly and every parameter of a worker has variance .01, so
 * that E[A^2] = (x_a' x_b)^2 + .01 |f|^2, f being the features of the pair. */
static void squares_of_activations_are_exact(void **state)
{
    (void)state;
    scdc_answer *answers = planted_answers(N, K, QUALITY, WORKERS, 20, 1);
    baseline_input in = {.n = N, .answers = answers, .n_answers = 80, .n_workers = WORKERS};
    crowd_graph graph;
    arena a = {0};
    pair_model m;
    const pair_prior prior = {.diagonal = 1, .weight_variance = 1, .bias_variance = 1};
    assert_ok(crowd_graph_build(&graph, answers, 80));
    assert_ok(pair_model_create(&m, &a, &in, &graph, 3));
    pair_model_start(&m, &prior, 1, 0);
    for (size_t t = 0; t < 80; t++) {
        const double *x = m.mean + graph.left[t] * 3, *y = m.mean + graph.right[t] * 3;
        double activation = 0, features = 1;
        for (size_t i = 0; i < 3; i++) {
            activation += x[i] * y[i];
            features += x[i] * y[i] * x[i] * y[i];
            for (size_t j = 0; j < i; j++) {
                double f = x[i] * y[j] + x[j] * y[i];
                features += f * f;
            }
        }
        assert_near(m.bend[t] * m.bend[t], activation * activation + .01 * features, 1e-12);
    }
    arena_free(&a);
    crowd_graph_free(&graph);
    mem_free(answers);
}

static void the_bound_never_falls(void **state)
{
    (void)state;
    scdc_answer *answers = planted_answers(N, K, QUALITY, WORKERS, EACH, 2);
    baseline_input in = {
        .n = N, .answers = answers, .n_answers = WORKERS * EACH, .n_workers = WORKERS};
    scdc_baseline_options o = options_with_k(6);
    crowd_job job = {.in = &in, .options = &o};
    crowdcluster *m = &job.workspaces[0];
    assert_ok(crowd_graph_build(&job.graph, answers, in.n_answers));
    assert_ok(workspace_create(m, &job));
    assert_ok(embed(m, 1, 0));
    assert_ok(start_mixture(m, 1, 0));
    double before = -INFINITY, first = 0;
    for (size_t round = 0; round < 40; round++) {
        assert_ok(run_round(m));
        assert_true(m->run.objective >= before - 1e-9 * fabs(before));
        before = m->run.objective;
        if (round == 0) first = before;
    }
    assert_true(before > first + 10);
    /* A state that was kept comes back with its bound. */
    pair_state_keep(&m->kept, &m->pairs);
    double kept = pair_model_update_bends(&m->pairs);
    standard_naturals(m->natural, m->pairs.n, m->pairs.d);
    assert_ok(pair_model_update_items(&m->pairs, m->natural));
    assert_ok(pair_model_update_workers(&m->pairs, &PRIOR));
    assert_true(pair_model_update_bends(&m->pairs) != kept);
    pair_state_restore(&m->pairs, &m->kept);
    assert_true(pair_model_update_bends(&m->pairs) == kept);
    arena_free(&job.memory);
    crowd_graph_free(&job.graph);
    mem_free(answers);
}

static void planted_workers_and_clusters_are_found(void **state)
{
    (void)state;
    scdc_answer *answers = planted_answers(N, K, QUALITY, WORKERS, EACH, 3);
    baseline_input in = {.n = N + 5, /* the last five were never shown to anyone */
                         .answers = answers,
                         .n_answers = WORKERS * EACH,
                         .n_workers = WORKERS};
    baseline_result first = result_for(&in, 8), other = result_for(&in, 8);
    scdc_baseline_options o = options_with_k(8); /* more than there are: three must be found */
    o.starts = 2;
    o.max_iterations = 60;
    for (int threads = 1; threads <= 4; threads *= 2) {
        parallel_set_threads(threads);
        baseline_result *r = threads == 1 ? &first : &other;
        assert_ok(baseline_run(r, baseline_find("crowdclustering"), &in, &o));
        assert_memory_equal(r->probabilities, first.probabilities, (N + 5) * 8 * sizeof(double));
        assert_memory_equal(r->specificity, first.specificity, WORKERS * sizeof(double));
        assert_true(r->objective == first.objective);
    }
    parallel_set_threads(0);
    scdc_scores scores;
    int64_t truth[N];
    for (size_t i = 0; i < N; i++) truth[i] = (int64_t)(i % K);
    assert_ok(scdc_score(&scores, first.labels, truth, N));
    assert_int_equal(scores.clusters, K);
    assert_true(scores.acc > .97);
    for (size_t w = 0; w < WORKERS; w++) {
        assert_close(first.sensitivity[w], QUALITY[w], .06);
        assert_close(first.specificity[w], QUALITY[w], .06);
    }
    for (size_t i = N; i < N + 5; i++) assert_int_equal(first.labels[i], -1);
    result_free(&first);
    result_free(&other);
    mem_free(answers);
}

static void guesses_alone_make_one_cluster(void **state)
{
    (void)state;
    double guess[WORKERS] = {.5, .5, .5, .5};
    scdc_answer *answers = planted_answers(N, K, guess, WORKERS, 150, 4);
    baseline_input in = {.n = N, .answers = answers, .n_answers = 600, .n_workers = WORKERS};
    baseline_result r = result_for(&in, 6);
    scdc_baseline_options o = options_with_k(6);
    o.starts = 1;
    o.latent = 2;
    o.max_iterations = 100;
    assert_ok(baseline_run(&r, baseline_find("crowdclustering"), &in, &o));
    for (size_t i = 1; i < N; i++) assert_int_equal(r.labels[i], r.labels[0]);
    result_free(&r);
    mem_free(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_of_activations_are_exact),
        cmocka_unit_test(the_bound_never_falls),
        cmocka_unit_test(planted_workers_and_clusters_are_found),
        cmocka_unit_test(guesses_alone_make_one_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
