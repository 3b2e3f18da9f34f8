/* Groupings: messages, counts and sums against an independent script; rates from coins; all tables
 * against a model written out in full; order of items. */
#include "model/clusters/piles.h"
#include "base/rng.h"
#include "golden/piles.h"
#include "support/check.h"

enum { NODES = 9, CLUSTERS = 4, WORKERS = 3, MOST = 64 };

/* The tasks of tests/golden/piles.py. */
static const struct {
    size_t n;
    uint32_t item[6], pile[6];
} tasks[WORKERS] = {{6, {0, 1, 2, 3, 4, 5}, {0, 0, 1, 1, 0, 2}},
                    {5, {1, 2, 6, 7, 8}, {0, 1, 1, 2, 1}},
                    {3, {0, 4, 8}, {0, 1, 0}}};
static const double rates[WORKERS][2] = {{0.9, 0.8}, {0.7, 0.95}, {0.5, 0.45}};

typedef struct scene {
    scdc_answer answers[MOST];
    size_t count;
    crowd_graph graph;
    piles piles;
    two_coin workers[WORKERS];
} scene;

static void add_answers(scene *s, const uint32_t *item, const uint32_t *pile, size_t n,
                        uint32_t task)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            s->answers[s->count++] =
                (scdc_answer){item[i], item[j], task, task, pile[i] == pile[j]};
        }
    }
}

/* Piles of the answers added so far. */
static void raise_piles(scene *s)
{
    for (size_t m = 0; m < WORKERS; m++) {
        s->workers[m] = two_coin_from_rates(rates[m][0], rates[m][1]);
    }
    assert_ok(crowd_graph_build(&s->graph, s->answers, s->count));
    assert_ok(piles_create(&s->piles, s->answers, &s->graph, CLUSTERS));
    piles_weigh(&s->piles, s->workers);
}

static void scene_open(scene *s)
{
    *s = (scene){0};
    for (uint32_t t = 0; t < WORKERS; t++) {
        add_answers(s, tasks[t].item, tasks[t].pile, tasks[t].n, t);
    }
    raise_piles(s);
    assert_int_equal(s->graph.nodes, NODES);
    assert_int_equal(s->piles.tasks.tasks, WORKERS);
    piles_reset(&s->piles, CLUSTERS);
    for (size_t i = 0; i < NODES; i++) piles_set(&s->piles, i, golden_pile_c[i]);
}

static void scene_close(scene *s)
{
    piles_free(&s->piles);
    crowd_graph_free(&s->graph);
}

static void check_golden(const piles *p)
{
    two_coin_counts counts[WORKERS] = {0};
    double message[CLUSTERS + 1];
    for (size_t i = 0; i < p->tasks.count; i++) {
        piles_message(message, p, i);
        for (size_t k = 0; k <= CLUSTERS; k++) {
            assert_close(message[k], golden_pile_messages[i][k], 1e-9);
        }
    }
    piles_count(counts, p);
    for (size_t m = 0; m < WORKERS; m++) {
        for (size_t side = 0; side < 2; side++) {
            assert_close(counts[m].alpha[side], golden_pile_counts[m][side], 1e-9);
            assert_close(counts[m].beta[side], golden_pile_counts[m][2 + side], 1e-9);
        }
    }
    assert_close(piles_term(p), golden_pile_term, 1e-8);
    assert_close(piles_held_out(p), golden_pile_held_out, 1e-8);
}

static void golden_numbers(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    check_golden(&s.piles);
    scene_close(&s);
}

/* However often items changed before, the tables are those of what they are now. */
static void tables_keep_up(void **state)
{
    (void)state;
    scene s;
    rng r;
    rng_init(&r, 5, RNG_TEST, 0, 0);
    scene_open(&s);
    for (int i = 0; i < 2000; i++) {
        double c[CLUSTERS] = {0};
        c[rng_below(&r, CLUSTERS)] = i % 3 ? 1 : rng_uniform(&r);
        piles_set(&s.piles, rng_below(&r, NODES), c);
    }
    for (size_t i = 0; i < NODES; i++) piles_set(&s.piles, i, golden_pile_c[i]);
    check_golden(&s.piles);
    scene_close(&s);
}

/* The same items in another order, the same answers turned round: the same messages. */
static void order_does_not_count(void **state)
{
    (void)state;
    scene s = {0};
    for (uint32_t t = WORKERS; t-- > 0;) {
        uint32_t item[6], pile[6];
        for (size_t i = 0; i < tasks[t].n; i++) {
            item[i] = tasks[t].item[tasks[t].n - 1 - i];
            pile[i] = 7 - tasks[t].pile[tasks[t].n - 1 - i];
        }
        add_answers(&s, item, pile, tasks[t].n, t);
    }
    raise_piles(&s);
    piles_reset(&s.piles, CLUSTERS);
    for (size_t i = NODES; i-- > 0;) piles_set(&s.piles, i, golden_pile_c[i]);
    check_golden(&s.piles);
    scene_close(&s);
}

/* Coins of a worker whose items stay, and whose clusters are apart, so often: found again. */
static void coins_tell_stays(void **state)
{
    (void)state;
    for (double stay = 0.6; stay < 0.99; stay += 0.1) {
        for (double apart = 0.7; apart < 0.99; apart += 0.1) {
            scene s;
            scene_open(&s);
            double chance = 0.5 / 3; /* half of the strays, on one of three piles */
            double both = stay * stay, alpha = both + (1 - both) * chance;
            double beta = 1 - both * (1 - apart) - (1 - both) * chance;
            assert_int_equal(s.piles.filled[0], 3);
            s.workers[0] = two_coin_from_rates(alpha, beta);
            piles_free(&s.piles);
            assert_ok(piles_create(&s.piles, s.answers, &s.graph, CLUSTERS));
            piles_weigh(&s.piles, s.workers);
            assert_close(s.piles.stay[0], stay, 1e-9);
            assert_close(s.piles.apart[0], apart, 1e-9);
            scene_close(&s);
        }
    }
}

/* Messages to those who are heard are the same as if the others had never been shown, and what is
 * foretold of one left out is its message. */
static void left_out_is_not_there(void **state)
{
    (void)state;
    const uint32_t item[] = {0, 1, 2, 3, 4, 5}, pile[] = {0, 0, 1, 1, 2, 0};
    scene whole = {0}, part = {0};
    bool left_out[6] = {false, false, false, false, true, true};
    double one[CLUSTERS + 1], other[CLUSTERS + 1], no_slip = 0, sum = 0, expected = 0;
    add_answers(&whole, item, pile, 6, 0);
    add_answers(&part, item, pile, 4, 0);
    raise_piles(&whole);
    raise_piles(&part);
    piles_reset(&part.piles, CLUSTERS);
    piles_reset(&whole.piles, CLUSTERS);
    piles_leave_out(&whole.piles, left_out);
    for (size_t i = 0; i < 6; i++) piles_set(&whole.piles, i, golden_pile_c[i]);
    for (size_t i = 0; i < 4; i++) piles_set(&part.piles, i, golden_pile_c[i]);
    piles_weigh(&whole.piles, whole.workers);
    piles_weigh(&part.piles, part.workers);
    assert_close(whole.piles.stay[0], part.piles.stay[0], 1e-12);
    assert_close(whole.piles.apart[0], part.piles.apart[0], 1e-12);
    for (size_t i = 0; i < 4; i++) {
        piles_message(one, &whole.piles, i);
        piles_message(other, &part.piles, i);
        for (size_t k = 0; k <= CLUSTERS; k++) assert_close(one[k], other[k], 1e-9);
    }
    piles_foretold(&sum, &whole.piles, &golden_pile_c[0][0], &no_slip, 1);
    for (size_t i = 4; i < 6; i++) {
        double likely = 0;
        piles_message(one, &whole.piles, i);
        for (size_t k = 0; k < CLUSTERS; k++) likely += golden_pile_c[i][k] * exp(one[k]);
        expected += log(likely);
    }
    assert_close(sum, expected, 1e-9);
    scene_close(&whole);
    scene_close(&part);
}

/* Where strays always lie on others' piles, a lone item is of another cluster than theirs; where
 * they lie by themselves it may be one of them. */
static void strays_are_learned(void **state)
{
    (void)state;
    const uint32_t item[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const uint32_t onto_others[] = {0, 0, 0, 1, 1, 1, 1, 0, 0},
                   by_themselves[] = {0, 0, 0, 2, 1, 1, 1, 3, 0};
    const size_t cluster[] = {0, 0, 0, 0, 1, 1, 1, 1, 0};
    double share[2];
    for (int lone = 0; lone < 2; lone++) {
        scene s = {0};
        add_answers(&s, item, lone ? by_themselves : onto_others, 9, 0);
        raise_piles(&s);
        piles_reset(&s.piles, CLUSTERS);
        for (size_t i = 0; i < 9; i++) {
            double c[CLUSTERS] = {0};
            c[cluster[i]] = 1;
            piles_set(&s.piles, i, c);
        }
        piles_weigh(&s.piles, s.workers);
        share[lone] = s.piles.alone;
        scene_close(&s);
    }
    assert_true(share[0] < 0.25 && share[1] > 0.75);
}

/* All piles an item may lie on: their probabilities add up to 1, whatever the others are. */
static void piles_add_up_to_one(void **state)
{
    (void)state;
    enum { ITEMS = 5 };
    rng r;
    rng_init(&r, 9, RNG_TEST, 0, 0);
    for (int round = 0; round < 200; round++) {
        uint32_t item[ITEMS], pile[ITEMS] = {0}, piles_now = 1;
        double c[ITEMS][CLUSTERS], sum[CLUSTERS + 1] = {0}, message[CLUSTERS + 1];
        for (uint32_t i = 0; i < ITEMS; i++) {
            double total = 0;
            item[i] = i;
            for (size_t k = 0; k < CLUSTERS; k++) total += c[i][k] = pow(rng_uniform(&r), 4);
            for (size_t k = 0; k < CLUSTERS; k++) c[i][k] /= total;
            if (i > 1) pile[i] = (uint32_t)rng_below(&r, piles_now + 1);
            if (i > 1 && pile[i] == piles_now) piles_now++;
        }
        for (uint32_t where = 0; where <= piles_now; where++) { /* of item 0; the others stay */
            scene s = {0};
            pile[0] = where;
            add_answers(&s, item, pile, ITEMS, (uint32_t)(round % WORKERS));
            raise_piles(&s);
            s.piles.stay[0] = 0.8; /* wherever it lies */
            s.piles.apart[0] = 0.9;
            piles_reset(&s.piles, CLUSTERS);
            for (size_t i = 0; i < ITEMS; i++) piles_set(&s.piles, i, c[i]);
            piles_message(message, &s.piles, 0);
            for (size_t k = 0; k <= CLUSTERS; k++) sum[k] += exp(message[k]);
            scene_close(&s);
        }
        for (size_t k = 0; k <= CLUSTERS; k++) assert_close(sum[k], 1, 1e-9);
    }
}

/* An item that lies with two clusters is heard as of either, not as of a third; one that lies with
 * half of a cluster which was put on two piles is still of that cluster. */
static void mixed_and_divided_kinds(void **state)
{
    (void)state;
    scene s = {0};
    const uint32_t item[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, pile[] = {0, 0, 0, 0, 0, 1, 1, 2, 2};
    const size_t cluster[] = {0, 0, 0, 1, 1, 2, 2, 2, 2};
    double message[CLUSTERS + 1];
    add_answers(&s, item, pile, 9, 0);
    raise_piles(&s);
    piles_reset(&s.piles, CLUSTERS);
    for (size_t i = 0; i < 9; i++) {
        double c[CLUSTERS] = {0};
        c[cluster[i]] = 1;
        piles_set(&s.piles, i, c);
    }
    piles_message(message, &s.piles, 0); /* on the pile of clusters 0 and 1 */
    assert_true(fabs(message[0] - message[1]) < 0.2);
    assert_true(message[0] > message[2] + 1.5 && message[0] > message[3] + 0.5);
    piles_message(message, &s.piles, 5); /* on one of the two piles of cluster 2 */
    assert_true(message[2] > message[0] + 1 && message[2] > message[1] + 1);
    scene_close(&s);
}

/* Two workers without a fault and one who guesses: each is seen for what it is, the good ones as
 * better than their few placements alone would show; shared coins are all alike. */
static void workers_are_drawn_to_the_crowd(void **state)
{
    (void)state;
    scene s = {0};
    const uint32_t item[] = {0, 1, 2, 3, 4, 5}, right[] = {0, 0, 1, 1, 2, 2},
                   wrong[] = {0, 1, 0, 2, 1, 2};
    add_answers(&s, item, right, 6, 0);
    add_answers(&s, item, right, 6, 1);
    add_answers(&s, item, wrong, 6, 2);
    raise_piles(&s);
    piles_reset(&s.piles, CLUSTERS);
    for (size_t i = 0; i < 6; i++) {
        double c[CLUSTERS] = {0};
        c[i / 2] = 1;
        piles_set(&s.piles, i, c);
    }
    piles_weigh(&s.piles, s.workers);
    assert_close(s.piles.stay[0], s.piles.stay[1], 1e-12);
    assert_true(s.piles.stay[0] > 0.8 && s.piles.apart[0] > 0.85);
    assert_true(s.piles.stay[2] < 0.55 && s.piles.stay[2] < s.piles.stay[0] - 0.3);
    s.piles.shared = true;
    piles_weigh(&s.piles, s.workers);
    assert_close(s.piles.stay[0], s.piles.stay[2], 1e-12);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_numbers),
        cmocka_unit_test(tables_keep_up),
        cmocka_unit_test(order_does_not_count),
        cmocka_unit_test(coins_tell_stays),
        cmocka_unit_test(left_out_is_not_there),
        cmocka_unit_test(strays_are_learned),
        cmocka_unit_test(workers_are_drawn_to_the_crowd),
        cmocka_unit_test(piles_add_up_to_one),
        cmocka_unit_test(mixed_and_divided_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
