/* metrics/calibration: what labels promise beside how often they are right. */
#include "support/check.h"

#include <scdc/calibration.h>

/* Ten items, two clusters with other numbers than classes; by hand. */
static void by_hand(void **state)
{
    (void)state;
    static const int64_t labels[10] = {7, 7, 7, 7, 7, 3, 3, 3, 3, 3};
    static const int64_t truth[10] = {0, 0, 0, 0, 1, 1, 1, 1, 0, 0};
    static const double probability[10] = {1, 1, .95, .95, .95, .65, .65, .65, .65, .55};
    scdc_calibration c;
    assert_ok(scdc_calibrate(&c, labels, probability, truth, 10));
    assert_close(c.right, .7, 1e-12);
    assert_close(c.probability, .8, 1e-12);
    assert_int_equal(c.bin_items[9], 5);
    assert_close(c.bin_probability[9], .97, 1e-12);
    assert_close(c.bin_right[9], .8, 1e-12);
    assert_int_equal(c.bin_items[6], 4);
    assert_close(c.bin_right[6], .75, 1e-12);
    assert_int_equal(c.bin_items[5], 1);
    assert_close(c.bin_right[5], 0, 0);
    assert_int_equal(c.bin_items[0], 0);
    assert_close(c.bin_probability[0], 0, 0);
    /* 5 x .17 + 4 x .1 + 1 x .55, over 10 items */
    assert_close(c.ece, .18, 1e-12);
}

/* A cluster without a class of its own is wrong throughout. */
static void clusters_without_a_class_are_wrong(void **state)
{
    (void)state;
    static const int64_t labels[4] = {0, 0, 1, 2}, truth[4] = {5, 5, 5, 5};
    static const double sure[4] = {1, 1, 1, 1};
    scdc_calibration c;
    assert_ok(scdc_calibrate(&c, labels, sure, truth, 4));
    assert_close(c.right, .5, 1e-12);
    assert_close(c.ece, .5, 1e-12);
}

static void bad_arguments(void **state)
{
    (void)state;
    static const int64_t labels[2] = {0, 1};
    static const double wrong[2] = {.5, 1.5}, nan[2] = {NAN, 1}, good[2] = {0, 1};
    scdc_calibration c;
    assert_fails(scdc_calibrate(&c, labels, wrong, labels, 2), SCDC_ERR_ARGUMENT,
                 "item 1 must be 0 to 1, not 1.5");
    assert_fails(scdc_calibrate(&c, labels, nan, labels, 2), SCDC_ERR_ARGUMENT, "item 0");
    assert_fails(scdc_calibrate(&c, labels, good, labels, 0), SCDC_ERR_ARGUMENT, "1 to");
    assert_fails(scdc_calibrate(&c, labels, NULL, labels, 2), SCDC_ERR_ARGUMENT, "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(clusters_without_a_class_are_wrong),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
