/* Remembered messages: every sum over all answers against its plain definition. */
#include "base/rng.h"
#include "model/clusters/remembered.h"
#include "support/check.h"

#include <string.h>

enum { ITEMS = 30, K = 20, M = 3, ANSWERS = 80 };

static scdc_answer answers[ANSWERS];
static crowd_graph graph;
static remembered r;
static double z[ITEMS][K], same[K * K];
static two_coin workers[M];

static int setup(void **state)
{
    (void)state;
    rng g;
    rng_init(&g, 11, RNG_TEST, 0, 0);
    for (size_t a = 0; a < ANSWERS; a++) {
        uint32_t left = (uint32_t)(a % ITEMS), right = (uint32_t)rng_below(&g, ITEMS - 1);
        if (right >= left) right++;
        answers[a] =
            (scdc_answer){left, right, (uint32_t)(a % M), SCDC_NO_TASK, (uint32_t)rng_below(&g, 2)};
    }
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l <= k; l++)
            same[k * K + l] = same[l * K + k] = k == l ? 1 : rng_uniform(&g);
    }
    workers[0] = two_coin_from_rates(0.9, 0.8);
    workers[1] = two_coin_from_rates(0.6, 0.95);
    workers[2] = two_coin_from_rates(0.3, 0.4);
    if (crowd_graph_build(&graph, answers, ANSWERS) != SCDC_OK) return 1;
    if (remembered_create(&r, graph.nodes, ANSWERS, K) != SCDC_OK) return 1;
    if (remembered_attach(&r, answers, &graph) != SCDC_OK) return 1;
    for (size_t i = 0; i < ITEMS; i++) {
        /* At most 10 components are likely, so that 16 slots hold all of it. */
        double sum = 0;
        for (size_t k = 0; k < K; k++) sum += z[i][k] = (k + i) % 2 ? 0 : rng_uniform(&g);
        for (size_t k = 0; k < K; k++) z[i][k] /= sum;
        remembered_store(&r, i, z[i]);
    }
    remembered_weigh(&r, workers);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remembered_free(&r);
    crowd_graph_free(&graph);
    return 0;
}

static double s_of(size_t a)
{
    double s = 0;
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < K; l++)
            s += z[answers[a].left][k] * same[k * K + l] * z[answers[a].right][l];
    }
    return s;
}

/* Of item i without what answer a told it about item j. */
static void without_answer(double out[K], size_t i, size_t j, size_t a)
{
    double w = two_coin_weight(&workers[answers[a].worker], answers[a].same), sum = 0;
    for (size_t k = 0; k < K; k++) {
        double message = 0;
        for (size_t l = 0; l < K; l++) message += same[k * K + l] * z[j][l];
        sum += out[k] = z[i][k] / exp(w * message);
    }
    for (size_t k = 0; k < K; k++) out[k] /= sum;
}

static void an_answer_is_foretold_without_itself(void **state)
{
    (void)state;
    double sum = 0;
    for (size_t a = 0; a < ANSWERS; a++) {
        double left[K], right[K], s = 0;
        without_answer(left, answers[a].left, answers[a].right, a);
        without_answer(right, answers[a].right, answers[a].left, a);
        for (size_t k = 0; k < K; k++) {
            for (size_t l = 0; l < K; l++) s += left[k] * same[k * K + l] * right[l];
        }
        const two_coin *w = &workers[answers[a].worker];
        sum += log(answers[a].same ? s * exp(w->ln_alpha) + (1 - s) * exp(w->ln_not_beta)
                                   : s * exp(w->ln_not_alpha) + (1 - s) * exp(w->ln_beta));
    }
    assert_near(remembered_held_out(&r, same, workers), sum / ANSWERS, 1e-6);
}

static void stored_rows_come_back(void **state)
{
    (void)state;
    double row[K];
    assert_int_equal(graph.nodes, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        remembered_read(row, &r, i);
        for (size_t k = 0; k < K; k++) assert_close(row[k], z[i][k], 1e-6);
    }
    assert_close(remembered_dropped(&r), 0, 1e-6);
}

/* More likely components than slots: the largest stay, renormalised, and the rest is reported. */
static void what_does_not_fit_is_reported(void **state)
{
    (void)state;
    double row[K], kept = 0;
    for (size_t k = 0; k < K; k++) row[k] = (double)(k + 1) / (K * (K + 1) / 2.0);
    for (size_t k = K - REMEMBERED_SLOTS; k < K; k++) kept += row[k];
    remembered_store(&r, 0, row);
    assert_close(remembered_dropped(&r) * ITEMS, 1 - kept, 1e-6);
    double back[K];
    remembered_read(back, &r, 0);
    assert_true(back[0] == 0);
    assert_close(back[K - 1], row[K - 1] / kept, 1e-6);
    remembered_store(&r, 0, z[0]);
}

/* Divided among threads, each node hears what it hears alone. */
static void many_hear_what_one_hears(void **state)
{
    (void)state;
    double all[(ITEMS - 3) * K], one[K];
    assert_ok(remembered_fields(all, &r, 3, ITEMS - 3, same));
    for (size_t i = 3; i < ITEMS; i++) {
        remembered_field(one, &r, i, same);
        assert_memory_equal(all + (i - 3) * K, one, sizeof one);
    }
}

static void messages_come_from_all_answers(void **state)
{
    (void)state;
    double field[K];
    for (size_t i = 0; i < ITEMS; i++) {
        double plain[K] = {0};
        for (size_t a = 0; a < ANSWERS; a++) {
            if (answers[a].left != i && answers[a].right != i) continue;
            size_t j = answers[a].left == i ? answers[a].right : answers[a].left;
            double w = two_coin_weight(&workers[answers[a].worker], answers[a].same);
            for (size_t k = 0; k < K; k++) {
                for (size_t l = 0; l < K; l++) plain[k] += w * same[k * K + l] * z[j][l];
            }
        }
        remembered_field(field, &r, i, same);
        for (size_t k = 0; k < K; k++) assert_close(field[k], plain[k], 1e-5);
    }
}

static void evidence_is_z_w_z(void **state)
{
    (void)state;
    double evidence[K * K], plain[K * K] = {0}, term = 0, half = 0;
    for (size_t a = 0; a < ANSWERS; a++) {
        double w = two_coin_weight(&workers[answers[a].worker], answers[a].same);
        const double *zi = z[answers[a].left], *zj = z[answers[a].right];
        for (size_t k = 0; k < K; k++) {
            for (size_t l = 0; l < K; l++) plain[k * K + l] += w * (zi[k] * zj[l] + zj[k] * zi[l]);
        }
        term += w * s_of(a);
    }
    remembered_evidence(evidence, &r, false);
    for (size_t i = 0; i < K * K; i++) {
        assert_close(evidence[i], plain[i], 1e-5);
        half += 0.5 * same[i] * evidence[i];
    }
    assert_close(half, term,
                 1e-4); /* 1/2 sum A G is the part of the answer term that depends on A */
}

static void workers_and_the_answer_term(void **state)
{
    (void)state;
    two_coin_counts counts[M] = {0}, plain[M] = {0};
    double term = 0;
    for (size_t a = 0; a < ANSWERS; a++) {
        double s = s_of(a);
        two_coin_count(&plain[answers[a].worker], answers[a].same, s);
        term += two_coin_log_likelihood(&workers[answers[a].worker], answers[a].same, s);
    }
    remembered_count(counts, &r, same);
    for (size_t m = 0; m < M; m++) {
        for (int side = 0; side < 2; side++) {
            assert_close(counts[m].alpha[side], plain[m].alpha[side], 1e-5);
            assert_close(counts[m].beta[side], plain[m].beta[side], 1e-5);
        }
    }
    assert_close(remembered_answer_term(&r, same, workers), term, 1e-4);
}

/* Workers about whom a weak prior has no doubt, contradicted by sure items. */
/* Items whose answers are kept back hear nothing and are not heard of; then all is as it was. */
static void answers_can_be_kept_back(void **state)
{
    (void)state;
    bool unheard[ITEMS] = {[3] = true, [8] = true};
    double before[K], field[K], silent = 0;
    two_coin_counts counts[M] = {0}, all[M] = {0};
    remembered_field(before, &r, 5, same);
    remembered_count(all, &r, same);
    double term = remembered_answer_term(&r, same, workers);
    remembered_hear(&r, unheard);
    remembered_weigh(&r, workers);
    remembered_field(field, &r, 3, same);
    for (size_t k = 0; k < K; k++) assert_close(field[k], 0, 1e-12);
    for (size_t a = 0; a < ANSWERS; a++) {
        bool kept = unheard[answers[a].left] || unheard[answers[a].right];
        silent += kept;
        assert_true((r.weight[a] == 0) == kept);
    }
    assert_true(silent > 4);
    remembered_count(counts, &r, same);
    double heard = 0;
    for (size_t m = 0; m < M; m++) {
        heard += counts[m].alpha[0] + counts[m].alpha[1] + counts[m].beta[0] + counts[m].beta[1];
    }
    assert_close(heard, ANSWERS - silent, 1e-9);
    remembered_hear(&r, NULL);
    remembered_weigh(&r, workers);
    remembered_field(field, &r, 5, same);
    assert_memory_equal(field, before, sizeof field);
    assert_close(remembered_answer_term(&r, same, workers), term, 1e-9);
}

static void what_cannot_be_is_foretold_by_a_number(void **state)
{
    (void)state;
    two_coin sure[M];
    double one[K] = {1};
    for (size_t m = 0; m < M; m++) sure[m] = (two_coin){-1e8, -1e8, -1e8, -1e8};
    for (size_t i = 0; i < ITEMS; i++) remembered_store(&r, i, one);
    remembered_weigh(&r, sure);
    assert_true(isfinite(remembered_held_out(&r, same, sure)));
    remembered_weigh(&r, workers);
    for (size_t i = 0; i < ITEMS; i++) remembered_store(&r, i, z[i]);
}

/* Pairs and groupings mixed: the sum of what both say. */
enum { SORTED = 8, C = 3 };
static const uint32_t sorted_pile[SORTED] = {0, 0, 1, 1, 0, 2, 1, 0};

typedef struct mixture {
    scdc_answer list[ANSWERS + SORTED * (SORTED - 1) / 2];
    size_t count;
    crowd_graph graph;
    remembered both;
    double q[K * K], relation[K * K]; /* clusters of components, and A */
} mixture;

static void mixture_open(mixture *m)
{
    *m = (mixture){.count = ANSWERS};
    memcpy(m->list, answers, sizeof answers);
    for (uint32_t i = 0; i < SORTED; i++) {
        for (uint32_t j = i + 1; j < SORTED; j++) {
            m->list[m->count++] =
                (scdc_answer){3 * i, 3 * j, 1, 0, sorted_pile[i] == sorted_pile[j]};
        }
    }
    for (size_t k = 0; k < K; k++) {
        double sum = 0;
        for (size_t c = 0; c < C; c++) sum += m->q[k * K + c] = (double)((3 * k + 5 * c) % 7) + 0.1;
        for (size_t c = 0; c < C; c++) m->q[k * K + c] /= sum;
    }
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < K; l++) {
            double sum = 0;
            for (size_t c = 0; c < C; c++) sum += m->q[k * K + c] * m->q[l * K + c];
            m->relation[k * K + l] = k == l ? 1 : sum;
        }
    }
    assert_ok(crowd_graph_build(&m->graph, m->list, m->count));
    assert_ok(remembered_create(&m->both, m->graph.nodes, m->count, K));
    assert_ok(remembered_attach(&m->both, m->list, &m->graph));
    for (size_t i = 0; i < ITEMS; i++) remembered_store(&m->both, i, z[i]);
    remembered_weigh(&m->both, workers);
    remembered_set_clusters(&m->both, m->q, K, C);
}

static void mixture_close(mixture *m)
{
    remembered_free(&m->both);
    crowd_graph_free(&m->graph);
}

static void groupings_add_to_messages(void **state)
{
    (void)state;
    mixture m;
    double pairs[K], both[K], message[C + 1], all[ITEMS * K];
    mixture_open(&m);
    assert_ok(remembered_fields(all, &m.both, 0, ITEMS, m.relation));
    assert_int_equal(m.both.piles.tasks.pairs, ANSWERS);
    assert_int_equal(m.both.piles.tasks.count, SORTED);
    for (size_t i = 0; i < ITEMS; i++) {
        remembered_field(pairs, &r, i, m.relation);
        remembered_field(both, &m.both, i, m.relation);
        assert_memory_equal(all + i * K, both, sizeof both);
        if (i % 3 == 0 && i / 3 < SORTED) {
            piles_message(message, &m.both.piles, i / 3);
            for (size_t k = 0; k < K; k++) {
                double sum = 0;
                for (size_t c = 0; c < C; c++) sum += m.q[k * K + c] * exp(message[c]);
                pairs[k] += log(sum);
            }
        }
        for (size_t k = 0; k < K; k++) assert_close(both[k], pairs[k], 1e-5);
    }
    mixture_close(&m);
}

/* Evidence of a grouping: its pairs, each by 1 / (items of the two clusters - 1). */
static void groupings_add_to_evidence(void **state)
{
    (void)state;
    mixture m;
    double both[K * K], plain[K * K], of[K] = {0};
    mixture_open(&m);
    remembered_evidence(plain, &r, false);
    remembered_evidence(both, &m.both, false);
    for (size_t k = 0; k < K; k++) {
        for (size_t c = 0; c < C; c++) {
            double items = 0;
            for (size_t i = 0; i < SORTED; i++) {
                for (size_t l = 0; l < K; l++) items += z[3 * i][l] * m.q[l * K + c];
            }
            of[k] += m.q[k * K + c] * items;
        }
    }
    for (size_t i = 0; i < SORTED; i++) {
        for (size_t j = 0; j < SORTED; j++) {
            if (i == j) continue;
            double w = two_coin_weight(&workers[1], sorted_pile[i] == sorted_pile[j]);
            for (size_t k = 0; k < K; k++) {
                for (size_t l = 0; l < K; l++) {
                    double items = of[k] + of[l] - 1;
                    plain[k * K + l] += w * z[3 * i][k] * z[3 * j][l] / (items > 1 ? items : 1);
                }
            }
        }
    }
    for (size_t i = 0; i < K * K; i++) assert_close(both[i], plain[i], 1e-4);
    mixture_close(&m);
}

static void groupings_add_to_sums(void **state)
{
    (void)state;
    mixture m;
    two_coin_counts pairs[M] = {0}, both[M] = {0};
    mixture_open(&m);
    remembered_count(pairs, &r, m.relation);
    piles_count(pairs, &m.both.piles);
    remembered_count(both, &m.both, m.relation);
    for (size_t i = 0; i < M; i++) {
        assert_close(both[i].alpha[0], pairs[i].alpha[0], 1e-5);
        assert_close(both[i].beta[1], pairs[i].beta[1], 1e-5);
    }
    assert_close(remembered_answer_term(&m.both, m.relation, workers),
                 remembered_answer_term(&r, m.relation, workers) + piles_term(&m.both.piles), 1e-4);
    assert_close(remembered_held_out(&m.both, m.relation, workers) * (ANSWERS + SORTED),
                 remembered_held_out(&r, m.relation, workers) * ANSWERS +
                     piles_held_out(&m.both.piles),
                 1e-4);
    mixture_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_foretold_without_itself),
        cmocka_unit_test(stored_rows_come_back),
        cmocka_unit_test(what_does_not_fit_is_reported),
        cmocka_unit_test(many_hear_what_one_hears),
        cmocka_unit_test(messages_come_from_all_answers),
        cmocka_unit_test(evidence_is_z_w_z),
        cmocka_unit_test(workers_and_the_answer_term),
        cmocka_unit_test(answers_can_be_kept_back),
        cmocka_unit_test(what_cannot_be_is_foretold_by_a_number),
        cmocka_unit_test(groupings_add_to_messages),
        cmocka_unit_test(groupings_add_to_evidence),
        cmocka_unit_test(groupings_add_to_sums),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
