/* Passes over pixels, channel by channel, against their plain twins. */
#include "kernels/channels.h"
#include "kernels/reference.h"
#include "support/values.h"

enum { PIXELS = 90 };

static void passes_match(size_t C, bool relu)
{
    size_t n = PIXELS * C;
    real *x = random_values(n, 3, 1), *d = random_values(n, 1, 2), *e = copy_values(d, n);
    real *centre = random_values(C, 1, 3), *rate = random_values(C, 1, 4);
    real *gamma = random_values(C, 1, 5), *beta = random_values(C, 1, 6);
    real *a = random_values(2 * C, 1, 7), *b = copy_values(a, 2 * C);
    real *y = random_values(n, 1, 8), *z = copy_values(y, n);
    channel_norm norm = {C, centre, rate, gamma, beta, relu};
    channels_sum(a, x, PIXELS, C);
    reference_channels_sum(b, x, PIXELS, C);
    assert_values_near(a, b, C, 1e-3);
    channels_squares(a + C, x, centre, PIXELS, C);
    reference_channels_squares(b + C, x, centre, PIXELS, C);
    assert_values_near(a + C, b + C, C, 1e-2);
    channels_normalise(y, x, &norm, PIXELS);
    reference_channels_normalise(z, x, &norm, PIXELS);
    assert_values_near(y, z, n, 1e-4);
    channels_slopes(a, a + C, d, y, x, &norm, PIXELS);
    reference_channels_slopes(b, b + C, e, y, x, &norm, PIXELS);
    assert_values_near(a, b, 2 * C, 1e-2);
    assert_memory_equal(d, e, n * sizeof *d);
    for (size_t c = 0; c < 2 * C; c++) a[c] /= PIXELS;
    channels_back(y, d, x, a, a + C, &norm, PIXELS);
    reference_channels_back(z, d, x, a, a + C, &norm, PIXELS);
    assert_values_near(y, z, n, 1e-3);
    mem_free(x), mem_free(d), mem_free(e), mem_free(centre), mem_free(rate), mem_free(gamma);
    mem_free(beta), mem_free(a), mem_free(b), mem_free(y), mem_free(z);
}

static void match_their_twins(void **state)
{
    (void)state;
    for (size_t C = 1; C < 70; C += C < 20 ? 1 : 12) {
        passes_match(C, false);
        passes_match(C, true);
    }
}

static void nan_is_not_rectified(void **state)
{
    (void)state;
    real zero[2] = {0, 0}, one[2] = {1, 1}, x[2] = {NAN, -1}, y[2];
    channels_normalise(y, x, &(channel_norm){2, zero, one, one, zero, true}, 1);
    assert_true(isnan(y[0]) && y[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(match_their_twins),
        cmocka_unit_test(nan_is_not_rectified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
