/* io/csv: splitting, quoting, damage by line and column, numbers. */
#include "io/csv.h"
#include "support/check.h"

#include <locale.h>

static void begin(csv_reader *r, file_bytes *file, const char *text, size_t size)
{
    file_from_memory(file, text, size, "t.csv");
    assert_ok(csv_open(r, file));
}

/* Rows as "a|b|c/d|e|f". */
static void assert_rows(const char *text, const char *expected)
{
    csv_reader r;
    file_bytes file;
    char got[512] = "";
    size_t at = 0;
    /* A copy without a NUL behind it, so that reading over the end shows. */
    char *copy = malloc(strlen(text) + 1);
    memcpy(copy, text, strlen(text));
    char *exact = realloc(copy, strlen(text) ? strlen(text) : 1);
    begin(&r, &file, exact, strlen(text));
    for (bool more;;) {
        assert_ok(csv_next(&more, &r));
        if (!more) break;
        if (at) got[at++] = '/';
        for (size_t i = 0; i < r.n_fields; i++) {
            at += (size_t)snprintf(got + at, sizeof got - at, "%s%.*s", i ? "|" : "",
                                   (int)r.fields[i].length, r.fields[i].text);
        }
    }
    assert_string_equal(got, expected);
    csv_close(&r);
    free(exact);
}

static void rows_and_fields(void **state)
{
    (void)state;
    assert_rows("a,b\n1,2\n", "a|b/1|2");
    assert_rows("a,b\n1,2", "a|b/1|2");
    assert_rows("a,b\r\n1,2\r\n", "a|b/1|2");
    assert_rows("a,b\r1,2\r", "a|b/1|2");
    assert_rows("a\tb\n1\t2\n", "a|b/1|2");
    assert_rows("a;b\n1;2\n", "a|b/1|2");
    assert_rows("\xef\xbb\xbf"
                "a,b\n",
                "a|b");
    assert_rows("x\n1\n2\n", "x/1/2");
    assert_rows(" a , b \n\t1,2\t\n", "a|b/1|2");
    assert_rows("a,,c\n,,\n", "a||c/||");
    assert_rows("a\t\tc\n\t\t\n", "a||c/||");
    assert_rows("", "");
    assert_rows("\n\n", "");
    assert_rows("a,b\n\n  \n\r\n", "a|b");
    assert_rows("a;b,c;d\n", "a|b,c|d");
    assert_rows("a\tb,c\n", "a|b,c");
}

static void quotes(void **state)
{
    (void)state;
    assert_rows("\"a,b\",c\n", "a,b|c");
    assert_rows("\"a\"\"b\",\"\"\"\",\"\"\n", "a\"b|\"|");
    assert_rows(" \"a\" , \"b \"\n", "a|b ");
    assert_rows("\"a\nb\",c\nd,e\n", "a\nb|c/d|e");
    assert_rows("\"x;y;z\",b\n", "x;y;z|b");
    /* Many escaped fields in one row: the scratch moves while earlier fields point into it. */
    char text[2000] = "", expected[2000] = "";
    for (int i = 0; i < 100; i++) {
        sprintf(text + strlen(text), "%s\"\"\"%d\"", i ? "," : "", i);
        sprintf(expected + strlen(expected), "%s\"%d", i ? "|" : "", i);
    }
    csv_reader r;
    file_bytes file;
    bool more;
    begin(&r, &file, text, strlen(text));
    assert_ok(csv_next(&more, &r));
    assert_int_equal(r.n_fields, 100);
    for (int i = 0; i < 100; i++) {
        char one[16];
        sprintf(one, "\"%d", i);
        assert_int_equal(r.fields[i].length, strlen(one));
        assert_memory_equal(r.fields[i].text, one, strlen(one));
    }
    csv_close(&r);
}

static void assert_refused(const char *text, size_t size, const char *expected)
{
    csv_reader r;
    file_bytes file;
    bool more = true;
    int status = SCDC_OK;
    file_from_memory(&file, text, size, "t.csv");
    status = csv_open(&r, &file);
    while (status == SCDC_OK && more) status = csv_next(&more, &r);
    assert_fails(status, SCDC_ERR_INPUT, expected);
    csv_close(&r);
}

static void damage_is_named(void **state)
{
    (void)state;
#define REFUSED(text, expected) assert_refused(text, sizeof text - 1, expected)
    REFUSED("a,b\n1,\"2\n3,4\n", "t.csv: line 2: column 2: the quote opened here is never closed");
    REFUSED("a,\"b\"c\n", "line 1: column 2: text after a closing quote");
    REFUSED("a,b\n1,b\"c\n", "line 2: column 2: a quote inside an unquoted field");
    REFUSED("a,b\n1,\0\n", "line 2: column 2: a NUL byte");
    REFUSED("a,\"\0\"\n", "line 1: column 2: a NUL byte");
    REFUSED("a,b\n\n1,2\n", "line 2: is blank, but more rows follow");
    REFUSED("\n a\n", "line 1: is blank");
    REFUSED("\xff\xfe"
            "a\0,\0",
            "UTF-16");
    REFUSED("\"x\ny\n\"\n\"a\"b", "line 4: column 1: text after");
}

static void lines_are_counted(void **state)
{
    (void)state;
    static const char text[] = "a,b\r\n\"1\n\n2\",3\r\n4,5\n";
    static const size_t lines[] = {1, 2, 5};
    csv_reader r;
    file_bytes file;
    bool more;
    begin(&r, &file, text, sizeof text - 1);
    for (int i = 0; i < 3; i++) {
        assert_ok(csv_next(&more, &r));
        assert_int_equal(r.line, lines[i]);
    }
    assert_ok(csv_next(&more, &r));
    assert_false(more);
    csv_close(&r);
}

static csv_field field_of(const char *text)
{
    return (csv_field){text, strlen(text)};
}

static void numbers_are_exact(void **state)
{
    (void)state;
    /* The library's strtod is the reference here, in the C locale of the test program. */
    static const char *const good[] = {"0",
                                       "-0",
                                       "1",
                                       "+1.5",
                                       "-2.25e3",
                                       "1e22",
                                       "1e23",
                                       "1e-22",
                                       "123456789012345678",
                                       "0.1",
                                       "9007199254740993",
                                       "9007199254740992",
                                       "0.30000000000000004",
                                       "2.2250738585072011e-308",
                                       "4.9e-324",
                                       "1e-400",
                                       "1e400",
                                       "1.7976931348623157e308",
                                       ".5",
                                       "5.",
                                       "00012",
                                       "18446744073709551616",
                                       "99999999999999999999e-20",
                                       "0.000000000000000001",
                                       "3.141592653589793238462643383279",
                                       "1E5",
                                       "1e+05",
                                       "72057594037927945",
                                       "1e999999999999",
                                       "0e999999999999",
                                       "0.0000000000000000000000000000000000000000000000012345e50"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double got = 99, want = strtod(good[i], NULL);
        assert_true(csv_parse_double(&got, field_of(good[i])));
        if (memcmp(&got, &want, sizeof got) != 0) {
            fail_msg("%s gave %.17g, expected %.17g", good[i], got, want);
        }
    }
    static const char *const bad[] = {"",      "+",     "-",    ".",        "e5",   "1e",
                                      "1e+",   "1.2.3", "0x10", "1,5",      "1 2",  "nan(1)",
                                      "infin", "--1",   "1f",   "\xd9\xa1", "1_000"};
    double untouched = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (csv_parse_double(&untouched, field_of(bad[i]))) fail_msg("%s was accepted", bad[i]);
    }
    assert_true(untouched == 7);
    double x;
    assert_true(csv_parse_double(&x, field_of("NaN")) && isnan(x));
    assert_true(csv_parse_double(&x, field_of("-Infinity")) && x == -INFINITY);
    assert_true(csv_parse_double(&x, field_of("+inf")) && x == INFINITY);
}

/* Shortest and 17-digit forms of many doubles come back bit for bit. */
static void numbers_round_trip(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double x, got;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        if (i % 2) x = (double)(int64_t)bits / 1e15; /* ordinary magnitudes too */
        char text[64];
        snprintf(text, sizeof text, i % 3 ? "%.17g" : "%.20f", x);
        if (strlen(text) > 60) continue;
        if (i % 3 == 0) x = strtod(text, NULL);
        assert_true(csv_parse_double(&got, field_of(text)));
        if (memcmp(&got, &x, sizeof x) != 0) fail_msg("%s gave %.17g", text, got);
    }
}

static void numbers_ignore_the_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
    double x = 0;
    assert_true(csv_parse_double(&x, field_of("0.12345678901234567890")));
    setlocale(LC_NUMERIC, "C");
    assert_close(x, 0.12345678901234567890, 0);
}

static void integers(void **state)
{
    (void)state;
    int64_t i = 7;
    assert_true(csv_parse_int64(&i, field_of("-9223372036854775808")) && i == INT64_MIN);
    assert_true(csv_parse_int64(&i, field_of("9223372036854775807")) && i == INT64_MAX);
    assert_true(csv_parse_int64(&i, field_of("+0012")) && i == 12);
    static const char *const bad[] = {"",
                                      "-",
                                      "1.0",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999",
                                      "1e3",
                                      " 1",
                                      "0x1"};
    for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
        if (csv_parse_int64(&i, field_of(bad[j]))) fail_msg("%s was accepted", bad[j]);
    }
    assert_int_equal(i, 12);
    assert_true(csv_equals(field_of("LaBel"), "label"));
    assert_false(csv_equals(field_of("labels"), "label"));
    assert_false(csv_equals(field_of("labe"), "label"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_fields),   cmocka_unit_test(quotes),
        cmocka_unit_test(damage_is_named),   cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(numbers_are_exact), cmocka_unit_test(numbers_round_trip),
        cmocka_unit_test(integers),          cmocka_unit_test(numbers_ignore_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
