/* Views as links: pieces of a kind that shifts lead into one another become one cluster. */
#include "base/rng.h"
#include "crowd/crowd.h"
#include "model/clusters/cluster_source.h"
#include "model/clusters/link_trial.h"
#include "model/train/unheard.h"
#include "support/sanitizers.h"
#include "support/simulated.h"

enum {
    SIDE = 20,
    PIXELS = SIDE * SIDE,
    ITEMS = 800,
    KINDS = 2,
    SHIFTS = 2,
    MANY_SHIFTS = 4,
    MOST = 20,
    LINKED = 50
};

/* A bar, upright or lying, at one of some places two pixels from each other. */
static void draw_bar(uint8_t *image, size_t kind, size_t at, rng *r)
{
    for (size_t p = 0; p < PIXELS; p++) {
        size_t across = kind ? p / SIDE : p % SIDE, along = kind ? p % SIDE : p / SIDE;
        bool bar = across >= at && across < at + 3 && along >= 2 && along < SIDE - 2;
        image[p] = (uint8_t)(bar ? 180 + rng_below(r, 70) : rng_below(r, 60));
    }
}

/* Kinds are bars of one direction, or (`apart`) also of one place. */
static problem bars(size_t shifts, bool apart)
{
    static uint8_t images[ITEMS * PIXELS];
    static int64_t kind[ITEMS];
    problem p = {0};
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        kind[i] = (int64_t)(i % (apart ? KINDS * shifts : KINDS));
        draw_bar(images + i * PIXELS, i % KINDS, 4 + 2 * (i / KINDS % shifts), &r);
    }
    assert_ok(scdc_data_from_memory(&p.data, images, SCDC_U8, ITEMS, PIXELS, 1));
    assert_ok(scdc_data_set_shape(p.data, 1, SIDE, SIDE));
    assert_ok(scdc_labels_from_memory(&p.truth, kind, ITEMS));
    return p;
}

static scdc_model *fit_bars(const problem *p, scdc_augment views, uint64_t seed)
{
    scdc_options o;
    scdc_model *model;
    scdc_options_init(&o);
    o.net = SCDC_NET_MLP;
    o.hidden[0] = 64;
    o.n_hidden = 1;
    o.components = MOST;
    o.warmup = 30;
    o.epochs = 4;
    o.clusters_from = SCDC_CLUSTERS_FROM_COMPONENTS;
    o.augment = views;
    o.seed = seed;
    assert_ok(scdc_fit(&model, p->data, p->crowd, &o, NULL, NULL));
    return model;
}

static size_t clusters_found(const problem *p, const scdc_model *model, double *nmi)
{
    scdc_model_info info;
    scdc_scores scores;
    int64_t labels[ITEMS];
    assert_ok(scdc_model_get_info(&info, model));
    assert_ok(scdc_model_labels(labels, NULL, NULL, NULL, model, p->data, p->crowd));
    assert_ok(scdc_score(&scores, labels, scdc_labels_values(p->truth), ITEMS));
    *nmi = scores.nmi;
    return info.clusters;
}

static bool views_are_believed(const cluster_level *t)
{
    for (size_t i = 0; i < MOST * MOST; i++) {
        if (t->linked[i] != t->links[i]) return true;
    }
    return false;
}

static bool views_join(const problem *p, uint64_t seed)
{
    double with, without;
    scdc_model *plain = fit_bars(p, SCDC_AUGMENT_NONE, seed);
    scdc_model *viewed = fit_bars(p, SCDC_AUGMENT_AUTO, seed);
    size_t more = clusters_found(p, plain, &without), fewer = clusters_found(p, viewed, &with);
    scdc_model_free(plain);
    scdc_model_free(viewed);
    return more >= KINDS * SHIFTS && fewer == KINDS && with > 0.99;
}

static void views_join_what_shifts_lead_into(void **state)
{
    (void)state;
    problem p = bars(SHIFTS, false);
    if (!SANITIZED) assert_mostly(views_join, &p);
    scdc_model *model = fit_bars(&p, SCDC_AUGMENT_AUTO, 1);
    assert_true(views_are_believed(model->clusters));
    scdc_model_free(model);
    problem_close(&p);
}

static bool answers_part(const problem *p, uint64_t seed)
{
    double nmi;
    scdc_model *model = fit_bars(p, SCDC_AUGMENT_AUTO, seed);
    bool believed = views_are_believed(model->clusters);
    size_t found = clusters_found(p, model, &nmi);
    scdc_model_free(model);
    return !believed && found == KINDS * SHIFTS && nmi > 0.99;
}

static void answers_part_what_views_would_join(void **state)
{
    (void)state;
    problem p = bars(SHIFTS, true);
    problem_ask(&p, 5, (double[]){0.95}, (double[]){0.95}, 1, 600, 300, 3);
    if (SANITIZED) answers_part(&p, 1);
    else assert_mostly(answers_part, &p);
    problem_close(&p);
}

/* Whether views count beside answers where most answers are kept back, and those that are heard say
 * little. */
static bool views_are_taken(const problem *p, uint64_t seed)
{
    bool unheard[ITEMS];
    scdc_model *model = fit_bars(p, SCDC_AUGMENT_AUTO, seed);
    cluster_level *t = model->clusters;
    for (size_t i = 0; i < t->graph.nodes; i++) unheard[i] = i % 8 != 0;
    assert_ok(cluster_level_keep_back(t, unheard));
    assert_ok(cluster_level_weigh_views(t));
    bool taken = views_count(&t->state);
    if (taken) assert_true(views_are_believed(t));
    scdc_model_free(model);
    return taken;
}

static bool views_are_not_taken(const problem *p, uint64_t seed)
{
    return !views_are_taken(p, seed);
}

static void answers_kept_back_decide_about_views(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        problem p = bars(MANY_SHIFTS, apart);
        problem_ask(&p, 5, (double[]){0.95}, (double[]){0.95}, 1, 1500, 700, 3);
        /* Sanitizers watch the way there, which is the same for every seed. */
        if (SANITIZED) views_are_taken(&p, 1);
        else assert_mostly(apart ? views_are_not_taken : views_are_taken, &p);
        problem_close(&p);
    }
}

/* A strength of links that answers kept back chose stays, as do the links' coins; any other is
 * learned again. */
static void a_strength_that_is_held_stays(void **state)
{
    (void)state;
    problem p = bars(SHIFTS, true);
    problem_ask(&p, 5, (double[]){0.95}, (double[]){0.95}, 1, 600, 300, 3);
    scdc_model *model = fit_bars(&p, SCDC_AUGMENT_NONE, 1);
    cluster_level *t = model->clusters;
    t->state.has_links = HELD_LINKS;
    t->state.strength = 0.003; /* no power of two */
    t->state.coins[0] = 0.77;
    assert_ok(cluster_level_begin(t));
    assert_ok(cluster_level_regroup(t, 2));
    assert_true(t->state.strength == 0.003 && t->state.coins[0] == 0.77);
    t->state.has_links = LINKS;
    assert_ok(cluster_level_regroup(t, 2));
    assert_true(t->state.strength != 0.003 && t->state.coins[0] != 0.77);
    scdc_model_free(model);
    problem_close(&p);
}

/* Whether answers that a quarter of the annotated items kept back chose how strong links are. */
static bool strength_is_chosen(const problem *p, uint64_t seed)
{
    bool unheard[ITEMS];
    scdc_model *model = fit_bars(p, SCDC_AUGMENT_NONE, seed);
    cluster_level *t = model->clusters;
    for (size_t i = 0; i < t->graph.nodes; i++) unheard[i] = i % 4 == 0;
    assert_ok(cluster_level_keep_back(t, unheard));
    assert_ok(cluster_level_weigh_links(t));
    bool held = links_are_held(&t->state);
    scdc_model_free(model);
    return held;
}

static void tossed_answers_leave_links_alone(void **state)
{
    (void)state;
    problem p = bars(MANY_SHIFTS, false);
    problem_ask(&p, 5, (double[]){0.5}, (double[]){0.5}, 1, 1500, 700, 3);
    assert_false(strength_is_chosen(&p, 1));
    problem_close(&p);
}

/* Pieces of a kind are linked in `right`, those of different kinds in `wrong`. */
static void link_pieces(const problem *p, const scdc_model *model, double *right, double *wrong)
{
    static int64_t component[ITEMS], labels[ITEMS];
    int of[MOST] = {0};
    assert_ok(scdc_model_labels(labels, NULL, component, NULL, model, p->data, p->crowd));
    for (size_t i = 0; i < ITEMS; i++) of[component[i]] += i % KINDS ? 1 : -1;
    for (size_t i = 0; i < MOST * MOST; i++) {
        int kinds = of[i / MOST] * of[i % MOST];
        right[i] = kinds > 0 ? LINKED : 0;
        wrong[i] = kinds < 0 ? LINKED : 0;
    }
}

/* Where links of look-alikes are right and those of neighbours wrong, whether the right ones alone
 * count; the other way round, whether all do. */
static bool right_links_count(const problem *p, uint64_t seed, bool look_alikes)
{
    bool unheard[ITEMS];
    scdc_model *model = fit_bars(p, SCDC_AUGMENT_NONE, seed);
    cluster_level *t = model->clusters;
    link_pieces(p, model, look_alikes ? t->views : t->links, look_alikes ? t->links : t->views);
    t->state.has_links = LOOK_ALIKES;
    for (size_t i = 0; i < t->graph.nodes; i++) unheard[i] = i % 8 != 0;
    assert_ok(cluster_level_keep_back(t, unheard));
    assert_ok(cluster_level_weigh_links(t));
    bool alone = look_alikes_count(&t->state), together = views_count(&t->state);
    scdc_model_free(model);
    return look_alikes ? alone : together;
}

static bool right_neighbours_count(const problem *p, uint64_t seed)
{
    return right_links_count(p, seed, false);
}

static bool right_look_alikes_count(const problem *p, uint64_t seed)
{
    return right_links_count(p, seed, true);
}

static void answers_kept_back_choose_look_alikes_or_all_links(void **state)
{
    (void)state;
    problem p = bars(MANY_SHIFTS, false);
    problem_ask(&p, 5, (double[]){0.95}, (double[]){0.95}, 1, 1500, 700, 3);
    if (SANITIZED) right_neighbours_count(&p, 1);
    else {
        assert_mostly(right_neighbours_count, &p);
        assert_mostly(right_look_alikes_count, &p);
    }
    problem_close(&p);
}

/* All links together, weaker, take the place of look-alikes where answers are foretold better by 10
 * nats than by nothing, and not worse by 2 than by look-alikes; each judged twice. */
static double links_that_are_taken(double usual, double together, double nothing)
{
    static cluster_level t;
    t.state.has_links = LOOK_ALIKES;
    link_trial trial = {.kinds = LINK_KINDS, .ways = LINK_WAYS, .kept = 100, .times = 2};
    for (size_t way = 0; way < LINK_WAYS; way++) trial.way[way].state.has_links = (double)way;
    trial.nothing = nothing;
    trial.way[2].fit = usual;
    trial.way[7].fit = together;
    link_trial_choose(&trial, &t);
    return t.state.has_links;
}

static void first_answers_choose_how_links_are_believed(void **state)
{
    (void)state;
    assert_true(links_that_are_taken(-100, -103, -200) == 7);
    assert_true(links_that_are_taken(-100, -105, -200) == 2);
    assert_true(links_that_are_taken(-100, -95, -110) == 2);
    assert_true(links_that_are_taken(-100, -95, -116) == 7);
}

/* Parts of the answers were kept back in turn; in the end all are heard. */
static void first_answers_are_all_heard(void **state)
{
    (void)state;
    double nmi;
    problem p = bars(MANY_SHIFTS, false);
    problem_ask(&p, 5, (double[]){0.9}, (double[]){0.9}, 1, 700, 700, 3);
    scdc_model *model = fit_bars(&p, SCDC_AUGMENT_NONE, 1);
    cluster_level *t = model->clusters;
    link_pieces(&p, model, t->views, t->links);
    memcpy(t->links, t->views, MOST * MOST * sizeof *t->links);
    t->state.has_links = LOOK_ALIKES;
    assert_ok(hear_first_answers(model, p.data));
    assert_null(t->unheard);
    for (size_t i = 0; i < t->graph.nodes; i++) assert_false(t->remembered.unheard[i]);
    assert_int_equal(clusters_found(&p, model, &nmi), KINDS);
    assert_true(nmi > 0.95);
    scdc_model_free(model);
    problem_close(&p);
}

/* What is kept back judges clusters, and has no say in them. */
static void answers_kept_back_join_nothing(void **state)
{
    (void)state;
    bool unheard[ITEMS];
    int64_t before[MOST];
    problem p = bars(MANY_SHIFTS, false);
    problem_ask(&p, 5, (double[]){0.95}, (double[]){0.95}, 1, 3000, 700, 3);
    scdc_model *model = fit_bars(&p, SCDC_AUGMENT_NONE, 1);
    cluster_level *t = model->clusters;
    scdc_answer *answers = p.crowd->answers; /* those that are remembered */
    assert_ptr_equal(answers, t->remembered.answers);
    for (size_t i = 0; i < t->graph.nodes; i++) unheard[i] = i % 32 != 0;
    assert_ok(cluster_level_keep_back(t, unheard));
    cluster_state state_before = t->state;
    assert_ok(t->source->group(t, true));
    assert_true(t->groups.clusters > KINDS);
    memcpy(before, t->groups.cluster, sizeof before);
    for (size_t a = 0; a < t->remembered.n_answers; a++) {
        if (unheard[t->graph.left[a]] || unheard[t->graph.right[a]]) answers[a].same = true;
    }
    t->state = state_before;
    assert_ok(t->source->group(t, true));
    assert_memory_equal(before, t->groups.cluster, sizeof before);
    scdc_model_free(model);
    problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_join_what_shifts_lead_into),
        cmocka_unit_test(answers_part_what_views_would_join),
        cmocka_unit_test(answers_kept_back_decide_about_views),
        cmocka_unit_test(a_strength_that_is_held_stays),
        cmocka_unit_test(tossed_answers_leave_links_alone),
        cmocka_unit_test(answers_kept_back_choose_look_alikes_or_all_links),
        cmocka_unit_test(first_answers_choose_how_links_are_believed),
        cmocka_unit_test(first_answers_are_all_heard),
        cmocka_unit_test(answers_kept_back_join_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
