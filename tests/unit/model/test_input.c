/* model/train/input: what scaling is chosen, what it does, and that models keep it. */
#include "base/rng.h"
#include "model/model.h"
#include "model/train/input.h"
#include "support/check.h"
#include "support/files.h"

enum { ROWS = 400, MOST = 64 };

static rng noise;
static float table[ROWS * MOST];

static scdc_data *wrap(size_t cols)
{
    scdc_data *data;
    assert_ok(scdc_data_from_memory(&data, table, SCDC_F32, ROWS, cols, 1));
    return data;
}

/* Normal columns with these centres and widths, taken in turn. */
static scdc_data *normal_columns(size_t cols, const double *centre, const double *width, size_t n)
{
    rng_init(&noise, 3, RNG_INIT_WEIGHTS, 0, 0);
    for (size_t i = 0; i < ROWS * cols; i++) {
        size_t c = i % cols % n;
        table[i] = (float)(centre[c] + width[c] * rng_normal(&noise));
    }
    return wrap(cols);
}

static scdc_scaling chosen(const scdc_data *data, scdc_likelihood likelihood, bool paper)
{
    input_scale input;
    scdc_scaling scaling = SCDC_SCALING_AUTO;
    assert_ok(input_choose(&input, &likelihood, &scaling, data, paper));
    assert_true((input.centre != NULL) == (scaling == SCDC_SCALING_COLUMNS));
    input_free(&input);
    return scaling;
}

static void auto_tells_tables_from_columns_of_one_kind(void **state)
{
    (void)state;
    static const double centres[] = {0, 5, 1000}, widths[] = {1, 0.01, 300}, zero[] = {0, 0, 0},
                        alike[] = {1, 1.5, 0.8};
    scdc_data *units = normal_columns(6, centres, widths, 3), *wide, *embeddings, *lengths, *pixels;
    assert_int_equal(chosen(units, SCDC_LIKELIHOOD_AUTO, false), SCDC_SCALING_COLUMNS);
    assert_int_equal(chosen(units, SCDC_LIKELIHOOD_AUTO, true), SCDC_SCALING_UNIT);
    wide = normal_columns(32, centres, widths, 3);
    assert_int_equal(chosen(wide, SCDC_LIKELIHOOD_AUTO, false), SCDC_SCALING_COLUMNS);
    /* As soon as they are images, proportions are kept. */
    assert_ok(scdc_data_set_shape(wide, 1, 8, 4));
    assert_int_equal(chosen(wide, SCDC_LIKELIHOOD_AUTO, false), SCDC_SCALING_UNIT);
    embeddings = normal_columns(32, zero, alike, 3);
    assert_int_equal(chosen(embeddings, SCDC_LIKELIHOOD_AUTO, false), SCDC_SCALING_UNIT);
    /* Few columns that happen to be alike are a table. */
    scdc_data *few = normal_columns(8, zero, alike, 3);
    assert_int_equal(chosen(few, SCDC_LIKELIHOOD_AUTO, false), SCDC_SCALING_COLUMNS);
    /* Rows of length 1 whatever their columns are like. */
    static const double uneven[] = {1, 0.05, 0.3};
    scdc_data_free(normal_columns(32, zero, uneven, 3));
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t c = 0; c < 32; c++) sum += (double)table[i * 32 + c] * table[i * 32 + c];
        for (size_t c = 0; c < 32; c++) table[i * 32 + c] /= (float)sqrt(sum);
    }
    lengths = wrap(32);
    assert_int_equal(chosen(lengths, SCDC_LIKELIHOOD_AUTO, false), SCDC_SCALING_UNIT);
    /* Grey values 0 to 16 in a flat table; those at the border hardly vary. */
    for (size_t i = 0; i < ROWS * MOST; i++) {
        size_t c = i % MOST;
        double u = rng_uniform(&noise);
        table[i] = (float)floor(17 * (c % 8 == 0 ? pow(u, 300) : u));
    }
    pixels = wrap(MOST);
    assert_int_equal(chosen(pixels, SCDC_LIKELIHOOD_AUTO, false), SCDC_SCALING_UNIT);
    scdc_data *all[] = {units, wide, embeddings, few, lengths, pixels};
    for (size_t i = 0; i < 6; i++) scdc_data_free(all[i]);
}

static void bernoulli_data_stay_as_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS * 4; i++) table[i] = (float)(i % 3) / 2;
    scdc_data *data = wrap(4);
    assert_int_equal(chosen(data, SCDC_LIKELIHOOD_AUTO, false), SCDC_SCALING_NONE);
    assert_int_equal(chosen(data, SCDC_LIKELIHOOD_GAUSSIAN, false), SCDC_SCALING_COLUMNS);
    scdc_data_free(data);
}

/* Columns arrive with centre 0 and width 1, far values drawn in, in order; and all the way back. */
static void columns_there_and_back(void **state)
{
    (void)state;
    static const double centres[] = {0, 5, -1000}, widths[] = {1, 0.01, 300};
    scdc_data_free(normal_columns(3, centres, widths, 3));
    table[0] = 1e5f, table[3] = 2e5f, table[6] = -1e5f;
    for (size_t i = 0; i < ROWS; i++) table[3 * i + 1] = 4; /* a constant one */
    scdc_data *data = wrap(3);
    input_scale input;
    scdc_likelihood likelihood = SCDC_LIKELIHOOD_GAUSSIAN;
    scdc_scaling scaling = SCDC_SCALING_COLUMNS;
    assert_ok(input_choose(&input, &likelihood, &scaling, data, false));
    uint32_t items[ROWS];
    real o[ROWS * 3];
    float back[3];
    double square = 0;
    for (uint32_t i = 0; i < ROWS; i++) items[i] = i;
    input_gather(o, data, &input, items, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        square += (double)(o[3 * i + 2] * o[3 * i + 2]);
        assert_true(o[3 * i + 1] == 0);
        assert_true(fabs((double)o[3 * i]) < 15);
        input_restore(back, o + 3 * i, &input, 3);
        for (size_t c = 0; c < 3; c++) assert_near(back[c], table[3 * i + c], 1e-3);
    }
    assert_close(sqrt(square / ROWS), 1, 0.1);
    assert_true(o[3] > o[0] && o[0] > 10 && o[6] < -10);
    input_restore(back, (const real[]){1e30f, 0, -1e30f}, &input, 3);
    for (size_t c = 0; c < 3; c++) assert_true(isfinite(back[c]));
    input_free(&input);
    scdc_data_free(data);
}

static void models_keep_their_columns(void **state)
{
    (void)state;
    static const double centres[] = {0, 5, -1000}, widths[] = {1, 0.01, 300};
    scdc_data *data = normal_columns(3, centres, widths, 3);
    scdc_options o;
    scdc_options_init(&o);
    o.n_hidden = 1;
    o.hidden[0] = 8;
    o.warmup = 20;
    o.epochs = 2;
    o.components = 2;
    scdc_model *model, *loaded;
    assert_ok(scdc_fit(&model, data, NULL, &o, NULL, NULL));
    assert_int_equal(scdc_model_options(model)->scaling, SCDC_SCALING_COLUMNS);
    const char *path = scratch_path("columns.safetensors");
    assert_ok(scdc_model_save(model, path));
    assert_ok(scdc_model_load(&loaded, path));
    static float first[ROWS * 8], second[ROWS * 8], sample[2 * 50 * 3];
    assert_ok(scdc_embed(first, model, data));
    assert_ok(scdc_embed(second, loaded, data));
    assert_memory_equal(first, second, sizeof first);
    /* Generated items are in the units of their columns. */
    assert_ok(scdc_sample(sample, 2 * 50 * 3, loaded, 1, 50, 1));
    for (size_t i = 0; i < 2 * 50; i++) {
        for (size_t c = 0; c < 3; c++) assert_close(sample[3 * i + c], centres[c], 8 * widths[c]);
    }
    scdc_model_free(model);
    scdc_model_free(loaded);
    scdc_data_free(data);
}

/* Bytes of which four vary much and say nothing, while twenty others tell three kinds. */
static void answers_choose_between_proportions_and_widths(void **state)
{
    (void)state;
    enum { ITEMS = 150, COLS = 24, LOUD = 4, PAIRS = 500 };
    static uint8_t x[ITEMS * COLS];
    static scdc_answer answers[PAIRS];
    scdc_data *data;
    scdc_crowd *crowd;
    scdc_model *model;
    scdc_options o;
    rng r;
    rng_init(&r, 9, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        for (size_t c = 0; c < COLS; c++) {
            double loud = 128 + 40 * rng_normal(&r);
            double told = 100 + 8 * (double)((i % 3 + c) % 3) + 3 * rng_normal(&r);
            x[i * COLS + c] = (uint8_t)fmin(255, fmax(0, c < LOUD ? loud : told));
        }
    }
    for (size_t a = 0; a < PAIRS; a++) {
        uint32_t left = (uint32_t)rng_below(&r, ITEMS);
        uint32_t right = (left + 1 + (uint32_t)rng_below(&r, ITEMS - 1)) % ITEMS;
        answers[a] = (scdc_answer){.left = left, .right = right, .same = left % 3 == right % 3};
    }
    assert_ok(scdc_data_from_memory(&data, x, SCDC_U8, ITEMS, COLS, 1));
    assert_ok(scdc_crowd_from_memory(&crowd, answers, PAIRS));
    scdc_options_init(&o);
    assert_ok(scdc_fit(&model, data, NULL, &o, NULL, NULL));
    assert_int_equal(scdc_model_options(model)->scaling, SCDC_SCALING_UNIT);
    scdc_model_free(model);
    assert_ok(scdc_fit(&model, data, crowd, &o, NULL, NULL));
    assert_int_equal(scdc_model_options(model)->scaling, SCDC_SCALING_COLUMNS);
    scdc_model_free(model);
    o.scaling = SCDC_SCALING_UNIT;
    assert_ok(scdc_fit(&model, data, crowd, &o, NULL, NULL));
    assert_int_equal(scdc_model_options(model)->scaling, SCDC_SCALING_UNIT);
    scdc_model_free(model);
    scdc_data_free(data);
    scdc_crowd_free(crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_tells_tables_from_columns_of_one_kind),
        cmocka_unit_test(bernoulli_data_stay_as_they_are),
        cmocka_unit_test(columns_there_and_back),
        cmocka_unit_test(models_keep_their_columns),
        cmocka_unit_test(answers_choose_between_proportions_and_widths),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
