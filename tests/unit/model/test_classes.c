/* Kinds that are not the groups the items form: many persons, each in two poses that differ much
 * less than persons do. Answers are about poses. */
#include "base/rng.h"
#include "io/safetensors.h"
#include "model/classes/classes.h"
#include "model/classes/classifier.h"
#include "model/model.h"
#include "support/files.h"

#include "model/classes/class_guess.c" /* its objective is tested against differences */
#include "support/sanitizers.h"

enum { PERSONS = 12, EACH = 20, ITEMS = PERSONS * EACH, DIMS = 4, WORKERS = 4 };

typedef struct album {
    scdc_data *data;
    scdc_crowd *crowd;
    int64_t pose[ITEMS];
    scdc_answer *answers;
    size_t n_answers;
} album;

/* `about`: only the first so many items are asked about. Worker 3 says the opposite. */
static void album_open(album *a, size_t pairs, size_t about, uint64_t seed)
{
    static float x[ITEMS][DIMS];
    rng r;
    rng_init(&r, seed, RNG_TEST, 2, 0);
    *a = (album){.n_answers = pairs};
    double place[PERSONS][2];
    for (size_t p = 0; p < PERSONS; p++) {
        for (size_t d = 0; d < 2; d++) place[p][d] = 6 * rng_normal(&r);
    }
    for (size_t i = 0; i < ITEMS; i++) {
        size_t person = i % PERSONS;
        a->pose[i] = (int64_t)(i / PERSONS % 2);
        for (size_t d = 0; d < DIMS; d++) x[i][d] = (float)(0.2 * rng_normal(&r));
        for (size_t d = 0; d < 2; d++) x[i][d] += (float)place[person][d];
        x[i][2] += a->pose[i] ? 1.0f : -1.0f;
    }
    assert_ok(scdc_data_from_memory(&a->data, x, SCDC_F32, ITEMS, DIMS, 1));
    a->answers = calloc(pairs, sizeof *a->answers);
    for (size_t k = 0; k < pairs; k++) {
        uint32_t left = (uint32_t)rng_below(&r, about), right = left;
        while (right == left) right = (uint32_t)rng_below(&r, about);
        bool truth = a->pose[left] == a->pose[right], right_answer = rng_uniform(&r) < 0.9;
        uint32_t worker = (uint32_t)(k % WORKERS);
        bool same = (truth == right_answer) != (worker == WORKERS - 1);
        a->answers[k] = (scdc_answer){.left = left, .right = right, .worker = worker, .same = same};
    }
    assert_ok(scdc_crowd_from_memory(&a->crowd, a->answers, pairs));
}

static void album_close(album *a)
{
    scdc_data_free(a->data);
    scdc_crowd_free(a->crowd);
    free(a->answers);
}

static scdc_options short_options(void)
{
    scdc_options o;
    scdc_options_init(&o);
    o.components = 12;
    o.net = SCDC_NET_MLP;
    o.warmup = 30;
    o.epochs = 2;
    return o;
}

static scdc_scores scores_of(const album *a, const scdc_model *model)
{
    int64_t labels[ITEMS];
    scdc_scores s;
    assert_ok(scdc_predict_together(labels, NULL, NULL, NULL, model, a->data, a->crowd));
    assert_ok(scdc_score(&s, labels, a->pose, ITEMS));
    return s;
}

/* The gradient of the first guess. */
static void the_guess_climbs_its_gradient(void **state)
{
    (void)state;
    album a;
    arena memory = {0};
    crowd_graph graph;
    attempt t;
    enum { CLASSES = 3, ROWS = DIMS + 1 };
    double weights[ROWS * CLASSES], gradient[ROWS * CLASSES], unused[ROWS * CLASSES];
    rng r;
    album_open(&a, 60, ITEMS, 5);
    assert_ok(crowd_graph_build(&graph, a.answers, a.n_answers));
    double *weight;
    weight = arena_new(&memory, a.n_answers, sizeof *weight, "weights");
    assert_ok(arena_status(&memory));
    for (size_t i = 0; i < a.n_answers; i++) weight[i] = i % 2 ? 1 : 0.3;
    puzzle p = {.graph = &graph,
                .answers = a.answers,
                .weight = weight,
                .workers = WORKERS,
                .nodes = graph.nodes,
                .k = CLASSES};
    class_view view = {.rows = ROWS};
    view.x = arena_new(&memory, p.nodes * ROWS, sizeof *view.x, "values");
    assert_ok(arena_status(&memory));
    assert_ok(attempt_create(&t, &memory, &p, &view, 0, -1));
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (size_t i = 0; i < p.nodes * ROWS; i++) view.x[i] = rng_normal(&r);
    for (size_t i = 0; i < ROWS * CLASSES; i++) weights[i] = 0.5 * rng_normal(&r);
    for (size_t m = 0; m < WORKERS; m++)
        t.coins[m] = two_coin_from_rates(0.8, 0.6 + 0.1 * (double)m);
    look_at_answers(&t);
    objective(&t, gradient, weights);
    for (size_t i = 0; i < ROWS * CLASSES; i++) {
        double old = weights[i], step = 1e-5;
        weights[i] = old + step;
        double above = objective(&t, unused, weights);
        weights[i] = old - step;
        double below = objective(&t, unused, weights);
        weights[i] = old;
        assert_near(gradient[i], (above - below) / (2 * step), 1e-6);
    }
    arena_free(&memory);
    crowd_graph_free(&graph);
    album_close(&a);
}

/* Two classes of sixteen are left, the items are in them, and the liar is known. */
static void classes_and_workers_are_found(void **state)
{
    (void)state;
    album a;
    classes c;
    scdc_options o = short_options();
    input_scale plain = {.scale = 1};
    size_t right = 0;
    album_open(&a, 800, ITEMS, 1);
    assert_ok(classes_find(&c, a.data, &plain, a.answers, a.n_answers, WORKERS, NULL, &o, NULL));
    assert_int_equal(c.classifier.classes, 2);
    for (size_t n = 0; n < c.graph.nodes; n++) {
        bool first = c.r[2 * n] > 0.5;
        right += first == (a.pose[c.graph.item[n]] == a.pose[c.graph.item[0]]);
    }
    if (c.r[0] < 0.5) right = c.graph.nodes - right;
    assert_true(right > 0.97 * (double)c.graph.nodes);
    for (size_t m = 0; m < WORKERS; m++) {
        double expected = m == WORKERS - 1 ? 0.1 : 0.9;
        assert_close(exp(c.coins[m].ln_alpha), expected, 0.1);
        assert_close(exp(c.coins[m].ln_beta), expected, 0.1);
    }
    classes_free(&c);
    album_close(&a);
}

/* Random pairs of items of `kinds` kinds in a circle, in the first two of `dims` columns, each
 * answer right with probability `rate`; what is found of them by classes alone. */
static scdc_scores found_in_a_circle(size_t kinds, size_t dims, double noise, size_t n_answers,
                                     double rate, uint64_t seed)
{
    enum { MANY = 200 };
    scdc_options o = short_options();
    input_scale plain = {.scale = 1};
    int64_t kind[MANY], found[MANY];
    scdc_answer *answers = calloc(n_answers, sizeof *answers);
    float *x = calloc(MANY * dims, sizeof *x);
    scdc_data *data;
    classes c;
    scdc_scores scores;
    rng r;
    rng_init(&r, seed, RNG_TEST, 0, 0);
    assert_true(answers && x);
    for (size_t i = 0; i < MANY; i++) {
        double turn = 2 * M_PI * (double)(kind[i] = (int64_t)(i % kinds)) / (double)kinds;
        for (size_t d = 0; d < dims; d++) x[i * dims + d] = (float)(noise * rng_normal(&r));
        x[i * dims] += (float)cos(turn);
        x[i * dims + 1] += (float)sin(turn);
    }
    for (size_t a = 0; a < n_answers; a++) {
        uint32_t left = (uint32_t)(a % MANY);
        uint32_t right = (left + 1 + (uint32_t)rng_below(&r, MANY - 1)) % MANY;
        bool same = (kind[left] == kind[right]) == (rng_uniform(&r) < rate);
        answers[a] = (scdc_answer){.left = left,
                                   .right = right,
                                   .worker = (uint32_t)(a % WORKERS),
                                   .task = SCDC_NO_TASK,
                                   .same = same};
    }
    assert_ok(scdc_data_from_memory(&data, x, SCDC_F32, MANY, dims, 1));
    assert_ok(classes_find(&c, data, &plain, answers, n_answers, WORKERS, NULL, &o, NULL));
    size_t C = c.classifier.classes;
    assert_int_equal(c.graph.nodes, MANY);
    for (size_t n = 0; n < MANY; n++) found[c.graph.item[n]] = (int64_t)argmax(c.r + n * C, C);
    assert_ok(scdc_score(&scores, found, kind, MANY));
    classes_free(&c);
    scdc_data_free(data);
    free(answers);
    free(x);
    return scores;
}

/* Five kinds, six answers about an item, one in five of them wrong: items that are not sure of
 * their class yet do not speak for joining classes. Of five crowds three, for rounding may cost
 * some. */
static void kinds_stay_apart_under_noise(void **state)
{
    (void)state;
    size_t good = 0;
    for (uint64_t seed = 1; seed <= DRAWS(5); seed++) {
        scdc_scores s = found_in_a_circle(5, 2, 0.15, 600, 0.8, seed);
        good += s.clusters >= 5 && s.nmi > 0.85;
    }
    assert_true(MOST_ARE_GOOD(good, 3));
}

/* Three kinds and many wrong answers: what these tear away is no class of its own. */
static void what_noise_tears_away_is_no_class(void **state)
{
    (void)state;
    size_t good = 0;
    for (uint64_t seed = 1; seed <= DRAWS(5); seed++) {
        scdc_scores s = found_in_a_circle(3, 100, 0.5, 1500, 0.75, seed);
        good += s.clusters == 3 && s.nmi > 0.7;
    }
    assert_true(MOST_ARE_GOOD(good, 3));
}

/* What is known of workers is not forgotten where classes are learned from their answers. */
static void known_workers_stay_known(void **state)
{
    (void)state;
    album a;
    classes c;
    scdc_options o = short_options();
    input_scale plain = {.scale = 1};
    two_coin_counts known[WORKERS];
    for (size_t m = 0; m < WORKERS; m++) known[m] = (two_coin_counts){{6e5, 4e5}, {7e5, 3e5}};
    album_open(&a, 800, ITEMS, 1);
    assert_ok(classes_find(&c, a.data, &plain, a.answers, a.n_answers, WORKERS, known, &o, NULL));
    for (size_t m = 0; m < WORKERS; m++) {
        assert_close(exp(c.coins[m].ln_alpha), 0.6, 0.01);
        assert_close(exp(c.coins[m].ln_beta), 0.7, 0.01);
    }
    classes_free(&c);
    album_close(&a);
}

/* Components follow persons and cannot tell poses; left to itself the fit sees that. */
static void the_start_that_explains_the_answers_is_taken(void **state)
{
    (void)state;
    album a;
    album_open(&a, 800, ITEMS, 1);
    for (int kind = 0; kind < 2; kind++) {
        scdc_options o = short_options();
        scdc_model *model;
        scdc_model_info info;
        o.model = kind ? SCDC_MODEL_AMORTIZED : SCDC_MODEL_BAYES;
        assert_ok(scdc_fit(&model, a.data, a.crowd, &o, NULL, NULL));
        assert_ok(scdc_model_get_info(&info, model));
        assert_int_equal(info.judged, 1);
        assert_int_equal(info.clusters, 2);
        /* Nothing was left out, and a caller can see it. */
        assert_true(info.annotated > 0 && info.taught_by == info.annotated);
        assert_int_equal(info.most_classes, o.components < 16 ? o.components : 16);
        assert_true(scores_of(&a, model).acc > 0.97);
        scdc_model_free(model);
        o.clusters_from = SCDC_CLUSTERS_FROM_COMPONENTS;
        assert_ok(scdc_fit(&model, a.data, a.crowd, &o, NULL, NULL));
        assert_ok(scdc_model_get_info(&info, model));
        assert_int_equal(info.judged, 0);
        assert_int_equal(info.most_classes, 0);
        assert_true(scores_of(&a, model).acc < 0.8);
        scdc_model_free(model);
    }
    album_close(&a);
}

/* Noise: nothing foretells unseen answers, and components stay. */
static void noise_is_no_reason_to_leave_components(void **state)
{
    (void)state;
    album a;
    scdc_options o = short_options();
    scdc_model *model;
    scdc_model_info info;
    rng r;
    album_open(&a, 400, ITEMS, 2);
    scdc_crowd_free(a.crowd);
    rng_init(&r, 9, RNG_TEST, 0, 0);
    for (size_t k = 0; k < a.n_answers; k++) a.answers[k].same = rng_uniform(&r) < 0.5;
    assert_ok(scdc_crowd_from_memory(&a.crowd, a.answers, a.n_answers));
    assert_ok(scdc_fit(&model, a.data, a.crowd, &o, NULL, NULL));
    assert_ok(scdc_model_get_info(&info, model));
    assert_int_equal(info.judged, 0);
    scdc_model_free(model);
    album_close(&a);
}

/* Answers about a part of the items: the others are placed by the classifier; so they are by a
 * model that was saved, and by a fit that was stopped and resumed. */
static void a_classifier_survives_the_file_and_the_interruption(void **state)
{
    (void)state;
    album a;
    char path[600];
    scdc_options o = short_options();
    scdc_model *model, *loaded, *half;
    int64_t labels[ITEMS], again[ITEMS];
    double probability[ITEMS], other[ITEMS];
    album_open(&a, 500, ITEMS / 2, 3);
    assert_ok(scdc_fit(&model, a.data, a.crowd, &o, NULL, NULL));
    assert_true(scores_of(&a, model).acc > 0.95);
    assert_ok(scdc_predict(labels, probability, NULL, NULL, model, a.data, NULL));
    snprintf(path, sizeof path, "%s/judged.safetensors", scratch_dir);
    assert_ok(scdc_model_save(model, path));
    assert_ok(scdc_model_load(&loaded, path));
    assert_ok(scdc_predict(again, other, NULL, NULL, loaded, a.data, NULL));
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(labels[i], again[i]);
        assert_true(probability[i] == other[i]);
    }
    scdc_model_free(loaded);
    o.epochs = 1;
    assert_ok(scdc_fit(&half, a.data, a.crowd, &o, NULL, NULL));
    assert_ok(scdc_model_save(half, path));
    scdc_model_free(half);
    assert_ok(scdc_model_load(&loaded, path));
    assert_ok(scdc_fit_resume(loaded, a.data, a.crowd, 2, NULL, NULL));
    size_t count;
    assert_true(scdc_model_epochs(loaded, &count)[1].bound ==
                scdc_model_epochs(model, &count)[1].bound);
    scdc_model_free(loaded);
    scdc_model_free(model);
    album_close(&a);
}

static int stop_after(const scdc_progress *progress, void *user)
{
    (void)progress;
    int *left = user;
    return (*left)-- <= 0;
}

static int note_stage(const scdc_progress *progress, void *user)
{
    bool start = strcmp(progress->stage, "start") == 0;
    int *calls = user;
    calls[start]++;
    assert_true(!start || (!progress->done && progress->epoch == 1));
    return 0;
}

/* In the warm-up, at its end, while classes are looked for, in the middle of an epoch; through a
 * file and in memory. */
static void with_a_classifier_a_stopped_fit_goes_on_as_if_nothing_had_happened(void **state)
{
    (void)state;
    album a;
    const char *path = scratch_path("stopped.safetensors");
    scdc_options o = short_options();
    scdc_model *model, *stopped;
    double whole[ITEMS], resumed[ITEMS];
    o.warmup = 3;
    o.batch = 40;
    o.clusters_from = SCDC_CLUSTERS_FROM_ANSWERS;
    album_open(&a, 500, ITEMS / 2, 3);
    int calls[2] = {0}; /* outside of "start" and in it */
    assert_ok(scdc_fit(&model, a.data, a.crowd, &o, note_stage, calls));
    assert_true(model_is_judged(model));
    assert_ok(scdc_predict(NULL, whole, NULL, NULL, model, a.data, NULL));
    scdc_model_free(model);
    int warm = 3 * ITEMS / 40;
    assert_true(calls[1] > 15);
    const int places[] = {4,
                          warm - 1,
                          warm,
                          warm + 1,
                          warm + calls[1] / 2,
                          warm + calls[1] - 1,
                          warm + calls[1] + 2,
                          warm + calls[1] + 9};
    for (size_t p = 0; p < 2 * (sizeof places / sizeof *places); p++) {
        int left = places[p / 2];
        assert_int_equal(scdc_fit(&stopped, a.data, a.crowd, &o, stop_after, &left),
                         SCDC_ERR_STOPPED);
        if (p % 2) {
            assert_ok(scdc_model_save(stopped, path));
            scdc_model_free(stopped);
            assert_ok(scdc_model_load(&stopped, path));
        }
        assert_ok(scdc_fit_resume(stopped, a.data, a.crowd, 2, NULL, NULL));
        assert_true(model_is_judged(stopped));
        assert_ok(scdc_predict(NULL, resumed, NULL, NULL, stopped, a.data, NULL));
        assert_memory_equal(whole, resumed, sizeof whole);
        scdc_model_free(stopped);
    }
    album_close(&a);
}

/* ---- files that lie ---- */

/* Writes the model again with one number of a tensor, or one word of the metadata, changed. */
static void save_lie(const char *path, const safetensors_file *st, const char *name, size_t at,
                     double value, const char *word)
{
    static unsigned char changed[1 << 16];
    tensor_view views[80];
    json_t *meta = json_deep_copy(st->metadata);
    memcpy(views, st->tensors, st->count * sizeof *views);
    if (word) json_object_set_new(meta, name, json_string(word));
    for (size_t i = 0; i < st->count && !word; i++) {
        if (strcmp(views[i].name, name) != 0) continue;
        assert_true(views[i].bytes <= sizeof changed);
        memcpy(changed, views[i].values, views[i].bytes);
        int64_t whole = views[i].dtype == SCDC_I64 ? (int64_t)value : 0;
        memcpy(changed + 8 * at, views[i].dtype == SCDC_I64 ? (void *)&whole : (void *)&value, 8);
        views[i].values = changed;
    }
    assert_ok(safetensors_write(path, views, st->count, meta));
    json_decref(meta);
}

static void a_file_whose_classifier_lies_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *name;
        size_t at;
        double value;
        const char *word;
    } lies[] = {
        {"judge.scale", CLASSIFIER_WIDTH, -1, NULL},
        {"judge.scale", CLASSIFIER_SHARPNESS, 1e200, NULL},
        {"judge.alpha", 3, 1e300, NULL},
        {"judge.base", 0, -1e300, NULL},
        {"second.clusters", 5, 1, NULL},
        {"second.clusters", 0, 0, NULL},
        {"second.state", 4, 0, NULL}, /* clusters are not given */
        {"second.sample", 1, -2, NULL},
        {"cluster_of_component", 0, 1, NULL},
        {"judge.items", 0, 0, "0"},
        {"judge.items", 0, 0, "2999"},
        {"judge.items", 0, 0, "1e9"},
        {"judge.items", 0, 0, "-1"},
        {"clusters", 0, 0, "1"},
        {"clusters", 0, 0, "12"},
        {"option.recipe", 0, 0, "paper"},
        {"doubt", 0, 0, "2"},
    };
    album a;
    safetensors_file st;
    scdc_options o = short_options();
    scdc_model *model, *loaded = NULL;
    const char *path = scratch_path("true.safetensors"), *lie = scratch_path("lie.safetensors");
    o.clusters_from = SCDC_CLUSTERS_FROM_ANSWERS;
    album_open(&a, 500, ITEMS, 1);
    assert_ok(scdc_fit(&model, a.data, a.crowd, &o, NULL, NULL));
    assert_int_equal(model->n_clusters, 2);
    assert_ok(scdc_model_save(model, path));
    scdc_model_free(model);
    assert_ok(safetensors_open(&st, path));
    save_lie(lie, &st, "no such tensor", 0, 0, NULL);
    assert_ok(scdc_model_load(&model, lie));
    scdc_model_free(model);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        save_lie(lie, &st, lies[i].name, lies[i].at, lies[i].value, lies[i].word);
        int status = scdc_model_load(&loaded, lie);
        if (status != SCDC_ERR_INPUT) print_error("%s %zu\n", lies[i].name, i);
        assert_int_equal(status, SCDC_ERR_INPUT);
        assert_null(loaded);
    }
    safetensors_close(&st);
    album_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guess_climbs_its_gradient),
        cmocka_unit_test(classes_and_workers_are_found),
        cmocka_unit_test(kinds_stay_apart_under_noise),
        cmocka_unit_test(what_noise_tears_away_is_no_class),
        cmocka_unit_test(known_workers_stay_known),
        cmocka_unit_test(the_start_that_explains_the_answers_is_taken),
        cmocka_unit_test(noise_is_no_reason_to_leave_components),
        cmocka_unit_test(a_classifier_survives_the_file_and_the_interruption),
        cmocka_unit_test(with_a_classifier_a_stopped_fit_goes_on_as_if_nothing_had_happened),
        cmocka_unit_test(a_file_whose_classifier_lies_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
