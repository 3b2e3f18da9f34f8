/* server/api: who may do what, answers kept once, and files that go out. */
#include "harness.h"

#include "../../server/export.h"

#include <signal.h>
#include <sys/resource.h>

static collect_options usual(void)
{
    collect_options o;
    collect_options_init(&o);
    o.redundancy = 2;
    return o;
}

static int status_of(harness *h, const char *method, const char *path, const char *token,
                     const char *body)
{
    int status;
    json_decref(harness_send(h, &status, method, path, token, body));
    return status;
}

static void links_open_what_they_should(void **state)
{
    (void)state;
    harness h;
    collect_options o = usual();
    harness_open(&h, "P1", &o);
    char ann[TOKEN_LENGTH + 1];
    harness_join(&h, ann, "Ann");
    static const char wrong[] = "0123456789abcdef0123456789abcdef";
    assert_int_equal(status_of(&h, "GET", "/api/me", ann, NULL), 200);
    assert_int_equal(status_of(&h, "GET", "/api/me", wrong, NULL), 401);
    assert_int_equal(status_of(&h, "GET", "/api/me", NULL, NULL), 401);
    assert_int_equal(status_of(&h, "GET", "/api/me", h.owner, NULL), 403);
    assert_int_equal(status_of(&h, "GET", "/api/owner/overview", ann, NULL), 403);
    assert_int_equal(status_of(&h, "GET", "/api/owner/overview", h.join, NULL), 403);
    assert_int_equal(status_of(&h, "GET", "/api/owner/overview", h.owner, NULL), 200);
    assert_int_equal(status_of(&h, "POST", "/api/join", ann, "{}"), 403);
    assert_int_equal(status_of(&h, "POST", "/api/me", ann, "{}"), 405);
    assert_int_equal(status_of(&h, "DELETE", "/", NULL, NULL), 405);
    assert_int_equal(status_of(&h, "GET", "/nothing", NULL, NULL), 404);
    assert_int_equal(status_of(&h, "GET", "/page/../store.h", NULL, NULL), 404);
    assert_int_equal(status_of(&h, "GET", "/", NULL, NULL), 200);
    assert_int_equal(status_of(&h, "POST", "/api/tasks", ann, "[1]"), 400);
    assert_int_equal(status_of(&h, "POST", "/api/tasks", ann, "{"), 400);
    harness_close(&h);
}

static void items_need_their_key(void **state)
{
    (void)state;
    harness h;
    collect_options o = usual();
    harness_open(&h, "P2", &o);
    char path[100];
    snprintf(path, sizeof path, "/item/%s/3", h.project->item_key);
    assert_int_equal(status_of(&h, "GET", path, NULL, NULL), 200);
    snprintf(path, sizeof path, "/item/%s/30", h.project->item_key);
    assert_int_equal(status_of(&h, "GET", path, NULL, NULL), 404);
    snprintf(path, sizeof path, "/item/%s/3/huge", h.project->item_key);
    assert_int_equal(status_of(&h, "GET", path, NULL, NULL), 404);
    assert_int_equal(status_of(&h, "GET", "/item/0123456789abcdef0123456789abcdef/3", NULL, NULL),
                     404);
    assert_int_equal(status_of(&h, "GET", "/item/", NULL, NULL), 404);
    harness_close(&h);
}

/* The seal of the worker's first task. */
static void first_task(harness *h, const char *token, char seal[SEAL_LENGTH + 1], long long *task)
{
    json_t *said = harness_send(h, NULL, "POST", "/api/tasks", token, "{\"want\":1}");
    const json_t *one = json_array_get(json_object_get(said, "tasks"), 0);
    assert_non_null(one);
    *task = json_integer_value(json_object_get(one, "task"));
    snprintf(seal, SEAL_LENGTH + 1, "%s", json_string_value(json_object_get(one, "seal")));
    json_decref(said);
}

static void answers_are_kept_once(void **state)
{
    (void)state;
    harness h;
    collect_options o = usual();
    harness_open(&h, "P3", &o);
    harness_task(&h, 1, 2, "");
    char ann[TOKEN_LENGTH + 1], bob[TOKEN_LENGTH + 1], seal[SEAL_LENGTH + 1], body[400];
    long long task;
    harness_join(&h, ann, "Ann");
    harness_join(&h, bob, "Bob");
    first_task(&h, ann, seal, &task);
    snprintf(body, sizeof body,
             "{\"answers\":[{\"id\":\"00000000000000000000000000000001\",\"task\":%lld,\"seal\":"
             "\"%s\",\"value\":\"1\",\"took\":900},"
             "{\"id\":\"x\",\"task\":1,\"seal\":\"\",\"value\":\"1\"}]}",
             task, seal);
    for (int i = 0; i < 3; i++) {
        json_t *said = harness_send(&h, NULL, "POST", "/api/answers", ann, body);
        assert_int_equal(json_array_size(json_object_get(said, "kept")), 1);
        assert_int_equal(json_array_size(json_object_get(said, "refused")), 1);
        json_decref(said);
    }
    assert_int_equal(h.project->board->n_answers, 1);
    /* Bob has not been given the task: Ann's seal is not his. */
    snprintf(body, sizeof body,
             "{\"answers\":[{\"id\":\"00000000000000000000000000000002\",\"task\":%lld,\"seal\":"
             "\"%s\",\"value\":\"1\"}]}",
             task, seal);
    json_t *said = harness_send(&h, NULL, "POST", "/api/answers", bob, body);
    assert_int_equal(json_array_size(json_object_get(said, "refused")), 1);
    json_decref(said);
    assert_int_equal(h.project->board->n_answers, 1);
    /* All of it is there again when the project is opened again, the seal included. */
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", h.folder);
    harness_close(&h);
    harness_open(&h, "P3", &o);
    assert_int_equal(h.project->board->n_answers, 1);
    assert_int_equal(status_of(&h, "GET", "/api/me", ann, NULL), 200);
    harness_close(&h);
    collect_counts counts;
    const char *csv = scratch_path("answers.csv");
    assert_int_equal(collect_export(&counts, folder, NULL, csv, false), SCDC_OK);
    assert_int_equal(counts.answers, 1);
    char text[200] = "";
    FILE *f = fopen(csv, "r");
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_string_equal(text, "worker,left,right,label\nAnn,item-1,item-2,same\n");
}

static void the_owner_blocks_and_forgives(void **state)
{
    (void)state;
    harness h;
    collect_options o = usual();
    harness_open(&h, "P4", &o);
    harness_task(&h, 1, 2, "");
    char ann[TOKEN_LENGTH + 1];
    harness_join(&h, ann, "Ann");
    assert_int_equal(status_of(&h, "POST", "/api/owner/standing", h.owner,
                               "{\"worker\":1,\"standing\":\"blocked\"}"),
                     200);
    json_t *said = harness_send(&h, NULL, "POST", "/api/tasks", ann, "{\"want\":1}");
    assert_string_equal(json_string_value(json_object_get(said, "end")), "blocked");
    json_decref(said);
    assert_int_equal(status_of(&h, "POST", "/api/owner/standing", h.owner,
                               "{\"worker\":1,\"standing\":\"forgiven\"}"),
                     200);
    said = harness_send(&h, NULL, "POST", "/api/tasks", ann, "{\"want\":1}");
    assert_int_equal(json_array_size(json_object_get(said, "tasks")), 1);
    json_decref(said);
    assert_int_equal(status_of(&h, "POST", "/api/owner/standing", h.owner,
                               "{\"worker\":9,\"standing\":\"blocked\"}"),
                     400);
    assert_int_equal(
        status_of(&h, "POST", "/api/owner/standing", ann, "{\"worker\":1,\"standing\":\"good\"}"),
        403);
    harness_close(&h);
}

static void platforms_bring_the_same_person_back(void **state)
{
    (void)state;
    harness h;
    collect_options o = usual();
    harness_open(&h, "P5", &o);
    for (int i = 0; i < 2; i++)
        assert_int_equal(status_of(&h, "POST", "/api/join", h.join, "{\"prolific\":\"5f3c\"}"),
                         200);
    assert_int_equal(status_of(&h, "POST", "/api/join", h.join, "{\"mturk\":\"5f3c\"}"), 200);
    assert_int_equal(h.project->board->n_workers, 3); /* nobody, and two */
    assert_string_equal(h.project->board->workers[1].source, "prolific");
    harness_close(&h);
}

/* The disk is full when somebody comes: later it works, under the same name. */
static void who_could_not_join_is_not_locked_out(void **state)
{
    (void)state;
    harness h;
    collect_options o = usual();
    struct rlimit before, none;
    harness_open(&h, "P8", &o);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    none = before;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &none);
    int full = status_of(&h, "POST", "/api/join", h.join, "{\"prolific\":\"5f3c\"}");
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(full, test_database() ? 200 : 503); /* a database's disk is its own */
    assert_int_equal(status_of(&h, "POST", "/api/join", h.join, "{\"prolific\":\"5f3c\"}"), 200);
    const board *b = h.project->board;
    size_t people = 0;
    for (size_t i = 1; i < b->n_workers; i++) {
        if (b->workers[i].name) assert_string_equal(b->workers[i].name, "5f3c");
        people += b->workers[i].name != NULL;
    }
    assert_int_equal(people, 1);
    harness_close(&h);
}

static void guessing_is_slowed_down(void **state)
{
    (void)state;
    harness h;
    collect_options o = usual();
    harness_open(&h, "P6", &o);
    int last = 0;
    for (int i = 0; i < 200 && last != 429; i++)
        last = status_of(&h, "GET", "/api/me", "0123456789abcdef0123456789abcdef", NULL);
    assert_int_equal(last, 429);
    harness_close(&h);
}

static void projects_keep_their_purpose(void **state)
{
    (void)state;
    harness h;
    collect_options o = usual();
    o.sets = 1;
    o.set_size = 5;
    harness_open(&h, "P7", &o);
    project *second;
    o.project = h.folder;
    o.data = harness_items(30);
    assert_int_not_equal(project_open(&second, &o), SCDC_OK); /* two servers */
    harness_close(&h);
    o.sets = 0;
    assert_int_equal(project_open(&second, &o), SCDC_ERR_ARGUMENT);
    o.sets = -1;
    o.set_size = 0;
    o.data = harness_items(31);
    assert_int_equal(project_open(&second, &o), SCDC_ERR_INPUT);
    o.data = harness_items(30);
    assert_int_equal(project_open(&second, &o), SCDC_OK);
    assert_true(second->sets);
    assert_int_equal(second->set_size, 5);
    project_close(second);
    o.project = scratch_dir; /* not empty, not ours */
    assert_int_equal(project_open(&second, &o), SCDC_ERR_OUTPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_open_what_they_should),
        cmocka_unit_test(items_need_their_key),
        cmocka_unit_test(answers_are_kept_once),
        cmocka_unit_test(the_owner_blocks_and_forgives),
        cmocka_unit_test(platforms_bring_the_same_person_back),
        cmocka_unit_test(who_could_not_join_is_not_locked_out),
        cmocka_unit_test(guessing_is_slowed_down),
        cmocka_unit_test(projects_keep_their_purpose),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
