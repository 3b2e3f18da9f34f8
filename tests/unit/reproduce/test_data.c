/* Finding data sets, and the small part of MNIST that the quick version takes. */
#include "reproduce/image_set.h"
#include "reproduce/places.h"
#include "support/files.h"

static void place_is(const char *set, const char *name, const char *expected)
{
    char *path = NULL;
    assert_ok(place_of(&path, scratch_dir, set, name));
    assert_string_equal(path, scratch_path(expected));
    free(path);
}

static void places(void **state)
{
    (void)state;
    char *path = NULL;
    assert_int_equal(mkdir(scratch_path("mnist"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("cmu_faces"), 0700), 0);
    scratch_text("mnist/both", "");
    scratch_text("mnist/both.gz", "");
    scratch_text("mnist/packed.gz", "");
    scratch_text("cmu_faces/index.csv", "");
    place_is("mnist", "both", "mnist/both");
    place_is("mnist", "packed", "mnist/packed.gz");
    place_is("faces", "index.csv", "cmu_faces/index.csv");
    assert_fails(place_of(&path, scratch_dir, "mnist-crowd", "pairs.npy"), SCDC_ERR_INPUT,
                 "/mnist-crowd/pairs.npy: not found; fetch it with tools/get-data mnist-crowd");
    assert_int_equal(setenv("SCDC_DATA", scratch_dir, 1), 0);
    assert_ok(place_of(&path, NULL, "mnist", "both"));
    free(path);
    unsetenv("SCDC_DATA");
}

/* Ten "images" of one value, their number; answers among 1, 3, 5 and 7. */
static image_set small(void)
{
    image_set m = {0};
    unsigned char values[10];
    int64_t classes[10];
    const scdc_answer answers[] = {{1, 3, 4, SCDC_NO_TASK, 1},
                                   {5, 3, 4, SCDC_NO_TASK, 0},
                                   {7, 1, 9, SCDC_NO_TASK, 1},
                                   {5, 1, 9, SCDC_NO_TASK, 0}};
    for (size_t i = 0; i < 10; i++) classes[i] = (int64_t)(values[i] = (unsigned char)i) + 100;
    assert_ok(scdc_data_from_memory(&m.images, values, SCDC_U8, 10, 1, 1));
    assert_ok(scdc_data_from_memory(&m.test, values, SCDC_U8, 10, 1, 1));
    assert_ok(scdc_labels_from_memory(&m.truth, classes, 10));
    assert_ok(scdc_labels_from_memory(&m.test_truth, classes, 10));
    assert_ok(scdc_crowd_from_memory(&m.crowd, answers, 4));
    return m;
}

static void part_of_mnist(void **state)
{
    (void)state;
    image_set m = small();
    float values[3];
    size_t count;
    assert_ok(image_set_shrink(&m, 3, 2));
    assert_int_equal(scdc_labels_count(m.truth), 3);
    assert_ok(scdc_data_rows(values, m.images, 0, 3));
    const scdc_answer *answers = scdc_crowd_answers(m.crowd, &count);
    assert_int_equal(count, 3); /* the one about 7 is gone */
    for (size_t i = 0; i < 3; i++) {
        assert_close(values[i], 2 * (double)i + 1, 0);
        assert_int_equal(scdc_labels_values(m.truth)[i], 2 * i + 101);
    }
    /* 5 and 3 are items 2 and 1 now. */
    assert_int_equal(answers[1].left, 2);
    assert_int_equal(answers[1].right, 1);
    assert_int_equal(answers[1].same, 0);
    assert_int_equal(scdc_labels_count(m.test_truth), 2);
    assert_int_equal(scdc_labels_values(m.test_truth)[1], 101);
    image_set_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(part_of_mnist),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
