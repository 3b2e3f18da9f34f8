/* The stage clock: off until started, all of the time between start and stop, every stage of a fit
 * seen, and no influence on the result. */
#include "base/clock.h"
#include "base/stages.h"
#include "support/check.h"

#include <string.h>
#include <time.h>

static double seconds_of(const char *wanted)
{
    const char *name;
    double seconds;
    for (size_t i = 0; (name = scdc_timings_stage(i, &seconds)); i++) {
        if (strcmp(name, wanted) == 0) return seconds;
    }
    fail_msg("there is no stage %s", wanted);
    return 0;
}

static double sum_of_stages(void)
{
    double sum = 0, seconds;
    for (size_t i = 0; scdc_timings_stage(i, &seconds); i++) sum += seconds;
    return sum;
}

static void rest(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static void time_goes_to_the_stage_at_hand(void **state)
{
    (void)state;
    stage_enter(STAGE_DECODER); /* off: not counted */
    rest(2);
    double begin = seconds_now();
    scdc_timings_start();
    rest(2);
    assert_int_equal(stage_enter(STAGE_ENCODER), STAGE_BOOKKEEPING);
    rest(10);
    assert_int_equal(stage_enter(STAGE_SAMPLE), STAGE_ENCODER);
    scdc_timings_stop();
    double whole = seconds_now() - begin;
    stage_enter(STAGE_DECODER);
    rest(2);
    scdc_timings_stop(); /* a second one changes nothing */
    assert_true(seconds_of("encoder") >= 0.01 && seconds_of("bookkeeping") >= 0.002);
    assert_true(seconds_of("decoder") == 0);
    assert_true(sum_of_stages() <= whole && sum_of_stages() >= 0.012);
    assert_null(scdc_timings_stage(STAGES, NULL));
}

static void fit(int64_t labels[], const scdc_data *data, scdc_model_kind kind)
{
    scdc_options o;
    scdc_model *model;
    scdc_options_init(&o);
    o.model = kind;
    o.components = 4;
    o.latent = 2;
    o.n_hidden = 1;
    o.hidden[0] = 16;
    o.epochs = o.warmup = 2;
    assert_ok(scdc_fit(&model, data, NULL, &o, NULL, NULL));
    assert_ok(scdc_predict(labels, NULL, NULL, NULL, model, data, NULL));
    scdc_model_free(model);
}

static void a_fit_goes_through_all_stages(void **state)
{
    enum { ITEMS = 200 };
    static const char *const seen[] = {"gather",  "binarise", "encoder",    "messages",  "sample",
                                       "decoder", "backward", "likelihood", "optimiser", NULL};
    (void)state;
    static float values[ITEMS][8];
    static int64_t plain[ITEMS], timed[ITEMS];
    scdc_data *data;
    for (size_t i = 0; i < ITEMS * 8; i++) values[i / 8][i % 8] = (float)(i / 8 % 4 == i % 4);
    assert_ok(scdc_data_from_memory(&data, values, SCDC_F32, ITEMS, 8, 0));
    for (int kind = SCDC_MODEL_BAYES; kind <= SCDC_MODEL_AMORTIZED; kind++) {
        fit(plain, data, (scdc_model_kind)kind);
        double begin = seconds_now();
        scdc_timings_start();
        fit(timed, data, (scdc_model_kind)kind);
        scdc_timings_stop();
        assert_true(sum_of_stages() <= seconds_now() - begin);
        for (size_t i = 0; seen[i]; i++) {
            if (!(seconds_of(seen[i]) > 0)) fail_msg("stage %s was never entered", seen[i]);
        }
        assert_true((seconds_of("natural_gradient") > 0) == (kind == SCDC_MODEL_BAYES));
        assert_true(seconds_of("clusters") > 0);
        assert_memory_equal(plain, timed, sizeof plain);
    }
    scdc_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_goes_to_the_stage_at_hand),
        cmocka_unit_test(a_fit_goes_through_all_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
