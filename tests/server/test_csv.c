/* server/csv: quotes, separators, line ends, and rows that do not fit. */
#include "support/files.h"

#include "../../server/csv.h"

static void fields_are_cut(void **state)
{
    (void)state;
    csv_table t;
    const char *path = scratch_text(
        "a.csv",
        "\xef\xbb\xbfid;Text\r\n1;\"two; three\"\r\n\r\n2;\"say \"\"hi\"\"\nagain\"\n3;end");
    assert_int_equal(csv_open(&t, path), SCDC_OK);
    assert_int_equal(csv_count(&t), 3);
    assert_int_equal(csv_column(&t, "text"), 1);
    assert_int_equal(csv_column(&t, "other"), CSV_NONE);
    assert_string_equal(csv_cell(&t, 0, 1), "two; three");
    assert_string_equal(csv_cell(&t, 1, 1), "say \"hi\"\nagain");
    assert_string_equal(csv_cell(&t, 2, 0), "3");
    assert_string_equal(csv_cell(&t, 2, 1), "end");
    csv_free(&t);
}

static void broken_files_are_refused(void **state)
{
    (void)state;
    csv_table t;
    assert_int_equal(csv_open(&t, scratch_text("b.csv", "a,b\n1,2,3\n")), SCDC_ERR_INPUT);
    assert_non_null(strstr(server_error(), "row 2 has 3 columns"));
    assert_int_equal(csv_open(&t, scratch_text("c.csv", "")), SCDC_ERR_INPUT);
    assert_int_equal(csv_open(&t, scratch_write("d.csv", "a\0b", 3)), SCDC_ERR_INPUT);
    assert_int_equal(csv_open(&t, scratch_path("none.csv")), SCDC_ERR_INPUT);
}

static void quoting_is_undone_by_reading(void **state)
{
    (void)state;
    static const char *const texts[] = {"plain", "a,b", "say \"hi\"", "two\nlines", ""};
    for (size_t i = 0; i < 5; i++) {
        char *quoted = csv_quoted(texts[i]), *file = text_format("x,y\n%s,1\n", quoted);
        csv_table t;
        assert_int_equal(csv_open(&t, scratch_text("e.csv", file)), SCDC_OK);
        assert_string_equal(csv_cell(&t, 0, 0), texts[i]);
        csv_free(&t);
        free(file);
        free(quoted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_cut),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(quoting_is_undone_by_reading),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
