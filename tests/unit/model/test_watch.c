/* Watching long calls and stopping them: predictions, clusterings, the start of a fit. */
#include "support/files.h"
#include "support/sanitizers.h"
#include "support/simulated.h"

#include <scdc/baselines.h>

/* Fits that are begun again and again have few items. */
enum { ITEMS = 1200, FEW = 400, DIMS = 5, CLUSTERS = 3, WORKERS = 4 };

typedef struct observer {
    size_t calls, stop_at; /* stop_at 0: never */
    size_t last_done, last_total;
    const char *last_what;
    void *fitted;
} observer;

static int observe(const scdc_work *work, void *user)
{
    observer *o = user;
    assert_non_null(work->what);
    assert_true(work->done <= work->total);
    o->calls++;
    o->last_what = work->what;
    o->last_done = work->done;
    o->last_total = work->total;
    return o->calls == o->stop_at;
}

typedef struct fitted {
    problem problem;
    scdc_model *model;
    scdc_model_info info;
    int64_t labels[ITEMS];
    float *values; /* room for all that is asked for */
} fitted;

static scdc_options small(void)
{
    scdc_options o;
    scdc_options_init(&o);
    o.warmup = o.epochs = 2;
    o.threads = 2;
    o.components = 8; /* few sizes of mixtures to compare */
    return o;
}

static void open_problem(fitted *f, size_t items)
{
    double rate = 0.95;
    memset(f, 0, sizeof *f);
    problem_blobs(&f->problem, CLUSTERS, items, DIMS, 5, 1);
    problem_ask(&f->problem, WORKERS, &rate, &rate, 1, 400, 60, 1);
    f->values = calloc(ITEMS * 64, sizeof *f->values);
}

static void close_problem(fitted *f)
{
    scdc_model_free(f->model);
    problem_close(&f->problem);
    free(f->values);
}

/* ---- calls without a callback of their own ---- */

static int predict(fitted *f)
{
    return scdc_predict(f->labels, NULL, NULL, NULL, f->model, f->problem.data, f->problem.crowd);
}
static int predict_together(fitted *f)
{
    return scdc_predict_together(f->labels, NULL, NULL, NULL, f->model, f->problem.data, NULL);
}
static int embed(fitted *f)
{
    return scdc_embed(f->values, f->model, f->problem.data);
}
static int sample(fitted *f)
{
    return scdc_sample(f->values, ITEMS * 64, f->model, 0, 2, 1);
}
static int kmeans(fitted *f)
{
    scdc_kmeans_options o;
    scdc_kmeans_options_init(&o);
    o.k = CLUSTERS;
    return scdc_kmeans(f->labels, NULL, f->problem.data, &o);
}
static int baseline(fitted *f)
{
    scdc_baseline_options o;
    scdc_clustering *c = NULL;
    scdc_baseline_options_init(&o);
    o.k = CLUSTERS;
    int status = scdc_baseline(&c, "gmm", f->problem.data, NULL, &o);
    scdc_clustering_free(c);
    return status;
}
static int crowd_baseline(fitted *f)
{
    scdc_baseline_options o;
    scdc_clustering *c = NULL;
    scdc_baseline_options_init(&o);
    o.k = CLUSTERS;
    o.starts = 20;
    o.max_iterations = 2;
    int status = scdc_baseline(&c, "mcvc", f->problem.data, f->problem.crowd, &o);
    scdc_clustering_free(c);
    return status;
}
static int fit(fitted *f)
{
    scdc_options o = small();
    scdc_model *model = NULL;
    int status = scdc_fit(&model, f->problem.data, f->problem.crowd, &o, NULL, NULL);
    scdc_model_free(model);
    return status;
}

/* Watched, a call goes on as ever; stopped at any point, it says so, and the next one works. */
static void every_long_call_can_be_stopped(void **state)
{
    (void)state;
    int (*const calls[])(fitted *) = {predict, predict_together, embed,          sample,
                                      kmeans,  baseline,         crowd_baseline, fit};
    fitted f;
    scdc_options o = small();
    open_problem(&f, ITEMS);
    assert_ok(scdc_fit(&f.model, f.problem.data, f.problem.crowd, &o, NULL, NULL));
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        observer all = {0};
        scdc_watch(observe, &all);
        assert_ok(calls[c](&f));
        assert_true(all.calls > 1);
        for (size_t at = 1; at <= all.calls; at += 1 + all.calls / 4) {
            observer some = {.stop_at = at};
            scdc_watch(observe, &some);
            assert_fails(calls[c](&f), SCDC_ERR_STOPPED, "stopped");
            assert_int_equal(some.calls, at);
        }
        observer again = {0};
        scdc_watch(observe, &again);
        assert_ok(calls[c](&f));
        assert_int_equal(again.calls, all.calls);
        scdc_watch(NULL, NULL);
        assert_ok(calls[c](&f));
        assert_int_equal(again.calls, all.calls);
    }
    close_problem(&f);
}

static void progress_tells_the_share(void **state)
{
    (void)state;
    fitted f;
    scdc_options o = small();
    observer all = {0};
    open_problem(&f, ITEMS);
    assert_ok(scdc_fit(&f.model, f.problem.data, f.problem.crowd, &o, NULL, NULL));
    scdc_watch(observe, &all);
    assert_ok(embed(&f));
    scdc_watch(NULL, NULL);
    assert_string_equal(all.last_what, "placing items");
    assert_int_equal(all.last_total, ITEMS);
    assert_true(all.last_done > 0 && all.last_done < ITEMS);
    close_problem(&f);
}

static int embed_inside(const scdc_work *work, void *user)
{
    observer *o = user;
    (void)work;
    o->calls++;
    assert_true(o->calls < 100);
    assert_ok(embed(o->fitted));
    return 0;
}

/* A watcher that uses the model it watches: neither endless nor in the way of the call. */
static void watchers_may_call(void **state)
{
    (void)state;
    fitted f;
    scdc_options o = small();
    open_problem(&f, ITEMS);
    assert_ok(scdc_fit(&f.model, f.problem.data, f.problem.crowd, &o, NULL, NULL));
    assert_ok(predict(&f));
    int64_t *alone = malloc(sizeof f.labels);
    memcpy(alone, f.labels, sizeof f.labels);
    observer all = {.fitted = &f};
    scdc_watch(embed_inside, &all);
    assert_ok(predict(&f));
    scdc_watch(NULL, NULL);
    assert_true(all.calls > 1);
    assert_memory_equal(f.labels, alone, sizeof f.labels);
    free(alone);
    close_problem(&f);
}

/* ---- the start of a fit ---- */

typedef struct listener {
    size_t starts, stop_at, others;
} listener;

static int listen_to(const scdc_progress *p, void *user)
{
    listener *l = user;
    if (strcmp(p->stage, "start") != 0) {
        l->others++;
        return 0;
    }
    assert_true(p->epoch == 1 && p->epochs == 1 && p->batch <= p->batches);
    return ++l->starts == l->stop_at;
}

/* Bytes of the model's file. */
static char *bytes_of(const scdc_model *model, size_t *size)
{
    const char *path = scratch_path("model.safetensors");
    assert_ok(scdc_model_save(model, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void check_start(scdc_options o)
{
    fitted f;
    listener all = {0};
    size_t size, size_again;
    open_problem(&f, FEW);
    const scdc_data *data = f.problem.data;
    const scdc_crowd *crowd = f.problem.crowd;
    assert_ok(scdc_fit(&f.model, data, crowd, &o, listen_to, &all));
    char *expected = bytes_of(f.model, &size);
    assert_true(all.starts > 3);
    /* Where it stops is nothing to threads: their sanitizer sees two places. */
    size_t places = THREAD_SANITIZER ? 2 : 6;
    for (size_t at = 1; at <= all.starts; at += 1 + all.starts / places) {
        listener some = {.stop_at = at}, rest = {0};
        scdc_model *model = NULL;
        int status = scdc_fit(&model, data, crowd, &o, listen_to, &some);
        assert_int_equal(status, SCDC_ERR_STOPPED);
        assert_int_equal(some.starts, at);
        assert_non_null(model);
        /* As a program does it: by way of a file. */
        const char *path = scratch_path("stopped.safetensors");
        assert_ok(scdc_model_save(model, path));
        scdc_model_free(model);
        assert_ok(scdc_model_load(&model, path));
        assert_ok(scdc_fit_resume(model, data, crowd, o.epochs, listen_to, &rest));
        assert_int_equal(rest.starts, all.starts);
        char *found = bytes_of(model, &size_again);
        assert_int_equal(size_again, size);
        assert_memory_equal(found, expected, size);
        free(found);
        scdc_model_free(model);
    }
    free(expected);
    close_problem(&f);
}

static void a_stopped_start_is_resumed_bit_for_bit(void **state)
{
    (void)state;
    check_start(small());
    scdc_options o = small();
    o.model = SCDC_MODEL_AMORTIZED;
    check_start(o);
}

static void the_search_for_classes_can_be_stopped(void **state)
{
    (void)state;
    scdc_options o = small();
    o.clusters_from = SCDC_CLUSTERS_FROM_ANSWERS;
    check_start(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_long_call_can_be_stopped),
        cmocka_unit_test(progress_tells_the_share),
        cmocka_unit_test(watchers_may_call),
        cmocka_unit_test(a_stopped_start_is_resumed_bit_for_bit),
        cmocka_unit_test(the_search_for_classes_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
