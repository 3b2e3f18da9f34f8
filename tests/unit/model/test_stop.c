/* When a fit has done enough: which items count as moved, and how steady epochs are counted. */
#include "model/train/stop.h"
#include "support/check.h"

enum { ITEMS = 8, CLUSTERS = 4 };

static size_t moved(const int64_t *before, const int64_t *after)
{
    size_t table[(CLUSTERS + 1) * (CLUSTERS + 1)] = {0};
    return count_moved(before, after, ITEMS, CLUSTERS, table);
}

/* Numbers are only names; what falls apart and what joins has moved. */
static void moved_items_leave_their_company(void **state)
{
    (void)state;
    const int64_t old[ITEMS] = {0, 0, 0, 0, 1, 1, 1, -1};
    assert_int_equal(moved(old, old), 0);
    assert_int_equal(moved(old, (int64_t[]){2, 2, 2, 2, 0, 0, 0, 3}), 0);
    assert_int_equal(moved(old, (int64_t[]){0, 0, 0, 1, 1, 1, 1, -1}), 1);
    assert_int_equal(moved(old, (int64_t[]){0, 0, 2, 2, 1, 1, 1, -1}), 2);
    assert_int_equal(moved(old, (int64_t[]){0, 0, 0, 0, 0, 0, 0, -1}), 3);
}

/* Epochs until `patience` steady ones, when every `every`th moves 5 % of the items; 0 = never
 * within a thousand. */
static size_t epochs_until(size_t patience, size_t every)
{
    size_t steady = 0;
    for (size_t epoch = 1; epoch <= 1000; epoch++) {
        steady = steady_after(steady, epoch % every == 0 ? 0.05 : 0.01);
        if (steady >= patience) return epoch;
    }
    return 0;
}

static void a_lone_jump_does_not_start_the_count_again(void **state)
{
    (void)state;
    assert_int_equal(epochs_until(60, 2000), 60);
    assert_in_range(epochs_until(60, 59), 61, 75);
    assert_in_range(epochs_until(60, 30), 61, 100);
    assert_int_equal(epochs_until(60, 5), 0); /* not steady at all */
    assert_int_equal(epochs_until(5, 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_items_leave_their_company),
        cmocka_unit_test(a_lone_jump_does_not_start_the_count_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
