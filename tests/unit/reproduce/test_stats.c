/* Mean, standard deviation and how they are written; result.json and result.md made of them. */
#include "reproduce/result.h"
#include "reproduce/stats.h"
#include "support/files.h"

static stats of(const double *values, size_t count)
{
    stats s = {0};
    for (size_t i = 0; i < count; i++) stats_add(&s, values[i]);
    return s;
}

static void arithmetic(void **state)
{
    (void)state;
    const double values[] = {2, 4, 4, NAN, 4, 5, 5, 7, 9};
    stats s = of(values, 9), none = {0};
    assert_int_equal(s.count, 8);
    assert_close(s.mean, 5, 1e-15);
    assert_close(stats_spread(&s), 2, 1e-15);
    assert_close(stats_spread(&none), 0, 0);
    /* Far from zero nothing cancels. */
    const double far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    s = of(far, 3);
    assert_close(stats_spread(&s), sqrt(2.0 / 3), 1e-9);
}

static void texts(void **state)
{
    (void)state;
    char text[64];
    const double values[] = {.95, .97}, many[] = {5, 6, 7};
    stats two = of(values, 2), one = of(values, 1), none = {0}, clusters = of(many, 3);
    stats_text(text, sizeof text, &two, 3);
    assert_string_equal(text, ".960 ± .010 (2)");
    stats_text(text, sizeof text, &one, 2);
    assert_string_equal(text, ".95 (1)");
    stats_text(text, sizeof text, &none, 2);
    assert_string_equal(text, "-");
    stats_text(text, sizeof text, &clusters, 1);
    assert_string_equal(text, "6.0 ± .8 (3)");
    stats_number(text, sizeof text, -.25, 2);
    assert_string_equal(text, "-.25");
    stats_number(text, sizeof text, -.0001, 2);
    assert_string_equal(text, ".00");
    stats_number(text, sizeof text, 1, 3);
    assert_string_equal(text, "1.000");
    stats_number(text, sizeof text, NAN, 3);
    assert_string_equal(text, "-");
}

static void tables(void **state)
{
    (void)state;
    static const char *const columns[] = {"", "paper", "here"};
    const double values[] = {.95, .97};
    stats two = of(values, 2), none = {0};
    result r;
    result_begin(&r, "wheel", "A wheel", "scdc reproduce wheel");
    result_table(&r, "Scores", columns, 3);
    result_row(&r, "ACC of %d", 2);
    result_text(&r, "%s", ".9");
    result_stats(&r, &two, 2);
    result_row(&r, "ACC of none");
    result_text(&r, "-");
    result_stats(&r, &none, 2);
    result_figure(&r, "a.svg", "A figure");
    result_note(&r, "Remark %d.", 1);
    assert_ok(result_write(&r, scratch_dir));
    result_free(&r);

    json_t *json = json_load_file(scratch_path("result.json"), 0, NULL);
    assert_non_null(json);
    const json_t *rows =
        json_object_get(json_array_get(json_object_get(json, "tables"), 0), "rows");
    const json_t *cell = json_array_get(json_array_get(rows, 0), 2);
    assert_close(json_number_value(json_object_get(cell, "mean")), .96, 1e-12);
    assert_close(json_number_value(json_object_get(cell, "sd")), .01, 1e-12);
    assert_int_equal(json_integer_value(json_object_get(cell, "runs")), 2);
    cell = json_array_get(json_array_get(rows, 1), 2);
    assert_true(json_is_null(json_object_get(cell, "mean")));
    json_decref(json);

    static char page[4096];
    FILE *file = fopen(scratch_path("result.md"), "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(page, "# A wheel\n"));
    assert_non_null(strstr(page, "\n    scdc reproduce wheel\n"));
    assert_non_null(strstr(page, "| ACC of 2 | .9 | .96 ± .01 (2) |\n"));
    assert_non_null(strstr(page, "| ACC of none | - | - |\n"));
    assert_non_null(strstr(page, "![A figure](a.svg)"));
    assert_non_null(strstr(page, "* Remark 1.\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(texts),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
