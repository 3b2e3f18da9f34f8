/* Probabilities of a fit that nobody answered: as far as halves of the items show its clusters; and
 * of networks with answers: as far as those that were kept from them contradict. */
#include "base/rng.h"
#include "model/model.h"
#include "support/files.h"

enum { ITEMS = 300, DIMS = 3 };

/* Mean probability of the labels of three heaps so far apart, and of the same from a file. */
static double promised(double apart, scdc_net net, size_t clusters)
{
    float x[ITEMS][DIMS];
    double probability[ITEMS], again[ITEMS], sum = 0;
    int64_t labels[ITEMS];
    const char *path = scratch_path("doubt.safetensors");
    scdc_options o;
    scdc_data *data;
    scdc_model *model, *loaded;
    rng r;
    rng_init(&r, 5, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        for (size_t d = 0; d < DIMS; d++) {
            x[i][d] = (float)(rng_normal(&r) + (d == i % DIMS ? apart : 0));
        }
    }
    scdc_options_init(&o);
    o.clusters = clusters;
    o.net = net;
    o.components = 10;
    o.warmup = 40;
    o.epochs = 5;
    assert_ok(scdc_data_from_memory(&data, x, SCDC_F32, ITEMS, DIMS, 1));
    int status = scdc_fit(&model, data, NULL, &o, NULL, NULL);
    if (status == SCDC_ERR_ARGUMENT) { /* so many clusters are not there, and nothing is promised */
        scdc_data_free(data);
        return 0;
    }
    assert_ok(status);
    assert_ok(scdc_model_labels(labels, probability, NULL, NULL, model, data, NULL));
    assert_ok(scdc_model_save(model, path));
    assert_ok(scdc_model_load(&loaded, path));
    assert_ok(scdc_model_labels(labels, again, NULL, NULL, loaded, data, NULL));
    for (size_t i = 0; i < ITEMS; i++) {
        assert_near(probability[i], again[i], 1e-6);
        sum += probability[i] / ITEMS;
    }
    scdc_model_free(model);
    scdc_model_free(loaded);
    scdc_data_free(data);
    return sum;
}

static void clusters_that_are_there_are_believed(void **state)
{
    (void)state;
    assert_true(promised(12, SCDC_NET_LINEAR, 3) > 0.97);
    assert_true(promised(12, SCDC_NET_MLP, 3) > 0.9);
}

static void clusters_that_are_not_there_are_doubted(void **state)
{
    (void)state;
    assert_true(promised(0, SCDC_NET_LINEAR, 3) < 0.8);
    assert_true(promised(0, SCDC_NET_MLP, 2) < 0.8);
}

/* ---- networks with answers ---- */

enum { ALL_ITEMS = 1500, ASKED_ITEMS = 700, ANSWERS = 1400, CLUSTERS = 3 };

static void make_heaps(float (*x)[DIMS], int64_t *kind, double apart, rng *r)
{
    for (size_t i = 0; i < ALL_ITEMS; i++) {
        kind[i] = (int64_t)(i % CLUSTERS);
        for (size_t d = 0; d < DIMS; d++) {
            x[i][d] = (float)(rng_normal(r) + (d == i % CLUSTERS ? apart : 0));
        }
    }
}

static scdc_crowd *ask(const int64_t *kind, rng *r)
{
    static scdc_answer answers[ANSWERS];
    scdc_crowd *crowd;
    for (size_t a = 0; a < ANSWERS; a++) {
        uint32_t left = (uint32_t)(a % ASKED_ITEMS);
        uint32_t right = (left + 1 + (uint32_t)rng_below(r, ASKED_ITEMS - 1)) % ASKED_ITEMS;
        uint32_t same = kind[left] == kind[right];
        if (rng_uniform(r) > 0.9) same = !same;
        answers[a] = (scdc_answer){left, right, (uint32_t)(a % 2), SCDC_NO_TASK, same};
    }
    assert_ok(scdc_crowd_from_memory(&crowd, answers, ANSWERS));
    return crowd;
}

/* By how much the mean probability of the labels is above the share that is right. */
static double promised_too_much(double apart, uint64_t seed, double *right)
{
    static float x[ALL_ITEMS][DIMS];
    int64_t kind[ALL_ITEMS], labels[ALL_ITEMS];
    double probability[ALL_ITEMS], sum = 0;
    scdc_options o;
    scdc_data *data;
    scdc_model *model;
    scdc_scores scores;
    rng r;
    rng_init(&r, seed, RNG_TEST, 0, 0);
    make_heaps(x, kind, apart, &r);
    scdc_crowd *crowd = ask(kind, &r);
    scdc_options_init(&o);
    o.net = SCDC_NET_MLP;
    o.clusters_from = SCDC_CLUSTERS_FROM_COMPONENTS; /* items hear their neighbours */
    o.components = 10;
    o.warmup = 40;
    o.epochs = 5;
    assert_ok(scdc_data_from_memory(&data, x, SCDC_F32, ALL_ITEMS, DIMS, 1));
    assert_ok(scdc_fit(&model, data, crowd, &o, NULL, NULL));
    assert_ok(scdc_model_labels(labels, probability, NULL, NULL, model, data, crowd));
    for (size_t i = 0; i < ALL_ITEMS; i++) sum += probability[i] / ALL_ITEMS;
    assert_ok(scdc_score(&scores, labels, kind, ALL_ITEMS));
    *right = scores.acc;
    scdc_model_free(model);
    scdc_crowd_free(crowd);
    scdc_data_free(data);
    return sum - *right;
}

static void networks_promise_as_much_as_kept_answers_allow(void **state)
{
    (void)state;
    size_t kept = 0;
    double right = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        double above = promised_too_much(1.6, seed, &right);
        kept += fabs(above) < 0.1; /* .2 and more without a doubt */
    }
    assert_true(kept >= 2);
    double above = promised_too_much(9, 3, &right);
    assert_true(right > 0.98 && fabs(above) < 0.04);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_that_are_there_are_believed),
        cmocka_unit_test(clusters_that_are_not_there_are_doubted),
        cmocka_unit_test(networks_promise_as_much_as_kept_answers_allow),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
