/* Components into clusters: planted groups, forced numbers, the bound of the sweeps. */
#include "model/clusters/grouping.h"
#include "support/check.h"

#include <math.h>

enum { K = 12 };

static bool use[K];

/* Evidence of `groups` planted groups k % groups: plus `inside` within, minus `outside` between. */
static void plant(double *evidence, size_t groups, double inside, double outside)
{
    for (size_t k = 0; k < K; k++) {
        use[k] = true;
        for (size_t l = 0; l < K; l++) {
            evidence[k * K + l] = k % groups == l % groups ? inside : -outside;
        }
    }
}

static void planted_groups_are_found(void **state)
{
    (void)state;
    double evidence[K * K];
    grouping g;
    grouping_options options = {.concentration = 1, .sweeps = 5};
    assert_ok(grouping_create(&g, K));
    for (size_t groups = 1; groups <= K; groups++) {
        plant(evidence, groups, 20, 20);
        grouping_fit(&g, evidence, use, &options);
        assert_int_equal(g.clusters, groups);
        for (size_t k = 0; k < K; k++) {
            assert_int_equal(g.cluster[k], k % groups); /* numbered by smallest component */
            for (size_t l = 0; l < K; l++) {
                assert_close(g.same[k * K + l], k % groups == l % groups, 1e-6);
            }
        }
        double pairs = 0;
        for (size_t i = 0; i < K * K; i++) pairs += g.same[i] * evidence[i];
        assert_near(grouping_value(&g, evidence), pairs / 2, 1e-12);
    }
    grouping_free(&g);
}

static void the_number_of_clusters_can_be_forced(void **state)
{
    (void)state;
    double evidence[K * K];
    grouping g;
    assert_ok(grouping_create(&g, K));
    plant(evidence, 4, 20, 20);
    for (size_t wanted = 1; wanted <= K; wanted++) {
        grouping_options options = {.concentration = 1, .sweeps = 0, .clusters = wanted};
        grouping_fit(&g, evidence, use, &options);
        assert_int_equal(g.clusters, wanted);
    }
    grouping_free(&g);
}

/* Some components that answers tell apart, each alone in its cluster, among others that are dying
 * and about which next to nothing is known: these make no clusters, and take none from the first.
 */
static void dying_components_leave_the_others_apart(void **state)
{
    (void)state;
    double evidence[K * K];
    grouping g;
    grouping_options options = {.concentration = 1, .sweeps = 4};
    assert_ok(grouping_create(&g, K));
    for (size_t alive = 2; alive <= K; alive++) {
        for (double apart = 5; apart < 100; apart *= 3.5) {
            for (size_t i = 0; i < K * K; i++) {
                bool told_apart = i / K < alive && i % K < alive;
                evidence[i] = told_apart ? -apart : -0.01 * (double)(1 + i / K + i % K);
                use[i % K] = true;
            }
            grouping_fit(&g, evidence, use, &options);
            assert_int_equal(g.clusters, alive);
            for (size_t k = 0; k < alive; k++) {
                assert_int_equal(g.cluster[k], k);
                for (size_t l = 0; l < k; l++) assert_true(g.same[k * K + l] < exp(-apart / 6));
            }
        }
    }
    grouping_free(&g);
}

/* Whatever the evidence, every cluster is the most likely one of a component. */
static void no_cluster_is_empty(void **state)
{
    (void)state;
    double evidence[K * K];
    grouping g;
    grouping_options options = {.concentration = 1, .sweeps = 4};
    assert_ok(grouping_create(&g, K));
    for (size_t draw = 0; draw < 400; draw++) {
        double scale = exp((double)(draw % 8) - 2);
        for (size_t k = 0; k < K; k++) {
            use[k] = (draw + k) % 5 > 0;
            for (size_t l = 0; l <= k; l++) {
                bool dying = k * 7 % 12 < draw % 12;
                double value = scale * sin((double)(draw * 997 + k * 31 + l * 7)) - scale / 2;
                evidence[k * K + l] = evidence[l * K + k] = dying ? 0.01 * value : value;
            }
        }
        grouping_fit(&g, evidence, use, &options);
        bool held[K] = {false};
        for (size_t k = 0; k < K; k++) {
            assert_true(use[k] ? g.cluster[k] >= 0 : g.cluster[k] == -1);
            if (use[k]) held[g.cluster[k]] = true;
        }
        for (size_t c = 0; c < g.clusters; c++) assert_true(held[c]);
    }
    grouping_free(&g);
}

/* Greedy merging alone leaves every component in a cluster, however little is known about it. */
static void merging_alone_leaves_nothing_out(void **state)
{
    (void)state;
    double evidence[K * K];
    grouping g;
    grouping_options options = {.concentration = 1};
    assert_ok(grouping_create(&g, K));
    plant(evidence, 3, 20, 20);
    for (size_t l = 0; l < K; l++) evidence[5 * K + l] = evidence[l * K + 5] = -0.1;
    grouping_fit(&g, evidence, use, &options);
    assert_int_equal(g.clusters, 4);
    for (size_t k = 0; k < K; k++) assert_int_equal(g.cluster[k], k == 5 ? 3 : k % 3);
    grouping_free(&g);
}

static void unused_components_stay_out(void **state)
{
    (void)state;
    double evidence[K * K];
    grouping g;
    grouping_options options = {.concentration = 1, .sweeps = 3};
    assert_ok(grouping_create(&g, K));
    plant(evidence, 3, 20, 20);
    use[0] = use[3] = use[6] = use[9] = false; /* all of the first group */
    grouping_fit(&g, evidence, use, &options);
    assert_int_equal(g.clusters, 2);
    assert_int_equal(g.cluster[0], -1);
    assert_int_equal(g.cluster[1], 0);
    assert_int_equal(g.cluster[2], 1);
    assert_true(g.same[0 * K + 3] == 0 && g.same[0] == 1);
    grouping_free(&g);
}

/* Contradicting evidence leaves q(c) soft; each sweep of coordinate ascent raises the bound. */
static void sweeps_raise_the_bound(void **state)
{
    (void)state;
    double evidence[K * K];
    grouping g;
    assert_ok(grouping_create(&g, K));
    plant(evidence, 3, 2, 2);
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < k; l++) {
            double noise = 3 * sin(7.0 * (double)(k * K + l));
            evidence[k * K + l] += noise;
            evidence[l * K + k] += noise;
        }
    }
    double last = -INFINITY;
    for (size_t sweeps = 0; sweeps < 12; sweeps++) {
        grouping_options options = {.concentration = 1, .sweeps = sweeps, .clusters = 3};
        grouping_fit(&g, evidence, use, &options);
        double bound = grouping_value(&g, evidence) - g.kl;
        assert_true(isfinite(bound) && g.kl > -1e-9);
        if (sweeps) assert_true(bound >= last - 1e-9);
        last = bound;
    }
    grouping_free(&g);
}

/* With hard q(c), KL is -ln of the Dirichlet-multinomial probability of the assignment. */
static void kl_of_a_hard_grouping(void **state)
{
    (void)state;
    double evidence[K * K];
    grouping g;
    grouping_options options = {.concentration = 3, .sweeps = 0};
    assert_ok(grouping_create(&g, K));
    plant(evidence, 3, 1, 1);
    grouping_fit(&g, evidence, use, &options);
    /* each = 1: 3 groups of 4: Gamma(3) Gamma(5)^3 / (Gamma(15) Gamma(1)^3) */
    assert_close(g.kl, lgamma(15) - lgamma(3) - 3 * lgamma(5), 1e-9);
    grouping_identity(&g);
    assert_int_equal(g.clusters, K);
    grouping_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_groups_are_found),
        cmocka_unit_test(the_number_of_clusters_can_be_forced),
        cmocka_unit_test(dying_components_leave_the_others_apart),
        cmocka_unit_test(no_cluster_is_empty),
        cmocka_unit_test(merging_alone_leaves_nothing_out),
        cmocka_unit_test(unused_components_stay_out),
        cmocka_unit_test(sweeps_raise_the_bound),
        cmocka_unit_test(kl_of_a_hard_grouping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
