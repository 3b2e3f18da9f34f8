/* The public door: methods by name on handles, what they found, and what is refused. */
#include "planted.h"
#include "support/files.h"

enum { N = 90, K = 3 };

typedef struct handles {
    float *x;
    scdc_answer *answers;
    scdc_data *data;
    scdc_crowd *crowd;
} handles;

static handles open_handles(void)
{
    double quality[2] = {1, 1};
    handles h = {.x = planted_items(N, 2, K, 8, 1),
                 .answers = planted_answers(N, K, quality, 2, 300, 8)};
    assert_ok(scdc_data_from_memory(&h.data, h.x, SCDC_F32, N, 2, 0));
    assert_ok(scdc_crowd_from_memory(&h.crowd, h.answers, 600));
    return h;
}

static void close_handles(handles *h)
{
    scdc_data_free(h->data);
    scdc_crowd_free(h->crowd);
    mem_free(h->x);
    mem_free(h->answers);
}

static void every_method_runs_by_name(void **state)
{
    (void)state;
    handles h = open_handles();
    assert_true(scdc_baseline_count() == baseline_method_count);
    for (size_t m = 0; m < scdc_baseline_count(); m++) {
        const char *name = scdc_baseline_name(m);
        assert_true(strlen(scdc_baseline_summary(m)) > 10);
        scdc_baseline_options o = options_with_k(K);
        o.starts = 4;
        o.max_iterations = 100;
        scdc_clustering *c = NULL;
        int status = scdc_baseline(&c, name, h.data, h.crowd, &o);
        if (status == SCDC_ERR_UNSUPPORTED) continue; /* cspa without METIS */
        assert_ok(status);
        scdc_clustering_info info;
        assert_ok(scdc_clustering_get_info(&info, c));
        assert_string_equal(info.method, name);
        assert_int_equal(info.items, N);
        assert_int_equal(info.clusters, K);
        assert_true(isfinite(info.objective) && info.seconds >= 0 && info.objective_name[0]);
        double nmi = planted_nmi(scdc_clustering_labels(c), N, K);
        if (nmi < .9) fail_msg("%s: NMI %g", name, nmi);
        const double *p = scdc_clustering_probabilities(c);
        assert_true((p != NULL) == (info.columns > 0));
        for (size_t i = 0; p && i < N; i++) {
            double sum = 0;
            for (size_t k = 0; k < info.columns; k++) sum += p[i * info.columns + k];
            assert_close(sum, 1, 1e-6);
        }
        assert_true((scdc_clustering_sensitivity(c) != NULL) == (info.workers > 0));
        for (size_t w = 0; w < info.workers; w++) {
            assert_close(scdc_clustering_sensitivity(c)[w], .95, .05);
            assert_close(scdc_clustering_specificity(c)[w], .95, .05);
        }
        scdc_clustering_free(c);
    }
    assert_null(scdc_baseline_name(scdc_baseline_count()));
    assert_null(scdc_baseline_summary(1000));
    assert_int_equal(scdc_baseline_needs_items(1000), 0);
    close_handles(&h);
}

static void what_a_method_needs_is_asked_for(void **state)
{
    (void)state;
    handles h = open_handles();
    scdc_baseline_options o = options_with_k(K);
    scdc_clustering *c = NULL;
    for (size_t m = 0; m < scdc_baseline_count(); m++) {
        const char *name = scdc_baseline_name(m);
        if (scdc_baseline_needs_items(m)) {
            assert_fails(scdc_baseline(&c, name, NULL, h.crowd, &o), SCDC_ERR_ARGUMENT, "data");
        }
        if (scdc_baseline_needs_answers(m)) {
            assert_fails(scdc_baseline(&c, name, h.data, NULL, &o), SCDC_ERR_ARGUMENT, "answers");
        } else {
            assert_ok(scdc_baseline(&c, name, h.data, NULL, &o));
            scdc_clustering_free(c);
            c = NULL;
        }
        assert_null(c);
    }
    assert_fails(scdc_baseline(&c, "magic", h.data, h.crowd, &o), SCDC_ERR_ARGUMENT, "kmeans");
    assert_fails(scdc_baseline(&c, "kmeans", NULL, NULL, &o), SCDC_ERR_ARGUMENT, "neither");
    assert_fails(scdc_baseline(NULL, "kmeans", h.data, NULL, &o), SCDC_ERR_ARGUMENT, "out");
    o.k = 1000000;
    assert_fails(scdc_baseline(&c, "gmm", h.data, NULL, &o), SCDC_ERR_ARGUMENT, "90 items");
    scdc_clustering_free(NULL);
    close_handles(&h);
}

static void assert_first_lines(const char *path, const char *expected)
{
    char text[200] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t got = fread(text, 1, strlen(expected), f);
    fclose(f);
    text[got] = 0;
    assert_string_equal(text, expected);
}

static void what_was_found_goes_to_files(void **state)
{
    (void)state;
    handles h = open_handles();
    scdc_baseline_options o = options_with_k(K);
    scdc_clustering *c = NULL;
    const char *path = scratch_path("found.csv");
    assert_ok(scdc_baseline(&c, "mcvc", h.data, h.crowd, &o));
    assert_true(scdc_clustering_worker_views(c)[1] == 0);
    assert_ok(scdc_clustering_write_workers(c, h.crowd, path));
    assert_first_lines(path, "worker,sensitivity,specificity,view\n0,0.9");
    assert_ok(scdc_clustering_write_labels(c, NULL, NULL, path));
    assert_first_lines(path, "item,label\n0,");
    assert_fails(scdc_clustering_write_labels(NULL, NULL, NULL, path), SCDC_ERR_ARGUMENT, "needed");
    scdc_clustering_free(c);
    assert_ok(scdc_baseline(&c, "kmeans", h.data, NULL, &o));
    assert_null(scdc_clustering_worker_views(c));
    assert_fails(scdc_clustering_write_workers(c, NULL, path), SCDC_ERR_ARGUMENT, "kmeans");
    assert_fails(scdc_clustering_write_labels(c, NULL, NULL, scratch_path("none/x.csv")),
                 SCDC_ERR_OUTPUT, "x.csv");
    scdc_clustering_free(c);
    close_handles(&h);
}

static void answers_about_items_that_are_not_there_are_refused(void **state)
{
    (void)state;
    handles h = open_handles();
    scdc_answer odd = {.left = 0, .right = N, .worker = 0, .task = SCDC_NO_TASK, .same = 1};
    scdc_crowd *crowd = NULL;
    assert_ok(scdc_crowd_from_memory(&crowd, &odd, 1));
    scdc_baseline_options o = options_with_k(K);
    scdc_clustering *c = NULL;
    assert_fails(scdc_baseline(&c, "mpckmeans", h.data, crowd, &o), SCDC_ERR_INPUT, "item 90");
    scdc_crowd_free(crowd);
    close_handles(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_runs_by_name),
        cmocka_unit_test(what_a_method_needs_is_asked_for),
        cmocka_unit_test(what_was_found_goes_to_files),
        cmocka_unit_test(answers_about_items_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
