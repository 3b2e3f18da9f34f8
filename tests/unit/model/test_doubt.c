/* Probabilities of a fit that nobody answered: as far as halves of the items show its clusters. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_that_are_there_are_believed),
        cmocka_unit_test(clusters_that_are_not_there_are_doubted),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
