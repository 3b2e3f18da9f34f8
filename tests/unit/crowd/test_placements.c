/* Which tasks are groupings, and what their placements are. */
#include "crowd/placements.h"
#include "base/rng.h"
#include "support/check.h"

/* Adds all pairs of a task. */
static size_t add_task(scdc_answer *out, size_t count, const uint32_t *item, const uint32_t *pile,
                       size_t n, uint32_t worker, uint32_t task)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            out[count++] = (scdc_answer){item[i], item[j], worker, task, pile[i] == pile[j]};
        }
    }
    return count;
}

static void build(placements *out, crowd_graph *graph, const scdc_answer *answers, size_t count)
{
    assert_ok(crowd_graph_build(graph, answers, count));
    assert_ok(placements_build(out, answers, graph));
}

/* A grouping of five, single questions, a task of two, a contradiction, and a task that leaves
 * something open, mixed and in an order of their own. */
static void kinds_of_tasks_are_told(void **state)
{
    (void)state;
    scdc_answer a[32];
    const uint32_t item[] = {40, 10, 30, 20, 50}, pile[] = {7, 3, 7, 3, 9};
    size_t n = add_task(a, 0, item, pile, 5, 2, 11);
    size_t grouping = n;
    a[n++] = (scdc_answer){10, 20, 0, SCDC_NO_TASK, 1};
    a[n++] = (scdc_answer){10, 30, 0, 4, 0}; /* two items only */
    a[n++] = (scdc_answer){10, 20, 1, 5, 1}; /* 10 = 20 = 30, but 10 is not 30 */
    a[n++] = (scdc_answer){20, 30, 1, 5, 1};
    a[n++] = (scdc_answer){10, 30, 1, 5, 0};
    a[n++] = (scdc_answer){10, 20, 1, 6, 1}; /* nothing is said of 30 and 40 */
    a[n++] = (scdc_answer){30, 20, 1, 6, 0};
    a[n++] = (scdc_answer){40, 20, 1, 6, 0};
    scdc_answer swap = a[3];
    a[3] = a[n - 1];
    a[n - 1] = swap;
    placements p;
    crowd_graph g;
    build(&p, &g, a, n);
    assert_int_equal(p.tasks, 1);
    assert_int_equal(p.count, 5);
    assert_int_equal(p.pairs, n - grouping);
    assert_int_equal(p.worker[0], 2);
    assert_int_equal(p.piles[0], 3);
    const uint32_t piles[] = {0, 0, 1, 1, 2}; /* of 10, 20, 30, 40, 50 */
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(g.item[p.node[i]], 10 * (i + 1));
        assert_int_equal(p.pile[i], piles[i]);
        assert_int_equal(p.of_node[p.node_start[p.node[i]]], i);
    }
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(placements_is_pair(&p, i), a[i].task != 11);
        assert_close(placements_worth(&p, i), a[i].task == 11 ? 0.4 : 1, 1e-15);
    }
    placements_free(&p);
    crowd_graph_free(&g);
}

/* Answers from which everything follows are a grouping though not all pairs were asked; the same
 * number of a task for two workers is two tasks. */
static void incomplete_but_settled(void **state)
{
    (void)state;
    const scdc_answer a[] = {{1, 2, 0, 0, 1}, {2, 3, 0, 0, 1}, {3, 4, 0, 0, 0}, {1, 2, 1, 0, 0},
                             {2, 3, 1, 0, 0}, {1, 3, 1, 0, 0}, {1, 2, 1, 0, 0}};
    placements p;
    crowd_graph g;
    build(&p, &g, a, sizeof a / sizeof *a);
    assert_int_equal(p.tasks, 2);
    assert_int_equal(p.pairs, 0);
    assert_int_equal(p.count, 7);
    assert_int_equal(p.piles[0], 2);
    assert_int_equal(p.piles[1], 3);
    placements_free(&p);
    crowd_graph_free(&g);
}

/* Any order of answers and sides gives the same placements. */
static void order_does_not_count(void **state)
{
    (void)state;
    enum { ITEMS = 12, TASKS = 5, ALL = TASKS * ITEMS * (ITEMS - 1) / 2 };
    scdc_answer a[ALL];
    size_t n = 0;
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (uint32_t t = 0; t < TASKS; t++) {
        uint32_t item[ITEMS], pile[ITEMS];
        rng_permutation(&r, item, ITEMS);
        for (size_t i = 0; i < ITEMS; i++) pile[i] = (uint32_t)rng_below(&r, 4);
        n = add_task(a, n, item, pile, ITEMS, t % 2, t);
    }
    placements first, second;
    crowd_graph g, h;
    build(&first, &g, a, n);
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(&r, i);
        scdc_answer swap = a[i - 1];
        a[i - 1] = (scdc_answer){a[j].right, a[j].left, a[j].worker, a[j].task, a[j].same};
        a[j] = swap;
    }
    build(&second, &h, a, n);
    assert_int_equal(first.tasks, TASKS);
    assert_int_equal(first.count, second.count);
    assert_memory_equal(first.node, second.node, first.count * sizeof *first.node);
    assert_memory_equal(first.pile, second.pile, first.count * sizeof *first.pile);
    assert_memory_equal(first.of_node, second.of_node, first.count * sizeof *first.of_node);
    placements_free(&first);
    placements_free(&second);
    crowd_graph_free(&g);
    crowd_graph_free(&h);
}

static void pairs_have_no_placements(void **state)
{
    (void)state;
    const scdc_answer a[] = {{1, 2, 0, SCDC_NO_TASK, 1}, {2, 3, 0, SCDC_NO_TASK, 0}};
    placements p;
    crowd_graph g;
    build(&p, &g, a, 2);
    assert_int_equal(p.tasks, 0);
    assert_int_equal(p.pairs, 2);
    for (size_t n = 0; n <= g.nodes; n++) assert_int_equal(p.node_start[n], 0);
    placements_free(&p);
    crowd_graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_tasks_are_told),
        cmocka_unit_test(incomplete_but_settled),
        cmocka_unit_test(order_does_not_count),
        cmocka_unit_test(pairs_have_no_placements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
