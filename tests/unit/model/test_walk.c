/* The walker over items: every item once, in order, the same whichever way it comes, and nobody
 * who places items hears less than the others do. */
#include "model/use/hood.h"
#include "model/use/settled.h"
#include "model/use/walk.h"
#include "base/numeric.h"
#include "support/simulated.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1300 }; /* several chunks, the last one short */

typedef struct visit {
    const scdc_model *model;
    double *z;             /* [ITEMS][K] by item */
    size_t *seen;          /* [ITEMS] */
    size_t next, stops_at; /* place of the walk; fails there */
    double *messages;
} visit;

static int note(void *context, const chunk *c)
{
    visit *v = context;
    size_t K = v->model->core->spec.components;
    assert_int_equal(c->first, v->next);
    for (size_t row = 0; row < c->rows; row++) {
        memcpy(v->z + c->item[row] * K, c->z + row * K, K * sizeof *v->z);
        v->seen[c->item[row]]++;
    }
    v->next += c->rows;
    return v->stops_at && v->next >= v->stops_at ? SCDC_ERR_STOPPED : SCDC_OK;
}

/* All rows to component 1. */
static const double *to_one(void *context, const chunk *c)
{
    visit *v = context;
    size_t K = v->model->core->spec.components;
    for (size_t row = 0; row < c->rows; row++) {
        for (size_t k = 0; k < K; k++) v->messages[row * K + k] = k == 1 ? 300 : 0;
    }
    return v->messages;
}

static void fit_small(scdc_model **model, problem *p, scdc_model_kind kind, scdc_clusters_from from)
{
    scdc_options o;
    *p = (problem){0};
    problem_blobs(p, 3, ITEMS, 4, 6, 5);
    problem_ask(p, 3, (double[]){0.95}, (double[]){0.95}, 1, 300, 80, 6);
    scdc_options_init(&o);
    o.model = kind;
    o.components = 6;
    o.warmup = 2;
    o.epochs = 2;
    o.clusters_from = from;
    assert_ok(scdc_fit(model, p->data, p->crowd, &o, NULL, NULL));
}

static void check_walks(scdc_model *model, const scdc_data *data)
{
    size_t K = model->core->spec.components;
    uint32_t back[ITEMS];
    size_t seen[ITEMS] = {0};
    visit there = {.model = model, .z = calloc(ITEMS * K, sizeof(double)), .seen = seen};
    visit again = {.model = model, .z = calloc(ITEMS * K, sizeof(double)), .seen = seen};
    there.messages = again.messages = calloc(model->core->spec.max_rows * K, sizeof(double));
    walk w = {.model = model, .data = data, .count = ITEMS, .take = note, .context = &there};
    assert_true(ITEMS > 2 * model->core->spec.max_rows);
    assert_ok(walk_items(&w));
    for (uint32_t i = 0; i < ITEMS; i++) back[i] = ITEMS - 1 - i;
    w.items = back;
    w.context = &again;
    assert_ok(walk_items(&w));
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(seen[i], 2);
        for (size_t k = 0; k < K; k++) {
            assert_true(fabs(there.z[i * K + k] - again.z[i * K + k]) < 1e-3);
        }
    }
    /* Messages are heard, by a classifier as by the mixture. */
    w.hear = to_one;
    again.next = 0;
    assert_ok(walk_items(&w));
    size_t moved = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        if (there.z[i * K + 1] < 1e-60) continue; /* excluded for good */
        assert_int_equal(argmax(again.z + i * K, K), 1);
        moved += argmax(there.z + i * K, K) != 1;
    }
    assert_true(moved > 0);
    /* Who takes the chunks may stop the walk. */
    again.next = 0;
    again.stops_at = 1;
    assert_int_equal(walk_items(&w), SCDC_ERR_STOPPED);
    assert_int_equal(again.next, model->core->spec.max_rows);
    free(there.z);
    free(again.z);
    free(there.messages);
}

static void every_item_is_placed_once(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        scdc_model *model;
        problem p;
        fit_small(&model, &p, kind % 2 ? SCDC_MODEL_AMORTIZED : SCDC_MODEL_BAYES,
                  kind < 2 ? SCDC_CLUSTERS_FROM_COMPONENTS : SCDC_CLUSTERS_FROM_ANSWERS);
        assert_int_equal(model_is_judged(model), kind >= 2);
        check_walks(model, p.data);
        scdc_model_free(model);
        problem_close(&p);
    }
}

/* With the answers at hand both models place annotated items otherwise than without them. */
static void answers_are_heard_by_both_models(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        static float alone[ITEMS * 16], heard[ITEMS * 16];
        scdc_model *model;
        problem p;
        double change = 0;
        fit_small(&model, &p, kind ? SCDC_MODEL_AMORTIZED : SCDC_MODEL_BAYES,
                  SCDC_CLUSTERS_FROM_COMPONENTS);
        assert_true(model->n_clusters > 1 && model->n_clusters <= 16);
        assert_ok(scdc_predict(NULL, NULL, NULL, alone, model, p.data, NULL));
        assert_ok(scdc_predict(NULL, NULL, NULL, heard, model, p.data, p.crowd));
        for (size_t i = 0; i < ITEMS * model->n_clusters; i++) {
            change += fabs((double)alone[i] - (double)heard[i]);
        }
        assert_true(change > 1e-6);
        scdc_model_free(model);
        problem_close(&p);
    }
}

/* Answers say how far neighbours are to be heard, but not where networks learned from all of them:
 * they would always know annotated items better. */
static void networks_leave_neighbours_their_word(void **state)
{
    (void)state;
    scdc_model *model;
    problem p = {0};
    scdc_options o;
    problem_blobs(&p, 3, 300, 4, 3, 5);
    problem_ask(&p, 3, (double[]){0.95}, (double[]){0.95}, 1, 600, 80, 6);
    scdc_options_init(&o);
    o.net = SCDC_NET_MLP;
    o.components = 6;
    o.warmup = o.epochs = 5;
    o.clusters_from = SCDC_CLUSTERS_FROM_COMPONENTS;
    assert_ok(scdc_fit(&model, p.data, p.crowd, &o, NULL, NULL));
    assert_true(model->weighed);
    /* Silent for annotated items, neighbours are heard by the others all the same. */
    for (size_t i = 0; i < EXPERT_SHARES; i++) model->experts.heard[i] = i == EXPERT_SHARES - 1;
    settled_free(model->settled);
    model->settled = NULL;
    model->doubt = 0; /* of items placed together, whoever is heard */
    double together[300], alone[300];
    size_t moved[2] = {0}, count;
    const scdc_answer *answers = scdc_crowd_answers(p.crowd, &count);
    bool annotated[300] = {false};
    for (size_t a = 0; a < count; a++) {
        annotated[answers[a].left] = annotated[answers[a].right] = true;
    }
    assert_ok(scdc_predict_together(NULL, together, NULL, NULL, model, p.data, p.crowd));
    model->core->spec.options.neighbours = 0;
    assert_ok(scdc_predict_together(NULL, alone, NULL, NULL, model, p.data, p.crowd));
    for (size_t i = 0; i < 300; i++) moved[annotated[i]] += fabs(together[i] - alone[i]) > 1e-6;
    assert_int_equal(moved[true], 0);
    assert_true(moved[false] > 50);
    scdc_model_free(model);
    problem_close(&p);
}

/* A mixture that nobody else is heard beside is doubted about every item, not about some. */
static void a_doubted_mixture_is_doubted_everywhere(void **state)
{
    (void)state;
    scdc_model *model;
    problem p;
    hood h;
    fit_small(&model, &p, SCDC_MODEL_BAYES, SCDC_CLUSTERS_FROM_COMPONENTS);
    model->weighed = true;
    model->experts = experts_mixture_only(0.3);
    assert_ok(known_prepare(model, p.data));
    assert_ok(hood_create(&h, model, ITEMS));
    h.near = model->known->near;
    assert_ok(hood_place(&h, model, p.data, model->known, NULL));
    assert_true(h.clusters > 1);
    double most = 0.7 + 0.3 / (double)h.clusters;
    for (size_t i = 0; i < ITEMS * h.clusters; i++) assert_true((double)h.own[i] < most + 1e-6);
    hood_free(&h);
    scdc_model_free(model);
    problem_close(&p);
}

/* What is known of items is found again when only workers have changed, and not with other
 * networks: a fit that was killed at its end goes on as if it had not been. */
static void knowledge_of_items_is_none_of_workers(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        scdc_model *model;
        problem p;
        tensor_ref tensors[CORE_MAX_TENSORS];
        two_coin_counts counts[3] = {{{9, 1}, {8, 2}}, {{5, 5}, {6, 4}}, {{7, 3}, {2, 8}}};
        fit_small(&model, &p, kind ? SCDC_MODEL_AMORTIZED : SCDC_MODEL_BAYES,
                  SCDC_CLUSTERS_FROM_COMPONENTS);
        core *c = model->core;
        assert_ok(known_prepare(model, p.data));
        assert_true(known_fits(model->known, model, p.data));
        assert_ok(c->ops->set_workers(c, counts));
        assert_true(known_fits(model->known, model, p.data));
        assert_true(c->ops->tensors(tensors, c) > 0);
        real *params = tensors[0].values;
        params[0] += 1;
        assert_false(known_fits(model->known, model, p.data));
        scdc_model_free(model);
        problem_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_placed_once),
        cmocka_unit_test(answers_are_heard_by_both_models),
        cmocka_unit_test(networks_leave_neighbours_their_word),
        cmocka_unit_test(a_doubted_mixture_is_doubted_everywhere),
        cmocka_unit_test(knowledge_of_items_is_none_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
