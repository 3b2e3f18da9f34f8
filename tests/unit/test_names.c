/* base/names: numbers in order of arrival, found again, also after the table grew. */
#include "base/names.h"
#include "support/check.h"

static void names_are_numbered_and_found(void **state)
{
    (void)state;
    names table = {0};
    size_t number = 99;
    bool added;
    assert_false(names_find(&number, &table, "a", 1));
    assert_null(names_at(&table, 0));
    char text[32];
    for (size_t i = 0; i < 50000; i++) {
        int length = snprintf(text, sizeof text, "name-%zu", i * 7919 % 50000);
        assert_ok(names_add(&number, &added, &table, text, (size_t)length));
        assert_true(added);
        assert_int_equal(number, i);
    }
    for (size_t i = 0; i < 50000; i++) {
        int length = snprintf(text, sizeof text, "name-%zu", i * 7919 % 50000);
        assert_true(names_find(&number, &table, text, (size_t)length));
        assert_int_equal(number, i);
        assert_string_equal(names_at(&table, i), text);
    }
    assert_ok(names_add(&number, &added, &table, "name-0", 6));
    assert_false(added);
    assert_int_equal(table.count, 50000);
    /* A prefix or an extension is another name. */
    number = 77;
    assert_false(names_find(&number, &table, "name-", 5));
    assert_false(names_find(&number, &table, "name-00", 7));
    assert_int_equal(number, 77);
    assert_ok(names_add(&number, NULL, &table, "", 0));
    assert_int_equal(number, 50000);
    assert_string_equal(names_at(&table, 50000), "");
    assert_null(names_at(&table, 50001));
    names_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_numbered_and_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
