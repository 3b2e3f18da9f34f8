/* server/store: all or nothing, twice is once, and what is read is what was written. */
#include "support/files.h"

#include "../../server/store.h"

static record worker(uint32_t number, const char *name)
{
    record r = {.kind = RECORD_WORKER, .time = 5};
    r.worker.number = number;
    r.worker.name = text_copy(name);
    r.worker.source = text_copy("link");
    r.worker.outside = text_copy("");
    return r;
}

static record task(uint32_t number)
{
    record r = {.kind = RECORD_TASK, .time = 6};
    r.task.number = number;
    r.task.items = text_copy("3 4");
    r.task.truth = text_copy("1");
    r.task.reason = text_copy("because");
    return r;
}

static record answer(uint64_t id, uint32_t task_number, uint32_t worker_number, const char *value)
{
    record r = {.kind = RECORD_ANSWER, .time = 7};
    r.answer.id = (id128){0xfedcba9876543210u, id};
    r.answer.task = task_number;
    r.answer.worker = worker_number;
    r.answer.value = text_copy(value);
    r.answer.names = text_copy("[\"it's\"]");
    r.answer.took = 1234;
    return r;
}

static int write_all(store *s, record *list, size_t count)
{
    int status = store_write(s, list, count);
    for (size_t i = 0; i < count; i++) record_clear(&list[i]);
    return status;
}

typedef struct seen {
    size_t count[8];
    record last_answer;
    char value[16], names[32], items[16];
} seen;

static int note(const record *r, void *user)
{
    seen *s = user;
    s->count[r->kind]++;
    if (r->kind == RECORD_ANSWER) {
        s->last_answer = *r;
        snprintf(s->value, sizeof s->value, "%s", r->answer.value);
        snprintf(s->names, sizeof s->names, "%s", r->answer.names);
    }
    if (r->kind == RECORD_TASK) snprintf(s->items, sizeof s->items, "%s", r->task.items);
    return SCDC_OK;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    const char *path = scratch_path("a.db");
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
    assert_int_equal(store_open(&s, scratch_path("b.db"), STORE_CREATE), SCDC_OK);
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
    assert_int_equal(store_open(&s, scratch_path("c.db"), STORE_CREATE), SCDC_OK);
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

static void other_files_are_refused(void **state)
{
    (void)state;
    store *s;
    const char *path = scratch_text("d.db", "this is no database, and long enough to be one");
    assert_int_equal(store_open(&s, path, STORE_WRITE), SCDC_ERR_INPUT);
    assert_int_equal(store_open(&s, path, STORE_CREATE), SCDC_ERR_OUTPUT);
    assert_int_equal(store_open(&s, scratch_path("none.db"), STORE_READ), SCDC_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(twice_is_once),
        cmocka_unit_test(all_or_nothing),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
