/* Whatever users name things: escaped, cut, never raw. */
#include "support/check.h"

#include "report/markup.h"

static char *written;
static size_t written_size;

static FILE *begin(void)
{
    FILE *out = open_memstream(&written, &written_size);
    assert_non_null(out);
    return out;
}

#define assert_writes(call, text)                                                                  \
    do {                                                                                           \
        FILE *out = begin();                                                                       \
        call;                                                                                      \
        fclose(out);                                                                               \
        assert_string_equal(written, text);                                                        \
        free(written);                                                                             \
    } while (0)

static void test_markup_is_escaped(void **state)
{
    (void)state;
    assert_writes(markup_text(out, "<script>alert(1)</script>"),
                  "&lt;script&gt;alert(1)&lt;/script&gt;");
    assert_writes(markup_text(out, "\" onload='x' & so on"),
                  "&quot; onload=&#39;x&#39; &amp; so on");
    assert_writes(markup_text(out, "two\nlines\tand\ra tab"), "two lines and a tab");
    assert_writes(markup_text(out, ""), "");
}

static void test_bytes_that_are_no_text(void **state)
{
    (void)state;
    /* Whole characters stay: two, three and four bytes. */
    assert_writes(markup_text(out, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
                  "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    /* A lone continuation, a cut sequence, an overlong '<', a surrogate, above the last. */
    assert_writes(markup_text(out, "\x80"), "\xEF\xBF\xBD");
    assert_writes(markup_text(out, "\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_writes(markup_text(out, "\xC0\xBC"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_writes(markup_text(out, "\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_writes(markup_text(out, "\xF5\x80\x80\x80"),
                  "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    /* A sequence that is cut by markup must not swallow it. */
    assert_writes(markup_text(out, "\xE2<b>"), "\xEF\xBF\xBD&lt;b&gt;");
    /* Controls and non-characters. */
    assert_writes(markup_text(out, "\x01\x7F\x1B[31m"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD[31m");
    assert_writes(markup_text(out, "\xEF\xBF\xBE"), "\xEF\xBF\xBD");
}

static void test_cut_between_characters(void **state)
{
    (void)state;
    assert_writes(markup_short(out, "abcdef", 6), "abcdef");
    assert_writes(markup_short(out, "abcdef", 3), "abc\xE2\x80\xA6");
    assert_writes(markup_short(out, "\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9\xC3\xA9\xE2\x80\xA6");
    assert_writes(markup_short(out, "<<<", 1), "&lt;\xE2\x80\xA6");
    assert_int_equal(markup_length("\xC3\xA9\xC3<"), 3);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_writes(markup_number(out, 12), "12");
    assert_writes(markup_number(out, -0.5), "-0.5");
    assert_writes(markup_number(out, 3.14159), "3.14");
    assert_writes(markup_number(out, 7.05), "7.05");
    assert_writes(markup_number(out, -0.001), "0");
    assert_writes(markup_number(out, NAN), "0");
    assert_writes(markup_number(out, 1e300), "0");
    assert_writes(markup_count(out, 0), "0");
    assert_writes(markup_count(out, 999), "999");
    assert_writes(markup_count(out, 1060042), "1\xE2\x80\xAF"
                                              "060\xE2\x80\xAF"
                                              "042");
}

static void test_data_uri(void **state)
{
    (void)state;
    /* The test vectors of RFC 4648. */
    assert_writes(markup_data_uri(out, "image/png", "", 0), "data:image/png;base64,");
    assert_writes(markup_data_uri(out, "a/b", "f", 1), "data:a/b;base64,Zg==");
    assert_writes(markup_data_uri(out, "a/b", "fo", 2), "data:a/b;base64,Zm8=");
    assert_writes(markup_data_uri(out, "a/b", "foobar", 6), "data:a/b;base64,Zm9vYmFy");
    assert_writes(markup_data_uri(out, "a/b", "\xFB\xFF\xFE", 3), "data:a/b;base64,+//+");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markup_is_escaped),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_cut_between_characters),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_data_uri),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
