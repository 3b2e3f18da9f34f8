/* data/columns: centres and widths that far values do not spoil, kinds, names; gathering with
 * them. */
#include "base/parallel.h"
#include "data/data.h"
#include "data/readers.h"
#include "support/check.h"

enum { ROWS = 1000, COLS = 7 };
enum { CONSTANT, NORMAL, OUTLIER, RARE, UNKNOWN, CODES, LARGE };

/* Values that are spread like a normal distribution's quantiles, in a fixed order. */
static double normal_like(size_t i)
{
    double u = ((double)(i * 7919 % ROWS) + 0.5) / ROWS;
    return 1.8 * log(u / (1 - u)) / 3.14159; /* logistic, standard deviation about 1 */
}

static double table[ROWS][COLS];
static scdc_data *data;

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        double x = normal_like(i);
        table[i][CONSTANT] = 5.1;
        table[i][NORMAL] = 100 + 3 * x;
        table[i][OUTLIER] = i == 17 ? 1e6 : x;
        table[i][RARE] = i % 80 == 0;
        table[i][UNKNOWN] = i % 50 == 0 ? -999 : x;
        table[i][CODES] = (double)(i % 4);
        table[i][LARGE] = 1e9 + x;
    }
    return scdc_data_from_memory(&data, table, SCDC_F64, ROWS, COLS, 0);
}

static int teardown(void **state)
{
    (void)state;
    scdc_data_free(data);
    return 0;
}

static void far_values_do_not_widen_a_column(void **state)
{
    (void)state;
    scdc_column c[COLS];
    assert_ok(scdc_data_columns(c, COLS, data));
    assert_close(c[NORMAL].centre, 100, 0.01);
    assert_close(c[NORMAL].width, 3, 0.3);
    assert_close(c[OUTLIER].centre, 0, 0.02);
    assert_close(c[OUTLIER].width, 1, 0.1);
    assert_true(c[OUTLIER].max == 1e6);
    /* Nearly all one value: as wide as it is, not 0. */
    assert_close(c[RARE].width, sqrt(0.013 * 0.987), 1e-9);
    assert_close(c[LARGE].centre, 1e9, 0.02);
    assert_close(c[LARGE].width, 1, 0.1);
    assert_true(c[CONSTANT].centre == 5.1 && c[CONSTANT].width == 0);
}

static void kinds_are_told(void **state)
{
    (void)state;
    static const scdc_column_kind kinds[COLS] = {
        SCDC_COLUMN_CONSTANT,  SCDC_COLUMN_PLAIN, SCDC_COLUMN_HEAVY_TAILED, SCDC_COLUMN_PLAIN,
        SCDC_COLUMN_SET_APART, SCDC_COLUMN_CODES, SCDC_COLUMN_PLAIN};
    scdc_column c[COLS];
    assert_ok(scdc_data_columns(c, COLS, data));
    for (size_t i = 0; i < COLS; i++) assert_int_equal(c[i].kind, kinds[i]);
    assert_int_equal(c[CODES].different, 4);
    assert_true(c[CODES].whole && c[RARE].whole && !c[NORMAL].whole);
    assert_fails(scdc_data_columns(c, COLS, NULL), SCDC_ERR_ARGUMENT, "must not be NULL");
    c[0].different = 99;
    assert_fails(scdc_data_columns(c, COLS - 1, data), SCDC_ERR_ARGUMENT, "room for 6 columns");
    assert_int_equal(c[0].different, 99);
}

/* Only a sample of the rows is looked at; a column that is constant there may still vary. */
static void long_tables_are_sampled(void **state)
{
    (void)state;
    enum { LONG = 20000 };
    float *v = malloc(2 * LONG * sizeof *v);
    for (size_t i = 0; i < LONG; i++) {
        v[2 * i] = i == LONG - 1 ? 7 : 2;
        v[2 * i + 1] = (float)normal_like(i);
    }
    scdc_data *tall;
    scdc_column c[2], again[2];
    assert_ok(scdc_data_from_memory(&tall, v, SCDC_F32, LONG, 2, 0));
    assert_ok(scdc_data_columns(c, 2, tall));
    assert_true(c[0].max == 7 && c[0].kind == SCDC_COLUMN_HEAVY_TAILED);
    assert_close(c[0].width, 5 / sqrt(LONG), 1e-6);
    assert_close(c[1].width, 1, 0.1);
    parallel_set_threads(1);
    assert_ok(scdc_data_columns(again, 2, tall));
    parallel_set_threads(0);
    assert_memory_equal(c, again, sizeof c);
    scdc_data_free(tall);
    free(v);
}

static void columns_have_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *first, *second;
    } files[] = {{"a,b\n1,2\n", "a", "b"},        {"id,a,b\nx,1,2\n", "a", "b"},
                 {"a,name,b\n1,x,2\n", "a", "b"}, {"photo,a,b\nx,1,2\n", "a", "b"},
                 {",a,b\nx,1,2\n", "a", "b"},     {"1,2\n3,4\n", NULL, NULL},
                 {"a,a\n1,2\n", NULL, NULL}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *expected[] = {files[i].first, files[i].second, NULL};
        file_bytes file;
        scdc_data *d;
        file_from_memory(&file, files[i].text, strlen(files[i].text), "t.csv");
        assert_ok(data_read(&d, &file));
        for (size_t c = 0; c < 3; c++) {
            const char *name = scdc_data_column_name(d, c);
            if (!expected[c]) assert_null(name);
            else assert_string_equal(name, expected[c]);
        }
        scdc_data_free(d);
    }
    assert_null(scdc_data_column_name(NULL, 0));
}

static void gathered_by_column(void **state)
{
    (void)state;
    static const double centre[2] = {1e9, 20}, width[2] = {0.5, 4};
    static const double f64[3][2] = {{1e9 + 1, 8}, {1e9, 24}, {1e9 - 2, 20}};
    static const uint8_t u8[3][2] = {{1, 8}, {0, 24}, {2, 20}};
    static const int64_t i64[3][2] = {{1000000001, 8}, {1000000000, 24}, {999999998, 20}};
    static const uint32_t items[3] = {2, 0, 1};
    static const real expected[6] = {-4, 0, 2, -3, 0, 1};
    real out[6];
    scdc_data *d;
    assert_ok(scdc_data_from_memory(&d, f64, SCDC_F64, 3, 2, 0));
    data_gather_columns(out, d, items, 3, centre, width);
    assert_memory_equal(out, expected, sizeof out);
    scdc_data_free(d);
    assert_ok(scdc_data_from_memory(&d, i64, SCDC_I64, 3, 2, 0));
    data_gather_columns(out, d, items, 3, centre, width);
    assert_memory_equal(out, expected, sizeof out);
    scdc_data_free(d);
    assert_ok(scdc_data_from_memory(&d, u8, SCDC_U8, 3, 2, 0));
    data_gather_columns(out, d, items, 3, (const double[]){0, 20}, width);
    static const real bytes[6] = {4, 0, 2, -3, 0, 1};
    assert_memory_equal(out, bytes, sizeof out);
    data_gather_columns(NULL, d, NULL, 0, centre, width); /* nothing to do */
    scdc_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_values_do_not_widen_a_column),
        cmocka_unit_test(kinds_are_told),
        cmocka_unit_test(long_tables_are_sampled),
        cmocka_unit_test(columns_have_names),
        cmocka_unit_test(gathered_by_column),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
