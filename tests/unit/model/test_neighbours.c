/* Neighbour links against a plain search; their evidence against the formula and its purpose. */
#include "base/parallel.h"
#include "base/rng.h"
#include "model/grouping.h"
#include "model/neighbours.h"
#include "support/check.h"

enum { N = 1500, D = 3, CELLS = 10, K = 3 * CELLS, NEAR = 5 };

static float x[N * D];
static uint32_t component[N];

static double distance(size_t a, size_t b)
{
    double sum = 0;
    for (size_t j = 0; j < D; j++) {
        double gap = (double)x[a * D + j] - (double)x[b * D + j];
        sum += gap * gap;
    }
    return sum;
}

/* Three clusters far apart, each cut into cells around its first items. */
static int make_items(void **state)
{
    (void)state;
    rng r;
    rng_init(&r, 5, RNG_TEST, 0, 0);
    for (size_t i = 0; i < N; i++) {
        size_t cluster = i % 3;
        for (size_t j = 0; j < D; j++)
            x[i * D + j] = (float)rng_normal(&r) + (j == cluster ? 12 : 0);
    }
    for (size_t i = 0; i < N; i++) {
        size_t best = i % 3;
        for (size_t cell = 0; cell < CELLS; cell++) {
            size_t centre = i % 3 + 3 * cell;
            if (distance(i, centre) < distance(i, best)) best = centre;
        }
        component[i] = (uint32_t)((i % 3) * CELLS + best / 3);
    }
    return 0;
}

static void links_match_a_plain_search(void **state)
{
    (void)state;
    double links[K * K], plain[K * K] = {0};
    neighbour_options options = {.queries = N, .neighbours = NEAR, .seed = 1};
    assert_ok(neighbour_links(links, K, x, N, D, component, &options));
    for (size_t i = 0; i < N; i++) {
        size_t taken[NEAR];
        for (size_t s = 0; s < NEAR; s++) {
            size_t best = N;
            for (size_t j = 0; j < N; j++) {
                bool used = j == i;
                for (size_t t = 0; t < s; t++) used = used || taken[t] == j;
                if (!used && (best == N || distance(i, j) < distance(i, best))) best = j;
            }
            taken[s] = best;
            plain[component[i] * K + component[best]] += 0.5;
            plain[component[best] * K + component[i]] += 0.5;
        }
    }
    double total = 0;
    for (size_t i = 0; i < K * K; i++) {
        total += links[i];
        assert_close(links[i], plain[i], 2); /* ties at the edge of rounding */
    }
    assert_close(total, N * NEAR, 1e-9);
}

static void links_do_not_depend_on_threads(void **state)
{
    (void)state;
    double first[K * K], links[K * K];
    neighbour_options options = {.queries = 400, .neighbours = NEAR, .seed = 1};
    for (int threads = 1; threads <= 4; threads *= 2) {
        parallel_set_threads(threads);
        assert_ok(neighbour_links(links, K, x, N, D, component, &options));
        if (threads == 1) memcpy(first, links, sizeof first);
        assert_memory_equal(first, links, sizeof first);
    }
    parallel_set_threads(0);
}

/* Cells of one cluster touch, clusters do not: no evidence ever joins two clusters, and asked for
 * three groups it gives the clusters. (Left alone it may cut a cluster further: links reach only a
 * short way, which is what the modularity of any such graph rewards.) */
static void evidence_finds_the_clusters(void **state)
{
    (void)state;
    double links[K * K], evidence[K * K], share[K] = {0}, coins[2] = {0.9, 0.9};
    bool use[K];
    grouping g;
    neighbour_options options = {.queries = N, .neighbours = NEAR, .seed = 1};
    grouping_options how = {.concentration = 1, .sweeps = 3},
                     three = {.concentration = 1, .clusters = 3};
    assert_ok(grouping_create(&g, K));
    assert_ok(neighbour_links(links, K, x, N, D, component, &options));
    for (size_t i = 0; i < N; i++) share[component[i]] += 1.0 / N;
    for (size_t k = 0; k < K; k++) use[k] = true;
    for (int round = 0; round < 4; round++) {
        neighbour_evidence(evidence, coins, K, links, share);
        grouping_fit(&g, evidence, use, &how);
        neighbour_coins(coins, K, links, share, g.same);
    }
    assert_true(g.clusters >= 3 && g.clusters <= 15);
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < K; l++) {
            if (k / CELLS == l / CELLS) continue;
            assert_true(evidence[k * K + l] < 0 && g.cluster[k] != g.cluster[l]);
        }
    }
    grouping_fit(&g, evidence, use, &three);
    for (size_t k = 0; k < K; k++) assert_int_equal(g.cluster[k], k / CELLS);
    /* All links stay inside; a third of random pairs does: 1/(1+1/3) and 1. */
    neighbour_coins(coins, K, links, share, g.same);
    assert_close(coins[0], 0.75, 0.01);
    assert_true(coins[1] > 0.99);
    grouping_free(&g);
}

static void tiny_data_are_fine(void **state)
{
    (void)state;
    double links[K * K];
    neighbour_options options = {.queries = 10, .neighbours = NEAR, .seed = 1};
    assert_ok(neighbour_links(links, K, x, 1, D, component, &options));
    for (size_t i = 0; i < K * K; i++) assert_true(links[i] == 0);
    assert_ok(neighbour_links(links, K, x, 3, D, component, &options)); /* 2 neighbours at most */
    double total = 0;
    for (size_t i = 0; i < K * K; i++) total += links[i];
    assert_close(total, 6, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_match_a_plain_search),
        cmocka_unit_test(links_do_not_depend_on_threads),
        cmocka_unit_test(evidence_finds_the_clusters),
        cmocka_unit_test(tiny_data_are_fine),
    };
    return cmocka_run_group_tests(tests, make_items, NULL);
}
