/* scdc_place: the same as the single calls, and arrays that are too short. */
#include "support/simulated.h"

#include <scdc/update.h>

enum { ITEMS = 120 };

typedef struct case_of {
    problem problem;
    scdc_model *model;
    scdc_model_info info;
    int64_t labels[2][ITEMS], component[2][ITEMS];
    double probability[2][ITEMS];
    float *proba[2], *means[2];
} case_of;

static void open_case(case_of *c)
{
    double rate = 0.9;
    scdc_options o;
    memset(c, 0, sizeof *c);
    problem_blobs(&c->problem, 3, ITEMS, 4, 5, 1);
    problem_ask(&c->problem, 3, &rate, &rate, 1, 200, 40, 1);
    scdc_options_init(&o);
    o.warmup = o.epochs = 2;
    assert_ok(scdc_fit(&c->model, c->problem.data, c->problem.crowd, &o, NULL, NULL));
    assert_ok(scdc_model_get_info(&c->info, c->model));
    for (int i = 0; i < 2; i++) {
        c->proba[i] = calloc(ITEMS * c->info.clusters, sizeof(float));
        c->means[i] = calloc(ITEMS * c->info.latent, sizeof(float));
    }
}

static void close_case(case_of *c)
{
    for (int i = 0; i < 2; i++) free(c->proba[i]);
    for (int i = 0; i < 2; i++) free(c->means[i]);
    scdc_model_free(c->model);
    problem_close(&c->problem);
}

static scdc_placement all_of(case_of *c)
{
    scdc_placement p;
    scdc_placement_init(&p);
    p.rows = ITEMS;
    p.labels = c->labels[0];
    p.probability = c->probability[0];
    p.component = c->component[0];
    p.proba = c->proba[0];
    p.clusters = c->info.clusters;
    p.means = c->means[0];
    p.latent = c->info.latent;
    p.crowd = c->problem.crowd;
    return p;
}

static void it_is_the_single_calls_together(void **state)
{
    (void)state;
    case_of c;
    open_case(&c);
    const scdc_data *data = c.problem.data;
    int (*const call[])(int64_t *, double *, int64_t *, float *, const scdc_model *,
                        const scdc_data *, const scdc_crowd *) = {
        scdc_predict, scdc_predict_together, scdc_model_labels};
    for (int way = 0; way < 3; way++) {
        scdc_placement p = all_of(&c);
        p.together = way == 1;
        p.of_fit = way == 2;
        assert_ok(scdc_place(&p, c.model, data));
        assert_ok(call[way](c.labels[1], c.probability[1], c.component[1], c.proba[1], c.model,
                            data, c.problem.crowd));
        assert_ok(scdc_embed(c.means[1], c.model, data));
        assert_memory_equal(c.labels[0], c.labels[1], sizeof c.labels[0]);
        assert_memory_equal(c.component[0], c.component[1], sizeof c.component[0]);
        assert_memory_equal(c.probability[0], c.probability[1], sizeof c.probability[0]);
        assert_memory_equal(c.proba[0], c.proba[1], ITEMS * c.info.clusters * sizeof(float));
        assert_memory_equal(c.means[0], c.means[1], ITEMS * c.info.latent * sizeof(float));
    }
    scdc_placement nothing;
    scdc_placement_init(&nothing);
    assert_ok(scdc_place(&nothing, c.model, data));
    close_case(&c);
}

static void short_arrays_are_refused(void **state)
{
    (void)state;
    case_of c;
    open_case(&c);
    const scdc_data *data = c.problem.data;
    c.labels[0][0] = -7;
    scdc_placement p = all_of(&c);
    p.rows--;
    assert_fails(scdc_place(&p, c.model, data), SCDC_ERR_ARGUMENT, "rows: ");
    p = all_of(&c);
    p.clusters--;
    assert_fails(scdc_place(&p, c.model, data), SCDC_ERR_ARGUMENT, "clusters: ");
    p = all_of(&c);
    p.latent--;
    assert_fails(scdc_place(&p, c.model, data), SCDC_ERR_ARGUMENT, "latent: ");
    p = (scdc_placement){0};
    assert_fails(scdc_place(&p, c.model, data), SCDC_ERR_ARGUMENT, "scdc_placement_init");
    assert_fails(scdc_place(NULL, c.model, data), SCDC_ERR_ARGUMENT, "NULL");
    p = all_of(&c);
    p.together = p.of_fit = 1;
    assert_fails(scdc_place(&p, c.model, data), SCDC_ERR_ARGUMENT, "only one");
    assert_int_equal(c.labels[0][0], -7);
    close_case(&c);
}

/* What a model tells of itself, too: one value too few, and nothing is written. */
static void short_arrays_of_the_model_are_refused(void **state)
{
    (void)state;
    case_of c;
    open_case(&c);
    const scdc_model_info *i = &c.info;
    size_t values = i->clusters * 2 * i->cols;
    scdc_worker *workers = calloc(i->workers, sizeof *workers);
    double *proportions = calloc(i->components, sizeof *proportions);
    int64_t *numbers = calloc(i->components, sizeof *numbers), next;
    float *made = calloc(values, sizeof *made);
    assert_true(i->workers > 1 && i->clusters > 1);
    assert_fails(scdc_workers(workers, i->workers - 1, c.model), SCDC_ERR_ARGUMENT, "workers");
    assert_null(workers[0].name);
    assert_ok(scdc_workers(workers, i->workers, c.model));
    assert_fails(scdc_model_components(proportions, NULL, i->components - 1, c.model),
                 SCDC_ERR_ARGUMENT, "components");
    assert_fails(scdc_model_components(NULL, numbers, i->components - 1, c.model),
                 SCDC_ERR_ARGUMENT, "components");
    assert_true(proportions[0] == 0 && proportions[i->components - 1] == 0);
    assert_ok(scdc_model_components(proportions, numbers, i->components, c.model));
    assert_ok(scdc_model_components(NULL, NULL, 0, c.model));
    assert_fails(scdc_model_clusters(numbers, i->clusters - 1, NULL, c.model), SCDC_ERR_ARGUMENT,
                 "clusters");
    assert_ok(scdc_model_clusters(numbers, i->clusters, &next, c.model));
    assert_ok(scdc_model_clusters(NULL, 0, &next, c.model));
    assert_fails(scdc_sample(made, values - 1, c.model, 0, 2, 1), SCDC_ERR_ARGUMENT, "values");
    assert_fails(scdc_sample(made, values, c.model, 0, SIZE_MAX / 2, 1), SCDC_ERR_ARGUMENT,
                 "values");
    assert_true(made[0] == 0 && made[values - 1] == 0);
    assert_ok(scdc_sample(made, values, c.model, 0, 2, 1));
    free(workers), free(proportions), free(numbers), free(made);
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_single_calls_together),
        cmocka_unit_test(short_arrays_are_refused),
        cmocka_unit_test(short_arrays_of_the_model_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
