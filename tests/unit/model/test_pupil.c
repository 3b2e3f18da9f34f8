/* The pupil: views of images, learning beyond its teacher, and its
 * life in a model: placing, saving, threads. */
#include "base/numeric.h"
#include "base/parallel.h"
#include "model/pupil/teach.h"
#include "support/files.h"
#include "support/simulated.h"
#include "support/values.h"

enum { SIDE = 10, PIXELS = SIDE * SIDE, ITEMS = 600, KINDS = 3 };

/* ---- views ---- */

static void views_are_maps_of_the_plane(void **state)
{
    (void)state;
    enum { W = 5, H = 4, C = 2 };
    shape s = {C, H, W};
    real image[C * H * W], view[H * W * C];
    for (size_t i = 0; i < C * H * W; i++) image[i] = (real)i;
    view_image(view, image, s, &(view_map){.xx = 1, .yy = 1});
    for (size_t i = 0; i < H * W * C; i++) { /* channels last, nothing else */
        assert_close((double)view[i], (double)image[i % C * H * W + i / C], 1e-5);
    }
    /* One pixel to the right: what was at x is now at x - 1; the edge is as at the edge. */
    view_image(view, image, s, &(view_map){.xx = 1, .yy = 1, .x0 = 2.0 / W});
    assert_close((double)view[0], 1, 1e-5);
    assert_close((double)view[(W - 1) * C], W - 1, 1e-5);
    view_image(view, image, s, &(view_map){.xx = -1, .yy = 1}); /* mirrored */
    assert_close((double)view[1], H * W + W - 1, 1e-5);
    view_image(view, image, s, &(view_map){.xx = 1, .yy = 1, .y0 = 1.0 / H}); /* half a pixel */
    assert_close((double)view[0], W / 2.0, 1e-5);
}

static void views_stay_within_their_kind(void **state)
{
    (void)state;
    const scdc_augment kinds[] = {SCDC_AUGMENT_SHIFT, SCDC_AUGMENT_AFFINE, SCDC_AUGMENT_FLIP,
                                  SCDC_AUGMENT_CROP};
    for (size_t k = 0; k < 4; k++) {
        int mirrored = 0, turned = 0, moved = 0;
        for (uint32_t i = 0; i < 200; i++) {
            rng r;
            rng_init(&r, 1, RNG_TEST, i, 0);
            view_map m = view_draw(kinds[k], (shape){1, 28, 28}, &r);
            mirrored += m.xx < 0;
            turned += m.yx != 0;
            moved += fabs(m.x0) > 0.02;
            assert_true(fabs(m.x0) <= 0.26 && fabs(m.y0) <= 0.26);
            double pixels = m.x0 * 14;
            if (kinds[k] == SCDC_AUGMENT_SHIFT) assert_close(pixels, round(pixels), 1e-9);
        }
        bool mirror = kinds[k] == SCDC_AUGMENT_FLIP || kinds[k] == SCDC_AUGMENT_CROP;
        bool turn = kinds[k] == SCDC_AUGMENT_AFFINE || kinds[k] == SCDC_AUGMENT_FLIP;
        assert_true(mirror ? mirrored > 60 && mirrored < 140 : mirrored == 0);
        assert_true(turn ? turned > 190 : turned == 0);
        assert_true(moved > 100);
    }
}

/* ---- images whose kind is told by a shape, wherever it is ---- */

static void draw_image(uint8_t *image, size_t kind, rng *r)
{
    for (size_t p = 0; p < PIXELS; p++) image[p] = (uint8_t)rng_below(r, 40);
    size_t y = 1 + rng_below(r, SIDE - 6), x = 1 + rng_below(r, SIDE - 6);
    for (size_t i = 0; i < 5; i++) {
        size_t down = kind == 0 ? 2 : i, across = kind == 1 ? 2 : kind == 0 ? i : 4 - i;
        image[(y + down) * SIDE + x + across] = (uint8_t)(200 + rng_below(r, 56));
    }
}

static problem shapes(void)
{
    static uint8_t images[ITEMS * PIXELS];
    static int64_t kinds[ITEMS];
    problem p = {0};
    rng r;
    rng_init(&r, 5, RNG_TEST, 0, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        kinds[i] = (int64_t)rng_below(&r, KINDS);
        draw_image(images + i * PIXELS, (size_t)kinds[i], &r);
    }
    assert_ok(scdc_data_from_memory(&p.data, images, SCDC_U8, ITEMS, PIXELS, 1));
    assert_ok(scdc_data_set_shape(p.data, 1, SIDE, SIDE));
    assert_ok(scdc_labels_from_memory(&p.truth, kinds, ITEMS));
    const double rate = 0.95;
    problem_ask(&p, 5, &rate, &rate, 1, 3000, 200, 4);
    return p;
}

static const char words[] = "conv8,conv12/2,conv16/2,drop0.2";
static const input_scale scale = {.scale = 1 / 255.0F};

/* A fifth of the labels is wrong, and the teacher is sure of them; parts are kept out. */
static lesson_items lessons(const problem *p, arena *a)
{
    lesson_items t = {.items = ITEMS};
    rng r;
    rng_init(&r, 6, RNG_TEST, 0, 0);
    t.label = arena_new(a, ITEMS, sizeof *t.label, "labels");
    t.probability = arena_new(a, ITEMS, sizeof *t.probability, "labels");
    t.kept_out = arena_new(a, ITEMS, sizeof *t.kept_out, "labels");
    for (size_t i = 0; i < ITEMS; i++) {
        int64_t wrong = (scdc_labels_values(p->truth)[i] + 1) % KINDS;
        t.label[i] = rng_below(&r, 5) ? scdc_labels_values(p->truth)[i] : wrong;
        t.probability[i] = 0.95;
        t.kept_out[i] = i % 4 == 0;
    }
    return t;
}

static pupil taught(const problem *p, int threads)
{
    arena a = {0};
    pupil f;
    uint64_t number = 0;
    lesson_items t = lessons(p, &a);
    lesson_plan plan = {.data = p->data,
                        .input = &scale,
                        .augment = SCDC_AUGMENT_SHIFT,
                        .seed = 1,
                        .epochs = 30,
                        .rate = 4e-3};
    parallel_set_threads(threads);
    assert_ok(pupil_create(&f, words, (shape){1, SIDE, SIDE}, KINDS, 32));
    net_init(&f.net, 1, &number);
    for (size_t epoch = 0; epoch < plan.epochs; epoch++)
        assert_ok(pupil_epoch(&f, &t, &plan, epoch));
    parallel_set_threads(0);
    arena_free(&a);
    return f;
}

static void goes_beyond_its_teacher(void **state)
{
    (void)state;
    problem p = shapes();
    pupil f = taught(&p, 1), same = taught(&p, 3);
    static real o[ITEMS * PIXELS];
    static double q[ITEMS * KINDS];
    uint32_t item[ITEMS];
    size_t right = 0, count = 0;
    for (uint32_t i = 0; i < ITEMS; i += 4) item[count++] = i; /* those it never saw */
    input_gather(o, p.data, &scale, item, count);
    pupil_place(q, &f, o, count);
    for (size_t i = 0; i < count; i++) {
        right += (int64_t)argmax(q + i * KINDS, KINDS) == scdc_labels_values(p.truth)[item[i]];
        assert_close(q[i * KINDS] + q[i * KINDS + 1] + q[i * KINDS + 2], 1, 1e-5);
    }
    assert_true((double)right / (double)count > 0.9); /* its teacher: .8 */
    assert_memory_equal(f.block.params, same.block.params, f.block.count * sizeof(real));
    pupil_free(&f), pupil_free(&same);
    problem_close(&p);
}

/* ---- in a model ---- */

static scdc_model *fit_shapes(const problem *p, scdc_classifier kind, int threads)
{
    scdc_options o;
    scdc_model *model;
    scdc_options_init(&o);
    o.classifier = kind;
    o.classifier_epochs = 3;
    o.components = 15;
    o.seed = 1;
    o.threads = threads;
    assert_ok(scdc_fit(&model, p->data, p->crowd, &o, NULL, NULL));
    return model;
}

static void is_saved_with_its_model(void **state)
{
    (void)state;
    problem p = shapes();
    scdc_model *model = fit_shapes(&p, SCDC_CLASSIFIER_CONV, 1), *again;
    scdc_model *other = fit_shapes(&p, SCDC_CLASSIFIER_CONV, 3);
    assert_non_null(model->pupil);
    size_t C = model->n_clusters;
    float *before = calloc(ITEMS * C, sizeof(float)), *after = calloc(ITEMS * C, sizeof(float));
    const char *path = scratch_path("pupil.safetensors");
    assert_ok(scdc_predict(NULL, NULL, NULL, before, model, p.data, NULL));
    assert_ok(scdc_model_save(model, path));
    assert_ok(scdc_model_load(&again, path));
    assert_string_equal(again->pupil->words, model->pupil->words);
    assert_ok(scdc_predict(NULL, NULL, NULL, after, again, p.data, NULL));
    assert_memory_equal(before, after, ITEMS * C * sizeof(float));
    assert_ok(scdc_predict(NULL, NULL, NULL, after, other, p.data, NULL));
    assert_memory_equal(before, after, ITEMS * C * sizeof(float));
    /* What places is the network: with other weights items lie elsewhere. */
    for (size_t i = 0; i < again->pupil->block.count; i++) again->pupil->block.params[i] *= -1;
    assert_ok(scdc_predict(NULL, NULL, NULL, after, again, p.data, NULL));
    assert_true(memcmp(before, after, ITEMS * C * sizeof(float)) != 0);
    /* A view of it reads the same parameters. */
    pupil reader;
    double a[MOST_CLASSES], b[MOST_CLASSES];
    real o[PIXELS];
    input_gather(o, p.data, &model->input, (uint32_t[]){7}, 1);
    assert_ok(pupil_reader(&reader, model->pupil));
    assert_true(pupil_reads(&reader, model->pupil));
    assert_false(pupil_reads(&reader, again->pupil));
    pupil_place(a, model->pupil, o, 1);
    pupil_place(b, &reader, o, 1);
    assert_memory_equal(a, b, C * sizeof *a);
    pupil_free(&reader);
    free(before), free(after);
    scdc_model_free(model), scdc_model_free(again), scdc_model_free(other);
    problem_close(&p);
}

/* The numbers that users see of clusters, which have gaps after updates, are not their places. */
static void numbers_of_clusters_do_not_matter(void **state)
{
    (void)state;
    problem p = shapes();
    scdc_model *plain = fit_shapes(&p, SCDC_CLASSIFIER_NONE, 0);
    scdc_model *numbered = fit_shapes(&p, SCDC_CLASSIFIER_NONE, 0);
    for (size_t c = 0; c < numbered->n_clusters; c++) numbered->number[c] = 70 + 3 * (int64_t)c;
    numbered->updates = 1;
    plain->core->spec.options.classifier = SCDC_CLASSIFIER_CONV;
    numbered->core->spec.options.classifier = SCDC_CLASSIFIER_CONV;
    assert_ok(teach_pupil(plain, p.data, p.crowd));
    assert_non_null(plain->pupil);
    assert_ok(teach_pupil(numbered, p.data, p.crowd));
    assert_non_null(numbered->pupil);
    assert_memory_equal(plain->pupil->block.params, numbered->pupil->block.params,
                        plain->pupil->block.count * sizeof(real));
    scdc_model_free(plain), scdc_model_free(numbered);
    problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_maps_of_the_plane),
        cmocka_unit_test(views_stay_within_their_kind),
        cmocka_unit_test(goes_beyond_its_teacher),
        cmocka_unit_test(is_saved_with_its_model),
        cmocka_unit_test(numbers_of_clusters_do_not_matter),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
