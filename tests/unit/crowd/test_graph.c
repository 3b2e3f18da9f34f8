/* crowd in memory: what is refused, dense numbers, coverage figures, the comparison graph. */
#include "base/rng.h"
#include "crowd/crowd.h"
#include "crowd/graph.h"
#include "crowd/renumber.h"
#include "support/check.h"

/* Seven answers by three workers on two components {2, 5, 9} and {7, 100}. */
static const scdc_answer small[] = {
    {5, 2, 10, SCDC_NO_TASK, 1},
    {2, 5, 10, SCDC_NO_TASK, 1}, /* the same answer, turned round */
    {2, 5, 30, 4, 0},            /* a conflict */
    {9, 5, 30, 4, 1},
    {7, 100, 30, 8, 0},
    {100, 7, 10, 8, 0},
    {2, 9, 20, SCDC_NO_TASK, 1},
};
enum { SMALL = sizeof small / sizeof *small };

static void numbers_become_dense(void **state)
{
    (void)state;
    uint32_t values[] = {70000, 3, 4294967295u, 3, 70000, 5000000}, n = 6;
    uint32_t rank[] = {1, 0, 3, 0, 1, 2}, order[] = {1, 3, 0, 4, 5, 2};
    uint32_t distinct[] = {3, 70000, 5000000, 4294967295u};
    renumbering r;
    assert_ok(renumber(&r, values, n));
    assert_int_equal(r.count, 4);
    assert_memory_equal(values, rank, sizeof rank);
    assert_memory_equal(r.order, order, sizeof order);
    assert_memory_equal(r.value, distinct, sizeof distinct);
    renumber_free(&r);
    assert_ok(renumber(&r, values, 0));
    assert_int_equal(r.count, 0);
    renumber_free(&r);
}

static void info_counts_everything(void **state)
{
    (void)state;
    scdc_crowd *crowd;
    scdc_crowd_info info;
    assert_ok(scdc_crowd_from_memory(&crowd, small, SMALL));
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.answers, 7);
    assert_int_equal(info.same, 4);
    assert_int_equal(info.workers, 3);
    assert_int_equal(info.tasks, 2);
    assert_int_equal(info.items, 5);
    assert_int_equal(info.max_item, 101);
    assert_int_equal(info.unsure, 0);
    assert_int_equal(info.repeated, 1);
    assert_int_equal(info.pairs, 4);
    assert_int_equal(info.pairs_twice, 2);
    assert_int_equal(info.conflicts, 1);
    assert_int_equal(info.single_answer_workers, 1);
    assert_true(info.min_per_worker == 1 && info.max_per_worker == 3);
    assert_close(info.mean_per_worker, 7.0 / 3, 1e-15);
    assert_close(info.mean_neighbours, 2.0 * 4 / 5, 1e-15);
    assert_int_equal(info.components, 2);
    assert_int_equal(info.named_items, 0);
    scdc_crowd_free(crowd);
}

static void workers_and_tasks_are_renumbered_in_order(void **state)
{
    (void)state;
    scdc_crowd *crowd;
    size_t count;
    assert_ok(scdc_crowd_from_memory(&crowd, small, SMALL));
    const scdc_answer *a = scdc_crowd_answers(crowd, &count);
    assert_int_equal(count, SMALL);
    uint32_t workers[] = {0, 0, 2, 2, 2, 0, 1};
    uint32_t tasks[] = {SCDC_NO_TASK, SCDC_NO_TASK, 0, 0, 1, 1, SCDC_NO_TASK};
    for (int i = 0; i < SMALL; i++) {
        assert_int_equal(a[i].worker, workers[i]);
        assert_int_equal(a[i].task, tasks[i]);
        assert_int_equal(a[i].left, small[i].left);
        assert_int_equal(a[i].right, small[i].right);
        assert_int_equal(a[i].same, small[i].same);
    }
    assert_string_equal(scdc_crowd_worker_name(crowd, 0), "10");
    assert_string_equal(scdc_crowd_worker_name(crowd, 1), "20");
    assert_string_equal(scdc_crowd_worker_name(crowd, 2), "30");
    assert_null(scdc_crowd_worker_name(crowd, 3));
    assert_null(scdc_crowd_item_name(crowd, 2));
    scdc_crowd_free(crowd);
}

static void bad_answers_are_refused(void **state)
{
    (void)state;
    scdc_crowd *crowd = NULL;
    scdc_crowd_info info;
    scdc_answer self[] = {{1, 2, 0, 0, 1}, {3, 3, 0, 0, 1}};
    scdc_answer value[] = {{1, 2, 0, 0, 2}};
    scdc_answer item[] = {{1, UINT32_MAX, 0, 0, 1}};
    assert_fails(scdc_crowd_from_memory(&crowd, self, 2), SCDC_ERR_ARGUMENT,
                 "answer 1 compares item 3 with itself");
    assert_fails(scdc_crowd_from_memory(&crowd, value, 1), SCDC_ERR_ARGUMENT, "0 or 1, not 2");
    assert_fails(scdc_crowd_from_memory(&crowd, item, 1), SCDC_ERR_ARGUMENT, "4294967295");
    assert_fails(scdc_crowd_from_memory(&crowd, self, 0), SCDC_ERR_ARGUMENT, "not 0");
    assert_fails(scdc_crowd_from_memory(&crowd, self, SIZE_MAX), SCDC_ERR_ARGUMENT, "answers");
    assert_fails(scdc_crowd_from_memory(NULL, self, 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_crowd_from_memory(&crowd, NULL, 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_crowd_get_info(&info, NULL), SCDC_ERR_ARGUMENT, "NULL");
    assert_null(crowd);
    scdc_crowd_free(NULL);
    size_t count = 5;
    assert_null(scdc_crowd_answers(NULL, &count));
    assert_int_equal(count, 0);
    assert_null(scdc_crowd_worker_name(NULL, 0));
}

/* Every answer appears once at each of its two ends, with the right neighbour. */
static void check_graph(const crowd_graph *g, const scdc_answer *answers, size_t count)
{
    size_t edges = 0;
    unsigned char *seen = calloc(count, 1);
    assert_int_equal(g->answers, count);
    for (uint32_t n = 0; n < g->nodes; n++) {
        uint32_t node = UINT32_MAX;
        if (n > 0) assert_true(g->item[n] > g->item[n - 1]);
        assert_true(crowd_graph_find(&node, g, g->item[n]));
        assert_int_equal(node, n);
        assert_true(crowd_graph_degree(g, n) > 0);
        edges += crowd_graph_degree(g, n);
        for (size_t e = g->start[n]; e < g->start[n + 1]; e++) {
            const scdc_answer *a = answers + g->answer[e];
            if (e > g->start[n]) assert_true(g->answer[e] > g->answer[e - 1]);
            bool is_left = a->left == g->item[n];
            assert_int_equal(is_left ? a->left : a->right, g->item[n]);
            assert_int_equal(is_left ? a->right : a->left, g->item[g->neighbour[e]]);
            assert_int_equal(is_left ? g->left[g->answer[e]] : g->right[g->answer[e]], n);
            assert_int_equal(g->component[n], g->component[g->neighbour[e]]);
            assert_false(seen[g->answer[e]] & (is_left ? 1 : 2));
            seen[g->answer[e]] |= is_left ? 1 : 2;
        }
    }
    assert_int_equal(edges, 2 * count);
    for (size_t i = 0; i < count; i++) assert_int_equal(seen[i], 3);
    free(seen);
}

static void graph_lists_both_ends(void **state)
{
    (void)state;
    crowd_graph g;
    uint32_t node = 77;
    assert_ok(crowd_graph_build(&g, small, SMALL));
    check_graph(&g, small, SMALL);
    assert_int_equal(g.nodes, 5);
    assert_int_equal(g.components, 2);
    assert_int_equal(crowd_graph_degree(&g, 0), 4); /* item 2 */
    assert_int_equal(g.component[0], 0);
    assert_int_equal(g.component[2], 1); /* item 7 */
    assert_false(crowd_graph_find(&node, &g, 3));
    assert_false(crowd_graph_find(&node, &g, 101));
    assert_int_equal(node, 77);
    crowd_graph_free(&g);
    scdc_answer many[3000];
    rng r;
    rng_init(&r, 3, RNG_TEST, 0, 0);
    for (int i = 0; i < 3000; i++) {
        uint32_t left = (uint32_t)rng_below(&r, 900), right = (uint32_t)rng_below(&r, 900);
        if (left == right) right = left + 1;
        /* A stretch with huge numbers: nothing may grow with them. */
        uint32_t far = i % 3 == 0 ? 4000000000u : 0;
        many[i] = (scdc_answer){left + far, right + far, 0, SCDC_NO_TASK, 1};
    }
    assert_ok(crowd_graph_build(&g, many, 3000));
    check_graph(&g, many, 3000);
    crowd_graph_free(&g);
}

/* A path, a cycle and single edges: the number of components is known. */
static void components_are_connected_parts(void **state)
{
    (void)state;
    scdc_answer a[300];
    size_t n = 0;
    for (uint32_t i = 0; i < 100; i++) a[n++] = (scdc_answer){i, i + 1, 0, SCDC_NO_TASK, 0};
    for (uint32_t i = 0; i < 50; i++) {
        a[n++] = (scdc_answer){200 + i, 200 + (i + 1) % 50, 0, SCDC_NO_TASK, 1};
    }
    for (uint32_t i = 0; i < 7; i++) {
        a[n++] = (scdc_answer){301 + 2 * i, 300 + 2 * i, 0, SCDC_NO_TASK, 0};
    }
    crowd_graph g;
    assert_ok(crowd_graph_build(&g, a, n));
    assert_int_equal(g.components, 9);
    assert_int_equal(g.nodes, 101 + 50 + 14);
    crowd_graph_free(&g);
}

static void checksum_tells_answers_apart(void **state)
{
    (void)state;
    scdc_answer changed[SMALL];
    memcpy(changed, small, sizeof small);
    changed[SMALL - 1].same = 0;
    scdc_crowd *crowd, *again, *other;
    assert_ok(scdc_crowd_from_memory(&crowd, small, SMALL));
    assert_ok(scdc_crowd_from_memory(&again, small, SMALL));
    assert_ok(scdc_crowd_from_memory(&other, changed, SMALL));
    assert_int_equal(scdc_crowd_checksum(crowd), scdc_crowd_checksum(again));
    assert_int_not_equal(scdc_crowd_checksum(crowd), scdc_crowd_checksum(other));
    assert_int_equal(scdc_crowd_checksum(NULL), 0);
    scdc_crowd_free(crowd);
    scdc_crowd_free(again);
    scdc_crowd_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_become_dense),
        cmocka_unit_test(info_counts_everything),
        cmocka_unit_test(checksum_tells_answers_apart),
        cmocka_unit_test(workers_and_tasks_are_renumbered_in_order),
        cmocka_unit_test(bad_answers_are_refused),
        cmocka_unit_test(graph_lists_both_ends),
        cmocka_unit_test(components_are_connected_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
