/* Clusters that a network learns from answers alone, where pixels tell a mixture nothing, or not
 * all: a bar that lies in one of some directions, anywhere, brighter or darker than what is around
 * it, which may itself be of a darker or a brighter kind. */
#include "model/pupil/by_answers.h"
#include "model/clusters/kept_answers.h"
#include "model/pupil/mirrored.h"
#include "model/pupil/teach.h"
#include "model/train/finish.h"
#include "support/files.h"
#include "support/sanitizers.h"
#include "support/simulated.h"
#include "support/values.h"

#include <scdc/update.h>

enum { SIDE = 14, PIXELS = SIDE * SIDE, ITEMS = 700, NEW = 300, KINDS = 3, LONG = 5 };

/* Kinds are directions on each of some grounds. */
typedef struct kinds {
    size_t directions, grounds, first;
} kinds;
static const kinds plain = {KINDS, 1, 0}, grounded = {2, 2, 0}, slopes = {2, 1, 2};

static void draw_image(uint8_t *image, size_t direction, uint64_t ground, rng *r)
{
    static const int across[] = {1, 0, 1, -1}, down[] = {0, 1, 1, 1};
    for (size_t p = 0; p < PIXELS; p++) image[p] = (uint8_t)(ground + rng_below(r, 41));
    size_t y = rng_below(r, SIDE - LONG + 1), x = rng_below(r, SIDE - LONG + 1);
    uint8_t value = rng_below(r, 2) ? 248 : 8;
    if (across[direction] < 0) x += LONG - 1;
    for (int i = 0; i < LONG; i++)
        image[((int)y + i * down[direction]) * SIDE + (int)x + i * across[direction]] = value;
}

/* Images from a stream of their own, and their kinds. */
static void make(scdc_data **data, int64_t *kind, uint8_t *images, size_t count, kinds of,
                 uint64_t seed)
{
    rng r;
    rng_init(&r, seed, RNG_TEST, 0, 0);
    for (size_t i = 0; i < count; i++) {
        kind[i] = (int64_t)rng_below(&r, of.directions * of.grounds);
        size_t direction = of.first + (size_t)kind[i] % of.directions,
               ground = (size_t)kind[i] / of.directions;
        draw_image(images + i * PIXELS, direction, of.grounds > 1 ? 38 + 140 * ground : 108, &r);
    }
    assert_ok(scdc_data_from_memory(data, images, SCDC_U8, count, PIXELS, 1));
    assert_ok(scdc_data_set_shape(*data, 1, SIDE, SIDE));
}

/* Sorted by five workers into piles, 24 images at a time. */
static problem bars(kinds of)
{
    static uint8_t images[ITEMS * PIXELS];
    static int64_t kind[ITEMS];
    const double rate = 0.95;
    problem p = {0};
    scdc_simulation how;
    make(&p.data, kind, images, ITEMS, of, 5);
    assert_ok(scdc_labels_from_memory(&p.truth, kind, ITEMS));
    scdc_simulation_init(&how);
    how.workers = 5;
    how.sensitivity = how.specificity = &rate;
    how.scheme = SCDC_SCHEME_GRID;
    how.tasks = 60;
    how.grid = 24;
    how.seed = 4;
    assert_ok(scdc_simulate_answers(&p.crowd, p.truth, &how));
    return p;
}

static const char words[] = "norm1,conv12,conv16/2,conv24,mean";

/* A fit without a network or a kernel beside it. */
static scdc_model *fitted(const problem *p)
{
    scdc_options o;
    scdc_model *model;
    scdc_options_init(&o);
    o.classifier = SCDC_CLASSIFIER_NONE;
    o.classifier_epochs = 30;
    o.net = SCDC_NET_MLP;
    o.hidden[0] = 16;
    o.n_hidden = 1;
    o.components = 8;
    o.warmup = 5;
    o.epochs = 3;
    o.augment = SCDC_AUGMENT_SHIFT; /* turned they would be of another kind */
    o.clusters_from = SCDC_CLUSTERS_FROM_COMPONENTS;
    o.seed = 1;
    assert_ok(scdc_fit(&model, p->data, p->crowd, &o, NULL, NULL));
    model->core->spec.options.clusters_from = SCDC_CLUSTERS_FROM_AUTO;
    return model;
}

/* ---- answers kept back ---- */

/* Words [nodes][KINDS] that are sure to this degree, of every so many-th item of another kind. */
static void words_of(double *word, const scdc_model *model, const problem *p, double sure,
                     size_t wrong)
{
    const crowd_graph *g = &model->clusters->graph;
    for (size_t i = 0; i < g->nodes; i++) {
        size_t kind = (size_t)scdc_labels_values(p->truth)[g->item[i]];
        if (wrong && i % wrong == 0) kind = (kind + 1) % KINDS;
        for (size_t c = 0; c < KINDS; c++) word[i * KINDS + c] = (1 - sure) / KINDS;
        word[i * KINDS + kind] += sure;
    }
}

static void tells_words_by_what_they_foretell(void **state)
{
    (void)state;
    problem p = bars(plain);
    scdc_model *model = fitted(&p);
    kept_answers k;
    double *word = calloc(ITEMS * KINDS, sizeof *word);
    assert_ok(kept_answers_create(&k, model->clusters));
    assert_true(k.count > 300);
    for (size_t i = 0; i < k.count; i++) {
        const bool *unheard = model->clusters->unheard;
        assert_true(unheard[k.pair[i].left] || unheard[k.pair[i].right]);
        assert_near(k.pair[i].weight, 2 / 24.0, 1e-9);
    }
    words_of(word, model, &p, 1, 0);
    double told = kept_answers_told(&k, word, KINDS), fit = kept_answers_fit(&k, word, KINDS);
    assert_true(told > 0.75 && told < 0.95); /* workers are right .95 of the time */
    words_of(word, model, &p, 0.3, 0);       /* timid words are worth what they say */
    assert_near(kept_answers_told(&k, word, KINDS), told, 1e-12);
    assert_near(kept_answers_fit(&k, word, KINDS), fit, 1e-9);
    words_of(word, model, &p, 1, 4);
    double part = kept_answers_fit(&k, word, KINDS);
    assert_true(kept_answers_told(&k, word, KINDS) < told - 0.2);
    words_of(word, model, &p, 0, 0);
    assert_near(kept_answers_told(&k, word, KINDS), 0, 1e-9);
    double none = kept_answers_fit(&k, word, KINDS);
    for (size_t i = 0; i < ITEMS; i++) word[i] = 1; /* one cluster says no more than none */
    assert_near(kept_answers_told(&k, word, 1), 0, 1e-9);
    assert_true(fabs(kept_answers_fit(&k, word, 1) - none) < 1);
    assert_true(fit > part + 3 && part > none + 3);
    kept_answers_free(&k);
    free(word);
    scdc_model_free(model);
    problem_close(&p);
}

/* ---- whole fits ---- */

/* Lessons that learn what is asked for are watched by sanitizers in the first two of the tests
 * below; of the others, which go the same way with other layers and outputs, they see a few epochs.
 */
enum { FEW_EPOCHS = 6 };

/* Of images that no fit has seen. */
static double accuracy_of(const scdc_model *model, kinds of)
{
    static uint8_t images[NEW * PIXELS];
    int64_t kind[NEW], labels[NEW];
    scdc_data *data;
    scdc_scores s;
    make(&data, kind, images, NEW, of, 6);
    assert_ok(scdc_predict(labels, NULL, NULL, NULL, model, data, NULL));
    assert_ok(scdc_score(&s, labels, kind, NEW));
    scdc_data_free(data);
    return s.acc;
}

static double accuracy(const scdc_model *model)
{
    return accuracy_of(model, plain);
}

/* Whether a network that has not seen mirrored images would have them for lessons. */
static bool would_mirror(scdc_model *model, const problem *p, scdc_augment asked)
{
    bool mirrored;
    scdc_augment before = model->core->spec.options.augment;
    model->core->spec.options.augment = asked;
    assert_ok(may_be_mirrored(&mirrored, model->pupil, model, p->data));
    model->core->spec.options.augment = before;
    return mirrored;
}

/* The fit tells nothing; the network settles the clusters itself, and they are saved with it and
 * stay in an update. */
static void learns_what_the_fit_cannot(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) skip(); /* a long lesson of one thread has nothing to show it */
    problem p = bars(plain);
    scdc_model *model = fitted(&p), *again;
    int64_t labels[2][ITEMS];
    scdc_model_info info;
    assert_true(accuracy(model) < 0.6);
    assert_ok(learn_from_answers(words, model, p.data));
    assert_true(model_is_led(model));
    assert_true(accuracy(model) > 0.9);
    /* Taught on by its own labels, and weighed: it alone speaks, and is not too sure. */
    model->core->spec.options.classifier = SCDC_CLASSIFIER_CONV;
    assert_ok(teach_pupil(model, p.data, p.crowd));
    assert_true(model_is_led(model));
    assert_string_equal(model->pupil->words, words);
    assert_true(model->experts.alone.experts == 0 && model->experts.alone.network > 0);
    double found = accuracy(model);
    assert_true(found > 0.9);
    assert_ok(scdc_model_get_info(&info, model));
    assert_true(info.judged);
    const char *path = scratch_path("led.safetensors");
    assert_ok(scdc_model_save(model, path));
    assert_ok(scdc_model_load(&again, path));
    assert_true(model_is_led(again));
    assert_ok(scdc_predict(labels[0], NULL, NULL, NULL, model, p.data, NULL));
    assert_ok(scdc_predict(labels[1], NULL, NULL, NULL, again, p.data, NULL));
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    assert_ok(scdc_model_update(model, p.data, p.crowd, NULL));
    assert_true(model_is_led(model));
    assert_near(accuracy(model), found, 1e-9);
    scdc_model_free(model), scdc_model_free(again);
    problem_close(&p);
}

/* Bars that slope one way and the other: mirroring exchanges them. */
static void mirrors_nothing_that_is_exchanged_by_it(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) skip(); /* a long lesson of one thread has nothing to show it */
    problem p = bars(slopes);
    scdc_model *model = fitted(&p);
    assert_ok(learn_from_answers(words, model, p.data));
    assert_true(model_is_led(model));
    assert_true(accuracy_of(model, slopes) > 0.9);
    assert_false(would_mirror(model, &p, SCDC_AUGMENT_AUTO));
    scdc_model_free(model);
    problem_close(&p);
}

/* The fit tells grounds, and its workers from those who guess, so that they are trusted; what the
 * bars tell it leaves to the network. */
static void learns_what_the_fit_joins(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) skip(); /* a long lesson of one thread has nothing to show it */
    problem p = bars(grounded);
    scdc_model *model = fitted(&p);
    double found = accuracy_of(model, grounded);
    assert_true(found > 0.4 && found < 0.6);
    model->core->spec.options.classifier_epochs = ADDRESS_SANITIZER ? FEW_EPOCHS : 80;
    assert_ok(learn_from_answers("batch12,batch16/2,batch24,mean", model, p.data));
    if (!ADDRESS_SANITIZER) {
        assert_true(model_is_led(model));
        assert_true(accuracy_of(model, grounded) > found + 0.1);
        assert_true(would_mirror(model, &p, SCDC_AUGMENT_AUTO)); /* bars that lie or stand */
        assert_false(would_mirror(model, &p, SCDC_AUGMENT_SHIFT));
    }
    scdc_model_free(model);
    problem_close(&p);
}

/* As many outputs as clusters were asked for. */
static void finds_as_many_as_asked(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) skip(); /* a long lesson of one thread has nothing to show it */
    problem p = bars(plain);
    scdc_model *model = fitted(&p);
    model->core->spec.options.clusters = KINDS;
    if (ADDRESS_SANITIZER) model->core->spec.options.classifier_epochs = FEW_EPOCHS;
    assert_ok(learn_from_answers(words, model, p.data));
    if (!ADDRESS_SANITIZER) {
        assert_true(model_is_led(model));
        assert_int_equal(model->n_clusters, KINDS);
        assert_ok(clusters_as_asked(model));
        assert_true(accuracy(model) > 0.9);
    }
    model->core->spec.options.clusters = KINDS + 1;
    assert_int_equal(clusters_as_asked(model), SCDC_ERR_ARGUMENT);
    scdc_model_free(model);
    problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_words_by_what_they_foretell),
        cmocka_unit_test(learns_what_the_fit_cannot),
        cmocka_unit_test(mirrors_nothing_that_is_exchanged_by_it),
        cmocka_unit_test(learns_what_the_fit_joins),
        cmocka_unit_test(finds_as_many_as_asked),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
