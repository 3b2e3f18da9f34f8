/* What a question is worth, against plain loops of an independent script; partitions against their
 * posterior where that is known. */
#include "asking/choose.h"
#include "golden/asking.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 5 };
static double mass[BLOCKS] = {.1, .3, .25, .15, .2};

/* The partitions of the script. */
static void made_up(partitions *p)
{
    static uint16_t group[SAMPLES * BLOCKS];
    static double distance[SAMPLES * SAMPLES], table[BLOCKS * BLOCKS];
    *p = (partitions){.blocks = BLOCKS, .group = group, .apart = distance};
    for (int s = 0; s < SAMPLES; s++) {
        int seen[BLOCKS], count = 0;
        for (int j = 0; j < BLOCKS; j++) {
            int raw = (s * (j + 3) + (s >> 2) * j * j) % (1 + s % 4), at = 0;
            while (at < count && seen[at] != raw) at++;
            if (at == count) seen[count++] = raw;
            group[s * BLOCKS + j] = (uint16_t)at;
        }
    }
    for (int s = 0; s < SAMPLES; s++) {
        for (int t = 0; t < SAMPLES; t++)
            distance[s * SAMPLES + t] =
                partitions_apart(group + s * BLOCKS, group + t * BLOCKS, mass, BLOCKS, table);
    }
}

static void test_gain_is_that_of_plain_loops(void **state)
{
    (void)state;
    static doubt d;
    partitions p;
    coins who = {.9, .7};
    made_up(&p);
    doubt_start(&d, &p);
    double overlap = coins_overlap(&who);
    assert_close(overlap, golden_overlap, 1e-12);
    assert_close(doubt_left(&d), golden_doubt, 1e-12);
    for (size_t i = 0, k = 0; i < BLOCKS; i++) {
        for (size_t j = i + 1; j < BLOCKS; j++, k++)
            assert_close(doubt_gain(&d, same_in(&p, i, j), overlap), golden_gain[k], 1e-12);
    }
    double before = doubt_left(&d), gain = doubt_gain(&d, same_in(&p, 0, 1), overlap);
    doubt_asked(&d, same_in(&p, 0, 1), overlap);
    assert_close(before - doubt_left(&d), gain, 1e-12);
    for (size_t i = 0, k = 0; i < BLOCKS; i++) {
        for (size_t j = i + 1; j < BLOCKS; j++, k++) {
            double now = doubt_gain(&d, same_in(&p, i, j), overlap);
            assert_close(now, golden_after[k], 1e-12);
            assert_true(now <= golden_gain[k] + 1e-12); /* the more is asked, the less is left */
        }
    }
}

/* A coin tells nothing; somebody who is always wrong tells as much as one who is always right. */
static void test_worth_of_workers(void **state)
{
    (void)state;
    coins coin = {.4, .6}, good = {.9, .8}, wrong = {.1, .2}, better = {.95, .95};
    assert_close(coins_overlap(&coin), 1, 1e-12);
    assert_close(coins_overlap(&good), coins_overlap(&wrong), 1e-12);
    assert_true(coins_overlap(&better) < coins_overlap(&good));
}

/* How often two of `n` blocks are of one kind under bonds and evidence; several draws. */
static double often_same(double *bond, double *evidence, size_t n)
{
    double one[BLOCKS] = {.2, .2, .2, .2, .2};
    blocks b = {.count = n, .mass = one, .bond = bond, .evidence = evidence, .strength = 1};
    double same = 0;
    enum { ROUNDS = 8 };
    for (uint32_t round = 0; round < ROUNDS; round++) {
        partitions p;
        assert_ok(partitions_draw(&p, &b, 3, round));
        same += __builtin_popcountll((unsigned long long)same_in(&p, 0, 1));
        partitions_free(&p);
    }
    return same / (ROUNDS * SAMPLES);
}

/* Two blocks: pieces by the logistic function of the log odds, and .3 of what is apart is joined by
 * the prior where no answer speaks against it. */
static void test_two_blocks(void **state)
{
    (void)state;
    double bond[4] = {0, 1, 1, 0}, none[4] = {0}, strong[4] = {0, 6, 6, 0},
           against[4] = {0, -6, -6, 0};
    double one = 1 / (1 + exp(-1));
    assert_close(often_same(bond, none, 2), one + (1 - one) * .3, .06);
    assert_close(often_same(none, none, 2), .5 + .5 * .3, .06);
    assert_true(often_same(none, strong, 2) > .97);
    assert_true(often_same(bond, against, 2) < .03);
}

/* Answers about two blocks reach a third by its bond. */
static void test_evidence_travels(void **state)
{
    (void)state;
    /* Blocks 1 and 2 belong together; somebody said that 0 and 2 do. */
    double bond[9] = {0, 0, 0, 0, 0, 5, 0, 5, 0}, evidence[9] = {0, 0, 5, 0, 0, 0, 5, 0, 0};
    double none[9] = {0};
    assert_true(often_same(bond, evidence, 3) > often_same(bond, none, 3) + .2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gain_is_that_of_plain_loops),
        cmocka_unit_test(test_worth_of_workers),
        cmocka_unit_test(test_two_blocks),
        cmocka_unit_test(test_evidence_travels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
