/* Products and softmax over lanes against their plain twins: every size of tile, extremes. */
#include "kernels/lanes.h"
#include "base/rng.h"
#include "kernels/reference.h"
#include "support/check.h"

enum { MOST = 61 };

static void fill(double *x, size_t n, rng *r)
{
    for (size_t i = 0; i < n; i++) x[i] = 2 * rng_uniform(r) - 1;
}

static void products_match_the_plain_ones(void **state)
{
    (void)state;
    static double w[MOST * (MOST + 3)], x[MOST * LANES], fast[(MOST + 1) * LANES],
        plain[(MOST + 1) * LANES];
    rng r;
    rng_init(&r, 3, RNG_TEST, 0, 0);
    for (size_t features = 1; features <= MOST; features++) {
        for (size_t inner = 0; inner <= MOST; inner += inner < 3 ? 1 : 19) {
            size_t length = features + inner % 4;
            fill(w, inner * length, &r);
            fill(x, inner * LANES, &r);
            fill(fast, (MOST + 1) * LANES, &r);
            memcpy(plain, fast, sizeof plain);
            lanes_add_product(fast, w, length, x, inner, features);
            reference_lanes_add_product(plain, w, length, x, inner, features);
            /* Beyond the last feature nothing is touched: the two stay equal there. */
            for (size_t i = 0; i < (MOST + 1) * LANES; i++) {
                assert_close(fast[i], plain[i], i < features * LANES ? 1e-14 : 0);
            }
        }
    }
}

static void softmax_matches_the_plain_one(void **state)
{
    (void)state;
    static double fast[MOST * LANES], plain[MOST * LANES];
    for (size_t n = 1; n <= MOST; n++) {
        for (size_t i = 0; i < n * LANES; i++) {
            double spread = pow(10, (double)(i % LANES % 7) - 3);
            fast[i] = spread * sin((double)(i * i + n)) + 100 * cos((double)(i % LANES));
        }
        memcpy(plain, fast, sizeof plain);
        lanes_softmax(fast, n);
        reference_lanes_softmax(plain, n);
        for (size_t i = 0; i < n * LANES; i++) {
            assert_close(fast[i], plain[i], 4e-15 * plain[i] + 1e-300);
        }
    }
}

static void lanes_do_not_disturb_each_other(void **state)
{
    (void)state;
    double x[3 * LANES];
    for (size_t i = 0; i < 3 * LANES; i++) x[i] = (double)(i / LANES);
    x[1] = 1e300, x[LANES + 1] = -1e300;
    x[2 * LANES + 2] = NAN;
    x[3] = -INFINITY;
    x[LANES + 4] = INFINITY;
    lanes_softmax(x, 3);
    double ordinary[3] = {0, 1, 2}, sum = 1 + exp(1) + exp(2);
    for (size_t i = 0; i < 3; i++) {
        for (size_t l = 5; l < LANES; l++)
            assert_close(x[i * LANES + l], exp(ordinary[i]) / sum, 1e-15);
        assert_true(x[i * LANES + 1] == (i == 0));
        assert_true(isnan(x[i * LANES + 2]));
    }
    assert_true(x[3] == 0);
    assert_close(x[LANES + 3], 1 / (1 + exp(1)), 1e-15);
    assert_true(isnan(x[LANES + 4]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_match_the_plain_ones),
        cmocka_unit_test(softmax_matches_the_plain_one),
        cmocka_unit_test(lanes_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
