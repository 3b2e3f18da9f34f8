/* Of several divisions the one that all agree with most. */
#include "model/clusters/consensus.h"
#include "support/check.h"

enum { N = 120 };

/* Four kinds of items in a row; `moved` items of each go to the next one. */
static void divide(uint32_t *label, size_t moved)
{
    for (size_t i = 0; i < N; i++) {
        size_t kind = i / (N / 4), place = i % (N / 4);
        label[i] = (uint32_t)(place < moved ? (kind + 1) % 4 : kind);
    }
}

/* Nothing to do with these kinds. */
static void divide_otherwise(uint32_t *label)
{
    for (size_t i = 0; i < N; i++) label[i] = (uint32_t)(i % 7);
}

static size_t pick(uint32_t label[][N], const double *score, size_t count)
{
    size_t best = count;
    double agreed[4];
    assert_ok(consensus_pick(&best, agreed, &label[0][0], score, count, N));
    return best;
}

/* Of two that have nothing in common and are as likely, either agrees with half of what may be. */
static void what_else_may_be_is_told(void **state)
{
    (void)state;
    uint32_t label[2][N];
    const double alike[] = {-3, -3}, apart[] = {-3, -30};
    size_t best;
    double agreed[2];
    divide(label[0], 0);
    divide_otherwise(label[1]);
    assert_ok(consensus_pick(&best, agreed, &label[0][0], alike, 2, N));
    assert_near(agreed[best], 0.5, 0.05);
    assert_ok(consensus_pick(&best, agreed, &label[0][0], apart, 2, N));
    assert_near(agreed[0], 1, 1e-6);
    assert_near(agreed[1], 0, 0.05);
}

static void many_outweigh_one_that_is_a_little_likelier(void **state)
{
    (void)state;
    uint32_t label[4][N];
    const double little[] = {1, 0.5, 0.5, 0.5}, far[] = {5, 0.5, 0.5, 0.5};
    divide_otherwise(label[0]);
    for (size_t i = 1; i < 4; i++) divide(label[i], i);
    assert_int_not_equal(pick(label, little, 4), 0);
    assert_int_equal(pick(label, far, 4), 0);
}

/* 2 lies between 1 and 3, and 3 is not the same any more; 0 is of no weight. */
static void of_those_that_are_the_same_the_likeliest_is_taken(void **state)
{
    (void)state;
    uint32_t label[4][N];
    const double score[] = {-9, 0.1, 0, 0.3};
    divide_otherwise(label[0]);
    divide(label[1], 0);
    divide(label[2], 1); /* agrees by .91 with the first */
    divide(label[3], 4);
    assert_int_equal(pick(label, score, 4), 1);
}

static void one_division_is_its_own_consensus(void **state)
{
    (void)state;
    uint32_t label[1][N];
    const double score[] = {-300};
    divide(label[0], 0);
    assert_int_equal(pick(label, score, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_outweigh_one_that_is_a_little_likelier),
        cmocka_unit_test(of_those_that_are_the_same_the_likeliest_is_taken),
        cmocka_unit_test(one_division_is_its_own_consensus),
        cmocka_unit_test(what_else_may_be_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
