/* two-coin workers: the four cases against the likelihoods themselves. */
#include "crowd/two_coin.h"
#include "support/check.h"

static void four_cases_are_log_likelihoods(void **state)
{
    (void)state;
    double rates[][2] = {{0.9, 0.8}, {0.55, 0.99}, {0.3, 0.4}, {0.999, 0.001}};
    for (int i = 0; i < 4; i++) {
        double alpha = rates[i][0], beta = rates[i][1];
        two_coin w = two_coin_from_rates(alpha, beta);
        /* s = 1: the pair is of one kind; s = 0: it is not. */
        assert_close(two_coin_log_likelihood(&w, 1, 1), log(alpha), 1e-12);
        assert_close(two_coin_log_likelihood(&w, 0, 1), log(1 - alpha), 1e-12);
        assert_close(two_coin_log_likelihood(&w, 1, 0), log(1 - beta), 1e-12);
        assert_close(two_coin_log_likelihood(&w, 0, 0), log(beta), 1e-12);
        /* In between: the expectation over the kind of the pair. */
        for (uint32_t same = 0; same <= 1; same++) {
            double one = same ? log(alpha) : log(1 - alpha);
            double other = same ? log(1 - beta) : log(beta);
            assert_close(two_coin_log_likelihood(&w, same, 0.3), 0.3 * one + 0.7 * other, 1e-12);
        }
    }
}

/* The closed form of an answer's weight and of the constant, with expected logarithms that do not
 * belong to any single rate. */
static void weight_is_the_closed_form(void **state)
{
    (void)state;
    two_coin w = {-0.2, -2.5, -0.35, -1.9};
    for (uint32_t same = 0; same <= 1; same++) {
        double ln_ratio = w.ln_not_alpha - w.ln_beta;
        double ln_odds = w.ln_alpha - w.ln_not_alpha + w.ln_beta - w.ln_not_beta;
        assert_close(two_coin_weight(&w, same), ln_ratio + same * ln_odds, 1e-15);
        assert_close(two_coin_constant(&w, same), same * (w.ln_not_beta - w.ln_beta) + w.ln_beta,
                     1e-15);
    }
    assert_close(two_coin_shown_weight(&w), 2.3 + 1.55, 1e-15);
    two_coin guess = two_coin_from_rates(0.3, 0.7);
    assert_close(two_coin_shown_weight(&guess), 0, 1e-15);
    assert_close(two_coin_weight(&guess, 1), 0, 1e-15);
    assert_close(two_coin_weight(&guess, 0), 0, 1e-15);
}

static void counts_add_up(void **state)
{
    (void)state;
    two_coin_counts c = {{0}, {0}};
    two_coin_count(&c, 1, 0.75);
    two_coin_count(&c, 0, 0.25);
    two_coin_count(&c, 1, 0);
    assert_close(c.alpha[0], 0.75, 0);
    assert_close(c.alpha[1], 0.25, 0);
    assert_close(c.beta[0], 0.75, 0);
    assert_close(c.beta[1], 0.25 + 1, 0);
    /* With known kinds the most likely rates are the counted fractions: the derivative of the log
     * likelihood vanishes there. */
    two_coin_counts n = {{0}, {0}};
    uint32_t same[] = {1, 1, 1, 0, 0, 0, 0, 1}, kind[] = {1, 1, 1, 1, 0, 0, 0, 0};
    for (int i = 0; i < 8; i++) two_coin_count(&n, same[i], kind[i]);
    double alpha = n.alpha[0] / (n.alpha[0] + n.alpha[1]), sum[2], step = 1e-5;
    double beta = n.beta[0] / (n.beta[0] + n.beta[1]);
    assert_close(alpha, 0.75, 0);
    assert_close(beta, 0.75, 0);
    for (int side = 0; side < 2; side++) {
        two_coin w = two_coin_from_rates(alpha + (side ? step : -step), beta);
        sum[side] = 0;
        for (int i = 0; i < 8; i++) sum[side] += two_coin_log_likelihood(&w, same[i], kind[i]);
    }
    assert_close((sum[1] - sum[0]) / (2 * step), 0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_cases_are_log_likelihoods),
        cmocka_unit_test(weight_is_the_closed_form),
        cmocka_unit_test(counts_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
