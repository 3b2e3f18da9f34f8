/* Gaussian mixture: closed-form likelihoods, groups that k-means cannot tell, threads. */
#include "base/parallel.h"
#include "planted.h"

/* Log likelihood of n items under their own maximum-likelihood Gaussian: 2 columns. */
static double gaussian_fit(const float *x, size_t first, size_t step, size_t n, bool full)
{
    double m[2] = {0}, s[3] = {0}, count = 0;
    for (size_t i = first; i < n; i += step) {
        m[0] += x[2 * i];
        m[1] += x[2 * i + 1];
        count++;
    }
    for (size_t i = first; i < n; i += step) {
        double a = x[2 * i] - m[0] / count, b = x[2 * i + 1] - m[1] / count;
        s[0] += a * a / count;
        s[1] += b * b / count;
        s[2] += a * b / count;
    }
    double det = s[0] * s[1] - (full ? s[2] * s[2] : 0);
    return -.5 * count * (2 * log(2 * M_PI) + log(det) + 2);
}

static void likelihood_of_one_component_is_exact(void **state)
{
    (void)state;
    float *x = planted_items(500, 2, 4, 3, 1);
    for (size_t i = 0; i < 500; i++) x[2 * i + 1] += .7f * x[2 * i];
    baseline_input in = {.x = x, .n = 500, .dims = 2};
    baseline_result r = result_for(&in, 1);
    scdc_baseline_options o = options_with_k(1);
    o.ridge = 1e-12;
    assert_ok(baseline_run(&r, baseline_find("gmm"), &in, &o));
    assert_near(r.objective, gaussian_fit(x, 0, 1, 500, true), 1e-6);
    o.covariance = SCDC_COVARIANCE_DIAGONAL;
    assert_ok(baseline_run(&r, baseline_find("gmm"), &in, &o));
    assert_near(r.objective, gaussian_fit(x, 0, 1, 500, false), 1e-6);
    result_free(&r);
    mem_free(x);
}

static void likelihood_of_separated_components_adds_up(void **state)
{
    (void)state;
    float *x = planted_items(400, 2, 2, 50, 1);
    baseline_input in = {.x = x, .n = 400, .dims = 2};
    baseline_result r = result_for(&in, 2);
    scdc_baseline_options o = options_with_k(2);
    o.ridge = 1e-12;
    assert_ok(baseline_run(&r, baseline_find("gmm"), &in, &o));
    double expected =
        gaussian_fit(x, 0, 2, 400, true) + gaussian_fit(x, 1, 2, 400, true) + 400 * log(.5);
    assert_near(r.objective, expected, 1e-6);
    assert_true(r.converged);
    for (size_t i = 0; i < 400; i++) {
        assert_close(r.probabilities[2 * i] + r.probabilities[2 * i + 1], 1, 1e-12);
        assert_int_equal(r.labels[i], r.labels[i % 2]);
    }
    result_free(&r);
    mem_free(x);
}

static void finds_stretched_groups_where_kmeans_fails(void **state)
{
    (void)state;
    float *x = planted_items(600, 2, 2, 0, 1);
    for (size_t i = 0; i < 600; i++) { /* two parallel bands */
        x[2 * i] = 1.4f * x[2 * i];
        x[2 * i + 1] = .25f * x[2 * i + 1] + (i % 2 ? 1.6f : 0);
    }
    baseline_input in = {.x = x, .n = 600, .dims = 2};
    baseline_result r = result_for(&in, 2);
    scdc_baseline_options o = options_with_k(2);
    o.starts = 20;
    assert_ok(baseline_run(&r, baseline_find("kmeans"), &in, &o));
    double plain = planted_nmi(r.labels, 600, 2);
    assert_ok(baseline_run(&r, baseline_find("gmm"), &in, &o));
    assert_true(plain < .5);
    assert_true(planted_nmi(r.labels, 600, 2) > .95);
    result_free(&r);
    mem_free(x);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    enum { N = 1000, D = 9, K = 4 };
    float *x = planted_items(N, D, 8, 2, 1.5);
    baseline_input in = {.x = x, .n = N, .dims = D};
    baseline_result first = result_for(&in, K), other = result_for(&in, K);
    scdc_baseline_options o = options_with_k(K);
    o.starts = 2;
    o.max_iterations = 20;
    for (int threads = 1; threads <= 4; threads *= 2) {
        parallel_set_threads(threads);
        baseline_result *r = threads == 1 ? &first : &other;
        assert_ok(baseline_run(r, baseline_find("gmm"), &in, &o));
        assert_memory_equal(r->probabilities, first.probabilities, N * K * sizeof(double));
        assert_memory_equal(r->labels, first.labels, N * sizeof(int64_t));
    }
    parallel_set_threads(0);
    result_free(&first);
    result_free(&other);
    mem_free(x);
}

static void flat_and_repeated_items_are_survived(void **state)
{
    (void)state;
    float x[60] = {0};
    for (size_t i = 0; i < 20; i++) x[3 * i] = i < 10 ? 1 : 2; /* columns 1 and 2 constant */
    baseline_input in = {.x = x, .n = 20, .dims = 3};
    baseline_result r = result_for(&in, 4);
    scdc_baseline_options o = options_with_k(4);
    assert_ok(baseline_run(&r, baseline_find("gmm"), &in, &o));
    assert_true(isfinite(r.objective));
    memset(x, 0, sizeof x);
    assert_ok(baseline_run(&r, baseline_find("gmm"), &in, &o));
    assert_true(isfinite(r.objective));
    result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likelihood_of_one_component_is_exact),
        cmocka_unit_test(likelihood_of_separated_components_adds_up),
        cmocka_unit_test(finds_stretched_groups_where_kmeans_fails),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(flat_and_repeated_items_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
