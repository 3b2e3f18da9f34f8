/* The picture of made-up items: its size, how bright columns are, and what is refused. */
#include "support/files.h"

#include <stdbool.h>

enum { N = 60, SIDE = 4, D = SIDE * SIDE, K = 3, GAP = 2 };

/* A model of images, half of them dark and half of them bright; or of vectors. */
static scdc_model *make_model(bool images)
{
    static unsigned char values[N * D];
    scdc_data *data;
    scdc_model *model = NULL;
    scdc_options o;
    for (size_t i = 0; i < sizeof values; i++) values[i] = i / D % 2 ? 250 : 5;
    assert_ok(scdc_data_from_memory(&data, values, SCDC_U8, N, D, 1));
    if (images) assert_ok(scdc_data_set_shape(data, 1, SIDE, SIDE));
    scdc_options_init(&o);
    o.recipe = SCDC_RECIPE_PAPER;
    o.likelihood = SCDC_LIKELIHOOD_BERNOULLI;
    o.components = K;
    o.latent = 2;
    o.hidden[0] = 8;
    o.n_hidden = 1;
    o.epochs = 1;
    o.threads = 1;
    assert_ok(scdc_fit(&model, data, NULL, &o, NULL, NULL));
    scdc_data_free(data);
    return model;
}

static size_t pixel(const scdc_data *picture, size_t row, size_t col)
{
    scdc_data_info info;
    float *all;
    assert_ok(scdc_data_get_info(&info, picture));
    all = calloc(info.cols, sizeof *all);
    assert_ok(scdc_data_rows(all, picture, 0, 1));
    size_t value = (size_t)all[row * info.width + col];
    free(all);
    return value;
}

static void picture_of_components(void **state)
{
    (void)state;
    enum { ITEMS = 2 };
    scdc_model *model = make_model(true);
    scdc_data *picture;
    scdc_data_info info;
    double share[K], largest = 0;
    float made[K * ITEMS * D];
    assert_int_equal(mkdir(scratch_path("pictures"), 0700), 0);
    assert_ok(scdc_write_samples(scratch_path("pictures/a.png"), model, 1, ITEMS, 3));
    assert_ok(scdc_data_open(&picture, scratch_path("pictures")));
    assert_ok(scdc_data_get_info(&info, picture));
    assert_int_equal(info.width, GAP + K * (SIDE + GAP));
    assert_int_equal(info.height, GAP + ITEMS * (SIDE + GAP));
    assert_ok(scdc_model_components(share, NULL, K, model));
    assert_ok(scdc_sample(made, K * ITEMS * D, model, 1, ITEMS, 3));
    for (size_t k = 0; k < K; k++) largest = share[k] > largest ? share[k] : largest;
    for (size_t k = 0; k < K; k++) {
        /* The first value of each component's second item. */
        double expected = 255 * (double)made[(k * ITEMS + 1) * D] * share[k] / largest;
        assert_close((double)pixel(picture, GAP + SIDE + GAP, GAP + k * (SIDE + GAP)), expected,
                     0.51);
    }
    assert_int_equal(pixel(picture, 0, 0), 64); /* the gap */
    scdc_data_free(picture);
    scdc_model_free(model);
}

static void refusals(void **state)
{
    (void)state;
    scdc_model *images = make_model(true), *vectors = make_model(false);
    const char *path = scratch_path("x.png");
    assert_fails(scdc_write_samples(NULL, images, 1, 1, 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_write_samples(path, NULL, 1, 1, 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_write_samples(path, images, 1, 0, 1), SCDC_ERR_ARGUMENT, "1 or more");
    assert_fails(scdc_write_samples(path, images, 1, SIZE_MAX / 2, 1), SCDC_ERR_ARGUMENT,
                 "too many");
    assert_fails(scdc_write_samples(path, vectors, 1, 1, 1), SCDC_ERR_ARGUMENT, "no images");
    assert_int_not_equal(access(path, F_OK), 0);
    scdc_model_free(images);
    scdc_model_free(vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture_of_components),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
