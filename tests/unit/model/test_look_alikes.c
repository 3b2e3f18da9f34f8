/* Links between components that a network takes for one another. */
#include "base/rng.h"
#include "model/train/look_alikes.h"
#include "support/sanitizers.h"
#include "support/simulated.h"

#include <math.h>

enum { SIDE = 12, PIXELS = SIDE * SIDE, ITEMS = 1000, KINDS = 2, PLACES = 4, MOST = 16 };

/* A bar, upright or lying, at one of some places a pixel from each other. */
static void draw_bar(uint8_t *image, size_t kind, size_t at, rng *r)
{
    for (size_t p = 0; p < PIXELS; p++) {
        size_t across = kind ? p / SIDE : p % SIDE, along = kind ? p % SIDE : p / SIDE;
        bool bar = across >= at && across < at + 2 && along >= 1 && along < SIDE - 1;
        image[p] = (uint8_t)(bar ? 180 + rng_below(r, 70) : rng_below(r, 60));
    }
}

static size_t kind_of(size_t item)
{
    return item % KINDS;
}

static problem bars(void)
{
    static uint8_t images[ITEMS * PIXELS];
    static int64_t kind[ITEMS];
    problem p = {0};
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        kind[i] = (int64_t)kind_of(i);
        draw_bar(images + i * PIXELS, kind_of(i), 3 + i / KINDS % PLACES, &r);
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
    o.hidden[0] = 32;
    o.n_hidden = 1;
    o.components = MOST;
    o.warmup = 20;
    o.epochs = 2;
    o.augment = views;
    o.seed = seed;
    assert_ok(scdc_fit(&model, p->data, NULL, &o, NULL, NULL));
    return model;
}

/* Links inside of kinds, between kinds, and of all components; symmetric. kind [MOST]: of most
 * items of each component. */
typedef struct tally {
    double inside, between;
} tally;

static tally count(const problem *p, const scdc_model *model)
{
    static int64_t labels[ITEMS];
    static int64_t component[ITEMS];
    int of[MOST] = {0};
    tally t = {0};
    assert_ok(scdc_model_labels(labels, NULL, component, NULL, model, p->data, NULL));
    for (size_t i = 0; i < ITEMS; i++) of[component[i]] += kind_of(i) ? 1 : -1;
    for (size_t k = 0; k < MOST; k++) {
        for (size_t l = 0; l < MOST; l++) {
            double link = model->clusters->views[k * MOST + l];
            assert_true(fabs(link - model->clusters->views[l * MOST + k]) < 1e-9);
            if (k == l) continue;
            if ((of[k] > 0) == (of[l] > 0)) t.inside += link;
            else t.between += link;
        }
    }
    return t;
}

/* Pieces of a kind are taken for one another, kinds are not; neighbours are not asked any more. */
static bool pieces_are_linked(const problem *p, uint64_t seed)
{
    scdc_model *model = fit_bars(p, SCDC_AUGMENT_AFFINE, seed);
    tally t = count(p, model);
    for (size_t i = 0; i < MOST * MOST; i++) /* is what is believed */
        assert_true(model->clusters->linked[i] == model->clusters->views[i]);
    scdc_model_free(model);
    return t.inside > 10 * t.between && t.inside > 0;
}

static void pieces_of_a_kind_are_linked_and_kinds_are_not(void **state)
{
    (void)state;
    problem p = bars();
    if (SANITIZED) pieces_are_linked(&p, 1);
    else assert_mostly(pieces_are_linked, &p);
    problem_close(&p);
}

static double sum_of(const double *links)
{
    double sum = 0;
    for (size_t i = 0; i < MOST * MOST; i++) sum += links[i];
    return sum;
}

static void nobody_looks_where_views_are_not_wanted(void **state)
{
    (void)state;
    problem p = bars();
    scdc_model *model = fit_bars(&p, SCDC_AUGMENT_NONE, 1);
    const cluster_level *t = model->clusters;
    assert_true(t->state.has_links == LINKS);
    assert_true(sum_of(t->views) == 0);
    /* Asked for after all, they count as much as neighbours do. */
    model->core->spec.options.augment = SCDC_AUGMENT_AFFINE;
    assert_ok(link_look_alikes(model, p.data));
    assert_true(t->state.has_links == LOOK_ALIKES);
    assert_true(fabs(sum_of(t->views) - sum_of(t->links)) < 1e-6 * sum_of(t->links));
    scdc_model_free(model);
    problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_kind_are_linked_and_kinds_are_not),
        cmocka_unit_test(nobody_looks_where_views_are_not_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
