/* scdc_reproduce from outside: which jobs run, stopping and going on, and what it refuses. */
#include "support/files.h"

#include <scdc/reproduce.h>
#include <stdbool.h>

static scdc_reproduction quick(void)
{
    static const char *const only[] = {"paper"}; /* the fast ones */
    scdc_reproduction o;
    scdc_reproduction_init(&o);
    o.folder = scratch_dir;
    o.quick = 1;
    o.only = only;
    o.n_only = 1;
    o.threads = 1;
    return o;
}

typedef struct watch {
    size_t finished, stop_after; /* jobs */
    size_t jobs;
} watch;

static int look(const scdc_reproduction_progress *p, void *user)
{
    watch *w = user;
    w->jobs = p->jobs;
    assert_true(p->number >= 1 && p->number <= p->jobs);
    assert_true(p->share >= 0 && p->share <= 1);
    assert_true(isnan(p->left) || p->left >= 0);
    if (p->finished) {
        assert_true(p->acc > 0 && p->acc <= 1 && p->seconds > 0);
        w->finished++;
    }
    return w->stop_after && w->finished == w->stop_after;
}

static void stops_and_goes_on(void **state)
{
    (void)state;
    scdc_reproduction o = quick();
    watch first = {.stop_after = 1}, second = {0}, third = {0}, more = {0};
    assert_int_equal(scdc_reproduce("pinwheel", &o, look, &first), SCDC_ERR_STOPPED);
    assert_int_equal(first.finished, 1);
    assert_int_equal(first.jobs, 4);
    assert_ok(scdc_reproduce("pinwheel", &o, look, &second));
    assert_int_equal(second.finished, 3);
    assert_ok(scdc_reproduce("pinwheel", &o, look, &third));
    assert_int_equal(third.finished, 0);
    o.seeds = 3;
    assert_ok(scdc_reproduce("pinwheel", &o, look, &more));
    assert_int_equal(more.finished, 2);
    assert_int_equal(access(scratch_path("paper-with.svg"), F_OK), 0);
    assert_int_not_equal(access(scratch_path("default-with.svg"), F_OK), 0);
    /* Labels that are gone cost a figure, not the results. */
    assert_int_equal(unlink(scratch_path("labels/paper-answers-1.csv")), 0);
    assert_int_equal(unlink(scratch_path("labels/paper-answers-2.csv")), 0);
    assert_int_equal(unlink(scratch_path("labels/paper-answers-3.csv")), 0);
    assert_ok(scdc_reproduce("pinwheel", &o, NULL, NULL));
    o.quick = 0;
    assert_fails(scdc_reproduce("pinwheel", &o, NULL, NULL), SCDC_ERR_ARGUMENT,
                 "runs of 'pinwheel-quick', not of 'pinwheel'");
}

/* Stops the first job half-way; keeps the share at which a call finds it. */
typedef struct halfway {
    bool stop, stopped;
    double first_share, acc, nmi;
} halfway;

static int look_halfway(const scdc_reproduction_progress *p, void *user)
{
    halfway *h = user;
    if (p->number == 1 && p->share > 0 && h->first_share == 0) h->first_share = p->share;
    if (p->number == 1 && p->finished) {
        h->acc = p->acc;
        h->nmi = p->nmi;
    }
    h->stopped = h->stop && p->share >= 0.5;
    return h->stopped;
}

/* The model file of a stopped fit in the scratch folder; NULL: there is none. */
static const char *unfinished_file(void)
{
    const char *path = scratch_path("unfinished-bayes-paper-none-seed-1-epochs-0.safetensors");
    return access(path, F_OK) == 0 ? path : NULL;
}

static void goes_on_in_the_middle_of_a_fit(void **state)
{
    (void)state;
    scdc_reproduction o = quick();
    halfway whole = {0}, cut = {.stop = true}, rest = {0};
    assert_ok(scdc_reproduce("pinwheel", &o, look_halfway, &whole));
    assert_true(whole.first_share < 0.1);
    assert_null(unfinished_file());
    assert_int_equal(unlink(scratch_path("runs.csv")), 0);
    assert_int_equal(scdc_reproduce("pinwheel", &o, look_halfway, &cut), SCDC_ERR_STOPPED);
    assert_true(cut.stopped);
    assert_non_null(unfinished_file());
    assert_ok(scdc_reproduce("pinwheel", &o, look_halfway, &rest));
    assert_true(rest.first_share >= 0.5);
    assert_true(rest.acc == whole.acc && rest.nmi == whole.nmi);
    assert_null(unfinished_file());
    assert_int_equal(unlink(scratch_path("runs.csv")), 0);
    /* A file that is no model is not begun with, nor deleted unasked. */
    scratch_text("unfinished-bayes-paper-none-seed-1-epochs-0.safetensors", "no model");
    assert_fails(scdc_reproduce("pinwheel", &o, NULL, NULL), SCDC_ERR_INPUT, "delete it");
    assert_non_null(unfinished_file());
    assert_int_equal(unlink(unfinished_file()), 0);
}

static void refusals(void **state)
{
    (void)state;
    scdc_reproduction o = quick();
    static const char *const words[] = {"paper", "nobody"};
    assert_fails(scdc_reproduce("pinweel", &o, NULL, NULL), SCDC_ERR_ARGUMENT, "'pinweel'");
    assert_fails(scdc_reproduce(NULL, &o, NULL, NULL), SCDC_ERR_ARGUMENT, "NULL");
    o.only = words;
    o.n_only = 2;
    assert_fails(scdc_reproduce("pinwheel", &o, NULL, NULL), SCDC_ERR_ARGUMENT, "'nobody'");
    o = quick();
    o.epochs = 3;
    assert_fails(scdc_reproduce("pinwheel", &o, NULL, NULL), SCDC_ERR_ARGUMENT, "only for 'mnist'");
    o = quick();
    o.seeds = SIZE_MAX;
    assert_fails(scdc_reproduce("pinwheel", &o, NULL, NULL), SCDC_ERR_ARGUMENT, "at most 10000");
    o = quick();
    o.folder = scratch_path("missing");
    assert_fails(scdc_reproduce("pinwheel", &o, NULL, NULL), SCDC_ERR_OUTPUT, "missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_in_the_middle_of_a_fit),
        cmocka_unit_test(stops_and_goes_on),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
