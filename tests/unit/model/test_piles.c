/* Groupings: messages, counts and sums against an independent script; two items against the two
 * coins; all tables against a model written out in full; order of items. */
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

/* Two items of known clusters: exactly the two coins. */
static void two_items_are_two_coins(void **state)
{
    (void)state;
    const double one[CLUSTERS] = {1}, other[CLUSTERS] = {0, 1}, none[CLUSTERS] = {0};
    /* Three items, of which the third is in no cluster and lies with the second or by itself: with
     * it out of the way on the second's pile there are the piles of two items. */
    for (int together = 0; together < 2; together++) {
        scene s = {0};
        const uint32_t item[] = {0, 1, 2}, apart[] = {0, 1, 1}, joined[] = {0, 0, 0};
        double message[CLUSTERS + 1];
        add_answers(&s, item, together ? joined : apart, 3, 0);
        raise_piles(&s);
        piles_reset(&s.piles, CLUSTERS);
        piles_set(&s.piles, 1, one);
        piles_set(&s.piles, 2, none);
        double alpha = rates[0][0], beta = rates[0][1];
        piles_set(&s.piles, 0, one);
        piles_message(message, &s.piles, 0);
        assert_close(exp(message[0]), together ? alpha : 1 - alpha, 1e-9);
        piles_set(&s.piles, 0, other);
        piles_message(message, &s.piles, 0);
        assert_close(exp(message[1]), together ? 1 - beta : beta, 1e-9);
        scene_close(&s);
    }
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
        cmocka_unit_test(two_items_are_two_coins),
        cmocka_unit_test(workers_are_drawn_to_the_crowd),
        cmocka_unit_test(piles_add_up_to_one),
        cmocka_unit_test(mixed_and_divided_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
