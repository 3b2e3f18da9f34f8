/* Joining components that overlap, finding a mixture again in halves of the items, islands. */
#include "base/rng.h"
#include "model/clusters/again.h"
#include "model/clusters/islands.h"
#include "model/clusters/overlap.h"
#include "model/tuning.h"
#include "support/check.h"

enum { N = 400 };

/* Responsibilities of four components: 0 and 1 take each other's items for their own, 2 and 3 never
 * anybody's. */
static void plant_shares(double share[N][4])
{
    for (size_t i = 0; i < N; i++) {
        size_t own = i % 4;
        for (size_t c = 0; c < 4; c++) share[i][c] = c == own ? 1 : 0;
        if (own < 2) {
            share[i][own] = 0.8;
            share[i][1 - own] = 0.2;
        }
    }
}

static void components_that_overlap_are_joined(void **state)
{
    (void)state;
    static double share[N][4];
    uint32_t part[4];
    size_t parts;
    overlap_options how = {.least = OVERLAP_LEAST};
    plant_shares(share);
    assert_ok(overlap_join(part, &parts, &share[0][0], N, 4, &how));
    assert_int_equal(parts, 3);
    assert_int_equal(part[0], part[1]);
    assert_int_not_equal(part[0], part[2]);
    assert_int_not_equal(part[2], part[3]);
    how.least = 0.25; /* more than they overlap */
    assert_ok(overlap_join(part, &parts, &share[0][0], N, 4, &how));
    assert_int_equal(parts, 4);
    how.wanted = 2;
    assert_ok(overlap_join(part, &parts, &share[0][0], N, 4, &how));
    assert_int_equal(parts, 2);
    assert_int_equal(part[0], part[1]);
}

static void agreement_is_the_adjusted_rand_index(void **state)
{
    (void)state;
    const uint32_t a[6] = {0, 0, 0, 1, 1, 1}, b[6] = {1, 1, 1, 0, 0, 0}, c[6] = {0, 0, 1, 1, 2, 2};
    double value;
    assert_ok(agreement_of(&value, a, b, 6));
    assert_close(value, 1, 1e-12);
    assert_ok(agreement_of(&value, a, c, 6)); /* 2 pairs of both, 6 and 3, of 15 */
    assert_close(value, (2 - 6 * 3 / 15.0) / (4.5 - 6 * 3 / 15.0), 1e-12);
}

/* Blobs that touch are found again; the pieces of a ring lie elsewhere in every half. */
static void plant(float *x, bool ring, uint64_t seed)
{
    for (size_t i = 0; i < N; i++) {
        rng r;
        rng_init(&r, seed, RNG_TEST, 0, i);
        double angle = 2 * M_PI * rng_uniform(&r), radius = 10 + 0.5 * rng_normal(&r);
        double centre = i % 2 ? 2 : -2;
        x[2 * i] = (float)(ring ? radius * cos(angle) : centre + rng_normal(&r));
        x[2 * i + 1] = (float)(ring ? radius * sin(angle) : rng_normal(&r));
    }
}

static double plain_agreement(bool ring, uint64_t seed)
{
    static const size_t sizes[] = {2, 3, 4, 5, 6, 7, 8};
    static float x[2 * N];
    static double share[N * 8];
    static uint32_t component[N];
    size_t k = ring ? 8 : 2;
    mixture m;
    mixture_report report;
    found_again again;
    plant(x, ring, seed);
    mixture_options how = {.iterations = 60, .tolerance = 1e-3, .floor = 1e-3, .seed = seed};
    assert_ok(mixture_create(&m, MIXTURE_FULL, k, 2));
    assert_ok(mixture_fit(&m, share, &report, x, N, &how));
    assert_ok(mixture_assign(component, &m, x, N));
    mixture_free(&m);
    again_question question = {.x = x,
                               .n = N,
                               .d = 2,
                               .family = MIXTURE_FULL,
                               .sizes = sizes,
                               .n_sizes = 7,
                               .component = component,
                               .part = component,
                               .how = how};
    assert_ok(found_again_ask(&again, &question));
    assert_true(again.fits > 0);
    double plain = again.plain;
    found_again_free(&again);
    return plain;
}

static void clusters_are_found_again_and_bricks_are_not(void **state)
{
    (void)state;
    size_t blobs = 0, rings = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        blobs += plain_agreement(false, seed) >= FOUND_AGAIN;
        rings += plain_agreement(true, seed) < FOUND_AGAIN;
    }
    assert_true(blobs >= 4);
    assert_true(rings >= 4);
}

/* Three strips of pieces, far apart or not at all. */
static void islands_are_clear_or_none(void **state)
{
    (void)state;
    enum { PIECES = 12 };
    static float x[2 * N];
    static uint32_t component[N];
    for (int apart = 0; apart <= 1; apart++) {
        arena memory = {0};
        linked_items items;
        uint32_t part[PIECES];
        size_t parts;
        for (size_t i = 0; i < N; i++) {
            rng r;
            rng_init(&r, 5, RNG_TEST, 1, i);
            double along = 12 * rng_uniform(&r);
            component[i] = (uint32_t)along;
            x[2 * i] = (float)(along + (apart ? 20 * (double)(component[i] / 4) : 0));
            x[2 * i + 1] = (float)(0.3 * rng_normal(&r));
        }
        assert_ok(linked_items_create(&items, &memory, x, N, 2, 10, 1));
        assert_ok(islands_find(part, &parts, &items, component, PIECES));
        assert_int_equal(parts, apart ? 3 : 0);
        for (size_t c = 0; c < PIECES && apart; c++) assert_int_equal(part[c], c / 4);
        arena_free(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_that_overlap_are_joined),
        cmocka_unit_test(agreement_is_the_adjusted_rand_index),
        cmocka_unit_test(clusters_are_found_again_and_bricks_are_not),
        cmocka_unit_test(islands_are_clear_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
