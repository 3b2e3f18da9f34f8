/* Option tables: every kind of value as text and back, ranges, automatic values, refusals. */
#include "base/option_table.h"
#include "support/check.h"

#include <locale.h>

typedef struct things {
    size_t count;
    int level;
    double share, threshold;
    uint64_t seed;
    int colour;
    double pair[2], gap;
    size_t sizes[3], n_sizes;
    char words[8];
} things;

static const char *const colours[] = {"red", "green", NULL};
#define KEY(field, kind, ...) OPTION_KEY(things, field, kind, __VA_ARGS__)
static const option_key keys[] = {
    KEY(count, SIZE, "how many", .low = 1, .high = 1e9, .automatic = AUTO_ZERO),
    KEY(level, INT, "how high", .low = -3, .high = 3),
    KEY(share, REAL, "a share", .low = 0, .high = 1, .open_low = true),
    KEY(threshold, REAL, "a threshold", .low = 0, .high = 1, .automatic = AUTO_NEGATIVE),
    KEY(seed, SEED, "a seed"),
    KEY(colour, WORD, "a colour", .words = colours),
    KEY(gap, REAL, "a gap", .low = -1e6, .high = 1e6),
    KEY(pair, PAIR, "two", .low = 0, .high = 9),
    KEY(sizes, SIZES, "up to three", .low = 1, .high = 100, .automatic = AUTO_ZERO,
        .count_offset = offsetof(things, n_sizes), .most = 3),
    KEY(words, TEXT, "a few letters", .most = 8, .automatic = AUTO_ZERO),
};
static const option_table table = {keys, sizeof keys / sizeof *keys, " of things"};

static const things usual = {.count = 7, .share = .5, .threshold = .25};

static void values_read_back_as_written(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *shown;
    } cases[] = {
        {"count", "12", "12"},         {"count", "1e3", "1000"},
        {"count", "AUTO", "auto"},     {"level", "-3", "-3"},
        {"level", "0", "0"},           {"share", "0.1", "0.1"},
        {"share", "1e-300", "1e-300"}, {"share", ".333333333333333333", "0.3333333333333333"},
        {"threshold", "0", "0"},       {"threshold", "auto", "auto"},
        {"colour", "GREEN", "green"},  {"seed", "18446744073709551615", "18446744073709551615"},
        {"pair", "0,8.5", "0,8.5"},    {"gap", "60", "60"},
        {"sizes", "5", "5"},           {"sizes", "1,20,100", "1,20,100"},
        {"sizes", "auto", "auto"},     {"words", "up2,a/2", "up2,a/2"},
        {"words", "auto", "auto"},
    };
    things t = usual;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[64];
        assert_ok(option_set(&table, &t, cases[i].key, cases[i].value));
        assert_ok(option_get(shown, sizeof shown, &table, &t, cases[i].key));
        assert_string_equal(shown, cases[i].shown);
        assert_ok(option_check(&table, &t));
    }
    assert_int_equal(t.count, 0);
    assert_true(t.threshold == -1 && t.seed == UINT64_MAX && t.colour == 1 && t.pair[1] == 8.5);
    assert_int_equal(t.n_sizes, 0);
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *text;
    } cases[] = {
        {"count", "0", "count must be at least 1 and at most 1e+09 (or auto), not 0"},
        {"count", "1.5", "count must be a whole number, not '1.5'"},
        {"count", "0x10", "count must be a number or auto, not '0x10'"},
        {"count", " 5", "must be a number"},
        {"level", "auto", "level must be a number, not 'auto'"},
        {"level", "4", "at least -3 and at most 3, not 4"},
        {"share", "0", "greater than 0"},
        {"share", "nan", "not nan"},
        {"share", "0,5", "must be a number, not '0,5'"},
        {"threshold", "-1", "at least 0 and at most 1 (or auto), not -1"},
        {"seed", "18446744073709551616", "seed must be a whole number from 0 to 2^64-1"},
        {"seed", "-1", "seed must be a whole number"},
        {"seed", "", "seed must be a whole number"},
        {"colour", "blue", "colour must be one of red, green, not 'blue'"},
        {"pair", "1", "pair must be two numbers a,b, not '1'"},
        {"pair", "1,2,3", "pair must be two numbers a,b, not '1,2,3'"},
        {"pair", "1,x", "pair must be a number, not 'x'"},
        {"sizes", "1,2,3,4", "sizes holds at most 3 sizes, not '1,2,3,4'"},
        {"sizes", "1,,2", "must be a number or auto, not ''"},
        {"sizes", "1,0", "at least 1"},
        {"size", "1", "there is no option 'size' of things"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        things t = usual;
        assert_fails(option_set(&table, &t, cases[i].key, cases[i].value), SCDC_ERR_ARGUMENT,
                     cases[i].text);
        assert_memory_equal(&t, &usual, sizeof t);
    }
}

/* Structs are also filled by hand. */
static void checking_sees_every_field(void **state)
{
    (void)state;
    things t = usual;
    assert_ok(option_check(&table, &t));
    t.threshold = -7; /* any negative one is automatic */
    assert_ok(option_check(&table, &t));
    t.threshold = NAN;
    assert_fails(option_check(&table, &t), SCDC_ERR_ARGUMENT, "threshold must be at least 0");
    t = usual;
    t.colour = 2;
    assert_fails(option_check(&table, &t), SCDC_ERR_ARGUMENT, "one of red, green, not '2'");
    t = usual;
    t.pair[1] = 10;
    assert_fails(option_check(&table, &t), SCDC_ERR_ARGUMENT, "pair");
    t = usual;
    t.n_sizes = 2;
    t.sizes[0] = 3; /* the second is 0 */
    assert_fails(option_check(&table, &t), SCDC_ERR_ARGUMENT, "sizes must be at least 1");
    t.n_sizes = 4;
    assert_fails(option_check(&table, &t), SCDC_ERR_ARGUMENT, "sizes holds at most 3 sizes, not 4");
}

static void the_table_lists_its_keys(void **state)
{
    (void)state;
    const char *help = NULL;
    assert_string_equal(option_name(&table, 1, &help), "level");
    assert_string_equal(help, "how high");
    assert_null(option_name(&table, table.count, NULL));
}

/* A program may have set a locale that writes 0,5. */
static void no_locale_changes_texts(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
    things t = usual;
    char shown[32];
    int status = option_set(&table, &t, "share", "0.25");
    int got = option_get(shown, sizeof shown, &table, &t, "share");
    setlocale(LC_NUMERIC, "C");
    assert_ok(status);
    assert_ok(got);
    assert_string_equal(shown, "0.25");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_read_back_as_written),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(checking_sees_every_field),
        cmocka_unit_test(the_table_lists_its_keys),
        cmocka_unit_test(no_locale_changes_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
