/* The warm-up's latent step: its gradient by finite differences, its divergence by sampling. */
#include "base/rng.h"
#include "model/bayes/unit_prior.h"
#include "support/check.h"

enum { ROWS = 3, D = 4 };

static real encoded[ROWS * 2 * D], noise[ROWS * D], slope[ROWS * D], weight[ROWS];

static double objective(void)
{
    real x[ROWS * D];
    double kl[ROWS], sum = 0;
    unit_prior_forward(x, kl, encoded, noise, ROWS, D);
    for (size_t i = 0; i < ROWS * D; i++) sum += (double)(slope[i] * x[i] + x[i] * x[i] / 2);
    for (size_t r = 0; r < ROWS; r++) sum -= (double)weight[r] * kl[r];
    return sum;
}

static void gradient_matches_differences(void **state)
{
    (void)state;
    rng r;
    real x[ROWS * D], gx[ROWS * D], gradient[ROWS * 2 * D];
    double kl[ROWS];
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ROWS * 2 * D; i++) encoded[i] = (real)(2 * rng_normal(&r));
    for (size_t i = 0; i < ROWS * D; i++) {
        noise[i] = (real)rng_normal(&r);
        slope[i] = (real)rng_normal(&r);
    }
    for (size_t i = 0; i < ROWS; i++) weight[i] = (real)(0.5 + rng_uniform(&r));
    unit_prior_forward(x, kl, encoded, noise, ROWS, D);
    for (size_t i = 0; i < ROWS * D; i++) gx[i] = slope[i] + x[i];
    unit_prior_backward(gradient, encoded, noise, gx, weight, ROWS, D);
    for (size_t i = 0; i < ROWS * 2 * D; i++) {
        const real step = (real)1e-6;
        real old = encoded[i];
        encoded[i] = old + step;
        double above = objective();
        encoded[i] = old - step;
        double below = objective();
        encoded[i] = old;
        assert_near((double)gradient[i], (above - below) / (2 * (double)step), 1e-6);
    }
}

/* KL(N(m, v) || N(0, 1)) = (m^2 + v - 1 - ln v) / 2 with the moments reported. */
static void divergence_fits_the_moments(void **state)
{
    (void)state;
    double mean[ROWS * D], variance[ROWS * D], kl[ROWS];
    real x[ROWS * D];
    unit_prior_forward(x, kl, encoded, noise, ROWS, D);
    unit_prior_moments(mean, variance, encoded, ROWS, D);
    for (size_t r = 0; r < ROWS; r++) {
        double sum = 0;
        for (size_t a = r * D; a < (r + 1) * D; a++) {
            sum += (mean[a] * mean[a] + variance[a] - 1 - log(variance[a])) / 2;
            assert_close((double)x[a], mean[a] + sqrt(variance[a]) * (double)noise[a], 1e-12);
        }
        assert_close(kl[r], sum, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_matches_differences),
        cmocka_unit_test(divergence_fits_the_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
