/* Flags of workers: by intervals, so that few answers condemn nobody. */
#include "support/check.h"

#include "report/worker_flag.h"

/* A worker with half-widths of the intervals. */
static scdc_worker worker(double a, double b, double half, size_t answers)
{
    return (scdc_worker){.name = "w",
                         .answers = answers,
                         .sensitivity = a,
                         .specificity = b,
                         .sensitivity_low = fmax(0, a - half),
                         .sensitivity_high = fmin(1, a + half),
                         .specificity_low = fmax(0, b - half),
                         .specificity_high = fmin(1, b + half),
                         .weight = log(a / (1 - a)) + log(b / (1 - b))};
}

static worker_flag judge(double a, double b, double half, size_t answers)
{
    scdc_worker w = worker(a, b, half, answers);
    return worker_judge(&w);
}

static void test_flags(void **state)
{
    (void)state;
    assert_int_equal(judge(.9, .9, .05, 100), WORKER_FINE);
    assert_int_equal(judge(.5, .5, .05, 100), WORKER_RANDOM);
    assert_int_equal(judge(.5, .5, .3, 19), WORKER_UNKNOWN);
    assert_int_equal(judge(.5, .5, .3, 20), WORKER_RANDOM);
    assert_int_equal(judge(.2, .2, .05, 100), WORKER_INVERTED);
    /* Says "different" to everything: no information, but not a coin either. */
    assert_int_equal(judge(.05, .95, .04, 100), WORKER_DIFFERENT);
    assert_int_equal(judge(.95, .05, .04, 100), WORKER_SAME);
    /* One-sided and still useful: the flag says how, the weight how much. */
    assert_int_equal(judge(.4, .99, .005, 100), WORKER_DIFFERENT);
    /* Good in the mean, but the interval of the weight holds 0. */
    assert_int_equal(judge(.6, .6, .3, 5), WORKER_UNKNOWN);
}

static void test_interval_of_the_weight(void **state)
{
    (void)state;
    double low, high;
    scdc_worker w = worker(.7, .7, 0, 10);
    worker_weight_interval(&low, &high, &w);
    assert_close(low, w.weight, 1e-12);
    assert_close(high, w.weight, 1e-12);
    /* logit(.8) - logit(.6) = ln(4 / 1.5) for both: half widths add in squares. */
    w = worker(.7, .7, .1, 10);
    worker_weight_interval(&low, &high, &w);
    assert_close(high - w.weight, log(4 / 1.5) * sqrt(2) / 2, 1e-9);
    assert_close(w.weight - low, high - w.weight, 1e-12);
    w = worker(.7, .7, 1, 10); /* 0 to 1 */
    worker_weight_interval(&low, &high, &w);
    assert_true(isfinite(low) && isfinite(high) && low < 0 && high > 0);
}

static void test_every_flag_has_words(void **state)
{
    (void)state;
    for (worker_flag f = WORKER_FINE; f < WORKER_FLAGS; f++) {
        assert_true(strlen(worker_flag_meaning(f)) > 5);
        assert_int_equal(strlen(worker_flag_name(f)) == 0, f == WORKER_FINE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_interval_of_the_weight),
        cmocka_unit_test(test_every_flag_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
