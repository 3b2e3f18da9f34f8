/* Questions with known answers among the others, for pairs and for piles; and what people disagree
 * about. */
#include "harness.h"

#include "../../server/piles.h"

static void one_slip_is_forgiven(void **state)
{
    (void)state;
    static const char truth[] = "0 0 1 1 2";
    assert_true(piles_right(truth, "5 5 0 0 1", 5));  /* names of piles do not count */
    assert_true(piles_right(truth, "0 0 1 0 2", 5));  /* one item on another pile */
    assert_true(piles_right(truth, "0 0 1 1 ?", 5));  /* or left over */
    assert_true(piles_right(truth, "0 0 1 1 1", 5));  /* or not alone */
    assert_false(piles_right(truth, "0 0 0 0 0", 5)); /* all on one pile */
    assert_false(piles_right(truth, "0 1 2 3 4", 5)); /* each on its own */
    assert_false(piles_right(truth, "? ? ? ? ?", 5));
    assert_false(piles_right(truth, "0 1 0 1 2", 5));
    assert_true(piles_right("0 0 1", "1 1 0", 3));
    assert_false(piles_right("0 0 1", "0 0 0", 3));
}

static void open_sets(harness *h, const char *name, const char *checks)
{
    collect_options o;
    collect_options_init(&o);
    o.sets = 1;
    o.set_size = 4;
    o.checks = checks;
    harness_open(h, name, &o);
}

static void piles_are_checked(void **state)
{
    (void)state;
    harness h;
    const char *path =
        scratch_text("gold.csv", "task,item,group\na,item-3,x\na,item-5,x\na,item-7,y\n"
                                 "a,item-9,y\nb,item-3,p\nb,item-4,q\nb,item-8,q\n");
    for (int again = 0; again < 2; again++) { /* the second time they are there already */
        open_sets(&h, "gold", path);
        const board *b = h.project->board;
        assert_int_equal(b->n_checks, 2);
        assert_int_equal(b->tasks[b->checks[0]].count, 4);
        assert_int_equal(board_items(b, &b->tasks[b->checks[1]])[2], 8);
        assert_string_equal(board_text(b, b->tasks[b->checks[0]].truth), "0 0 2 2");
        harness_close(&h);
    }
}

static void wrong_checks_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"left,right,label\nitem-1,item-2,1\n", "task, item and group"},
        {"task,item,group\na,item-1,x\na,item-99,x\n", "row 3: there is no item 'item-99'"},
        {"task,item,group\na,item-1,x\na,item-1,y\n", "row 3: item 'item-1' is in task 'a'"},
        {"task,item,group\na,item-1,x\nb,item-1,y\nb,item-2,y\n", "task 'a' has one item"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        collect_options o;
        char name[16];
        project *p = NULL;
        collect_options_init(&o);
        snprintf(name, sizeof name, "bad%zu", i);
        char folder[1024];
        snprintf(folder, sizeof folder, "%s", scratch_path(name));
        o.project = folder;
        o.data = harness_items(30);
        o.sets = 1;
        o.checks = scratch_text("bad.csv", cases[i].text);
        assert_int_equal(project_open(&p, &o), SCDC_ERR_INPUT);
        if (!strstr(server_error(), cases[i].message)) fail_msg("%s", server_error());
    }
}

static void give(harness *h, uint32_t worker, uint32_t task, const char *value)
{
    static uint64_t next = 1;
    record r = {.kind = RECORD_ANSWER, .time = 1};
    r.answer.id = (id128){9, next++};
    r.answer.worker = worker;
    r.answer.task = task;
    r.answer.value = text_copy(value);
    r.answer.names = text_copy("");
    assert_int_equal(writer_write(h->writer, &r, 1), SCDC_OK);
}

static json_t *overview_part(harness *h, const char *name)
{
    json_t *all = harness_send(h, NULL, "GET", "/api/owner/overview", h->owner, NULL);
    json_t *part = json_incref(json_object_get(all, name));
    json_decref(all);
    assert_non_null(part);
    return part;
}

/* Three people, one of them contradicts the two others about the second item. */
static void disputes_in_piles(void **state)
{
    (void)state;
    harness h;
    char token[TOKEN_LENGTH + 1];
    open_sets(&h, "disputed",
              scratch_text("one.csv", "task,item,group\na,item-3,x\na,item-5,x\n"
                                      "a,item-7,y\na,item-9,y\n"));
    for (int i = 0; i < 3; i++) harness_join(&h, token, i ? i > 1 ? "Cid" : "Bob" : "Ann");
    give(&h, 1, 1, "0 0 1 1");
    give(&h, 2, 1, "1 1 0 ?");
    give(&h, 3, 1, "0 1 1 1");
    json_t *disputed = overview_part(&h, "disputed"), *one = json_array_get(disputed, 0);
    assert_int_equal(json_array_size(disputed), 1);
    assert_int_equal(json_integer_value(json_object_get(one, "left")), 3);
    assert_int_equal(json_integer_value(json_object_get(one, "right")), 5);
    assert_int_equal(json_integer_value(json_object_get(one, "same")), 2);
    assert_int_equal(json_integer_value(json_object_get(one, "different")), 1);
    json_decref(disputed);
    json_t *workers = overview_part(&h, "workers");
    for (size_t i = 0; i < 3; i++) {
        const json_t *w = json_array_get(workers, i);
        assert_int_equal(json_integer_value(json_object_get(w, "checks")), 1);
        assert_int_equal(json_integer_value(json_object_get(w, "checksRight")), 1);
    }
    json_decref(workers);
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slip_is_forgiven),
        cmocka_unit_test(piles_are_checked),
        cmocka_unit_test(wrong_checks_are_refused),
        cmocka_unit_test(disputes_in_piles),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
