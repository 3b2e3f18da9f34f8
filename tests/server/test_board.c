/* server/board: lending, coming back, redundancy, quotas, checks, and thinking better of an answer.
 */
#include "support/files.h"

#include "../../server/board.h"

static board *make(uint32_t redundancy, uint32_t quota, bool sets)
{
    board_rules rules = {.sets = sets,
                         .items = 100,
                         .redundancy = redundancy,
                         .quota = quota,
                         .check_every = 4,
                         .lease_ms = 1000};
    return board_create(&rules);
}

static void add_worker(board *b, uint32_t number)
{
    record r = {.kind = RECORD_WORKER};
    r.worker.number = number;
    r.worker.name = text_format("w%lu", (unsigned long)number);
    r.worker.source = text_copy("link");
    r.worker.outside = text_copy("");
    assert_int_equal(board_apply(b, &r), SCDC_OK);
    record_clear(&r);
}

static int add_task(board *b, const char *items, const char *truth)
{
    record r = {.kind = RECORD_TASK};
    r.task.number = (uint32_t)b->n_tasks;
    r.task.items = text_copy(items);
    r.task.truth = text_copy(truth);
    r.task.reason = text_copy("");
    int status = board_apply(b, &r);
    record_clear(&r);
    return status;
}

static int add_answer(board *b, uint64_t id, uint32_t worker, uint32_t task, const char *value)
{
    record r = {.kind = RECORD_ANSWER};
    r.answer.id = (id128){1, id};
    r.answer.worker = worker;
    r.answer.task = task;
    r.answer.value = text_copy(value);
    int status = board_apply(b, &r);
    record_clear(&r);
    return status;
}

static void tasks_are_lent_to_as_many_as_wanted(void **state)
{
    (void)state;
    board *b = make(2, 0, false);
    for (uint32_t w = 1; w <= 3; w++) add_worker(b, w);
    assert_int_equal(add_task(b, "1 2", ""), SCDC_OK);
    uint32_t got[MOST_LEASES];
    assert_int_equal(board_wanted(b), 2);
    assert_int_equal(board_lend(b, got, 1, 4, NULL, 0, 0), 1);
    assert_int_equal(board_lend(b, got, 1, 4, NULL, 0, 0), 1); /* the same again after a reload */
    assert_int_equal(board_lend(b, got, 1, 4, got, 1, 0), 0);  /* not when the page has it */
    assert_int_equal(board_lend(b, got, 2, 4, NULL, 0, 0), 1);
    assert_int_equal(board_lend(b, got, 3, 4, NULL, 0, 0), 0); /* two are enough */
    assert_int_equal(board_wanted(b), 0);
    board_expire(b, 999);
    assert_int_equal(board_lend(b, got, 3, 4, NULL, 0, 999), 0);
    board_expire(b, 1000); /* nobody answered: it comes back */
    assert_int_equal(board_lend(b, got, 3, 4, NULL, 0, 1000), 1);
    board_give_back(b, 3);
    assert_int_equal(board_wanted(b), 2);
    assert_int_equal(add_answer(b, 1, 1, 1, "1"), SCDC_OK);
    assert_int_equal(board_lend(b, got, 1, 4, NULL, 0, 1000), 0); /* nobody gets a pair twice */
    assert_int_equal(add_answer(b, 2, 2, 1, "1"), SCDC_OK);
    assert_int_equal(board_lend(b, got, 3, 4, NULL, 0, 1000), 0);
    board_free(b);
}

static void an_answer_can_be_thought_over(void **state)
{
    (void)state;
    board *b = make(2, 0, false);
    add_worker(b, 1);
    add_task(b, "1 2", "");
    assert_int_equal(add_answer(b, 1, 1, 1, "1"), SCDC_OK);
    assert_int_equal(add_answer(b, 1, 1, 1, "0"), SCDC_OK); /* the same id: nothing new */
    assert_int_equal(b->n_answers, 1);
    assert_int_equal(add_answer(b, 2, 1, 1, "0"), SCDC_OK);
    assert_int_equal(b->n_answers, 2);
    assert_int_equal(b->live_answers, 1);
    assert_true(b->answers[0].replaced);
    assert_string_equal(board_text(b, b->answers[1].value), "0");
    assert_int_equal(b->workers[1].answers, 1);
    assert_int_equal(b->tasks[1].answered, 1);
    board_free(b);
}

static void values_must_fit(void **state)
{
    (void)state;
    board *b = make(2, 0, false), *s = make(2, 0, true);
    add_task(b, "1 2", "");
    add_task(s, "1 2 3", "");
    static const char *const bad[] = {"", "2", "11", "same", "1 0"};
    for (size_t i = 0; i < 5; i++) assert_false(board_value_fits(b, &b->tasks[1], bad[i]));
    assert_true(board_value_fits(s, &s->tasks[1], "0 0 1"));
    assert_true(board_value_fits(s, &s->tasks[1], "? 0 12"));
    static const char *const worse[] = {"0 0",    "0 0 1 ", "0 0 1 1", "0  1",
                                        "0 0 36", "0 0 x",  " 0 0 1"};
    for (size_t i = 0; i < 7; i++) assert_false(board_value_fits(s, &s->tasks[1], worse[i]));
    assert_int_equal(add_task(b, "1 100", ""), SCDC_ERR_INPUT);    /* no such item */
    assert_int_equal(add_task(b, "1 2 3", ""), SCDC_ERR_INPUT);    /* not a pair */
    assert_int_equal(add_answer(b, 1, 1, 1, "1"), SCDC_ERR_INPUT); /* nobody's */
    board_free(b);
    board_free(s);
}

static void quotas_and_checks(void **state)
{
    (void)state;
    board *b = make(1, 5, false);
    add_worker(b, 1);
    add_task(b, "90 91", "1");
    for (int i = 0; i < 10; i++) {
        char items[16];
        snprintf(items, sizeof items, "%d %d", i, i + 1);
        add_task(b, items, "");
    }
    uint32_t got[MOST_LEASES];
    assert_int_equal(board_lend(b, got, 1, 8, NULL, 0, 0), 5); /* no more than the quota */
    bool checked = false;
    for (int i = 0; i < 5; i++) checked = checked || got[i] == 1;
    assert_true(checked);
    for (uint64_t i = 0; i < 5; i++) add_answer(b, i, 1, got[i], got[i] == 1 ? "0" : "1");
    assert_int_equal(b->workers[1].checks, 1);
    assert_int_equal(b->workers[1].checks_right, 0);
    add_answer(b, 77, 1, 1, "1"); /* correcting a check does not make it passed */
    assert_int_equal(b->workers[1].checks_right, 0);
    assert_true(board_quota_reached(b, &b->workers[1]));
    assert_int_equal(board_lend(b, got, 1, 8, NULL, 0, 0), 0);
    board_free(b);
}

static void names_are_made_unique(void **state)
{
    (void)state;
    board *b = make(1, 0, false);
    bool known;
    char *one, *two, *none;
    board_reserve_worker(b, &one, &known, "  Ann\t", "open", "");
    board_reserve_worker(b, &two, &known, "Ann", "open", "");
    board_reserve_worker(b, &none, &known, "\x01\xff", "open", "");
    assert_string_equal(one, "Ann");
    assert_string_equal(two, "Ann 2");
    assert_string_equal(none, "worker 3");
    free(one);
    free(two);
    free(none);
    uint32_t first = board_reserve_worker(b, &one, &known, "PID", "prolific", "PID");
    assert_false(known);
    assert_int_equal(board_reserve_worker(b, &two, &known, "PID", "prolific", "PID"), first);
    assert_true(known);
    assert_null(two);
    free(one);
    board_free(b);
}

/* A worker whose record could not be kept can come again under the same name; the others stay. */
static void forgotten_workers_can_come_again(void **state)
{
    (void)state;
    enum { MANY = 600 };
    board *b = make(1, 0, false);
    record *list = need_zeroed(MANY, sizeof *list);
    bool known;
    for (unsigned i = 0; i < MANY; i++) {
        list[i].kind = RECORD_WORKER;
        list[i].worker.source = text_copy("prolific");
        list[i].worker.outside = text_format("P%u", i);
        list[i].worker.number =
            board_reserve_worker(b, &list[i].worker.name, &known, list[i].worker.outside,
                                 "prolific", list[i].worker.outside);
        assert_false(known);
    }
    for (unsigned i = 0; i < MANY; i += 2) board_forget_worker(b, &list[i]);
    for (unsigned i = 0; i < MANY; i++) {
        char *name;
        uint32_t number = board_reserve_worker(b, &name, &known, list[i].worker.outside, "prolific",
                                               list[i].worker.outside);
        assert_int_equal(known, i % 2);
        if (known) assert_int_equal(number, list[i].worker.number);
        else assert_string_equal(name, list[i].worker.name); /* not "P0 2" */
        free(name);
        record_clear(&list[i]);
    }
    free(list);
    board_free(b);
}

/* What another server lent counts here as well. */
static void leases_of_others(void **state)
{
    (void)state;
    board *b = make(1, 0, false);
    uint32_t got[MOST_LEASES];
    for (uint32_t w = 1; w <= 2; w++) add_worker(b, w);
    for (int i = 0; i < 12; i++) {
        char items[16];
        snprintf(items, sizeof items, "%d %d", i, i + 20);
        add_task(b, items, "");
    }
    board_hold(b, 1, 1, 500, 1000);
    board_hold(b, 1, 1, 800, 1000); /* renewed: one lease */
    board_hold(b, 9, 1, 800, 1000); /* nobody, nothing */
    board_hold(b, 1, 99, 800, 1000);
    assert_int_equal(b->tasks[1].leased, 1);
    assert_int_equal(board_lend(b, got, 2, 1, NULL, 0, 1000), 1);
    assert_int_equal(got[0], 2);
    board_expire(b, 1799);
    assert_int_equal(b->tasks[1].leased, 1);
    board_expire(b, 1800);
    assert_int_equal(b->tasks[1].leased, 0);
    add_answer(b, 1, 1, 1, "1");
    board_hold(b, 1, 1, 500, 2000); /* the news came after the answer */
    assert_int_equal(b->tasks[1].leased, 0);
    for (uint32_t t = 3; t <= 12; t++) board_hold(b, 1, t, 500 + t, 2000);
    assert_int_equal(b->workers[1].n_leases, MOST_LEASES);
    assert_int_equal(b->tasks[3].leased, 0); /* what ends first makes room */
    assert_int_equal(b->tasks[12].leased, 1);
    board_hold(b, 1, 12, 0, 2000);
    assert_int_equal(b->tasks[12].leased, 0);
    board_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_lent_to_as_many_as_wanted),
        cmocka_unit_test(an_answer_can_be_thought_over),
        cmocka_unit_test(values_must_fit),
        cmocka_unit_test(quotas_and_checks),
        cmocka_unit_test(names_are_made_unique),
        cmocka_unit_test(forgotten_workers_can_come_again),
        cmocka_unit_test(leases_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
