/* Evidence of partitions: what answers are worth, the marginal likelihood, joins that pay. */
#include "base/rng.h"
#include "model/clusters/partition.h"
#include "support/check.h"

enum { ITEMS = 120, PARTS = 12, ANSWERS = 2000, WORKERS = 3 };

static scdc_options options(void)
{
    scdc_options o;
    scdc_options_init(&o);
    return o;
}

/* Item i is in component i % PARTS, of kind component % kinds; answers are right with `quality`. */
static void ask(asked *out, size_t count, size_t kinds, double quality, uint64_t seed)
{
    for (size_t a = 0; a < count; a++) {
        rng r;
        rng_init(&r, seed, RNG_TEST, 0, a);
        uint32_t left = (uint32_t)rng_below(&r, ITEMS), right = (uint32_t)rng_below(&r, ITEMS);
        bool same = left % PARTS % kinds == right % PARTS % kinds;
        if (rng_uniform(&r) > quality) same = !same;
        out[a] = (asked){left, right, (uint32_t)(a % WORKERS), same, 1};
    }
}

static void components(whereabouts *item)
{
    for (uint32_t i = 0; i < ITEMS; i++) item[i] = (whereabouts){i % PARTS, i % PARTS, 1};
}

/* ln of the integral of a^yes (1-a)^no under Beta(2, 1), by the midpoint rule. */
static double integral(double yes, double no)
{
    double sum = 0;
    enum { STEPS = 200000 };
    for (int i = 0; i < STEPS; i++) {
        double a = (i + .5) / STEPS;
        sum += 2 * a * exp(yes * log(a) + no * log(1 - a)) / STEPS;
    }
    return log(sum);
}

static void evidence_is_the_integral_over_coins(void **state)
{
    (void)state;
    const asked few[] = {{0, 1, 0, 1, 1}, {0, 2, 0, 0, 1},   {1, 2, 0, 0, 1},
                         {0, 1, 1, 0, 1}, {0, 1, 1, 1, 0.5}, {2, 0, 1, 1, 0.5}};
    const whereabouts item[] = {{0, 0, 1}, {1, 0, 1}, {2, 1, 1}};
    const uint32_t part[] = {0, 0, 1};
    scdc_options o = options();
    answer_set s;
    assert_ok(answer_set_create(&s, few, 6, 3, 2, &o));
    double expected = integral(1, 0) + integral(2, 0)        /* worker 0: inside, across */
                      + integral(0.5, 1) + integral(0, 0.5); /* worker 1 */
    assert_near(partition_evidence(&s, item, part), expected, 1e-6);
    answer_set_free(&s);
}

static void answers_of_a_task_share_their_worth(void **state)
{
    (void)state;
    scdc_answer answers[11];
    double worth[11];
    size_t a = 0;
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t j = i + 1; j < 5; j++)
            answers[a++] = (scdc_answer){i, j, 0, 4, i % 2 == j % 2};
    }
    answers[a] = (scdc_answer){0, 1, 0, SCDC_NO_TASK, 1};
    assert_ok(answers_worth(worth, answers, 11)); /* a task of five items, and a single question */
    for (a = 0; a < 10; a++) assert_close(worth[a], 0.4, 1e-12);
    assert_close(worth[10], 1, 0);
}

static size_t joined(uint32_t *part, size_t kinds, double quality, size_t count, size_t wanted,
                     uint64_t seed)
{
    static asked answer[ANSWERS];
    whereabouts item[ITEMS];
    uint32_t kept[PARTS];
    double nats[PARTS * PARTS];
    partition_work work = {nats, kept};
    scdc_options o = options();
    answer_set s;
    size_t parts = PARTS;
    ask(answer, count, kinds, quality, seed);
    components(item);
    for (size_t k = 0; k < PARTS; k++) part[k] = (uint32_t)k;
    assert_ok(answer_set_create(&s, answer, count, ITEMS, WORKERS, &o));
    partition_join(part, &parts, &s, item, PARTS, wanted, 0, &work);
    answer_set_free(&s);
    return parts;
}

static void planted_kinds_are_joined_under_noise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        uint32_t part[PARTS];
        assert_int_equal(joined(part, 3, 0.75, ANSWERS, 0, seed), 3);
        for (size_t k = 3; k < PARTS; k++) assert_int_equal(part[k], part[k % 3]);
    }
}

/* Components 0 and 1 are one group and 2 and 3 another, before any answer. Nobody says anything
 * about the first two but one slip, and all say of the others that they are two kinds. */
static void groups_stay_until_answers_part_them(void **state)
{
    (void)state;
    static const uint32_t group[] = {0, 0, 1, 1};
    asked answer[200];
    whereabouts item[4];
    uint32_t part[] = {0, 1, 2, 3}, kept[4];
    double nats[16];
    partition_work work = {nats, kept};
    scdc_options o = options();
    answer_set s;
    size_t parts = 4, count = 0;
    for (uint32_t k = 0; k < 4; k++) item[k] = (whereabouts){k, k, 1};
    for (uint32_t turn = 0; turn < 40; turn++) { /* of each item beside itself, and across groups */
        answer[count++] = (asked){turn % 4, turn % 4, 0, 1, 1};
        answer[count++] = (asked){turn % 2, 2 + turn / 2 % 2, 0, 0, 1};
    }
    answer[count++] = (asked){0, 1, 0, 0, 1};
    for (int turn = 0; turn < 4; turn++) answer[count++] = (asked){2, 3, 0, 0, 1};
    assert_ok(answer_set_create(&s, answer, count, 4, 1, &o));
    partition_join_groups(part, &parts, &s, item, 4, group, 5, &work);
    answer_set_free(&s);
    assert_int_equal(parts, 3);
    assert_int_equal(part[0], part[1]);
    assert_int_not_equal(part[2], part[3]);
}

/* Everything is of its own kind, so every "same" is a slip: nothing to pay a join with. */
static void slips_join_nothing(void **state)
{
    (void)state;
    size_t lost = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint32_t part[PARTS];
        lost += PARTS - joined(part, PARTS, 0.85, 300, 0, seed);
    }
    assert_true(lost <= 3); /* of 110 joins that could have been */
}

/* Four components are four kinds. Some items of the first are of the second kind, and most of
 * what is asked is about them. Returns how many clusters are left. */
static size_t joined_by_strays(bool may_stray)
{
    enum { KINDS = 4, EACH = 30, STRAYS = 6, TURNS = 10 };
    static asked answer[ANSWERS];
    whereabouts item[KINDS * EACH];
    uint32_t part[KINDS], kept[KINDS];
    double nats[KINDS * KINDS];
    partition_work work = {nats, kept};
    scdc_options o = options();
    answer_set s;
    size_t parts = KINDS, count = 0;
    for (uint32_t i = 0; i < KINDS * EACH; i++) item[i] = (whereabouts){i / EACH, i / EACH, 1};
    for (uint32_t k = 0; k < KINDS; k++) {
        uint32_t own = k * EACH, next = (k + 1) % KINDS * EACH;
        part[k] = k;
        for (uint32_t t = 0; t < TURNS; t++) {
            uint32_t other = STRAYS + t;
            for (uint32_t i = 0; i < STRAYS && k == 0; i++)
                answer[count++] = (asked){own + i, next + other, 0, 1, 1};
            answer[count++] = (asked){own + other, own + other + TURNS, 0, 1, 1};
            answer[count++] = (asked){own + other, next + other + TURNS, 0, 0, 1};
        }
    }
    assert_ok(answer_set_create(&s, answer, count, KINDS * EACH, 1, &o));
    if (may_stray) assert_ok(answer_set_let_stray(&s, KINDS));
    partition_join(part, &parts, &s, item, KINDS, 0, 0, &work);
    answer_set_free(&s);
    return parts;
}

/* What is said of items that are not where their values put them joins no clusters, if they may
 * stray. */
static void strays_join_nothing(void **state)
{
    (void)state;
    assert_int_equal(joined_by_strays(true), 4);
    assert_true(joined_by_strays(false) < 4);
}

static void a_number_that_is_wanted_is_given(void **state)
{
    (void)state;
    for (size_t wanted = 1; wanted <= PARTS; wanted++) {
        uint32_t part[PARTS];
        assert_int_equal(joined(part, 4, 0.9, ANSWERS, wanted, 1), wanted);
        for (size_t k = 0; k < PARTS; k++) assert_true(part[k] < wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_the_integral_over_coins),
        cmocka_unit_test(answers_of_a_task_share_their_worth),
        cmocka_unit_test(planted_kinds_are_joined_under_noise),
        cmocka_unit_test(groups_stay_until_answers_part_them),
        cmocka_unit_test(slips_join_nothing),
        cmocka_unit_test(strays_join_nothing),
        cmocka_unit_test(a_number_that_is_wanted_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
