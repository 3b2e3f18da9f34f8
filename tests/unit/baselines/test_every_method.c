/* What holds for every method of the table: the same bits for any number of threads, and a
 * labelling or a clear refusal for input at the edges. Whether labels are good is asked elsewhere.
 */
#include "base/parallel.h"
#include "planted.h"

typedef struct setting {
    const char *name;
    size_t n, dims, k, n_answers, n_workers;
    float *x;
    scdc_answer *answers;
} setting;

static setting setting_with(const char *name, size_t n, size_t dims, size_t k, size_t answers)
{
    setting s = {.name = name, .n = n, .dims = dims, .k = k, .n_answers = answers, .n_workers = 3};
    assert_ok(mem_zeroed(&s.x, n * dims, sizeof *s.x, "items"));
    assert_ok(mem_zeroed(&s.answers, answers, sizeof *s.answers, "answers"));
    for (size_t j = 0; j < n * dims; j++) s.x[j] = (float)(j * 7 % 11) + (float)(j / dims % 2) * 20;
    for (size_t t = 0; t < answers && n > 1; t++) {
        rng r;
        rng_init(&r, 3, RNG_TEST, 4, t);
        uint32_t left = (uint32_t)rng_below(&r, n), step = 1 + (uint32_t)rng_below(&r, n - 1);
        s.answers[t] = (scdc_answer){.left = left,
                                     .right = (left + step) % (uint32_t)n,
                                     .worker = (uint32_t)(t % 2), /* the third never answers */
                                     .task = SCDC_NO_TASK,
                                     .same = (left + (left + step) % n) % 2 == 0};
    }
    return s;
}

static void setting_free(setting *s)
{
    mem_free(s->x);
    mem_free(s->answers);
}

static baseline_input input_of(const setting *s)
{
    return (baseline_input){.x = s->x,
                            .n = s->n,
                            .dims = s->dims,
                            .answers = s->answers,
                            .n_answers = s->n_answers,
                            .n_workers = s->n_workers};
}

static scdc_baseline_options quick_options(size_t k)
{
    scdc_baseline_options o = options_with_k(k);
    o.starts = 3;
    o.max_iterations = 30;
    return o;
}

static void assert_sound(const baseline_result *r, const baseline_method *method, const setting *s)
{
    for (size_t i = 0; i < s->n; i++) {
        int64_t least = method->needs_items ? 0 : -1; /* -1: nothing known of the item */
        if (r->labels[i] >= least && r->labels[i] < (int64_t)s->k) continue;
        fail_msg("%s, %s: label %lld", method->name, s->name, (long long)r->labels[i]);
    }
    for (size_t j = 0; method->has_probabilities && j < s->n * s->k; j++) {
        if (r->probabilities[j] >= 0 && r->probabilities[j] <= 1 + 1e-9) continue;
        fail_msg("%s, %s: probability %g", method->name, s->name, r->probabilities[j]);
    }
    for (size_t w = 0; method->has_workers && w < s->n_workers; w++) {
        double a = r->sensitivity[w], b = r->specificity[w];
        if (a > 0 && a < 1 && b > 0 && b < 1) continue;
        fail_msg("%s, %s: worker %zu: %g, %g", method->name, s->name, w, a, b);
    }
    if (!isfinite(r->objective)) fail_msg("%s, %s: objective", method->name, s->name);
}

/* Either a sound result or an error that says something; never a crash, hang or NaN. */
static void try_all(const setting *s)
{
    baseline_input in = input_of(s);
    for (size_t m = 0; m < baseline_method_count; m++) {
        const baseline_method *method = &baseline_methods[m];
        baseline_result r = result_for(&in, s->k);
        scdc_baseline_options o = quick_options(s->k);
        int status = baseline_run(&r, method, &in, &o);
        if (status == SCDC_OK) {
            assert_sound(&r, method, s);
        } else if (strlen(scdc_last_error()) < 20 || !strstr(scdc_last_error(), method->name)) {
            fail_msg("%s, %s: '%s'", method->name, s->name, scdc_last_error());
        }
        result_free(&r);
    }
}

static void inputs_at_the_edges(void **state)
{
    (void)state;
    setting one_cluster = setting_with("one cluster", 30, 3, 1, 60);
    setting as_many = setting_with("as many clusters as items", 12, 2, 12, 60);
    setting identical = setting_with("identical items", 30, 3, 3, 60);
    setting opposite = setting_with("each answer with its opposite", 30, 3, 2, 60);
    setting huge = setting_with("values near the limit", 30, 3, 2, 60);
    setting tiny = setting_with("values near zero", 30, 3, 2, 60);
    setting wide = setting_with("more values than items", 10, 40, 2, 20);
    setting single = setting_with("a single answer", 30, 3, 2, 1);
    setting never = setting_with("nobody says same", 30, 3, 2, 60);
    setting always = setting_with("nobody says different", 30, 3, 2, 60);
    for (size_t j = 0; j < 90; j++) {
        identical.x[j] = 4;
        huge.x[j] *= 1e36f;
        tiny.x[j] *= 1e-36f;
    }
    for (size_t t = 0; t < 60; t++) {
        if (t % 2) opposite.answers[t] = opposite.answers[t - 1];
        if (t % 2) opposite.answers[t].same ^= 1;
        never.answers[t].same = 0;
        always.answers[t].same = 1;
    }
    setting all[] = {one_cluster, as_many, identical, opposite, huge,
                     tiny,        wide,    single,    never,    always};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        try_all(&all[i]);
        setting_free(&all[i]);
    }
}

static void one_item_is_one_cluster(void **state)
{
    (void)state;
    setting s = setting_with("one item", 1, 2, 1, 0);
    baseline_input in = input_of(&s);
    for (size_t m = 0; m < baseline_method_count; m++) {
        baseline_result r = result_for(&in, 1);
        scdc_baseline_options o = quick_options(1);
        r.labels[0] = 7;
        int status = baseline_run(&r, &baseline_methods[m], &in, &o);
        if (baseline_methods[m].needs_answers) {
            assert_fails(status, SCDC_ERR_ARGUMENT, "none");
        } else {
            assert_ok(status);
            assert_int_equal(r.labels[0], 0);
        }
        result_free(&r);
    }
    setting_free(&s);
}

static void assert_same_bits(const baseline_result *a, const baseline_result *b, const setting *s)
{
    assert_memory_equal(a->labels, b->labels, s->n * sizeof *a->labels);
    assert_memory_equal(a->probabilities, b->probabilities, s->n * s->k * sizeof *a->probabilities);
    assert_memory_equal(a->sensitivity, b->sensitivity, s->n_workers * sizeof *a->sensitivity);
    assert_memory_equal(a->specificity, b->specificity, s->n_workers * sizeof *a->specificity);
    assert_true(a->objective == b->objective);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->converged, b->converged);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { N = 1100, K = 3 }; /* more than one piece of every parallel loop */
    double quality[3] = {.95, .8, .7};
    setting s = {.name = "threads", .n = N, .dims = 3, .k = K, .n_answers = 900, .n_workers = 3};
    s.x = planted_items(N, 3, K, 2, 1);
    s.answers = planted_answers(N, K, quality, 3, 300, 5);
    baseline_input in = input_of(&s);
    for (size_t m = 0; m < baseline_method_count; m++) {
        baseline_result first = result_for(&in, K);
        scdc_baseline_options o = quick_options(K);
        o.views = 2;
        for (int threads = 1; threads <= 4; threads *= 2) {
            baseline_result r = result_for(&in, K);
            parallel_set_threads(threads);
            int status = baseline_run(threads == 1 ? &first : &r, &baseline_methods[m], &in, &o);
            if (status != SCDC_ERR_UNSUPPORTED) assert_ok(status); /* cspa without METIS */
            if (threads > 1) assert_same_bits(&r, &first, &s);
            result_free(&r);
        }
        result_free(&first);
    }
    parallel_set_threads(0);
    setting_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_at_the_edges),
        cmocka_unit_test(one_item_is_one_cluster),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
