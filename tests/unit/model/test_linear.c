/* Linear latents: the principal components of the scaled values, for fitted and for new items, and
 * the way back to items; when they are chosen. */
#include "base/rng.h"
#include "data/data.h"
#include "model/options.h"
#include "support/check.h"
#include "support/files.h"
#include "support/simulated.h"
#include "support/sanitizers.h"

enum { ITEMS = 300, DIMS = 12 };
static scdc_data *data;
static scdc_labels *truth;

static int setup(void **state)
{
    problem p = {0};
    problem_blobs(&p, 4, ITEMS, DIMS, 6, 0);
    data = p.data;
    truth = p.truth;
    return scratch_begin(state);
}

static int teardown(void **state)
{
    scdc_data_free(data);
    scdc_labels_free(truth);
    return scratch_end(state);
}

static scdc_model *fitted(const scdc_data *items, size_t latent, size_t columns_scaling)
{
    scdc_options o;
    scdc_options_init(&o);
    o.net = SCDC_NET_LINEAR;
    o.latent = latent;
    o.scaling = columns_scaling ? SCDC_SCALING_COLUMNS : SCDC_SCALING_UNIT;
    o.epochs = 20;
    o.threads = 2;
    scdc_model *model = NULL;
    assert_ok(scdc_fit(&model, items, NULL, &o, NULL, NULL));
    return model;
}

/* One scale for all: scores of the values by another way (scdc_data_pca), times that scale. */
static void latents_are_principal_components(void **state)
{
    (void)state;
    enum { LATENT = 3 };
    static float embedded[ITEMS * LATENT], values[ITEMS * DIMS];
    scdc_data *scores;
    scdc_model *model = fitted(data, LATENT, 0);
    assert_ok(scdc_embed(embedded, model, data));
    assert_ok(scdc_data_pca(&scores, data, LATENT));
    assert_ok(scdc_data_rows(values, data, 0, ITEMS));
    double sum = 0, squares = 0, n = ITEMS * DIMS;
    for (size_t i = 0; i < ITEMS * DIMS; i++) sum += (double)values[i];
    for (size_t i = 0; i < ITEMS * DIMS; i++) squares += pow((double)values[i] - sum / n, 2);
    const float *expected = scores->values;
    double scale = 1 / sqrt(squares / n);
    for (size_t i = 0; i < ITEMS * LATENT; i++) {
        assert_close(embedded[i], (double)expected[i] * scale, 0.02);
    }
    scdc_data_free(scores);
    scdc_model_free(model);
}

/* Also a model from a file, one item at a time, and items that it has not seen. */
static void new_items_are_placed(void **state)
{
    (void)state;
    static float embedded[ITEMS * 32];
    static int64_t labels[ITEMS];
    scdc_model *model = fitted(data, 0, 1), *loaded;
    scdc_model_info info;
    scdc_scores s;
    const char *path = scratch_path("linear.safetensors");
    assert_ok(scdc_model_save(model, path));
    assert_ok(scdc_model_load(&loaded, path));
    assert_int_equal(scdc_model_options(loaded)->net, SCDC_NET_LINEAR);
    assert_ok(scdc_model_get_info(&info, loaded));
    assert_true(info.latent >= 2 && info.latent <= DIMS);
    assert_ok(scdc_predict(labels, NULL, NULL, NULL, loaded, data, NULL));
    assert_ok(scdc_score(&s, labels, scdc_labels_values(truth), ITEMS));
    assert_true(s.nmi > 0.9);
    assert_ok(scdc_embed(embedded, loaded, data));
    float row[DIMS], x[32];
    int64_t label;
    for (size_t i = 0; i < 10; i++) {
        scdc_data *one;
        assert_ok(scdc_data_rows(row, data, i, 1));
        assert_ok(scdc_data_from_memory(&one, row, SCDC_F32, 1, DIMS, 1));
        assert_ok(scdc_predict(&label, NULL, NULL, NULL, loaded, one, NULL));
        assert_int_equal(label, labels[i]);
        assert_ok(scdc_embed(x, loaded, one));
        for (size_t a = 0; a < info.latent; a++)
            assert_close(x[a], embedded[i * info.latent + a], 1e-4);
        scdc_data_free(one);
    }
    scdc_model_free(model);
    scdc_model_free(loaded);
}

/* With all directions kept, the mean of an item's cluster comes back in the units of the data. */
static void samples_are_in_the_units_of_the_data(void **state)
{
    (void)state;
    enum { D = 3, COUNT = 200 };
    static float items[ITEMS * D], sample[16 * COUNT * D];
    static int64_t labels[ITEMS];
    scdc_data *table;
    rng noise;
    rng_init(&noise, 5, RNG_INIT_WEIGHTS, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) { /* two tight groups in columns of unlike units */
        double side = i % 2 ? 1 : -1;
        items[i * D] = (float)(5000 + 1000 * side + 100 * rng_normal(&noise));
        items[i * D + 1] = (float)(0.02 + 0.01 * side + 0.001 * rng_normal(&noise));
        items[i * D + 2] = (float)(-6.5 + 0.3 * rng_normal(&noise));
    }
    assert_ok(scdc_data_from_memory(&table, items, SCDC_F32, ITEMS, D, 0));
    scdc_model *model = fitted(table, 0, 1);
    scdc_model_info info;
    assert_ok(scdc_model_get_info(&info, model));
    assert_int_equal(info.latent, D);
    assert_in_range(info.clusters, 2, 15);
    assert_ok(scdc_predict(labels, NULL, NULL, NULL, model, table, NULL));
    assert_true(labels[0] != labels[1]);
    assert_ok(scdc_sample(sample, sizeof sample / sizeof *sample, model, 0, COUNT, 3));
    for (size_t i = 0; i < 2; i++) {
        double mean[D] = {0};
        const float *rows = sample + (size_t)labels[i] * COUNT * D;
        for (size_t r = 0; r < COUNT * D; r++) mean[r % D] += (double)rows[r] / COUNT;
        double side = i % 2 ? 1 : -1;
        assert_close(mean[0], 5000 + 1000 * side, 300);
        assert_close(mean[1], 0.02 + 0.01 * side, 0.003);
        assert_close(mean[2], -6.5, 0.3);
    }
    scdc_data_free(table);
    scdc_model_free(model);
}

/* Twelve columns of which three vary together with others: few sizes hold what there is. */
static void size_follows_the_variance(void **state)
{
    (void)state;
    static float items[ITEMS * DIMS];
    for (size_t i = 0; i < ITEMS; i++) {
        for (size_t c = 0; c < DIMS; c++)
            items[i * DIMS + c] = (float)((i * (c % 3 + 1) * 7919) % 997) * (float)(c + 1);
    }
    scdc_data *table, *constant;
    scdc_model_info info;
    assert_ok(scdc_data_from_memory(&table, items, SCDC_F32, ITEMS, DIMS, 1));
    scdc_model *model = fitted(table, 0, 1);
    assert_ok(scdc_model_get_info(&info, model));
    assert_in_range(info.latent, 2, 3);
    scdc_model_free(model);
    /* Nothing varies: still a model. */
    for (size_t i = 0; i < ITEMS * DIMS; i++) items[i] = 4;
    assert_ok(scdc_data_from_memory(&constant, items, SCDC_F32, ITEMS, DIMS, 1));
    model = fitted(constant, 0, 1);
    assert_ok(scdc_model_get_info(&info, model));
    assert_int_equal(info.clusters, 1);
    scdc_model_free(model);
    scdc_data_free(constant);
    scdc_data_free(table);
}

static scdc_net chosen(size_t items, bool image, const char *key, const char *value)
{
    scdc_options o;
    scdc_options_init(&o);
    if (key) assert_ok(scdc_options_set(&o, key, value));
    problem_size size = {.items = items, .dims = 100, .image = image};
    assert_ok(options_resolve(&o, &size));
    assert_true(o.net == SCDC_NET_MLP ? o.n_hidden > 0 && o.warmup > 0
                                      : o.likelihood == SCDC_LIKELIHOOD_GAUSSIAN);
    return o.net;
}

static void chosen_where_there_is_little_to_learn(void **state)
{
    (void)state;
    assert_int_equal(chosen(200, false, NULL, NULL), SCDC_NET_LINEAR);
    assert_int_equal(chosen(50000, false, NULL, NULL), SCDC_NET_LINEAR);
    assert_int_equal(chosen(999, true, NULL, NULL), SCDC_NET_LINEAR);
    assert_int_equal(chosen(1000, true, NULL, NULL), SCDC_NET_MLP);
    assert_int_equal(chosen(1000, true, "net", "linear"), SCDC_NET_LINEAR);
    assert_int_equal(chosen(200, false, "net", "mlp"), SCDC_NET_MLP);
    assert_int_equal(chosen(200, false, "hidden", "20"), SCDC_NET_MLP);
    assert_int_equal(chosen(200, false, "model", "amortized"), SCDC_NET_MLP);
    assert_int_equal(chosen(200, false, "recipe", "paper"), SCDC_NET_MLP);
    assert_int_equal(chosen(200, false, "likelihood", "bernoulli"), SCDC_NET_MLP);
    scdc_options o;
    scdc_options_init(&o);
    o.net = SCDC_NET_LINEAR;
    o.model = SCDC_MODEL_AMORTIZED;
    scdc_model *model = NULL;
    assert_fails(scdc_fit(&model, data, NULL, &o, NULL, NULL), SCDC_ERR_ARGUMENT, "net linear");
    o.model = SCDC_MODEL_BAYES;
    o.latent = DIMS + 1;
    assert_fails(scdc_fit(&model, data, NULL, &o, NULL, NULL), SCDC_ERR_ARGUMENT,
                 "at most as many latent sizes");
}

static bool gives_as_many(const scdc_crowd *crowd, size_t clusters)
{
    static int64_t label[ITEMS];
    bool held[ITEMS] = {false};
    size_t count = 0;
    scdc_options o;
    scdc_model *model = NULL;
    scdc_options_init(&o);
    o.clusters = clusters;
    o.threads = 2;
    int status = scdc_fit(&model, data, crowd, &o, NULL, NULL);
    if (status == SCDC_OK)
        assert_ok(scdc_model_labels(label, NULL, NULL, NULL, model, data, crowd));
    for (size_t i = 0; i < ITEMS && status == SCDC_OK; i++) {
        count += !held[label[i]];
        held[label[i]] = true;
    }
    scdc_model_free(model);
    return count == clusters;
}

/* Whatever the items show: as many clusters as are asked for, each with items, with answers or
 * without. */
static void clusters_are_as_many_as_asked(void **state)
{
    (void)state;
    static const size_t wanted[] = {2, 4, 7, 13, 20};
    enum { ASKED = sizeof wanted / sizeof *wanted, PAIRS = 400 };
    static scdc_answer answers[PAIRS];
    scdc_crowd *crowd;
    size_t given = 0;
    const int64_t *kind = scdc_labels_values(truth);
    for (uint32_t a = 0; a < PAIRS; a++) {
        uint32_t left = a * 7 % ITEMS, right = (left + 1 + a % (ITEMS - 1)) % ITEMS;
        bool same = kind[left] == kind[right];
        answers[a] = (scdc_answer){.left = left, .right = right, .same = same};
    }
    assert_ok(scdc_crowd_from_memory(&crowd, answers, PAIRS));
    for (size_t i = 0; i < ASKED; i += SANITIZED ? ASKED - 1 : 1) {
        given += gives_as_many(NULL, wanted[i]);
        given += gives_as_many(crowd, wanted[i]);
    }
    scdc_crowd_free(crowd);
    assert_true(MOST_ARE_GOOD(given + 1, (size_t)2 * ASKED));
}

/* Thirty kinds that overlap: full covariances afford few components, each of several kinds, and
 * what lies between these is no reason to take them for islands. */
static void coarse_components_are_no_islands(void **state)
{
    (void)state;
    problem p = {0};
    problem_blobs(&p, 30, 600, 6, 3, 3);
    for (uint64_t seed = 1; seed <= DRAWS(4); seed++) {
        scdc_options o;
        scdc_model_info info;
        scdc_model *model = NULL;
        scdc_options_init(&o);
        o.seed = seed;
        o.threads = 2;
        assert_ok(scdc_fit(&model, p.data, NULL, &o, NULL, NULL));
        assert_ok(scdc_model_get_info(&info, model));
        assert_in_range(info.clusters, 10, 60); /* 21 to 28; one of the four fits had 6 */
        scdc_model_free(model);
    }
    problem_close(&p);
}

/* Few epochs are few, whatever comes before them. */
static void warm_up_follows_the_epochs(void **state)
{
    (void)state;
    scdc_options o;
    problem_size size = {.items = 100, .dims = 100};
    scdc_options_init(&o);
    o.net = SCDC_NET_MLP;
    o.epochs = 2;
    assert_ok(options_resolve(&o, &size));
    assert_int_equal(o.warmup, 8);
    scdc_options_init(&o);
    o.net = SCDC_NET_MLP;
    assert_ok(options_resolve(&o, &size));
    assert_int_equal(o.warmup, 800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latents_are_principal_components),
        cmocka_unit_test(new_items_are_placed),
        cmocka_unit_test(samples_are_in_the_units_of_the_data),
        cmocka_unit_test(size_follows_the_variance),
        cmocka_unit_test(chosen_where_there_is_little_to_learn),
        cmocka_unit_test(clusters_are_as_many_as_asked),
        cmocka_unit_test(coarse_components_are_no_islands),
        cmocka_unit_test(warm_up_follows_the_epochs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
