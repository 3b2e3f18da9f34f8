/* data/csv_items: headers, ids, and every malformed table by line and column. */
#include "data/readers.h"
#include "support/files.h"

static int read_text(scdc_data **out, const char *text)
{
    file_bytes file;
    file_from_memory(&file, text, strlen(text), "t.csv");
    return data_read(out, &file);
}

/* values: row after row; ids: one per row, or NULL for none. */
static void assert_table(const char *text, size_t rows, size_t cols, const double *values,
                         const char *const *ids)
{
    scdc_data *d;
    assert_ok(read_text(&d, text));
    assert_int_equal(d->rows, rows);
    assert_int_equal(d->cols, cols);
    assert_int_equal(d->channels, cols);
    assert_int_equal(d->dtype, SCDC_F64);
    assert_string_equal(d->format, "csv");
    assert_memory_equal(d->values, values, rows * cols * sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        if (!ids) {
            assert_null(scdc_data_name(d, i));
            continue;
        }
        assert_string_equal(scdc_data_name(d, i), ids[i]);
        size_t found = 99;
        assert_true(data_find(&found, d, ids[i], strlen(ids[i])));
        assert_int_equal(found, i);
    }
    scdc_data_free(d);
}

static void headers_and_ids_are_recognised(void **state)
{
    (void)state;
    static const double v[] = {1, 2, 3, 4};
    static const char *const ab[] = {"a", "b"}, *const numbers[] = {"7", "3"};
    assert_table("1,2\n3,4\n", 2, 2, v, NULL);
    assert_table("x,y\n1,2\n3,4\n", 2, 2, v, NULL);
    assert_table("1\t2\n3\t4\n", 2, 2, v, NULL);
    assert_table("x;y\n1;2\n3;4\n", 2, 2, v, NULL);
    assert_table("\xef\xbb\xbf"
                 "x,y\r\n1,2\r\n3,4\r\n\r\n",
                 2, 2, v, NULL);
    assert_table("x\n1\n2\n3\n4\n", 4, 1, v, NULL);
    assert_table("1\n2\n3\n4", 4, 1, v, NULL);
    /* Ids: text in the first column, with or without a header; or a column called so. */
    assert_table("a,1,2\nb,3,4\n", 2, 2, v, ab);
    assert_table("photo,x,y\na,1,2\nb,3,4\n", 2, 2, v, ab);
    assert_table("x,Name,y\n1,a,2\n3,b,4\n", 2, 2, v, ab);
    assert_table("file,0,1\na,1,2\nb,3,4\n", 2, 2, v, ab);
    assert_table("id,x,y\n7,1,2\n3,3,4\n", 2, 2, v, numbers);
    /* Row numbers as ids say nothing; an index exported without a name neither. */
    assert_table("item,x,y\n0,1,2\n1,3,4\n", 2, 2, v, NULL);
    assert_table(",0,1\n0,1,2\n1,3,4\n", 2, 2, v, NULL);
    assert_table("\"x, the first\",y\n\"1\",2\n3,\"4\"\n", 2, 2, v, NULL);
    static const double w[] = {-1.5, 2e3, 0.125, 1e-10};
    assert_table(" -1.5 , 2e3\n+.125,1E-10", 2, 2, w, NULL);
}

static void assert_refused(const char *text, const char *expected)
{
    scdc_data *d = NULL;
    assert_fails(read_text(&d, text), SCDC_ERR_INPUT, expected);
    assert_non_null(strstr(scdc_last_error(), "t.csv"));
    assert_null(d);
}

static void bad_tables_are_named(void **state)
{
    (void)state;
    assert_refused("\n\n", "t.csv: the file is empty");
    assert_refused("x,y\n", "only a header row");
    assert_refused("x,y\n1,2\n3\n", "line 3: 1 fields, expected 2 as on line 1");
    assert_refused("1,2\n3,4,5\n", "line 2: 3 fields, expected 2 as on line 1");
    assert_refused("x,y\n1,nan\n", "line 2: column 2 ('y'): 'nan' is not a finite number");
    assert_refused("x,y\n1,2\n-inf,2\n", "line 3: column 1 ('x'): '-inf' is not a finite number");
    assert_refused("1,2\n3,1e39\n", "line 2: column 2: '1e39' is too large for a float");
    assert_refused("x,y\n1,\n", "line 2: column 2 ('y'): the cell is empty");
    assert_refused("1,,3\n", "line 1: column 2: the cell is empty");
    assert_refused("x,y\n1,2\n3,four\n", "line 3: column 2 ('y'): 'four' is not a number");
    assert_refused("5.1,3.5,setosa\n4.9,3.0,setosa\n", "line 2: column 3 ('setosa'): 'setosa'");
    assert_refused("id,x\na,1\n,2\n", "line 3: column 1: the item id is empty");
    assert_refused("id,x\na,1\nb,2\na,3\n",
                   "line 4: column 1: the item id 'a' is also that of row 1");
    assert_refused("id\na\nb\n", "no other column");
    assert_refused("text\nmore text\n", "no other column");
    assert_refused("x,y\n1,\"2\n", "line 2: column 2: the quote opened here is never closed");
    assert_refused("x,y\n1,\"2\"3\n", "line 2: column 2: text after a closing quote");
    assert_refused("x,y\n1,2\n\n3,4\n", "line 3: is blank");
    /* A long cell is not repeated whole. */
    char text[2100] = "x\n";
    memset(text + 2, '9', 2000);
    assert_refused(text, "line 2: '9999999999999999999999999999999999999999' is not a number");
}

static void assert_classes(const char *text, const char *column)
{
    scdc_data *d;
    assert_ok(scdc_data_open(&d, scratch_text("t.csv", text)));
    if (column) {
        assert_non_null(scdc_data_class_column(d));
        assert_string_equal(scdc_data_class_column(d), column);
    } else {
        assert_null(scdc_data_class_column(d));
    }
    scdc_data_free(d);
}

static void columns_of_classes_are_noticed(void **state)
{
    (void)state;
    assert_classes("x,Class\n.1,0\n.2,1\n.3,0\n.4,1\n", "Class");
    assert_classes("target,x\n3,.1\n5,.2\n3,.3\n5,.4\n", "target");
    assert_classes("id,label,x\na,3,.1\nb,5,.2\nc,3,.3\nd,5,.4\n", "label");
    assert_classes("x,y\n.1,0\n.2,1\n.3,2\n.4,3\n", NULL);     /* all different */
    assert_classes("x,y\n.1,0\n.2,1.5\n.3,0\n.4,1.5\n", NULL); /* no whole numbers */
    assert_classes("a,b\n.1,0\n.2,1\n.3,0\n.4,1\n", NULL);     /* not called so */
    assert_classes("y\n0\n1\n0\n1\n", NULL);                   /* nothing else */
    assert_classes("x,class\n.1,0\n.2,0\n.3,0\n.4,0\n", NULL); /* tells nothing */
    assert_null(scdc_data_class_column(NULL));
}

static void standard_input_is_told_by_content(void **state)
{
    (void)state;
    int saved = dup(STDIN_FILENO);
    assert_non_null(freopen(scratch_text("in.csv", "x,y\n1,2\n3,4\n"), "r", stdin));
    scdc_data *d;
    assert_ok(scdc_data_open(&d, "-"));
    assert_int_equal(d->rows, 2);
    scdc_data_free(d);
    d = NULL;
    assert_non_null(freopen(scratch_text("in.csv", "1,2\n3\n"), "r", stdin));
    assert_fails(scdc_data_open(&d, "-"), SCDC_ERR_INPUT, "standard input: line 2: 1 fields");
    dup2(saved, STDIN_FILENO);
    close(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_and_ids_are_recognised),
        cmocka_unit_test(bad_tables_are_named),
        cmocka_unit_test(columns_of_classes_are_noticed),
        cmocka_unit_test(standard_input_is_told_by_content),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
