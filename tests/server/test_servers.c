/* Several servers with one database: what one does the others know, numbers, names and leases are
 * given once, and a database that is killed comes back. Needs $SCDC_TEST_STORE. */
#include "harness.h"
#include "records.h"

/* ---- stores --------------------------------------------------------------------------------- */

static record lease(uint32_t task_number, uint32_t worker_number, int64_t left)
{
    record r = {.kind = RECORD_LEASE};
    r.lease.task = task_number;
    r.lease.worker = worker_number;
    r.lease.left = left;
    return r;
}

static int note_lease(const record *r, void *user)
{
    if (r->kind == RECORD_LEASE) *(int64_t *)user = r->lease.left;
    return SCDC_OK;
}

static void servers_see_what_others_write(void **state)
{
    (void)state;
    store *one, *two;
    assert_int_equal(store_open(&one, store_place("several"), STORE_JOIN), SCDC_OK);
    assert_int_equal(store_open(&two, store_place("several"), STORE_JOIN), SCDC_OK);
    record first[] = {worker(1, "Ann"), task(1)};
    assert_int_equal(write_all(one, first, 2), SCDC_OK);
    seen got = {0};
    assert_int_equal(store_begin(two, note, &got), SCDC_OK); /* before it writes itself */
    assert_int_equal(got.count[RECORD_WORKER], 1);
    assert_int_equal(got.count[RECORD_TASK], 1);
    record second[] = {answer(5, 1, 1, "1"), lease(1, 1, 60000)};
    assert_int_equal(store_commit(two, second, 2), SCDC_OK);
    assert_int_equal(store_follow(two, note, &got), SCDC_OK); /* its own is no news */
    assert_int_equal(got.count[RECORD_ANSWER], 0);
    record_clear(&second[0]);
    seen others = {0};
    assert_int_equal(store_follow(one, note, &others), SCDC_OK);
    assert_int_equal(others.count[RECORD_WORKER], 0);
    assert_int_equal(others.count[RECORD_ANSWER], 1);
    assert_int_equal(store_follow(one, note, &others), SCDC_OK);
    assert_int_equal(others.count[RECORD_ANSWER], 1);
    /* A lease has the time left that the database's clock says, and is told again when it is
     * renewed or given back. */
    int64_t left = 0;
    assert_int_equal(store_read(one, note_lease, &left), SCDC_OK);
    assert_true(left > 1000 && left <= 60000);
    record back[] = {lease(1, 1, 0)};
    assert_int_equal(write_all(two, back, 1), SCDC_OK);
    assert_int_equal(store_follow(one, note_lease, &left), SCDC_OK);
    assert_true(left <= 0);
    store_close(one);
    store_close(two);
}

static void constraints_hold_between_servers(void **state)
{
    (void)state;
    store *s;
    assert_int_equal(store_open(&s, store_place("strict"), STORE_CREATE), SCDC_OK);
    record list[] = {worker(1, "Ann"), worker(2, "Bob"), task(1)};
    free(list[0].worker.outside);
    list[0].worker.outside = text_copy("P1");
    assert_int_equal(write_all(s, list, 3), SCDC_OK);
    record pair[] = {task(2)}; /* the same pair, and the other way round */
    assert_int_equal(write_all(s, pair, 1), SCDC_ERR_ARGUMENT);
    record turned[] = {task(2)};
    free(turned[0].task.items);
    turned[0].task.items = text_copy("4 3");
    assert_int_equal(write_all(s, turned, 1), SCDC_ERR_ARGUMENT);
    record outsider[] = {worker(3, "Cid")};
    free(outsider[0].worker.outside);
    outsider[0].worker.outside = text_copy("P1");
    assert_int_equal(write_all(s, outsider, 1), SCDC_ERR_ARGUMENT);
    record number[] = {worker(2, "Dan")};
    assert_int_equal(write_all(s, number, 1), SCDC_ERR_ARGUMENT);
    store_close(s);
}

static void passwords_are_never_told(void **state)
{
    (void)state;
    static const char *const addresses[] = {
        "postgresql://ann:hunter2@%2Fnowhere/db",
        "postgresql://ann:hunter2@127.0.0.1:1/db",
        "postgresql://ann:hunter2@127.0.0.1:x/db",
        "postgresql://ann@127.0.0.1:1/db?password=hunter2",
        "postgresql://ann@127.0.0.1:1/db?nonsense=hunter2",
        "postgresql://ann:hunter2%zz@127.0.0.1:1/db",
        "postgresql://ann:hunter2@[::1/db",
    };
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        store *s;
        char *shown = NULL;
        assert_int_not_equal(store_open(&s, addresses[i], STORE_JOIN), SCDC_OK);
        if (strstr(server_error(), "hunter2")) fail_msg("%s", server_error());
        if (store_address_shown(&shown, addresses[i]) == SCDC_OK && strstr(shown, "hunter2"))
            fail_msg("%s", shown);
        free(shown);
    }
    char *shown = NULL;
    assert_int_equal(
        store_address_shown(&shown, "postgres://a%40b:pw@h:5433/d?sslmode=disable&password=x"),
        SCDC_OK);
    assert_string_equal(shown, "postgresql://a%40b@h:5433/d?sslmode=disable");
    free(shown);
}

static void kill_database(void)
{
    assert_int_equal(system("sh -c \"$SCDC_TEST_STORE_KILL\""), 0);
}

static void start_database(void)
{
    assert_int_equal(system("sh -c \"$SCDC_TEST_STORE_START\""), 0);
}

/* Kills the database: what was committed is there when it is back, and the connection comes back.
 */
static void the_database_comes_back(void **state)
{
    (void)state;
    store *s;
    assert_int_equal(store_open(&s, store_place("killed"), STORE_CREATE), SCDC_OK);
    record first[] = {worker(1, "Ann"), task(1), answer(1, 1, 1, "1")};
    assert_int_equal(write_all(s, first, 3), SCDC_OK);
    seen got = {0};
    assert_int_equal(store_begin(s, note, &got), SCDC_OK);
    kill_database();
    record lost[] = {answer(2, 1, 1, "0")};
    assert_int_equal(store_commit(s, lost, 1), SCDC_ERR_OUTPUT);
    record_clear(&lost[0]);
    start_database();
    int status = SCDC_ERR_OUTPUT;
    for (int i = 0; i < 100 && status != SCDC_OK; i++) {
        record again[] = {answer(2, 1, 1, "0")};
        status = write_all(s, again, 1);
        if (status != SCDC_OK) usleep(50000);
    }
    assert_int_equal(status, SCDC_OK);
    memset(&got, 0, sizeof got);
    assert_int_equal(store_read(s, note, &got), SCDC_OK);
    assert_int_equal(got.count[RECORD_ANSWER], 2);
    store_close(s);
}

/* ---- servers -------------------------------------------------------------------------------- */

enum { SERVERS = 3 };

/* Three servers with a folder each. */
static void open_servers(harness h[SERVERS], const char *schema, uint32_t redundancy)
{
    collect_options o;
    collect_options_init(&o);
    o.redundancy = redundancy;
    char place[1024];
    snprintf(place, sizeof place, "%s", schema_place(schema));
    o.store = place;
    for (int i = 0; i < SERVERS; i++) {
        char folder[64];
        snprintf(folder, sizeof folder, "%s-%d", schema, i);
        harness_open(&h[i], folder, &o);
    }
}

static void close_servers(harness h[SERVERS])
{
    for (int i = 0; i < SERVERS; i++) harness_close(&h[i]);
}

/* A link that is not known makes a server look at what others wrote; 401 when there is none. */
static int look(harness *h)
{
    int status;
    json_decref(
        harness_send(h, &status, "GET", "/api/me", "0123456789abcdef0123456789abcdef", NULL));
    return status;
}

static void links_open_all_servers(void **state)
{
    (void)state;
    harness h[SERVERS];
    char token[TOKEN_LENGTH + 1];
    int status;
    open_servers(h, "links", 2);
    assert_string_equal(h[0].project->secret, h[2].project->secret);
    assert_string_equal(h[0].project->item_key, h[1].project->item_key);
    harness_join(&h[0], token, "Ann");
    for (int i = 1; i < SERVERS; i++) { /* at once, whatever was asked before */
        json_decref(harness_send(&h[i], &status, "GET", "/api/me", token, NULL));
        assert_int_equal(status, 200);
        json_decref(harness_send(&h[i], &status, "GET", "/api/owner/overview", h[0].owner, NULL));
        assert_int_equal(status, 200);
    }
    assert_int_equal(look(&h[1]), 401);
    close_servers(h);
}

static void people_are_told_apart(void **state)
{
    (void)state;
    harness h[SERVERS];
    char token[TOKEN_LENGTH + 1];
    int status;
    open_servers(h, "people", 2);
    for (int i = 0; i < 2 * SERVERS; i++) harness_join(&h[i % SERVERS], token, "Ann");
    for (int i = 0; i < 2 * SERVERS; i++) { /* one person of a platform */
        json_decref(harness_send(&h[i % SERVERS], &status, "POST", "/api/join", h[0].join,
                                 "{\"prolific\":\"5f3c\"}"));
        assert_int_equal(status, 200);
    }
    assert_int_equal(look(&h[0]), 401);
    const board *b = h[0].project->board;
    assert_int_equal(b->n_workers, 1 + 2 * SERVERS + 1);
    assert_string_equal(b->workers[1].name, "Ann");
    assert_string_equal(b->workers[2 * SERVERS].name, "Ann 6");
    assert_string_equal(b->workers[2 * SERVERS + 1].source, "prolific");
    close_servers(h);
}

/* How many tasks a worker is given by a server. */
static size_t ask(harness *h, const char *token, long long first[2])
{
    json_t *said = harness_send(h, NULL, "POST", "/api/tasks", token, "{\"want\":8}");
    const json_t *list = json_object_get(said, "tasks");
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count && i < 2; i++)
        first[i] = json_integer_value(json_object_get(json_array_get(list, i), "task"));
    json_decref(said);
    return count;
}

static int answer_as(harness *h, const char *token, uint32_t who, long long number, unsigned id)
{
    char body[300], seal[SEAL_LENGTH + 1];
    int status;
    seal_make(seal, h->project->secret, (uint32_t)number, who);
    snprintf(body, sizeof body,
             "{\"answers\":[{\"id\":\"%032x\",\"task\":%lld,\"seal\":\"%s\",\"value\":"
             "\"1\"}]}",
             id, number, seal);
    json_t *said = harness_send(h, &status, "POST", "/api/answers", token, body);
    if (status == 200) assert_int_equal(json_array_size(json_object_get(said, "kept")), 1);
    json_decref(said);
    return status;
}

static void tasks_are_lent_once(void **state)
{
    (void)state;
    harness h[SERVERS];
    char ann[TOKEN_LENGTH + 1], bob[TOKEN_LENGTH + 1], cid[TOKEN_LENGTH + 1];
    long long got[2];
    open_servers(h, "lent", 1);
    harness_task(&h[0], 1, 2, "");
    harness_task(&h[0], 3, 4, "");
    harness_join(&h[1], ann, "Ann");
    harness_join(&h[2], bob, "Bob");
    harness_join(&h[0], cid, "Cid");
    assert_int_equal(ask(&h[0], ann, got), 2);
    assert_int_equal(ask(&h[1], bob, got), 0); /* lent by another server */
    assert_int_equal(ask(&h[2], ann, got), 2); /* the same again, wherever she asks */
    assert_int_equal(answer_as(&h[1], ann, 1, got[0], 1), 200);
    assert_int_equal(answer_as(&h[2], ann, 1, got[0], 1), 200); /* an acknowledgement got lost */
    assert_int_equal(h[2].project->board->n_answers, 1);
    assert_int_equal(ask(&h[0], ann, got), 1);
    assert_int_equal(ask(&h[2], bob, got), 0);
    json_decref(harness_send(&h[1], NULL, "POST", "/api/pause", ann, "{}"));
    assert_int_equal(ask(&h[2], bob, got), 1); /* given back */
    assert_int_equal(ask(&h[0], cid, got), 0);
    for (int i = 0; i < SERVERS; i++) assert_int_equal(look(&h[i]), 401);
    clock_shift += 181000; /* what is not answered in time comes back, on every server */
    for (int i = 0; i < SERVERS; i++) board_expire(h[i].project->board, clock_steady());
    assert_int_equal(ask(&h[0], cid, got), 1);
    assert_int_equal(ask(&h[1], bob, got), 0);
    clock_shift = 0;
    close_servers(h);
}

static void a_server_that_comes_later_knows_the_leases(void **state)
{
    (void)state;
    harness h[SERVERS], late;
    char ann[TOKEN_LENGTH + 1], bob[TOKEN_LENGTH + 1];
    long long got[2];
    open_servers(h, "late", 1);
    harness_task(&h[0], 1, 2, "");
    harness_join(&h[1], ann, "Ann");
    harness_join(&h[2], bob, "Bob");
    assert_int_equal(ask(&h[0], ann, got), 1);
    collect_options o;
    collect_options_init(&o);
    o.store = schema_place("late");
    harness_open(&late, "late-later", &o);
    assert_int_equal(ask(&late, bob, got), 0);
    assert_int_equal(ask(&late, ann, got), 1);
    harness_close(&late);
    close_servers(h);
}

/* The whole project as one file, with which one server goes on without the database. */
static void a_project_can_be_taken_home(void **state)
{
    (void)state;
    harness h[SERVERS];
    char ann[TOKEN_LENGTH + 1];
    long long got[2];
    open_servers(h, "home", 2);
    harness_task(&h[0], 1, 2, "");
    harness_join(&h[1], ann, "Ann");
    assert_int_equal(ask(&h[0], ann, got), 1);
    assert_int_equal(answer_as(&h[2], ann, 1, got[0], 7), 200);
    request r = {.method = "GET", .path = "/api/owner/project.db", .token = h[0].owner, .body = ""};
    reply out;
    app_ask(&out, &h[1].app, &r);
    assert_int_equal(out.status, 200);
    char folder[1024], file[2048];
    snprintf(folder, sizeof folder, "%s", scratch_path("taken"));
    snprintf(file, sizeof file, "%s/project.db", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(scdc_write_file(file, out.body, out.size), SCDC_OK);
    reply_free(&out);
    char secret[TOKEN_LENGTH + 1];
    snprintf(secret, sizeof secret, "%s", h[0].project->secret);
    close_servers(h);
    collect_options o;
    collect_options_init(&o);
    o.project = folder;
    o.data = harness_items(30);
    project *p;
    assert_int_equal(project_open(&p, &o), SCDC_OK);
    assert_false(p->shared);
    assert_string_equal(p->secret, secret);
    assert_int_equal(p->redundancy, 2);
    assert_int_equal(p->board->n_answers, 1);
    assert_string_equal(p->board->workers[1].name, "Ann");
    project_close(p);
}

/* ---- many at once ---------------------------------------------------------------------------- */

enum { CROWD = 8, EACH = 20, TASKS = 60, WANTED = 2 };

typedef struct member {
    harness *servers;
    char token[TOKEN_LENGTH + 1];
    uint32_t number;
    unsigned turn, given;
} member;

static void *work(void *argument)
{
    member *m = argument;
    for (unsigned i = 0; i < EACH; i++) {
        long long got[2];
        if (!ask(&m->servers[m->turn++ % SERVERS], m->token, got)) break;
        if (answer_as(&m->servers[m->turn++ % SERVERS], m->token, m->number, got[0],
                      m->number * 1000 + i) == 200)
            m->given++;
    }
    return NULL;
}

/* Everybody asks every server; no task has more answers than wanted, and none of one person twice.
 */
static void a_crowd_on_all_servers(void **state)
{
    (void)state;
    harness h[SERVERS];
    member crowd[CROWD] = {0};
    pthread_t threads[CROWD];
    open_servers(h, "crowd", WANTED);
    for (unsigned i = 0; i < TASKS; i++)
        harness_task(&h[0], i % 30, (i % 30 + 1 + i / 30) % 30, "");
    for (uint32_t i = 0; i < CROWD; i++) {
        crowd[i] = (member){.servers = h, .number = i + 1, .turn = i};
        harness_join(&h[i % SERVERS], crowd[i].token, "Ann");
    }
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &crowd[i]), 0);
    unsigned given = 0;
    for (int i = 0; i < CROWD; i++) {
        pthread_join(threads[i], NULL);
        given += crowd[i].given;
    }
    assert_true(given >= TASKS);
    store *s;
    assert_int_equal(store_open(&s, store_place("crowd"), STORE_READ), SCDC_OK);
    seen got = {0};
    assert_int_equal(store_read(s, note, &got), SCDC_OK);
    assert_int_equal(got.count[RECORD_ANSWER], given);
    store_close(s);
    char token[TOKEN_LENGTH + 1];
    for (int i = 0; i < SERVERS; i++) { /* all boards are the same in the end */
        harness_join(&h[i], token, "Last");
        const board *b = h[i].project->board;
        assert_int_equal(b->live_answers, given);
        assert_int_equal(b->n_answers, given); /* nobody answered twice */
        for (size_t t = 1; t < b->n_tasks; t++) assert_true(b->tasks[t].answered <= WANTED);
    }
    close_servers(h);
}

/* While the database is away people are told to wait; then it goes on by itself. */
static void servers_outlive_the_database(void **state)
{
    (void)state;
    harness h[SERVERS];
    char ann[TOKEN_LENGTH + 1];
    long long got[2];
    open_servers(h, "outage", 1);
    for (unsigned i = 0; i < 9; i++) harness_task(&h[0], i, i + 10, "");
    harness_join(&h[0], ann, "Ann");
    assert_int_equal(ask(&h[0], ann, got), 8);
    assert_int_equal(answer_as(&h[1], ann, 1, got[0], 1), 200);
    kill_database();
    for (int i = 0; i < SERVERS; i++) {
        assert_int_equal(answer_as(&h[i], ann, 1, got[1], 2), 503);
        /* Somebody new who had to wait is not locked out. */
        json_decref(
            harness_send(&h[i], NULL, "POST", "/api/join", h[i].join, "{\"prolific\":\"5f3c\"}"));
    }
    start_database();
    for (int i = 0; i < SERVERS; i++) {
        int status = 0;
        for (int tries = 0; tries < 100 && status != 200; tries++) {
            status = answer_as(&h[i], ann, 1, got[1], 2);
            assert_true(status == 200 || status == 503);
            if (status != 200) usleep(50000);
        }
        assert_int_equal(status, 200);
        json_t *said =
            harness_send(&h[i], &status, "POST", "/api/join", h[0].join, "{\"prolific\":\"5f3c\"}");
        assert_int_equal(status, 200);
        json_decref(said);
    }
    const board *b = h[SERVERS - 1].project->board;
    assert_int_equal(b->n_answers, 2);
    size_t people = 0;
    for (size_t i = 1; i < b->n_workers; i++) people += b->workers[i].name != NULL;
    assert_int_equal(people, 2);
    close_servers(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_see_what_others_write),
        cmocka_unit_test(constraints_hold_between_servers),
        cmocka_unit_test(passwords_are_never_told),
        cmocka_unit_test(the_database_comes_back),
        cmocka_unit_test(links_open_all_servers),
        cmocka_unit_test(people_are_told_apart),
        cmocka_unit_test(tasks_are_lent_once),
        cmocka_unit_test(a_server_that_comes_later_knows_the_leases),
        cmocka_unit_test(a_project_can_be_taken_home),
        cmocka_unit_test(a_crowd_on_all_servers),
        cmocka_unit_test(servers_outlive_the_database),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
