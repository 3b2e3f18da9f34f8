/* How many principal components items without a network have, where 32 do not hold what varies:
 * halves of the items and answers decide whether 64 tell more. */
#include "base/rng.h"
#include "model/train/problem.h"
#include "model/tuning.h"
#include "support/check.h"
#include "support/sanitizers.h"

#include <math.h>

enum { ITEMS = 660, COLUMNS = 72, WIDE = 32, PAIRS = 900 };

static float items[ITEMS * COLUMNS];

/* Kinds lie anywhere, in as many directions as there are kinds. `wide` is the noise of the first 32
 * columns, which are then the first principal components; the others have less. */
static scdc_data *make_items(size_t kinds, double spread, double wide)
{
    static double centre[WIDE * COLUMNS];
    rng r;
    rng_init(&r, 2, RNG_INIT_WEIGHTS, 0, 0);
    for (size_t i = 0; i < kinds * COLUMNS; i++)
        centre[i] = rng_normal(&r) * spread / sqrt(COLUMNS);
    for (size_t i = 0; i < ITEMS * COLUMNS; i++) {
        size_t kind = i / COLUMNS % kinds, column = i % COLUMNS;
        double noise = rng_normal(&r) * (column < WIDE ? wide : .3);
        items[i] = (float)(centre[kind * COLUMNS + column] + noise);
    }
    scdc_data *data;
    assert_ok(scdc_data_from_memory(&data, items, SCDC_F32, ITEMS, COLUMNS, 0));
    return data;
}

/* Right nineteen times out of twenty. */
static scdc_crowd *ask(size_t kinds, size_t pairs)
{
    static scdc_answer answers[PAIRS];
    rng r;
    rng_init(&r, 3, RNG_INIT_WEIGHTS, 0, 0);
    for (size_t a = 0; a < pairs; a++) {
        uint32_t left = (uint32_t)rng_below(&r, ITEMS);
        uint32_t right = (left + 1 + (uint32_t)rng_below(&r, ITEMS - 1)) % ITEMS;
        bool same = left % kinds == right % kinds, right_answer = rng_below(&r, 20) > 0;
        answers[a] = (scdc_answer){.left = left, .right = right, .same = same == right_answer};
    }
    scdc_crowd *crowd;
    assert_ok(scdc_crowd_from_memory(&crowd, answers, pairs));
    return crowd;
}

static size_t latent_of(const scdc_data *data, const scdc_crowd *crowd, size_t components,
                        size_t latent)
{
    problem p = {0};
    scdc_options o;
    scdc_options_init(&o);
    o.scaling = SCDC_SCALING_UNIT;
    o.components = components;
    o.latent = latent;
    assert_ok(problem_describe(&p, data, crowd, &o));
    latent = p.spec.latent;
    problem_free(&p);
    return latent;
}

static void many_kinds_have_more_directions(void **state)
{
    (void)state;
    if (SANITIZED) skip(); /* watched below: more directions without answers, fewer with them */
    scdc_data *data = make_items(24, 3, 1);
    scdc_crowd *crowd = ask(24, PAIRS);
    assert_int_equal(latent_of(data, crowd, 25, 0), LINEAR_WIDE);
    assert_int_equal(latent_of(data, crowd, 25, 20), 20); /* told */
    scdc_crowd_free(crowd);
    scdc_data_free(data);
}

/* Nobody was asked: halves of the items show more kinds in more directions. */
static void halves_of_the_items_show_them(void **state)
{
    (void)state;
    scdc_data *data = make_items(12, 4, 1.3);
    assert_int_equal(latent_of(data, NULL, 25, 0), LINEAR_WIDE);
    scdc_data_free(data);
}

/* Three kinds that any few directions show, and noise in all: more directions tell nothing. */
static void few_kinds_do_not(void **state)
{
    (void)state;
    scdc_data *data = make_items(3, 3, .4);
    scdc_crowd *crowd = ask(3, 200);
    assert_int_equal(latent_of(data, crowd, 5, 0), LINEAR_MOST);
    assert_int_equal(latent_of(data, NULL, 5, 0), LINEAR_MOST);
    scdc_crowd_free(crowd);
    scdc_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_kinds_have_more_directions),
        cmocka_unit_test(halves_of_the_items_show_them),
        cmocka_unit_test(few_kinds_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
