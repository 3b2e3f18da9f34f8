/* Items placed together with their neighbours and answers, by several threads. */
#include "support/simulated.h"

#include <string.h>

enum { ITEMS = 500, KINDS = 5, WORKERS = 20 };

/* Items placed together: rows that are probabilities, components inside their clusters, annotated
 * items nearly always as answers have them without neighbours, one item as if alone, the same for
 * any number of threads. */
static void company_is_consistent(void **state)
{
    (void)state;
    problem p = {0};
    scdc_model *model;
    scdc_model_info info;
    scdc_options o;
    static const double rate = 0.9;
    static int64_t labels[ITEMS], plain[ITEMS], component[ITEMS], cluster_of[15], again[ITEMS];
    static float proba[ITEMS * 15], one[2];
    static double probability[ITEMS];
    problem_blobs(&p, KINDS, ITEMS, 2, 2, 0);
    problem_ask(&p, WORKERS, &rate, &rate, 1, 980, 100, 3);
    scdc_options_init(&o);
    o.components = 15;
    o.net = SCDC_NET_MLP;
    o.warmup = 30;
    o.epochs = 10;
    assert_ok(scdc_fit(&model, p.data, p.crowd, &o, NULL, NULL));
    assert_ok(scdc_model_get_info(&info, model));
    assert_ok(scdc_model_components(NULL, cluster_of, 15, model));
    assert_ok(scdc_predict_together(labels, probability, component, proba, model, p.data, p.crowd));
    assert_ok(scdc_predict(plain, NULL, NULL, NULL, model, p.data, p.crowd));
    for (size_t i = 0; i < ITEMS; i++) {
        double sum = 0;
        for (size_t c = 0; c < info.clusters; c++) {
            float q = proba[i * info.clusters + c];
            assert_true(q <= proba[i * info.clusters + (size_t)labels[i]]);
            sum += (double)q;
        }
        assert_close(sum, 1, 1e-5);
        assert_close(probability[i], (double)proba[i * info.clusters + (size_t)labels[i]], 1e-7);
        assert_int_equal(cluster_of[component[i]], labels[i]);
    }
    size_t given, moved = 0;
    const scdc_answer *answers = scdc_crowd_answers(p.crowd, &given);
    for (size_t a = 0; a < given; a++) {
        moved += labels[answers[a].left] != plain[answers[a].left];
    }
    assert_true(20 * moved <= given);
    for (int threads = 1; threads <= 4; threads *= 2) {
        assert_ok(scdc_model_set_threads(model, threads));
        assert_ok(scdc_predict_together(again, NULL, NULL, NULL, model, p.data, p.crowd));
        assert_memory_equal(again, labels, sizeof labels);
    }
    scdc_data *single;
    assert_ok(scdc_data_rows(one, p.data, 7, 1));
    assert_ok(scdc_data_from_memory(&single, one, SCDC_F32, 1, 2, 1));
    assert_ok(scdc_predict_together(labels, NULL, NULL, NULL, model, single, NULL));
    assert_ok(scdc_predict(plain, NULL, NULL, NULL, model, single, NULL));
    assert_int_equal(labels[0], plain[0]);
    scdc_data_free(single);
    scdc_model_free(model);
    problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(company_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
