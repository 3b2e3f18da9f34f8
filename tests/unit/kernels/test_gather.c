/* Weighted sums of rows against their plain twin, to the bit: every number of columns at once. */
#include "kernels/gather.h"
#include "base/rng.h"
#include "kernels/reference.h"
#include "support/check.h"

enum { WIDEST = 67, ROWS = 23, TERMS = 40, WEIGHTS = 7 };

static void sums_match_the_plain_ones(void **state)
{
    (void)state;
    static double rows[ROWS * WIDEST], fast[WIDEST + 1], plain[WIDEST + 1];
    double weight[WEIGHTS];
    gather_term term[TERMS];
    rng r;
    rng_init(&r, 4, RNG_TEST, 0, 0);
    for (size_t width = 0; width <= WIDEST; width++) {
        size_t count = width % 3 ? TERMS - width % 5 : width / 20; /* none at all for some */
        for (size_t i = 0; i < ROWS * width; i++) rows[i] = 2 * rng_uniform(&r) - 1;
        for (size_t i = 0; i < WEIGHTS; i++) weight[i] = 10 * rng_uniform(&r) - 5;
        for (size_t i = 0; i < TERMS; i++)
            term[i] =
                (gather_term){(uint32_t)rng_below(&r, ROWS), (uint32_t)rng_below(&r, WEIGHTS)};
        for (size_t c = 0; c <= WIDEST; c++) fast[c] = plain[c] = rng_uniform(&r);
        gather_rows(fast, rows, width, weight, term, count);
        reference_gather_rows(plain, rows, width, weight, term, count);
        /* Beyond the last column nothing is touched: the two stay equal there. */
        assert_memory_equal(fast, plain, sizeof fast);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match_the_plain_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
