/* Fits with groupings on items that are clear by themselves: workers who slip, and workers with
 * another idea of kinds, must not tear the items from where their values put them. */
#include "support/simulated.h"
#include "support/sanitizers.h"

enum { ITEMS = 400, KINDS = 4, WORKERS = 10, MOST_TASKS = 20 };

static void sort_items(problem *p, size_t tasks, size_t grid, scdc_worker_kinds kinds,
                       uint64_t seed)
{
    double rate = 0.85;
    scdc_simulation how;
    *p = (problem){0};
    problem_blobs(p, KINDS, ITEMS, 6, 4, seed);
    scdc_simulation_init(&how);
    how.workers = WORKERS;
    how.sensitivity = how.specificity = &rate;
    how.scheme = SCDC_SCHEME_GRID;
    how.tasks = tasks;
    how.grid = grid;
    how.kinds = kinds;
    how.seed = seed;
    assert_ok(scdc_simulate_answers(&p->crowd, p->truth, &how));
}

static double nmi_of_fit(const problem *p, const scdc_crowd *crowd, scdc_model_kind kind)
{
    int64_t labels[ITEMS];
    scdc_scores s;
    scdc_model *model;
    scdc_options o;
    scdc_options_init(&o);
    o.model = kind;
    o.components = 10;
    o.n_hidden = 1;
    o.hidden[0] = 32;
    o.epochs = 12;
    assert_ok(scdc_fit(&model, p->data, crowd, &o, NULL, NULL));
    assert_ok(scdc_predict_together(labels, NULL, NULL, NULL, model, p->data, crowd));
    assert_ok(scdc_score(&s, labels, scdc_labels_values(p->truth), ITEMS));
    scdc_model_free(model);
    return s.nmi;
}

/* Groupings neither harm a fit nor leave it poor, on most of three seeds: processors round
 * differently, which is as good as another seed. */
static void check_kinds(size_t tasks, size_t grid, scdc_worker_kinds kinds)
{
    size_t good = 0;
    for (uint64_t seed = 3; seed < 3 + DRAWS(3); seed++) {
        problem p;
        sort_items(&p, tasks, grid, kinds, seed);
        double without = nmi_of_fit(&p, NULL, SCDC_MODEL_BAYES);
        double nmi = nmi_of_fit(&p, p.crowd, SCDC_MODEL_BAYES);
        if (nmi >= without - 0.015 && nmi >= 0.97) good++;
        else
            print_message("%zu tasks of %zu, kinds %d, seed %d: NMI %.3f, without answers %.3f\n",
                          tasks, grid, (int)kinds, (int)seed, nmi, without);
        problem_close(&p);
    }
    assert_true(MOST_ARE_GOOD(good, 2));
}

static void slips_count_once(void **state)
{
    (void)state;
    check_kinds(20, 20, SCDC_KINDS_TRUE);
    check_kinds(10, 36, SCDC_KINDS_TRUE);
}

static void other_ideas_of_kinds_do_no_harm(void **state)
{
    (void)state;
    check_kinds(20, 20, SCDC_KINDS_FINE);
    check_kinds(20, 20, SCDC_KINDS_OTHER);
    check_kinds(20, 20, SCDC_KINDS_MIXED);
}

/* The amortised model hears the same messages. */
static void the_amortised_model_too(void **state)
{
    (void)state;
    problem p;
    sort_items(&p, 20, 20, SCDC_KINDS_TRUE, 3);
    assert_true(nmi_of_fit(&p, p.crowd, SCDC_MODEL_AMORTIZED) > 0.95);
    problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_count_once),
        cmocka_unit_test(other_ideas_of_kinds_do_no_harm),
        cmocka_unit_test(the_amortised_model_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
