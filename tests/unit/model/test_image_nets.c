/* Networks of images in both models: whole fits with every likelihood, the same bytes on any number
 * of threads, saved and loaded; and what is refused. Gradients: tests/grad. */
#include "base/rng.h"
#include "io/file.h"
#include "support/files.h"
#include "support/sanitizers.h"
#include "support/simulated.h"

#include <math.h>

enum { SIDE = 8, PLANE = SIDE * SIDE, VALUES = 3 * PLANE, ITEMS = 90, KINDS = 2 };

/* Small coloured pictures: a light square at the left in red, or at the right in blue. */
static problem pictures(void)
{
    static uint8_t images[ITEMS * VALUES];
    static int64_t kinds[ITEMS];
    problem p = {0};
    rng r;
    rng_init(&r, 8, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        uint8_t *image = images + i * VALUES;
        size_t kind = rng_below(&r, KINDS), left = kind ? 4 : 1, top = 1 + rng_below(&r, 4);
        kinds[i] = (int64_t)kind;
        for (size_t v = 0; v < VALUES; v++) image[v] = (uint8_t)rng_below(&r, 60);
        for (size_t y = top; y < top + 3; y++) {
            for (size_t x = left; x < left + 3; x++) image[2 * kind * PLANE + y * SIDE + x] = 220;
        }
    }
    assert_ok(scdc_data_from_memory(&p.data, images, SCDC_U8, ITEMS, VALUES, 1));
    assert_ok(scdc_data_set_shape(p.data, 3, SIDE, SIDE));
    assert_ok(scdc_labels_from_memory(&p.truth, kinds, ITEMS));
    const double rate = 0.95;
    problem_ask(&p, 3, &rate, &rate, 1, 200, 60, 4);
    return p;
}

static scdc_options small(scdc_model_kind kind, const char *net, const char *likelihood)
{
    scdc_options o;
    scdc_options_init(&o);
    o.model = kind;
    o.components = 4;
    o.latent = 3;
    o.warmup = 6;
    o.epochs = 3;
    o.classifier = SCDC_CLASSIFIER_NONE;
    assert_ok(scdc_options_set(&o, "net", net));
    assert_ok(scdc_options_set(&o, "likelihood", likelihood));
    assert_ok(scdc_options_set(&o, "hidden", "12"));
    if (strcmp(net, "conv") == 0) {
        assert_ok(scdc_options_set(&o, "encoder", "conv4/2,conv6/2"));
        assert_ok(scdc_options_set(&o, "decoder", "map6,up2,conv4,up2"));
    } else {
        assert_ok(scdc_options_set(&o, "encoder", "conv3/2,res4"));
        assert_ok(scdc_options_set(&o, "decoder", "map4,res4,up2,norm2"));
        assert_ok(scdc_options_set(&o, "encoder_z", "res4/2,mean"));
    }
    return o;
}

static void assert_same_files(const char *a, const char *b)
{
    file_bytes x, y;
    assert_ok(file_open(&x, a));
    assert_ok(file_open(&y, b));
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.bytes, y.bytes, x.size);
    file_close(&x), file_close(&y);
}

static void check_fit(const problem *p, scdc_options o)
{
    scdc_model *model, *other, *loaded;
    char first[600], second[600];
    float before[ITEMS * 4], after[ITEMS * 4], made[4 * VALUES];
    scdc_model_info info;
    o.threads = 1;
    assert_ok(scdc_fit(&model, p->data, p->crowd, &o, NULL, NULL));
    o.threads = 3;
    assert_ok(scdc_fit(&other, p->data, p->crowd, &o, NULL, NULL));
    snprintf(first, sizeof first, "%s", scratch_path("first.safetensors"));
    snprintf(second, sizeof second, "%s", scratch_path("second.safetensors"));
    assert_ok(scdc_model_save(model, first));
    assert_ok(scdc_model_save(other, second));
    assert_same_files(first, second);
    assert_ok(scdc_model_load(&loaded, first));
    assert_string_equal(scdc_model_options(loaded)->encoder, o.encoder);
    assert_ok(scdc_model_get_info(&info, model));
    assert_true(info.clusters <= 4);
    assert_ok(scdc_predict(NULL, NULL, NULL, before, model, p->data, NULL));
    assert_ok(scdc_predict(NULL, NULL, NULL, after, loaded, p->data, NULL));
    assert_memory_equal(before, after, ITEMS * info.clusters * sizeof *before);
    assert_ok(scdc_sample(made, 4 * VALUES, model, 0, 1, 1));
    for (size_t i = 0; i < info.clusters * VALUES; i++) assert_true(isfinite((double)made[i]));
    scdc_model_free(model), scdc_model_free(other), scdc_model_free(loaded);
}

static void both_models(void **state)
{
    (void)state;
    problem p = pictures();
    static const char *const likelihoods[] = {"bernoulli", "gaussian", "logistic"};
    for (size_t i = 0; i < 3; i++) {
        check_fit(&p, small(SCDC_MODEL_BAYES, i % 2 ? "resnet" : "conv", likelihoods[i]));
        check_fit(&p, small(SCDC_MODEL_AMORTIZED, i % 2 ? "conv" : "resnet", likelihoods[i]));
    }
    problem_close(&p);
}

/* The networks learn: after some epochs they tell pictures better. */
static void learns(const problem *p, scdc_model_kind kind)
{
    scdc_options o = small(kind, "conv", "logistic");
    scdc_model *model;
    size_t count;
    o.warmup = 1;
    o.epochs = o.patience = 30;
    assert_ok(scdc_fit(&model, p->data, p->crowd, &o, NULL, NULL));
    const scdc_epoch *epochs = scdc_model_epochs(model, &count);
    double first = epochs[0].reconstruction, last = epochs[count - 1].reconstruction;
    if (!(last > first + 0.05 * fabs(first)))
        fail_msg("after %zu epochs %g, after the first %g", count, last, first);
    scdc_model_free(model);
}

static void networks_learn(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) skip(); /* has seen such networks above, with several threads */
    problem p = pictures();
    learns(&p, SCDC_MODEL_BAYES);
    learns(&p, SCDC_MODEL_AMORTIZED);
    problem_close(&p);
}

static void refused(const scdc_data *data, const char *key, const char *value, const char *why)
{
    scdc_options o = small(SCDC_MODEL_AMORTIZED, "resnet", "gaussian");
    scdc_model *model = NULL;
    assert_ok(scdc_options_set(&o, key, value));
    assert_fails(scdc_fit(&model, data, NULL, &o, NULL, NULL), SCDC_ERR_ARGUMENT, why);
}

static void what_does_not_fit(void **state)
{
    (void)state;
    problem p = pictures(), blobs = {0};
    refused(p.data, "encoder", "conv4,konv4", "'konv4' is no layer");
    refused(p.data, "encoder", "conv4,drop0.5", "for the classifier only");
    refused(p.data, "encoder", "batch4,mean", "for the classifier only");
    refused(p.data, "encoder", "map4", "first layer of a decoder");
    refused(p.data, "encoder_z", "max9", "pooling 9 x 9");
    refused(p.data, "decoder", "conv4", "a decoder begins with map64");
    refused(p.data, "decoder", "map4,conv4/2", "make images of 4 x 4 pixels where 8 x 8");
    refused(p.data, "net", "mlp", "layers of net conv or resnet");
    refused(p.data, "net_start", "glorot", "net_start must be random");
    problem_blobs(&blobs, 2, 60, 9, 4, 1);
    refused(blobs.data, "net", "conv", "net conv is for images of 4 x 4 pixels or more");
    scdc_options o;
    scdc_options_init(&o);
    char many[200];
    memset(many, 'x', sizeof many);
    many[199] = '\0';
    assert_fails(scdc_options_set(&o, "encoder", many), SCDC_ERR_ARGUMENT, "at most 127 letters");
    problem_close(&p), problem_close(&blobs);
}

static void the_papers_setting(void **state)
{
    (void)state;
    scdc_options o;
    scdc_options_init(&o);
    assert_ok(scdc_options_preset(&o, "cifar10"));
    assert_true(o.model == SCDC_MODEL_AMORTIZED && o.recipe == SCDC_RECIPE_PAPER);
    assert_true(o.latent == 64 && o.components == 10 && o.epochs == 200);
    assert_true(o.batch == 100 && o.answers_batch == 200 && o.learning_rate == 3e-3);
    assert_true(o.optimizer == SCDC_OPTIMIZER_ADAM);
    size_t blocks[2] = {0}, layers = 0;
    for (const char *at = o.encoder; (at = strstr(at, "res")); at++) blocks[0]++;
    for (const char *at = o.decoder; (at = strstr(at, "res")); at++) blocks[1]++;
    for (const char *at = o.encoder_z; (at = strstr(at, "conv")); at++) layers++;
    assert_true(blocks[0] == 5 && blocks[1] == 5 && layers == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_models),
        cmocka_unit_test(networks_learn),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(the_papers_setting),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
