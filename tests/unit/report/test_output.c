/* Whole files and PNG pictures: read back byte by byte, and nothing left behind on failure. */
#include "support/check.h"
#include "support/files.h"

#include <png.h>

/* What libpng itself reads from the file. */
static size_t read_png(uint8_t *out, size_t size, const char *path, png_image *image)
{
    memset(image, 0, sizeof *image);
    image->version = PNG_IMAGE_VERSION;
    assert_int_equal(png_image_begin_read_from_file(image, path), 1);
    size_t bytes = PNG_IMAGE_SIZE(*image);
    assert_true(bytes <= size);
    assert_int_equal(png_image_finish_read(image, NULL, out, 0, NULL), 1);
    return bytes;
}

static void test_png_reads_back(void **state)
{
    (void)state;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        enum { HEIGHT = 5, WIDTH = 7 };
        uint8_t pixels[HEIGHT * WIDTH * 3], back[sizeof pixels];
        size_t count = HEIGHT * WIDTH * channels;
        for (size_t i = 0; i < count; i++) pixels[i] = (uint8_t)(i * 37 + 11);
        const char *path = scratch_path("picture.png");
        assert_ok(scdc_write_png(path, pixels, channels, HEIGHT, WIDTH));
        png_image image;
        assert_int_equal(read_png(back, sizeof back, path, &image), count);
        assert_int_equal(image.width, WIDTH);
        assert_int_equal(image.height, HEIGHT);
        assert_int_equal(image.format, channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY);
        assert_memory_equal(back, pixels, count);
    }
    remove(scratch_path("picture.png"));
}

static void test_png_wider_than_a_million(void **state)
{
    (void)state;
    enum { WIDTH = 1000001 };
    uint8_t *pixels = calloc(WIDTH, 1);
    assert_non_null(pixels);
    assert_ok(scdc_write_png(scratch_path("wide.png"), pixels, 1, 1, WIDTH));
    free(pixels);
    remove(scratch_path("wide.png"));
}

static void test_png_refusals(void **state)
{
    (void)state;
    const uint8_t pixels[4] = {0};
    const char *path = scratch_path("no.png");
    assert_fails(scdc_write_png(NULL, pixels, 1, 2, 2), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_write_png(path, NULL, 1, 2, 2), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_write_png(path, pixels, 2, 1, 2), SCDC_ERR_ARGUMENT, "1 or 3 channels");
    assert_fails(scdc_write_png(path, pixels, 1, 0, 2), SCDC_ERR_ARGUMENT, "2 x 0");
    assert_fails(scdc_write_png(path, pixels, 1, 1, SIZE_MAX), SCDC_ERR_ARGUMENT, "cannot be");
    assert_int_equal(scratch_entries(), 0);
}

static void test_file_reads_back(void **state)
{
    (void)state;
    const char *path = scratch_path("bytes");
    const char bytes[] = "two\0lines\n";
    char back[64];
    assert_ok(scdc_write_file(path, "older and longer than the new one", 33));
    assert_ok(scdc_write_file(path, bytes, sizeof bytes));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(back, 1, sizeof back, file), sizeof bytes);
    fclose(file);
    assert_memory_equal(back, bytes, sizeof bytes);
    assert_ok(scdc_write_file(path, NULL, 0));
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 0);
    remove(path);
}

static void test_full_disk(void **state)
{
    (void)state;
    const uint8_t pixels[4] = {0};
    const char *full = full_device();
    if (!full) skip();
    assert_fails(scdc_write_file(full, "x", 1), SCDC_ERR_OUTPUT, "No space left");
    assert_fails(scdc_write_png(full, pixels, 1, 2, 2), SCDC_ERR_OUTPUT, "No space left");
    /* More than a buffer: the failure comes in the middle of the loop, and its reason is kept. */
    enum { MANY = 20000 };
    int64_t *numbers = calloc(MANY, sizeof *numbers);
    double *zeros = calloc(MANY, sizeof *zeros);
    assert_true(numbers && zeros);
    assert_fails(scdc_write_predictions(full, NULL, numbers, zeros, numbers, MANY), SCDC_ERR_OUTPUT,
                 "No space left");
    free(numbers);
    free(zeros);
    assert_fails(scdc_write_file("no/such/folder", "x", 1), SCDC_ERR_OUTPUT, "No such file");
    assert_fails(scdc_write_file(NULL, "x", 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_int_equal(scratch_entries(), 0);
}

static void assert_text(const char *path, const char *expected)
{
    char back[1024];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    back[fread(back, 1, sizeof back - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(back, expected);
    remove(path);
}

static void test_tables(void **state)
{
    (void)state;
    const char *path = scratch_path("table.csv");
    const int64_t labels[] = {1, 0}, component[] = {14, 0};
    const double probability[] = {1, 1.0 / 3};
    assert_ok(scdc_write_predictions(path, NULL, labels, probability, component, 2));
    assert_text(path, "item,cluster,probability,component\n0,1,1,14\n1,0,0.333333,0\n");
    assert_fails(scdc_write_predictions(path, NULL, NULL, probability, component, 2),
                 SCDC_ERR_ARGUMENT, "NULL");

    const scdc_worker worker = {.name = "Ann, B.",
                                .answers = 12,
                                .sensitivity = 0.5,
                                .sensitivity_low = 0.25,
                                .sensitivity_high = 0.75,
                                .specificity = 0.875,
                                .specificity_low = 0.625,
                                .specificity_high = 1,
                                .weight = -1.5};
    assert_ok(scdc_write_workers(path, &worker, 1));
    assert_text(path, "worker,answers,sensitivity,sensitivity_low,sensitivity_high,"
                      "specificity,specificity_low,specificity_high,weight\n"
                      "\"Ann, B.\",12,0.5,0.25,0.75,0.875,0.625,1,-1.5\n");
    assert_fails(scdc_write_workers(path, NULL, 1), SCDC_ERR_ARGUMENT, "NULL");
    assert_int_equal(scratch_entries(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_png_reads_back), cmocka_unit_test(test_png_wider_than_a_million),
        cmocka_unit_test(test_png_refusals),   cmocka_unit_test(test_file_reads_back),
        cmocka_unit_test(test_full_disk),      cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
