/* server/store: all or nothing, twice is once, and what is read is what was written. Runs with a
 * file and with a database. */
#include "records.h"

static void what_is_written_is_read(void **state)
{
    (void)state;
    const char *path = store_place("a");
    store *s;
    assert_int_equal(store_open(&s, path, STORE_CREATE), SCDC_OK);
    record list[] = {worker(1, "Ann; DROP TABLE worker"), task(1), answer(9, 1, 1, "0")};
    assert_int_equal(write_all(s, list, 3), SCDC_OK);
    assert_int_equal(store_set(s, "title", "x"), SCDC_OK);
    assert_int_equal(store_set(s, "title", "y"), SCDC_OK);
    store_close(s);
    assert_int_equal(store_open(&s, path, STORE_READ), SCDC_OK);
    seen got = {0};
    assert_int_equal(store_read(s, note, &got), SCDC_OK);
    assert_int_equal(got.count[RECORD_WORKER], 1);
    assert_int_equal(got.count[RECORD_TASK], 1);
    assert_int_equal(got.count[RECORD_ANSWER], 1);
    assert_string_equal(got.items, "3 4");
    assert_string_equal(got.value, "0");
    assert_string_equal(got.names, "[\"it's\"]");
    assert_int_equal(got.last_answer.answer.took, 1234);
    assert_int_equal(got.last_answer.time, 7);
    assert_true(got.last_answer.answer.id.high == 0xfedcba9876543210u);
    assert_true(got.last_answer.answer.id.low == 9);
    char *title = store_get(s, "title");
    assert_string_equal(title, "y");
    free(title);
    assert_null(store_get(s, "none"));
    const char *copy = scratch_path("copy.db");
    assert_int_equal(store_copy(s, copy), SCDC_OK);
    store_close(s);
    assert_int_equal(store_open(&s, copy, STORE_READ), SCDC_OK);
    store_close(s);
}

static void twice_is_once(void **state)
{
    (void)state;
    store *s;
    assert_int_equal(store_open(&s, store_place("b"), STORE_CREATE), SCDC_OK);
    record list[] = {worker(1, "Ann"), task(1), answer(1, 1, 1, "1"), answer(1, 1, 1, "0")};
    assert_int_equal(write_all(s, list, 4), SCDC_OK);
    record again[] = {answer(1, 1, 1, "?")};
    assert_int_equal(write_all(s, again, 1), SCDC_OK);
    seen got = {0};
    assert_int_equal(store_read(s, note, &got), SCDC_OK);
    assert_int_equal(got.count[RECORD_ANSWER], 1);
    assert_string_equal(got.value, "1"); /* the first stays */
    store_close(s);
}

static void all_or_nothing(void **state)
{
    (void)state;
    store *s;
    assert_int_equal(store_open(&s, store_place("c"), STORE_CREATE), SCDC_OK);
    record list[] = {worker(1, "Ann"), worker(2, "Ann")};
    assert_int_equal(write_all(s, list, 2), SCDC_ERR_ARGUMENT);
    record orphan[] = {worker(3, "Bob"), answer(1, 99, 3, "1")};
    assert_int_equal(write_all(s, orphan, 2), SCDC_ERR_ARGUMENT);
    seen got = {0};
    assert_int_equal(store_read(s, note, &got), SCDC_OK);
    assert_int_equal(got.count[RECORD_WORKER], 0);
    record good[] = {worker(1, "Ann")};
    assert_int_equal(write_all(s, good, 1), SCDC_OK); /* and it still writes */
    store_close(s);
}

static void what_is_no_store_is_refused(void **state)
{
    (void)state;
    store *s;
    const char *place = store_place("none");
    assert_int_equal(store_open(&s, place, STORE_READ), SCDC_ERR_INPUT);
    assert_int_equal(store_open(&s, place, STORE_WRITE), SCDC_ERR_INPUT);
    assert_int_equal(store_open(&s, place, STORE_JOIN), SCDC_OK); /* made */
    store_close(s);
    assert_int_equal(store_open(&s, place, STORE_JOIN), SCDC_OK); /* or opened */
    store_close(s);
    assert_int_equal(store_open(&s, place, STORE_CREATE), SCDC_ERR_OUTPUT);
    assert_int_equal(store_open(&s, place, STORE_WRITE), SCDC_OK);
    store_close(s);
}

static void settings_are_kept_once(void **state)
{
    (void)state;
    store *s;
    assert_int_equal(store_open(&s, store_place("k"), STORE_CREATE), SCDC_OK);
    for (int i = 0; i < 2; i++) {
        char *value = NULL;
        assert_int_equal(store_keep(&value, s, "secret", i ? "two" : "one"), SCDC_OK);
        assert_string_equal(value, "one");
        free(value);
    }
    store_close(s);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    store *s;
    const char *path = scratch_text("d.db", "this is no database, and long enough to be one");
    assert_int_equal(store_open(&s, path, STORE_WRITE), SCDC_ERR_INPUT);
    assert_int_equal(store_open(&s, path, STORE_CREATE), SCDC_ERR_OUTPUT);
    assert_int_equal(store_open(&s, scratch_path("none.db"), STORE_READ), SCDC_ERR_INPUT);
}

static void one_server_leads(void **state)
{
    (void)state;
    store *one, *two;
    const char *place = store_place("lead");
    assert_int_equal(store_open(&one, place, STORE_JOIN), SCDC_OK);
    assert_true(store_lead(one));
    assert_true(store_lead(one));
    if (test_database()) {
        assert_int_equal(store_open(&two, place, STORE_JOIN), SCDC_OK);
        assert_false(store_lead(two));
        store_close(one);
        bool leads = false; /* the database has to notice that it is gone */
        for (int i = 0; i < 200 && !leads; i++) {
            leads = store_lead(two);
            usleep(10000);
        }
        assert_true(leads);
        one = two;
    }
    store_close(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(twice_is_once),
        cmocka_unit_test(all_or_nothing),          cmocka_unit_test(what_is_no_store_is_refused),
        cmocka_unit_test(settings_are_kept_once),  cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(one_server_leads),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
