/* Likely groupings of components: under noise nearer to what was planted than the best one, the
 * same where evidence is plain. */
#include "model/clusters/likely_groupings.h"
#include "base/rng.h"
#include "support/check.h"

#include <math.h>
#include <scdc/scdc.h>

enum { K = 80, GROUPS = 8 };

static bool use[K];
static double share[K];

/* Evidence of pairs of GROUPS planted groups as noisy answers would give it: normal, of mean
 * +-strength and variance 2 strength, as log likelihood ratios have. */
static void plant(double *evidence, double strength, uint64_t seed)
{
    rng r;
    rng_init(&r, seed, RNG_TEST, 0, 0);
    for (size_t k = 0; k < K; k++) {
        use[k] = true;
        share[k] = 1.0 / K;
        for (size_t l = 0; l <= k; l++) {
            double mean = k % GROUPS == l % GROUPS ? strength : -strength;
            evidence[k * K + l] = evidence[l * K + k] = mean + sqrt(2 * strength) * rng_normal(&r);
        }
    }
}

static double accuracy(const grouping *g)
{
    int64_t planted[K];
    scdc_scores s;
    for (size_t k = 0; k < K; k++) planted[k] = (int64_t)(k % GROUPS);
    assert_ok(scdc_score(&s, g->cluster, planted, K));
    return s.acc;
}

static void noise_is_averaged_out(void **state)
{
    (void)state;
    static double evidence[K * K];
    grouping g;
    grouping_options options = {.concentration = 1, .sweeps = 4};
    enum { SEEDS = 6 };
    double best = 0, drawn = 0;
    assert_ok(grouping_create(&g, K));
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        plant(evidence, 0.6, seed);
        grouping_fit(&g, evidence, use, &options);
        best += accuracy(&g) / SEEDS;
        assert_ok(grouping_draw(&g, evidence, use, share, 1, seed));
        drawn += accuracy(&g) / SEEDS;
    }
    assert_true(drawn > best + 0.1);
    grouping_free(&g);
}

static void plain_evidence_leaves_one_grouping(void **state)
{
    (void)state;
    static double evidence[K * K];
    grouping g;
    grouping_options options = {.concentration = 1, .sweeps = 4};
    assert_ok(grouping_create(&g, K));
    plant(evidence, 20, 1);
    use[3] = use[K - 1] = false;
    grouping_fit(&g, evidence, use, &options);
    assert_ok(grouping_draw(&g, evidence, use, share, 1, 1));
    assert_int_equal(g.clusters, GROUPS);
    for (size_t k = 0; k < K; k++) { /* numbered by the smallest component that is used */
        size_t planted = k % GROUPS == 3 ? 7 : k % GROUPS > 3 ? k % GROUPS - 1 : k % GROUPS;
        assert_int_equal(g.cluster[k], use[k] ? (int64_t)planted : -1);
        for (size_t l = 0; l < k && use[k]; l++)
            assert_close(g.same[k * K + l], use[l] && k % GROUPS == l % GROUPS, 1e-9);
    }
    grouping_free(&g);
}

static void a_seed_gives_one_outcome(void **state)
{
    (void)state;
    static double evidence[K * K], first[K * K];
    grouping g;
    grouping_options options = {.concentration = 1, .sweeps = 4};
    assert_ok(grouping_create(&g, K));
    plant(evidence, 0.3, 3);
    for (int time = 0; time < 2; time++) {
        grouping_fit(&g, evidence, use, &options);
        assert_ok(grouping_draw(&g, evidence, use, share, 1, 5));
        for (size_t i = 0; i < K * K; i++) {
            if (time) assert_true(g.q[i] == first[i]);
            first[i] = g.q[i];
        }
        bool held[K] = {false};
        for (size_t k = 0; k < K; k++) held[g.cluster[k]] = true;
        for (size_t c = 0; c < g.clusters; c++) assert_true(held[c]);
    }
    grouping_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_averaged_out),
        cmocka_unit_test(plain_evidence_leaves_one_grouping),
        cmocka_unit_test(a_seed_gives_one_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
