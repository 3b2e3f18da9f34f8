/* Axes have round marks; charts are well-formed whatever they are given, and show what they were
 * given. */
#include "support/check.h"
#include "support/xml.h"

#include "report/chart.h"

static char *text;
static size_t text_size;

static FILE *begin(void)
{
    FILE *out = open_memstream(&text, &text_size);
    assert_non_null(out);
    return out;
}

/* ---- axes ---- */

static void test_ticks_are_round(void **state)
{
    (void)state;
    axis_ticks t;
    axis_make_ticks(&t, (axis_range){-0.3, 1.07}, 5, false, false);
    assert_int_equal(t.count, 3);
    assert_close(t.at[0], 0, 0);
    assert_string_equal(t.label[0], "0.0");
    assert_string_equal(t.label[2], "1.0");
    axis_make_ticks(&t, (axis_range){-52e6, -11e6}, 5, false, false);
    assert_string_equal(t.label[0], "\xE2\x88\x92"
                                    "50M");
    axis_make_ticks(&t, (axis_range){0, 3}, 12, false, true);
    assert_int_equal(t.count, 4);
    axis_make_ticks(&t, (axis_range){0.5, 2000}, 5, true, false);
    assert_int_equal(t.count, 4);
    assert_string_equal(t.label[3], "1000");
    axis_make_ticks(&t, (axis_range){1e-300, 1e300}, 5, true, false);
    assert_in_range(t.count, 2, AXIS_MOST_TICKS);
    axis_make_ticks(&t, (axis_range){1, 1}, 5, false, false);
    assert_int_equal(t.count, 0);
}

static void test_ranges_can_be_drawn(void **state)
{
    (void)state;
    axis_range r = AXIS_EMPTY;
    axis_include(&r, NAN);
    axis_include(&r, INFINITY);
    r = axis_usable(r, 0.1, false);
    assert_true(r.high > r.low);
    r = AXIS_EMPTY;
    axis_include(&r, 1e8);
    r = axis_usable(r, 0, false);
    assert_true(r.low < 1e8 && r.high > 1e8);
    r = axis_usable((axis_range){-5, 100}, 0, true);
    assert_true(r.low > 0);
    axis_scale s = {{0, 10}, 100, 0, false};
    assert_close(axis_at(&s, 2.5), 75, 1e-12);
    assert_close(axis_at(&s, -9), 100, 0);
    assert_close(axis_at(&s, NAN), 100, 0);
    s = (axis_scale){{1, 100}, 0, 10, true};
    assert_close(axis_at(&s, 10), 5, 1e-12);
}

/* ---- charts ---- */

static const double rising[] = {1, 2, 4, NAN, 16}, below[] = {0, 1, 3, 0, 12},
                    above[] = {2, 3, 5, 0, 20};

static void test_lines(void **state)
{
    (void)state;
    const chart_series series[] = {
        {.name = "ours & theirs", .count = 5, .y = rising, .low = below, .high = above},
        {.name = "<other>", .count = 5, .y = above, .dashed = true, .dots = true, .colour = 1},
    };
    FILE *out = begin();
    chart_lines(out, &(chart){.title = "a \"title\"", .x = {.label = "epoch"}, .standalone = true},
                series, 2);
    fclose(out);
    xml_check(text);
    assert_int_equal(xml_occurrences(text, "xmlns="), 1);
    assert_non_null(strstr(text, "ours &amp; theirs"));
    assert_non_null(strstr(text, "&lt;other&gt;"));
    assert_non_null(strstr(text, "aria-label=\"a &quot;title&quot;\""));
    assert_int_equal(xml_occurrences(text, "m-3 0h6"),
                     4); /* no error bar where there is no value */
    assert_null(strstr(text, "nan"));
    free(text);
}

static void test_line_positions(void **state)
{
    (void)state;
    const double x[] = {0, 10}, y[] = {0, 1};
    const chart_series one = {.count = 2, .x = x, .y = y};
    FILE *out = begin();
    chart_lines(out, &(chart){.x = {.blank = true}, .y = {.high = 1, .blank = true}}, &one, 1);
    fclose(out);
    /* Left bottom to right top of the 440 x 300 less the frame's margins. */
    assert_non_null(strstr(text, "d=\"M 12 288L426 8\""));
    free(text);
}

static void test_bars(void **state)
{
    (void)state;
    const char *names[] = {"a", "b", "c", "d", "e"};
    const double negative[] = {-1, 0, 2, 3, 4};
    const chart_series series[] = {
        {.name = "one", .count = 5, .y = rising},
        {.name = "two", .count = 5, .y = negative, .low = below, .high = above, .colour = 3}};
    FILE *out = begin();
    chart_bars(out, &(chart){.title = "bars"}, names, 5, series, 2);
    fclose(out);
    xml_check(text);
    assert_int_equal(xml_occurrences(text, "<rect"), 9); /* ten less the NaN */
    assert_int_equal(xml_occurrences(text, "m-3 0h6"), 5);
    free(text);
    out = begin();
    chart_bars(out, &(chart){.title = "none"}, NULL, 0, NULL, 0);
    fclose(out);
    xml_check(text);
    free(text);
}

static void test_long_names_stand_upright(void **state)
{
    (void)state;
    const char *names[] = {"a rather long name", "another rather long name", "x", "y"};
    const double values[] = {1, 2, 3, 4};
    const chart_series one = {.count = 4, .y = values};
    FILE *out = begin();
    chart_bars(out, &(chart){.title = "bars"}, names, 4, &one, 1);
    fclose(out);
    assert_int_equal(xml_occurrences(text, "rotate(-90)"), 4);
    assert_non_null(strstr(text, ">another rather \xE2\x80\xA6<"));
    assert_non_null(strstr(text, ">x<"));
    free(text);
    /* Names are cut so that they leave room for the bars. */
    char endless[101];
    memset(endless, 'n', 100);
    endless[100] = '\0';
    names[1] = endless;
    out = begin();
    chart_bars(out, &(chart){.title = "bars", .height = 200}, names, 4, &one, 1);
    fclose(out);
    assert_null(strstr(text, "nnnnnnnnnnnn"));
    assert_non_null(strstr(text, "nnnnnnnnnn\xE2\x80\xA6<"));
    free(text);
}

static void test_scatter(void **state)
{
    (void)state;
    enum { N = 200 };
    chart_point points[N];
    for (size_t i = 0; i < N; i++)
        points[i] = (chart_point){(double)(i % 20), (double)(i / 20), (uint32_t)(i % 13), i < 7};
    points[8].x = NAN;
    const chart_ellipse ellipses[] = {
        {5, 5, 4, 1, 2, 0, 1}, {5, 5, 0, 0, 0, 1, 0.1}, {NAN, 5, 4, 1, 2, 0, 1}};
    const chart_label labels[] = {{5, 5, "<one>"}, {5, 5, "two"}, {5, 5.1, "three"}};
    FILE *out = begin();
    chart_scatter(out, &(chart){.title = "dots", .width = 400, .height = 400}, points, N, ellipses,
                  3, labels, 3);
    fclose(out);
    xml_check(text);
    assert_int_equal(xml_occurrences(text, "h0"), N - 1 + 7); /* marked ones twice: rim and dot */
    assert_int_equal(xml_occurrences(text, "Z\""), 2);
    assert_non_null(strstr(text, "&lt;one&gt;"));
    assert_non_null(strstr(text, "three"));
    free(text);
}

/* Positions of the labels' text elements, to see that no two lie in one place. */
static void test_labels_keep_apart(void **state)
{
    (void)state;
    enum { N = 8 };
    chart_label labels[N];
    chart_point corner[] = {{0, 0, 0, false}, {10, 10, 0, false}};
    for (size_t i = 0; i < N; i++) labels[i] = (chart_label){5, 5, "label"};
    FILE *out = begin();
    chart_scatter(out, &(chart){.title = "labels"}, corner, 2, NULL, 0, labels, N);
    fclose(out);
    double seen[N];
    size_t count = 0;
    for (const char *c = text; (c = strstr(c, "<g class=\"rim\"")); c++) {
        const char *y = strstr(c, " y=\"");
        assert_non_null(y);
        double at = strtod(y + 4, NULL);
        for (size_t i = 0; i < count; i++) assert_true(fabs(seen[i] - at) >= 15);
        assert_true(count < N);
        seen[count++] = at;
    }
    assert_int_equal(count, N);
    free(text);
}

static void test_workers(void **state)
{
    (void)state;
    const chart_worker workers[] = {
        {"<script>", 100, .9, .8, .85, .95, .7, .9, 0, true},
        {"\xFF", 0, .5, .5, 0, 1, 0, 1, 3, true},
        {"quiet", 1, .1, .2, .1, .1, .2, .2, 1, false},
    };
    FILE *out = begin();
    chart_workers(out, &(chart){.title = "workers"}, workers, 3);
    fclose(out);
    xml_check(text);
    assert_null(strstr(text, "<script>"));
    assert_int_equal(xml_occurrences(text, "<circle"), 3);
    assert_int_equal(xml_occurrences(text, "quiet"), 1); /* its tip only */
    assert_int_equal(xml_occurrences(text, "&lt;script&gt;"), 2);
    free(text);
}

static void test_style(void **state)
{
    (void)state;
    FILE *out = begin();
    chart_css(out);
    fclose(out);
    assert_int_equal(xml_occurrences(text, "{"), xml_occurrences(text, "}"));
    assert_non_null(strstr(text, "prefers-color-scheme:dark"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_are_round),
        cmocka_unit_test(test_ranges_can_be_drawn),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_line_positions),
        cmocka_unit_test(test_bars),
        cmocka_unit_test(test_long_names_stand_upright),
        cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_labels_keep_apart),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_style),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
