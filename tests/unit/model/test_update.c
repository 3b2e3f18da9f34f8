/* New answers for a fitted model: what comes out does not depend on how they came, clusters keep
 * their numbers, and a model that cannot be updated stays as it is. */
#include "base/rng.h"
#include "model/update/update.h"
#include "model/use/kept.h"
#include "support/files.h"
#include "support/sanitizers.h"
#include "support/simulated.h"

#include <scdc/update.h>

enum { ITEMS = 300, KINDS = 4, WORKERS = 5, MORE = 20 };

static const double RATE = 0.9;

static scdc_options options(scdc_net net, scdc_model_kind kind)
{
    scdc_options o;
    scdc_options_init(&o);
    o.model = kind;
    o.net = net;
    o.components = 12;
    o.hidden[0] = 20;
    o.n_hidden = net == SCDC_NET_MLP ? 1 : 0;
    o.warmup = net == SCDC_NET_MLP ? 20 : o.warmup;
    o.epochs = 4;
    o.threads = 1;
    o.seed = 3;
    return o;
}

/* Answers [begin, end) of a crowd as one of their own. */
static scdc_crowd *part(const scdc_crowd *crowd, size_t begin, size_t end)
{
    scdc_crowd *out;
    assert_ok(scdc_crowd_from_memory(&out, scdc_crowd_answers(crowd, NULL) + begin, end - begin));
    return out;
}

static void append(scdc_crowd **all, const scdc_crowd *from, size_t begin, size_t end)
{
    scdc_crowd *some = part(from, begin, end);
    assert_ok(scdc_crowd_append(all, some));
    scdc_crowd_free(some);
}

static void appended_in_any_order(void **state)
{
    (void)state;
    static const scdc_answer first[] = {
        {5, 2, 0, 0, 1}, {2, 7, 0, 0, 0}, {5, 7, 0, 0, 0}, {1, 2, 1, SCDC_NO_TASK, 1}};
    static const scdc_answer second[] = {
        {3, 9, 0, 0, 1}, {9, 4, 0, 0, 1}, {3, 4, 0, 0, 1}, {8, 2, 4, SCDC_NO_TASK, 0}};
    scdc_crowd *a, *b, *one = NULL, *other = NULL;
    scdc_crowd_info info;
    assert_ok(scdc_crowd_from_memory(&a, first, 4));
    assert_ok(scdc_crowd_from_memory(&b, second, 4));
    assert_ok(scdc_crowd_append(&one, a));
    assert_ok(scdc_crowd_append(&one, b));
    assert_ok(scdc_crowd_append(&other, b));
    assert_ok(scdc_crowd_append(&other, a));
    assert_int_equal(scdc_crowd_checksum(one), scdc_crowd_checksum(other));
    assert_ok(scdc_crowd_get_info(&info, one));
    assert_int_equal(info.answers, 8);
    assert_int_equal(info.tasks, 2); /* task 0 of one is none of the other's */
    assert_int_equal(info.workers, 3);
    assert_string_equal(scdc_crowd_worker_name(one, 2), "4");
    assert_fails(scdc_crowd_append(&one, NULL), SCDC_ERR_ARGUMENT, "NULL");
    scdc_crowd_free(a);
    scdc_crowd_free(b);
    scdc_crowd_free(one);
    scdc_crowd_free(other);
}

/* Columns: components of items with few are chosen anew. Few items and answers, as updates are
 * many. */
enum { WIDE = 20, SOME = 200, SAID = 400, FIRST = 100 };

/* In one go, or in three parts and another order: the same labels and workers. The fit had the
 * first of the answers. */
static void check_parts(scdc_net net, scdc_model_kind kind, size_t columns, size_t first)
{
    problem p = {0};
    scdc_options o = options(net, kind);
    scdc_model *one, *many;
    static int64_t labels[2][SOME];
    scdc_worker workers[2][WORKERS];
    problem_blobs(&p, KINDS, SOME, columns, 3, 1);
    problem_ask(&p, WORKERS, &RATE, &RATE, 1, SAID, SOME, 5);
    scdc_crowd *few = first ? part(p.crowd, 0, first) : NULL, *all = NULL, *grown = NULL;
    assert_ok(scdc_fit(&one, p.data, few, &o, NULL, NULL));
    assert_ok(scdc_model_save(one, scratch_path("few.safetensors")));
    assert_ok(scdc_model_load(&many, scratch_path("few.safetensors")));
    append(&all, p.crowd, 0, SAID);
    assert_ok(scdc_model_update(one, p.data, all, NULL));
    if (first) append(&grown, p.crowd, 0, first);
    const size_t from[] = {270, first, 200}, to[] = {SAID, 200, 270};
    for (size_t i = 0; i < 3; i++) {
        append(&grown, p.crowd, from[i], to[i]);
        assert_ok(scdc_model_update(many, p.data, grown, NULL));
    }
    assert_ok(scdc_model_labels(labels[0], NULL, NULL, NULL, one, p.data, all));
    assert_ok(scdc_model_labels(labels[1], NULL, NULL, NULL, many, p.data, grown));
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    assert_ok(scdc_workers(workers[0], WORKERS, one));
    assert_ok(scdc_workers(workers[1], WORKERS, many));
    for (size_t w = 0; w < WORKERS; w++) {
        assert_string_equal(workers[0][w].name, workers[1][w].name);
        assert_close(workers[0][w].sensitivity, workers[1][w].sensitivity, 1e-6);
        assert_close(workers[0][w].specificity, workers[1][w].specificity, 1e-6);
    }
    scdc_crowd_free(few);
    scdc_crowd_free(all);
    scdc_crowd_free(grown);
    scdc_model_free(one);
    scdc_model_free(many);
    problem_close(&p);
}

static void parts_do_not_matter(void **state)
{
    (void)state;
    check_parts(SCDC_NET_MLP, SCDC_MODEL_BAYES, 4, FIRST);
    check_parts(SCDC_NET_MLP, SCDC_MODEL_AMORTIZED, 4, FIRST);
    check_parts(SCDC_NET_LINEAR, SCDC_MODEL_BAYES, 4, FIRST);
    check_parts(SCDC_NET_MLP, SCDC_MODEL_BAYES, WIDE, FIRST);
    check_parts(SCDC_NET_MLP, SCDC_MODEL_BAYES, WIDE, 0);
}

/* A fit without any answer hears its first ones as well as a fit with them does. */
static bool hears_first_answers(const problem *p, uint64_t seed)
{
    scdc_options o = options(SCDC_NET_MLP, SCDC_MODEL_BAYES);
    scdc_model *model;
    scdc_scores scores;
    static int64_t labels[ITEMS];
    o.seed = seed;
    assert_ok(scdc_fit(&model, p->data, NULL, &o, NULL, NULL));
    assert_ok(scdc_model_update(model, p->data, p->crowd, NULL));
    assert_ok(scdc_model_labels(labels, NULL, NULL, NULL, model, p->data, p->crowd));
    assert_ok(scdc_score(&scores, labels, scdc_labels_values(p->truth), ITEMS));
    scdc_model_free(model);
    return scores.acc > 0.93;
}

static void first_answers(void **state)
{
    (void)state;
    problem p = {0};
    problem_blobs(&p, KINDS, ITEMS, 4, 6, 2);
    problem_ask(&p, WORKERS, &RATE, &RATE, 1, 600, ITEMS, 5);
    assert_mostly(hears_first_answers, &p);
    problem_close(&p);
}

/* Of many items the components stay that a fit without any answer found, in every update. */
static void first_answers_of_many_items(void **state)
{
    (void)state;
    enum { MANY = 10000, COMPONENTS = 12 };
    double before[COMPONENTS], after[COMPONENTS];
    problem p = {0};
    scdc_model *model;
    scdc_options o = options(SCDC_NET_MLP, SCDC_MODEL_BAYES);
    o.warmup = 1;
    o.epochs = 2;
    problem_blobs(&p, KINDS, MANY, 4, 6, 2);
    problem_ask(&p, WORKERS, &RATE, &RATE, 1, 200, MANY, 5);
    assert_ok(scdc_fit(&model, p.data, NULL, &o, NULL, NULL));
    model->core->ops->proportions(before, model->core);
    for (size_t answers = 100; answers <= 200; answers += 100) {
        scdc_crowd *crowd = part(p.crowd, 0, answers);
        assert_ok(scdc_model_update(model, p.data, crowd, NULL));
        model->core->ops->proportions(after, model->core);
        for (size_t k = 0; k < COMPONENTS; k++) assert_close(after[k], before[k], 1e-12);
        assert_int_equal(model->fit_answers, 0);
        scdc_crowd_free(crowd);
    }
    scdc_model_free(model);
    problem_close(&p);
}

static scdc_crowd *crowd_of(const scdc_answer *answers, size_t count)
{
    scdc_crowd *out;
    assert_ok(scdc_crowd_from_memory(&out, answers, count));
    return out;
}

/* Answers that are there already are left out, as often as they are there; tasks as a whole. */
static void known_answers(void **state)
{
    (void)state;
    static const scdc_answer had[] = {{5, 2, 0, SCDC_NO_TASK, 1},
                                      {1, 2, 1, SCDC_NO_TASK, 0},
                                      {3, 9, 0, 0, 1},
                                      {9, 4, 0, 0, 0},
                                      {3, 4, 0, 0, 0},
                                      {6, 7, 1, 1, 1}};
    static const scdc_answer news[] = {{2, 5, 0, SCDC_NO_TASK, 1}, /* the other way round: known */
                                       {5, 2, 0, SCDC_NO_TASK, 1}, /* once more: new */
                                       {1, 2, 1, SCDC_NO_TASK, 1}, /* another answer: new */
                                       {1, 2, 0, SCDC_NO_TASK, 0}, /* another worker: new */
                                       {6, 7, 1, SCDC_NO_TASK, 1}, /* was said in a task: new */
                                       {9, 4, 0, 0, 0},
                                       {3, 4, 0, 0, 0},
                                       {3, 9, 0, 0, 1}, /* the task in another order: known */
                                       {3, 9, 0, 1, 1},
                                       {9, 4, 0, 1, 0}}; /* a part of it: new */
    scdc_crowd *a = crowd_of(had, 6), *b = crowd_of(news, 10), *same = crowd_of(had, 6);
    scdc_crowd_info info;
    size_t known;
    assert_ok(scdc_crowd_leave_out(&b, &known, a));
    assert_int_equal(known, 4);
    assert_ok(scdc_crowd_get_info(&info, b));
    assert_int_equal(info.answers, 6);
    assert_int_equal(info.tasks, 1);
    const scdc_answer *left = scdc_crowd_answers(b, NULL);
    assert_int_equal(left[0].left, 5);
    assert_int_equal(left[4].task, 0);
    assert_int_equal(left[5].right, 4);
    assert_ok(scdc_crowd_leave_out(&same, &known, a));
    assert_null(same);
    assert_int_equal(known, 6);
    assert_ok(scdc_crowd_leave_out(&b, &known, NULL));
    assert_int_equal(known, 0);
    assert_fails(scdc_crowd_leave_out(NULL, &known, a), SCDC_ERR_ARGUMENT, "NULL");
    scdc_crowd_free(a);
    scdc_crowd_free(b);
}

/* What is known of items is a memory: with it, without it, and from a file labels are the same; one
 * of another model or other items is refused, as is a damaged one. */
static void remembered_items(void **state)
{
    (void)state;
    problem p = {0}, q = {0};
    scdc_options o = options(SCDC_NET_MLP, SCDC_MODEL_BAYES);
    scdc_model *with, *without, *other;
    static int64_t labels[3][ITEMS], component[2][ITEMS];
    static float proba[2][ITEMS * 12];
    problem_blobs(&p, KINDS, ITEMS, WIDE, 3, 1);
    problem_blobs(&q, KINDS, ITEMS, WIDE, 3, 2);
    problem_ask(&p, WORKERS, &RATE, &RATE, 1, 600, ITEMS, 5);
    scdc_crowd *few = part(p.crowd, 0, 300), *all = NULL;
    append(&all, p.crowd, 0, 600);
    assert_ok(scdc_fit(&with, p.data, few, &o, NULL, NULL));
    o.seed = 4;
    assert_ok(scdc_fit(&other, p.data, few, &o, NULL, NULL));
    static char model_path[1024], path[1024];
    snprintf(model_path, sizeof model_path, "%s", scratch_path("model.safetensors"));
    snprintf(path, sizeof path, "%s", scratch_path("items.safetensors"));
    assert_ok(scdc_model_save(with, model_path));
    assert_ok(scdc_model_load(&without, model_path));
    assert_ok(scdc_items_save(path, without)); /* nothing is known yet: no file */
    assert_fails(scdc_items_load(without, p.data, path), SCDC_ERR_INPUT, "items");
    /* The labels that the fit left are those that are found again. */
    assert_ok(scdc_model_labels(labels[0], NULL, component[0], proba[0], with, p.data, few));
    assert_ok(scdc_model_labels(labels[1], NULL, component[1], proba[1], without, p.data, few));
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    assert_memory_equal(component[0], component[1], sizeof component[0]);
    assert_memory_equal(proba[0], proba[1], sizeof proba[0]);
    assert_ok(scdc_items_save(path, with));
    assert_fails(scdc_items_load(other, p.data, path), SCDC_ERR_INPUT, "another model");
    assert_fails(scdc_items_load(without, q.data, path), SCDC_ERR_INPUT, "other items");
    assert_ok(scdc_model_update(without, p.data, all, NULL));
    assert_ok(scdc_model_update(with, p.data, all, NULL));
    assert_ok(scdc_items_save(path, with));
    assert_ok(scdc_items_load(without, p.data, path)); /* both went the same way */
    assert_ok(scdc_model_labels(labels[0], NULL, NULL, NULL, with, p.data, all));
    assert_ok(scdc_model_labels(labels[1], NULL, NULL, NULL, without, p.data, all));
    assert_ok(scdc_model_save(without, model_path));
    scdc_model_free(without);
    assert_ok(scdc_model_load(&without, model_path));
    assert_ok(scdc_items_load(without, p.data, path));
    assert_ok(scdc_model_labels(labels[2], NULL, NULL, NULL, without, p.data, all));
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    assert_memory_equal(labels[0], labels[2], sizeof labels[0]);
    assert_fails(scdc_items_load(without, p.data, model_path), SCDC_ERR_INPUT, "does not hold");
    scdc_crowd_free(few);
    scdc_crowd_free(all);
    scdc_model_free(with);
    scdc_model_free(without);
    scdc_model_free(other);
    problem_close(&p);
    problem_close(&q);
}

/* ---- few answers, then many ---- */

static double score_of(const scdc_model *model, const problem *p, const scdc_crowd *crowd)
{
    static int64_t labels[2 * ITEMS];
    scdc_scores scores;
    assert_ok(scdc_model_labels(labels, NULL, NULL, NULL, model, p->data, crowd));
    assert_ok(scdc_score(&scores, labels, scdc_labels_values(p->truth), 2 * ITEMS));
    return scores.acc;
}

/* Networks and components of a fit with few answers do not hold an update back: with many it is as
 * good as the best fit that had them all, .98 (with components kept .67 to .83). */
static bool catches_up(const problem *p, uint64_t seed)
{
    scdc_options o;
    scdc_model *model;
    scdc_crowd *few = part(p->crowd, 0, 100), *all = NULL;
    scdc_options_init(&o);
    o.net = SCDC_NET_MLP;
    o.threads = 1;
    o.seed = seed;
    append(&all, p->crowd, 0, 900);
    assert_ok(scdc_fit(&model, p->data, few, &o, NULL, NULL));
    assert_ok(scdc_model_update(model, p->data, all, NULL));
    double updated = score_of(model, p, all);
    scdc_model_free(model);
    scdc_crowd_free(few);
    scdc_crowd_free(all);
    return updated > .95;
}

static void many_answers_after_few(void **state)
{
    (void)state;
    problem p = {0};
    scdc_simulation s;
    problem_blobs(&p, 6, 2 * ITEMS, 6, 2.5, 2);
    scdc_simulation_init(&s);
    s.workers = WORKERS;
    s.sensitivity = s.specificity = &RATE;
    s.n_sensitivity = s.n_specificity = 1;
    s.pairs = 900;
    s.scheme = SCDC_SCHEME_BALANCED;
    assert_ok(scdc_simulate_answers(&p.crowd, p.truth, &s));
    /* Sanitizers watch the way there, which is the same for every seed. */
    for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 3); seed++) assert_true(catches_up(&p, seed));
    problem_close(&p);
}

/* ---- classes ---- */

enum { TOLD = 2400 };

/* Two clear blobs, and of each two kinds that one of many columns tells apart: no component shows
 * them, and few answers cannot. */
static void problem_halves(problem *p)
{
    static float x[ITEMS * WIDE];
    static int64_t kind[ITEMS];
    rng draw;
    rng_init(&draw, 9, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        for (size_t c = 0; c < WIDE; c++) x[i * WIDE + c] = (float)rng_normal(&draw);
        kind[i] = (int64_t)(i % 4);
        x[i * WIDE] += i % 2 ? 12 : -12;
        x[i * WIDE + 1] = (float)((i % 4 < 2 ? 1 : -1) * (0.5 + rng_uniform(&draw)));
    }
    assert_ok(scdc_data_from_memory(&p->data, x, SCDC_F32, ITEMS, WIDE, 1));
    assert_ok(scdc_labels_from_memory(&p->truth, kind, ITEMS));
    problem_ask(p, WORKERS, &RATE, &RATE, 1, TOLD, ITEMS, 5);
}

static double acc_of(const scdc_model *model, const problem *p, const scdc_crowd *crowd,
                     int64_t *labels)
{
    scdc_scores scores;
    assert_ok(scdc_model_labels(labels, NULL, NULL, NULL, model, p->data, crowd));
    assert_ok(scdc_score(&scores, labels, scdc_labels_values(p->truth), ITEMS));
    return scores.acc;
}

/* A class without items is dropped at the end of a fit or an update: the file can be read. */
static void check_dropped_class(scdc_model *model)
{
    uint32_t number[MOST_CLASSES];
    scdc_model *loaded;
    size_t C = model->n_clusters;
    static char path[1024];
    snprintf(path, sizeof path, "%s", scratch_path("dropped.safetensors"));
    for (size_t c = 0; c < C; c++) number[c] = c + 1 < C ? (uint32_t)c : NO_CLUSTER;
    cluster_level_renumber(model->clusters, number);
    classifier_renumber(&model->classifier, number, C - 1);
    model_regroup(model);
    assert_ok(scdc_model_save(model, path));
    assert_ok(scdc_model_load(&loaded, path));
    assert_int_equal(loaded->n_clusters, C - 1);
    scdc_model_free(loaded);
}

/* Components that were kept aside come back with the links that counted, from a file, too; their
 * clusters are not given as those of classes are. What answers kept back chose of the links, their
 * strength and coins, comes along; what was learned from the answers heard then does not. */
static void check_kept_links(scdc_model *model, enum links_state links)
{
    scdc_model *loaded;
    static char path[1024];
    snprintf(path, sizeof path, "%s", scratch_path("kept.safetensors"));
    cluster_state *state = &model->clusters->state, now = *state;
    kept_free(model->kept);
    model->kept = NULL;
    *state = (cluster_state){0.25, {0.6, 0.7}, links, now.given};
    bool held = links_are_held(state);
    assert_ok(kept_take(&model->kept, model));
    *state = now;
    assert_ok(scdc_model_save(model, path));
    assert_ok(scdc_model_load(&loaded, path));
    cluster_state *back = &loaded->clusters->state;
    *back = (cluster_state){0.5, {0.8, 0.9}, 0, now.given + 1};
    assert_ok(kept_restore(loaded, loaded->kept));
    assert_true(back->has_links == links && back->given == now.given + 1);
    assert_true(back->strength == (held ? 0.25 : 0.5));
    assert_true(back->coins[0] == (held ? 0.6 : 0.8) && back->coins[1] == (held ? 0.7 : 0.9));
    kept_forget_state(loaded->kept); /* an older file */
    assert_ok(kept_restore(loaded, loaded->kept));
    assert_true(back->has_links <= LINKS);
    scdc_model_free(loaded);
}

/* Kinds that a fit with few answers did not see are found when many tell them, in one go or in
 * parts, one of which took classes already: it kept the components to compare with. */
static bool finds_halves(const problem *p, uint64_t seed)
{
    scdc_options o = options(SCDC_NET_MLP, SCDC_MODEL_BAYES);
    scdc_model *one, *many;
    scdc_model_info info;
    static int64_t labels[2][ITEMS];
    scdc_crowd *few = part(p->crowd, 0, 60), *all = NULL, *grown = NULL;
    scdc_scores same;
    o.seed = seed;
    o.classifier = SCDC_CLASSIFIER_NONE;
    assert_ok(scdc_fit(&one, p->data, few, &o, NULL, NULL));
    static char path[1024];
    snprintf(path, sizeof path, "%s", scratch_path("halves.safetensors"));
    assert_ok(scdc_model_save(one, path));
    assert_ok(scdc_model_load(&many, path));
    append(&all, p->crowd, 0, TOLD);
    assert_ok(scdc_model_update(one, p->data, all, NULL));
    append(&grown, p->crowd, 0, 60);
    append(&grown, p->crowd, 800, TOLD);
    assert_ok(scdc_model_update(many, p->data, grown, NULL));
    assert_ok(scdc_model_save(many, path));
    scdc_model_free(many);
    assert_ok(scdc_model_load(&many, path));
    append(&grown, p->crowd, 60, 800);
    assert_ok(scdc_model_update(many, p->data, grown, NULL));
    double acc = acc_of(one, p, all, labels[0]);
    acc_of(many, p, grown, labels[1]);
    assert_ok(scdc_model_get_info(&info, one));
    assert_ok(scdc_score(&same, labels[0], labels[1], ITEMS));
    if (info.judged) {
        check_dropped_class(one);
        check_kept_links(one, LINKS_AND_VIEWS);
        check_kept_links(one, HELD_LINKS);
    }
    scdc_crowd_free(few);
    scdc_crowd_free(all);
    scdc_crowd_free(grown);
    scdc_model_free(one);
    scdc_model_free(many);
    return info.judged && acc > 0.9 && same.acc == 1;
}

static void classes_in_place_of_components(void **state)
{
    (void)state;
    problem p = {0};
    problem_halves(&p);
    /* Sanitizers watch the way there, which is the same for every seed. */
    if (SANITIZED) finds_halves(&p, 1);
    else assert_mostly(finds_halves, &p);
    problem_close(&p);
}

/* New items are placed; a file keeps it all. */
static void more_items(void **state)
{
    (void)state;
    problem p = {0};
    scdc_options o = options(SCDC_NET_MLP, SCDC_MODEL_BAYES);
    scdc_model *model, *again;
    scdc_model_info info;
    static int64_t labels[ITEMS + MORE], loaded[ITEMS + MORE];
    scdc_data *more, *all;
    float values[MORE * 4];
    problem_blobs(&p, KINDS, ITEMS, 4, 6, 1);
    problem_ask(&p, WORKERS, &RATE, &RATE, 1, 600, ITEMS, 5);
    assert_ok(scdc_fit(&model, p.data, p.crowd, &o, NULL, NULL));
    assert_ok(scdc_data_rows(values, p.data, 0, MORE));
    assert_ok(scdc_data_from_memory(&more, values, SCDC_F32, MORE, 4, 1));
    assert_ok(scdc_data_join(&all, (const scdc_data *const[]){p.data, more}, 2));
    assert_ok(scdc_model_update(model, all, p.crowd, NULL));
    assert_ok(scdc_model_get_info(&info, model));
    assert_int_equal(info.items, ITEMS + MORE);
    assert_int_equal(info.answers, 600);
    assert_int_equal(info.workers, WORKERS);
    assert_ok(scdc_model_labels(labels, NULL, NULL, NULL, model, all, p.crowd));
    size_t alike = 0;
    for (size_t i = 0; i < MORE; i++) alike += labels[ITEMS + i] == labels[i];
    assert_true(alike >= MORE - 3); /* the same values, without answers */
    assert_ok(scdc_model_save(model, scratch_path("updated.safetensors")));
    assert_ok(scdc_model_load(&again, scratch_path("updated.safetensors")));
    assert_ok(scdc_model_labels(loaded, NULL, NULL, NULL, again, all, p.crowd));
    assert_memory_equal(labels, loaded, sizeof labels);
    assert_fails(scdc_fit_resume(again, all, p.crowd, 9, NULL, NULL), SCDC_ERR_ARGUMENT,
                 "scdc_model_update");
    scdc_data_free(more);
    scdc_data_free(all);
    scdc_model_free(model);
    scdc_model_free(again);
    problem_close(&p);
}

/* ---- gold, known workers ---- */

/* Worker 0 is always wrong about known pairs: few answers are enough to tell. */
static void known_pairs_and_workers(void **state)
{
    (void)state;
    problem p = {0};
    scdc_options o = options(SCDC_NET_LINEAR, SCDC_MODEL_BAYES);
    scdc_crowd *crowd, *stranger;
    scdc_model *model, *plain;
    scdc_worker w[3], v[2];
    static char text[20000];
    size_t known, at = (size_t)sprintf(text, "worker,left,right,label,gold\n");
    problem_blobs(&p, KINDS, ITEMS, 4, 6, 1);
    const int64_t *truth = scdc_labels_values(p.truth);
    for (uint32_t i = 0; i < 120; i++) {
        int same = truth[i] == truth[i + 1];
        at += (size_t)sprintf(text + at, "bad,%u,%u,%d,%d\ngood,%u,%u,%d,\n", i, i + 1, !same, same,
                              i, i + 2, truth[i] == truth[i + 2]);
    }
    const char *path = scratch_write("gold.csv", text, at);
    assert_ok(scdc_crowd_open(&crowd, &path, 1, p.data));
    assert_ok(scdc_fit(&model, p.data, crowd, &o, NULL, NULL));
    assert_ok(scdc_workers(w, 3, model));
    assert_string_equal(w[0].name, "bad");
    assert_true(w[0].sensitivity < 0.2 && w[0].specificity < 0.2);
    assert_true(w[1].specificity > 0.8);
    assert_string_equal(w[2].name, "(gold)");
    assert_true(w[2].sensitivity > 0.999 && w[2].answers == 120);
    scdc_crowd_free(crowd);
    scdc_model_free(model);
    static const char wrong[] = "worker,left,right,label,gold\na,1,2,1,1\nb,2,1,0,0\n";
    path = scratch_write("wrong.csv", wrong, sizeof wrong - 1);
    assert_fails(scdc_crowd_open(&crowd, &path, 1, p.data), SCDC_ERR_INPUT, "line 3");

    static const char few[] = "worker,left,right,label\nana,1,2,1\nben,3,4,1\n";
    static const char prior[] =
        "worker,answers,sensitivity,sensitivity_low,sensitivity_high,specificity,specificity_low,"
        "specificity_high,weight\nana,500,0.7,0.66,0.74,0.9,0.87,0.93,3\n";
    path = scratch_write("few.csv", few, sizeof few - 1);
    assert_ok(scdc_crowd_open(&crowd, &path, 1, p.data));
    assert_ok(scdc_crowd_open(&stranger, &path, 1, p.data));
    assert_ok(scdc_crowd_know_workers(crowd, &known,
                                      scratch_write("prior.csv", prior, sizeof prior - 1)));
    assert_int_equal(known, 1);
    assert_ok(scdc_fit(&model, p.data, crowd, &o, NULL, NULL));
    assert_ok(scdc_fit(&plain, p.data, stranger, &o, NULL, NULL));
    assert_ok(scdc_workers(w, 3, model));
    assert_ok(scdc_workers(v, 2, plain));
    assert_close(w[0].sensitivity, 0.7, 0.02);
    assert_close(w[0].sensitivity_low, 0.66, 0.02);
    assert_close(w[0].specificity_high, 0.93, 0.02);
    assert_close(w[1].sensitivity, v[1].sensitivity, 0.2); /* a stranger still */
    assert_true(v[0].sensitivity_high - v[0].sensitivity_low > 0.3);
    scdc_crowd *all = NULL;
    assert_ok(scdc_crowd_append(&all, crowd));
    assert_ok(scdc_model_update(plain, p.data, all, NULL));
    assert_ok(scdc_workers(v, 2, plain));
    assert_close(v[0].sensitivity, 0.7, 0.02);
    scdc_crowd_free(crowd);
    scdc_crowd_free(stranger);
    scdc_crowd_free(all);
    scdc_model_free(model);
    scdc_model_free(plain);
    problem_close(&p);
}

/* Clusters 0 1 2 3 become {0}, {1 and 2}, {half of 3}, {the other half}; then one vanishes, then
 * one splits: no number comes back. */
static void numbers_are_never_used_again(void **state)
{
    (void)state;
    problem p = {0};
    scdc_options o = options(SCDC_NET_LINEAR, SCDC_MODEL_BAYES);
    scdc_model *from, *next;
    int64_t numbers[KINDS], after;
    static const int64_t before[] = {0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3};
    static const int64_t merged[] = {3, 3, 3, 1, 1, 1, 1, 1, 0, 0, 0, 2, 2};
    problem_blobs(&p, KINDS, ITEMS, 4, 4, 1);
    problem_ask(&p, WORKERS, &RATE, &RATE, 1, 600, ITEMS, 5);
    o.clusters = KINDS;
    assert_ok(scdc_fit(&from, p.data, p.crowd, &o, NULL, NULL));
    assert_ok(scdc_fit(&next, p.data, p.crowd, &o, NULL, NULL));
    assert_int_equal(from->n_clusters, KINDS);
    assert_ok(update_numbers(next, from, before, merged, 13));
    assert_ok(scdc_model_clusters(numbers, KINDS, &after, next));
    static const int64_t first[] = {0, 1, 3, 4}; /* 2 went into 1; the smaller half of 3 is new */
    assert_memory_equal(numbers, first, sizeof numbers);
    assert_int_equal(after, 5);
    /* What was at positions 3, 1, 0, 2 is now in the order of the numbers. */
    static int64_t labels[ITEMS], plain[ITEMS];
    static const int64_t moved[] = {3, 1, 4, 0};
    assert_ok(scdc_predict(plain, NULL, NULL, NULL, from, p.data, NULL));
    assert_ok(scdc_predict(labels, NULL, NULL, NULL, next, p.data, NULL));
    for (size_t i = 0; i < ITEMS; i++) assert_int_equal(labels[i], moved[plain[i]]);
    /* From there: cluster 4 vanishes into 3, a part of 0 is new. */
    static const int64_t now[] = {0, 0, 0, 1, 1, 3, 3, 4, 4};
    static const int64_t then[] = {0, 0, 3, 1, 1, 2, 2, 2, 2};
    assert_ok(update_numbers(from, next, now, then, 9));
    assert_ok(scdc_model_clusters(numbers, KINDS, &after, from));
    static const int64_t second[] = {0, 1, 3, 5};
    assert_memory_equal(numbers, second, sizeof numbers);
    assert_int_equal(after, 6);
    scdc_model_free(from);
    scdc_model_free(next);
    problem_close(&p);
}

/* One worker, every item annotated, every answer contradicted: still an update. */
static void hard_answers(void **state)
{
    (void)state;
    problem p = {0};
    scdc_options o = options(SCDC_NET_MLP, SCDC_MODEL_BAYES);
    scdc_model *model;
    static int64_t labels[ITEMS];
    static double probability[ITEMS];
    static scdc_answer said[2 * ITEMS];
    problem_blobs(&p, KINDS, ITEMS, 4, 3, 1);
    for (uint32_t i = 0; i < 2 * ITEMS; i++)
        said[i] = (scdc_answer){i / 2, (i / 2 + 1) % ITEMS, 7, SCDC_NO_TASK, i % 2};
    assert_ok(scdc_crowd_from_memory(&p.crowd, said, 2 * ITEMS));
    assert_ok(scdc_fit(&model, p.data, NULL, &o, NULL, NULL));
    assert_ok(scdc_model_update(model, p.data, p.crowd, NULL));
    assert_ok(scdc_model_labels(labels, probability, NULL, NULL, model, p.data, p.crowd));
    for (size_t i = 0; i < ITEMS; i++) assert_true(probability[i] > 0 && probability[i] <= 1);
    scdc_model_free(model);
    problem_close(&p);
}

static void refusals(void **state)
{
    (void)state;
    problem p = {0};
    scdc_options o = options(SCDC_NET_LINEAR, SCDC_MODEL_BAYES);
    scdc_model *model, *paper;
    static int64_t before[ITEMS], after[ITEMS];
    problem_blobs(&p, KINDS, ITEMS, 4, 3, 1);
    problem_ask(&p, WORKERS, &RATE, &RATE, 1, 600, ITEMS, 5);
    assert_ok(scdc_fit(&model, p.data, p.crowd, &o, NULL, NULL));
    assert_ok(scdc_model_labels(before, NULL, NULL, NULL, model, p.data, p.crowd));
    scdc_crowd *few = part(p.crowd, 0, 10);
    assert_fails(scdc_model_update(model, p.data, few, NULL), SCDC_ERR_ARGUMENT, "600 answers");
    static const scdc_answer far[] = {{0, ITEMS + 5, 0, SCDC_NO_TASK, 1}};
    scdc_crowd *beyond, *all = NULL;
    assert_ok(scdc_crowd_from_memory(&beyond, far, 1));
    assert_ok(scdc_crowd_append(&all, p.crowd));
    assert_ok(scdc_crowd_append(&all, beyond));
    assert_fails(scdc_model_update(model, p.data, all, NULL), SCDC_ERR_ARGUMENT, "item 305");
    assert_ok(scdc_model_labels(after, NULL, NULL, NULL, model, p.data, p.crowd));
    assert_memory_equal(before, after, sizeof before);
    o = options(SCDC_NET_MLP, SCDC_MODEL_BAYES);
    o.recipe = SCDC_RECIPE_PAPER;
    o.epochs = 1;
    assert_ok(scdc_fit(&paper, p.data, p.crowd, &o, NULL, NULL));
    assert_fails(scdc_model_update(paper, p.data, p.crowd, NULL), SCDC_ERR_UNSUPPORTED, "paper");
    scdc_crowd_free(few);
    scdc_crowd_free(beyond);
    scdc_crowd_free(all);
    scdc_model_free(model);
    scdc_model_free(paper);
    problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_in_any_order),
        cmocka_unit_test(known_answers),
        cmocka_unit_test(remembered_items),
        cmocka_unit_test(parts_do_not_matter),
        cmocka_unit_test(first_answers),
        cmocka_unit_test(first_answers_of_many_items),
        cmocka_unit_test(many_answers_after_few),
        cmocka_unit_test(classes_in_place_of_components),
        cmocka_unit_test(numbers_are_never_used_again),
        cmocka_unit_test(more_items),
        cmocka_unit_test(known_pairs_and_workers),
        cmocka_unit_test(hard_answers),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
