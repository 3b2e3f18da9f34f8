/* Neighbour links against a plain search; their evidence against the formula and its purpose. */
#include "base/parallel.h"
#include "base/rng.h"
#include "model/clusters/grouping.h"
#include "model/clusters/nearest.h"
#include "model/clusters/neighbours.h"
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

/* The k nearest by looking at every item. */
static void plain_search(uint32_t *found, size_t i)
{
    for (size_t s = 0; s < NEAR; s++) {
        size_t best = N;
        for (size_t j = 0; j < N; j++) {
            bool used = j == i;
            for (size_t t = 0; t < s; t++) used = used || found[t] == j;
            if (!used && (best == N || distance(i, j) < distance(i, best))) best = j;
        }
        found[s] = (uint32_t)best;
    }
}

static size_t count_common(const uint32_t *a, const uint32_t *b)
{
    size_t common = 0;
    for (size_t s = 0; s < NEAR; s++) {
        for (size_t t = 0; t < NEAR; t++) common += a[s] == b[t];
    }
    return common;
}

/* With few cells the search is exact; with many it finds nearly all. */
static void finds_what_a_plain_search_finds(void **state)
{
    (void)state;
    static uint32_t all[N * NEAR], few[N * NEAR], plain[NEAR], third[N];
    size_t in_all = 0, in_few = 0;
    for (size_t i = 0; i < N; i++) third[i] = (uint32_t)(i % 3);
    assert_ok(nearest_items(all, NEAR, x, N, D, component, K, 1));
    assert_ok(nearest_items(few, NEAR, x, N, D, third, 3, 1));
    for (size_t i = 0; i < N; i++) {
        plain_search(plain, i);
        in_all += count_common(all + i * NEAR, plain);
        in_few += count_common(few + i * NEAR, plain);
    }
    assert_true(in_few >= N * NEAR - 2); /* ties at the edge of rounding */
    assert_true(in_all >= N * NEAR * 99 / 100);
}

/* Cells of one item each: their surroundings hold too few, so that all items are searched. */
static void tiny_cells_do_not_run_out(void **state)
{
    (void)state;
    enum { FEW = 40 };
    uint32_t cell[FEW], found[FEW * 20];
    for (size_t i = 0; i < FEW; i++) cell[i] = (uint32_t)i;
    assert_ok(nearest_items(found, 20, x, FEW, D, cell, FEW, 1));
    for (size_t i = 0; i < FEW; i++) {
        bool seen[FEW] = {false};
        for (size_t s = 0; s < 20; s++) {
            uint32_t j = found[i * 20 + s];
            assert_true(j < FEW && j != i && !seen[j]);
            seen[j] = true;
        }
    }
    assert_int_equal(nearest_items(found, FEW, x, FEW, D, cell, FEW, 1), SCDC_ERR_INTERNAL);
}

/* As many neighbours as there can be: everybody else, whatever the cells, some of them empty. One
 * item has none, and more than all others cannot be asked for. */
static void few_items_have_everybody_else(void **state)
{
    (void)state;
    enum { MOST = NEAREST_MOST + 1, PLACES = 7 };
    uint32_t cell[MOST], found[MOST * NEAREST_MOST];
    const size_t sizes[] = {1, 2, 3, 4, MOST};
    for (size_t i = 0; i < MOST; i++)
        cell[i] = (uint32_t)(i * 5 % (PLACES - 1)); /* the last: empty */
    for (size_t t = 0; t < sizeof sizes / sizeof sizes[0]; t++) {
        size_t n = sizes[t], k = n - 1;
        assert_ok(nearest_items(found, k, x, n, D, cell, PLACES, 1));
        for (size_t i = 0; i < n; i++) {
            bool seen[MOST] = {false};
            for (size_t s = 0; s < k; s++) {
                uint32_t j = found[i * k + s];
                assert_true(j < n && j != i && !seen[j]);
                seen[j] = true;
            }
        }
        assert_int_equal(nearest_items(found, n, x, n, D, cell, PLACES, 1), SCDC_ERR_INTERNAL);
    }
    /* One less: the farthest is left out. */
    assert_ok(nearest_items(found, 1, x, 3, D, cell, PLACES, 1));
    for (size_t i = 0; i < 3; i++) {
        size_t a = (i + 1) % 3, b = (i + 2) % 3;
        assert_int_equal(found[i], distance(i, a) < distance(i, b) ? a : b);
    }
}

static void neighbours_do_not_depend_on_threads(void **state)
{
    (void)state;
    static uint32_t first[N * NEAR], found[N * NEAR];
    for (int threads = 1; threads <= 4; threads *= 2) {
        parallel_set_threads(threads);
        assert_ok(nearest_items(found, NEAR, x, N, D, component, K, 1));
        if (threads == 1) memcpy(first, found, sizeof first);
        assert_memory_equal(first, found, sizeof first);
    }
    parallel_set_threads(0);
}

static void links_are_counted_between_components(void **state)
{
    (void)state;
    const uint32_t near[] = {1, 2, 0, 2, 3, 1, 2, 0}, of[] = {0, 0, 1, 1};
    double links[4];
    neighbour_links(links, 2, near, 4, 2, of);
    assert_close(links[0], 2, 1e-12); /* 0-1, 1-0 */
    assert_close(links[3], 2, 1e-12); /* 2-3, 3-2 */
    assert_close(links[1], 2, 1e-12); /* half of 0-2, 1-2, 2-1, 3-0 */
    assert_close(links[2], 2, 1e-12);
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
    static uint32_t near[N * NEAR];
    grouping_options how = {.concentration = 1, .sweeps = 3},
                     three = {.concentration = 1, .clusters = 3};
    assert_ok(grouping_create(&g, K));
    assert_ok(nearest_items(near, NEAR, x, N, D, component, K, 1));
    neighbour_links(links, K, near, N, NEAR, component);
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

static void a_link_weighs_what_its_coins_say(void **state)
{
    (void)state;
    const double good[2] = {0.9, 0.95}, useless[2] = {0.3, 0.5};
    assert_close(neighbour_weight(good), 2.8903717578961645, 1e-12); /* ln(.9 / .05) */
    assert_true(neighbour_weight(useless) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_plain_search_finds),
        cmocka_unit_test(tiny_cells_do_not_run_out),
        cmocka_unit_test(few_items_have_everybody_else),
        cmocka_unit_test(neighbours_do_not_depend_on_threads),
        cmocka_unit_test(links_are_counted_between_components),
        cmocka_unit_test(evidence_finds_the_clusters),
        cmocka_unit_test(a_link_weighs_what_its_coins_say),
    };
    return cmocka_run_group_tests(tests, make_items, NULL);
}
