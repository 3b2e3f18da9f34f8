/* model/train/seen: which items are looked at, and where they are among them. */
#include "model/train/seen.h"
#include "model/tuning.h"
#include "support/check.h"

static void few_are_all_seen(void **state)
{
    arena memory = {0};
    seen_items s;
    const scdc_answer given[] = {{.left = 3, .right = 8}}, *answers;
    (void)state;
    assert_ok(seen_choose(&s, &memory, SEEN_ITEMS, &(crowd_graph){0}));
    assert_int_equal(s.n, SEEN_ITEMS);
    assert_null(s.item);
    assert_int_equal(seen_item(&s, 77), 77);
    assert_int_equal(seen_place(&s, 77), 77);
    assert_ok(seen_answers(&answers, &memory, &s, given, 1));
    assert_ptr_equal(answers, given);
    arena_free(&memory);
}

/* Evenly from the first to the last, in order, each once; annotated ones are among them. */
static void of_many_some_are_seen(void **state)
{
    const size_t N = 3 * SEEN_ITEMS + 5;
    const scdc_answer given[] = {{.left = 1, .right = (uint32_t)N - 1, .same = 1},
                                 {.left = 0, .right = 7, .worker = 2}},
                      *answers;
    crowd_graph g;
    arena memory = {0};
    seen_items s;
    (void)state;
    assert_ok(crowd_graph_build(&g, given, 2));
    assert_ok(seen_choose(&s, &memory, N, &g));
    assert_true(s.n > SEEN_ITEMS && s.n <= SEEN_ITEMS + g.nodes);
    assert_int_equal(s.item[0], 0);
    assert_int_equal(s.item[s.n - 1], N - 1);
    for (size_t i = 1; i < s.n; i++) assert_in_range(s.item[i] - s.item[i - 1], 1, 4);
    for (size_t n = 0; n < g.nodes; n++)
        assert_int_equal(seen_item(&s, seen_place(&s, g.item[n])), g.item[n]);
    assert_ok(seen_answers(&answers, &memory, &s, given, 2));
    assert_int_equal(s.item[answers[0].left], 1);
    assert_int_equal(s.item[answers[0].right], N - 1);
    assert_int_equal(s.item[answers[1].right], 7);
    assert_int_equal(answers[1].worker, 2);
    assert_true(answers[0].same && !answers[1].same);
    crowd_graph_free(&g);
    arena_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_all_seen),
        cmocka_unit_test(of_many_some_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
