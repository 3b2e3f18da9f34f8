/* Where clusters come from without networks: answers that were kept out decide between groups of
 * components and classes learned from answers. */
#include "base/numeric.h"
#include "base/rng.h"
#include "model/classes/class_guess.h"
#include "model/model.h"
#include "support/check.h"
#include "support/sanitizers.h"

enum { ITEMS = 240, DIMS = 4, WORKERS = 3, SEEDS = 3, KINDS = 4, GUESSED = 16 };

typedef struct fair {
    float x[ITEMS][DIMS];
    int64_t kind[ITEMS];
    scdc_answer *answers;
    size_t n_answers;
} fair;

/* Workers who are right nine times in ten. */
static void ask(fair *f, size_t pairs, rng *r)
{
    f->n_answers = pairs;
    f->answers = calloc(pairs, sizeof *f->answers);
    for (size_t a = 0; a < pairs; a++) {
        uint32_t left = (uint32_t)rng_below(r, ITEMS), right = left;
        while (right == left) right = (uint32_t)rng_below(r, ITEMS);
        bool same = (f->kind[left] == f->kind[right]) == (rng_uniform(r) < 0.9);
        f->answers[a] = (scdc_answer){
            .left = left, .right = right, .worker = (uint32_t)(a % WORKERS), .same = same};
    }
}

static scdc_model *fit(scdc_scores *scores, fair *f, uint64_t seed)
{
    scdc_options o;
    scdc_data *data;
    scdc_crowd *crowd;
    scdc_model *model;
    int64_t labels[ITEMS];
    scdc_options_init(&o);
    o.seed = seed;
    assert_ok(scdc_data_from_memory(&data, f->x, SCDC_F32, ITEMS, DIMS, 1));
    assert_ok(scdc_crowd_from_memory(&crowd, f->answers, f->n_answers));
    assert_ok(scdc_fit(&model, data, crowd, &o, NULL, NULL));
    assert_ok(scdc_model_labels(labels, NULL, NULL, NULL, model, data, crowd));
    assert_ok(scdc_score(scores, labels, f->kind, ITEMS));
    scdc_data_free(data);
    scdc_crowd_free(crowd);
    free(f->answers);
    return model;
}

/* Three sectors of one round heap: the items form no groups. */
static void kinds_that_items_do_not_form_are_learned(void **state)
{
    (void)state;
    size_t good = 0;
    for (uint64_t seed = 1; seed <= DRAWS(SEEDS); seed++) {
        fair f;
        rng r;
        scdc_scores s;
        rng_init(&r, seed, RNG_TEST, 0, 0);
        for (size_t i = 0; i < ITEMS; i++) {
            for (size_t d = 0; d < DIMS; d++) f.x[i][d] = (float)rng_normal(&r);
            double angle = atan2((double)f.x[i][1], (double)f.x[i][0]);
            f.kind[i] = (int64_t)((angle + M_PI) / (2 * M_PI / 3 + 1e-6));
        }
        ask(&f, 900, &r);
        scdc_model *model = fit(&s, &f, seed);
        good += model_is_judged(model) && s.acc > 0.85;
        scdc_model_free(model);
    }
    assert_true(MOST_ARE_GOOD(good, SEEDS - 1));
}

/* Where items form the kinds, a few hundred noisy answers are no reason to learn others. */
static void groups_that_items_form_stay(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DRAWS(SEEDS); seed++) {
        fair f;
        rng r;
        scdc_scores s;
        rng_init(&r, seed, RNG_TEST, 0, 0);
        for (size_t i = 0; i < ITEMS; i++) {
            f.kind[i] = (int64_t)(i % 3);
            for (size_t d = 0; d < DIMS; d++) {
                f.x[i][d] = (float)(rng_normal(&r) + (d == i % 3 ? 8 : 0));
            }
        }
        ask(&f, 300, &r);
        scdc_model *model = fit(&s, &f, seed);
        assert_false(model_is_judged(model));
        assert_true(s.acc > 0.99);
        scdc_model_free(model);
    }
}

/* Answers by coins, "same" one time in three: whatever is learned from them says no more than that,
 * and is no reason to give up what items form. */
static void nothing_is_learned_from_coins(void **state)
{
    (void)state;
    for (uint64_t seed = 3; seed < 3 + DRAWS(3); seed++) {
        fair f;
        rng r;
        scdc_scores s;
        rng_init(&r, seed, RNG_TEST, 0, 0);
        for (size_t i = 0; i < ITEMS; i++) {
            f.kind[i] = (int64_t)(i % 12);
            for (size_t d = 0; d < DIMS; d++) {
                double centre = d == 3 ? 3 * (double)(i / 3 % 4) : d == i % 3 ? 4 : 0;
                f.x[i][d] = (float)(0.8 * rng_normal(&r) + centre);
            }
        }
        ask(&f, 50, &r);
        for (size_t a = 0; a < 50; a++) f.answers[a].same = rng_uniform(&r) < 0.35;
        scdc_model *model = fit(&s, &f, seed);
        assert_false(model_is_judged(model));
        scdc_model_free(model);
    }
}

/* Two columns that say nearly the same: the kind is in their difference. */
static void a_small_difference_of_columns_is_seen(void **state)
{
    (void)state;
    fair f;
    rng r;
    crowd_graph graph;
    real x[2 * ITEMS];
    double gap[ITEMS], p[2 * ITEMS], weight[800];
    two_coin coins[WORKERS];
    size_t agree = 0;
    rng_init(&r, 3, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        gap[i] = 0.1 * rng_normal(&r);
        f.kind[i] = gap[i] > 0;
    }
    ask(&f, 800, &r);
    for (size_t a = 0; a < f.n_answers; a++) weight[a] = 1;
    assert_ok(crowd_graph_build(&graph, f.answers, f.n_answers));
    for (size_t n = 0; n < graph.nodes; n++) {
        x[2 * n] = (real)rng_normal(&r);
        x[2 * n + 1] = x[2 * n] + (real)gap[graph.item[n]];
    }
    assert_ok(
        class_guess(p, coins, 2, &(guess_case){x, 2, &graph, f.answers, weight, WORKERS, NULL}, 1));
    for (size_t n = 0; n < graph.nodes; n++) agree += (p[2 * n] > 0.5) == (gap[graph.item[n]] > 0);
    if (2 * agree < graph.nodes) agree = graph.nodes - agree;
    assert_true(agree > graph.nodes * 9 / 10);
    crowd_graph_free(&graph);
    free(f.answers);
}

/* How many nodes are of the kind that most of their class are of. */
static size_t agreeing(const double *p, size_t k, const fair *f, const crowd_graph *g)
{
    size_t count[GUESSED][KINDS] = {{0}}, sum = 0;
    for (size_t n = 0; n < g->nodes; n++) count[argmax(p + n * k, k)][f->kind[g->item[n]]]++;
    for (size_t c = 0; c < k; c++) {
        size_t most = 0;
        for (size_t kind = 0; kind < KINDS; kind++)
            most = count[c][kind] > most ? count[c][kind] : most;
        sum += most;
    }
    return sum;
}

/* Persons fill most of many columns, answers are about poses: with a weight for every column
 * anything could be learned from them. */
static void of_many_columns_some_directions_are_seen(void **state)
{
    (void)state;
    enum { COLUMNS = 600, PERSONS = 12, PAIRS = 700 };
    fair f;
    rng r;
    crowd_graph graph;
    static real x[ITEMS * COLUMNS];
    static double person[PERSONS][COLUMNS], pose[KINDS][COLUMNS];
    static double p[GUESSED * ITEMS], weight[PAIRS];
    two_coin coins[WORKERS];
    rng_init(&r, 5, RNG_TEST, 0, 0);
    for (size_t c = 0; c < COLUMNS; c++) {
        for (size_t a = 0; a < PERSONS; a++) person[a][c] = 3 * rng_normal(&r);
        for (size_t a = 0; a < KINDS; a++) pose[a][c] = 0.7 * rng_normal(&r);
    }
    for (size_t i = 0; i < ITEMS; i++) f.kind[i] = (int64_t)(i / PERSONS % KINDS);
    ask(&f, PAIRS, &r);
    for (size_t a = 0; a < f.n_answers; a++) weight[a] = 1;
    assert_ok(crowd_graph_build(&graph, f.answers, f.n_answers));
    for (size_t n = 0; n < graph.nodes; n++) {
        size_t i = graph.item[n];
        for (size_t c = 0; c < COLUMNS; c++) {
            x[n * COLUMNS + c] =
                (real)(person[i % PERSONS][c] + pose[f.kind[i]][c] + 2 * rng_normal(&r));
        }
    }
    assert_ok(class_guess(p, coins, GUESSED,
                          &(guess_case){x, COLUMNS, &graph, f.answers, weight, WORKERS, NULL}, 1));
    assert_true(agreeing(p, GUESSED, &f, &graph) > graph.nodes * 17 / 20);
    crowd_graph_free(&graph);
    free(f.answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_that_items_do_not_form_are_learned),
        cmocka_unit_test(groups_that_items_form_stay),
        cmocka_unit_test(nothing_is_learned_from_coins),
        cmocka_unit_test(a_small_difference_of_columns_is_seen),
        cmocka_unit_test(of_many_columns_some_directions_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
