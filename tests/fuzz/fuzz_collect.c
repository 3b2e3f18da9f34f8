/* Requests to scdc collect: the first byte picks a path or says that one follows, the second a
 * link, the rest is the body. Whatever comes, the reply is whole, and what it wants to remember
 * fits. */
#include "fuzz/fuzz.h"

#include "../../server/api.h"

#include <stdio.h>
#include <unistd.h>

enum { WORKERS = 3, TASKS = 12, ITEMS = 8, ROUNDS = 20000 };

static app the_app;
static project the_project;
static char tokens[WORKERS + 3][TOKEN_LENGTH + 1];
static const char secret[] = "0123456789abcdef0123456789abcdef";

static void apply(record *r)
{
    PROMISE(board_apply(the_project.board, r) == SCDC_OK);
    record_clear(r);
}

static void add_token(size_t at, token_role role, uint32_t worker)
{
    record r = {.kind = RECORD_TOKEN};
    snprintf(tokens[at], sizeof tokens[at], "%032zx", at + 1);
    token_hash_of(&r.token.hash, tokens[at]);
    r.token.role = role;
    r.token.worker = worker;
    apply(&r);
}

static void fill_board(void)
{
    board_rules rules = {.items = ITEMS, .redundancy = 2, .check_every = 4, .lease_ms = 1000};
    the_project.board = board_create(&rules);
    for (uint32_t i = 1; i <= WORKERS; i++) {
        record r = {.kind = RECORD_WORKER};
        r.worker.number = i;
        r.worker.name = text_format("w%lu", (unsigned long)i);
        r.worker.source = text_copy("link");
        r.worker.outside = text_copy("");
        apply(&r);
        add_token(i - 1, ROLE_WORKER, i);
    }
    add_token(WORKERS, ROLE_JOIN, 0);
    add_token(WORKERS + 1, ROLE_OWNER, 0);
    for (uint32_t i = 1; i <= TASKS; i++) {
        record r = {.kind = RECORD_TASK};
        r.task.number = i;
        r.task.items = text_format("%lu %lu", (unsigned long)(i % 7), (unsigned long)7);
        r.task.truth = text_copy(i % 5 ? "" : "1");
        r.task.reason = text_copy("");
        apply(&r);
    }
}

static void start(void)
{
    static size_t round;
    if (round++ % ROUNDS) return;
    if (!the_project.items) {
        static float values[ITEMS * 3];
        char path[] = "/dev/shm/scdc-fuzz-XXXXXX.npy";
        int fd = mkstemps(path, 4);
        scdc_data *data = NULL;
        PROMISE(fd >= 0 && scdc_data_from_memory(&data, values, SCDC_F32, ITEMS, 3, 0) == SCDC_OK);
        PROMISE(scdc_data_write_npy(data, path) == SCDC_OK);
        PROMISE(items_open(&the_project.items, path, NULL) == SCDC_OK);
        scdc_data_free(data);
        close(fd);
        unlink(path);
        static char title[] = "t", instructions[] = "i", examples[] = "[]", empty[] = "",
                    id[] = "id";
        static char key[TOKEN_LENGTH + 1], folder[] = "/nonexistent";
        snprintf(key, sizeof key, "%s", secret);
        the_project.title = title;
        the_project.instructions = instructions;
        the_project.examples = examples;
        the_project.completion = empty;
        the_project.id = id;
        the_project.secret = the_project.item_key = key;
        the_project.folder = folder;
        the_project.set_size = 2;
        app_init(&the_app, &the_project, NULL, NULL);
    }
    board_free(the_project.board);
    fill_board();
}

/* Limits would turn most inputs away. */
static void be_patient(void)
{
    for (size_t i = 1; i < the_project.board->n_workers; i++)
        the_project.board->workers[i].filled = 0;
    memset(the_app.limits.buckets, 0, sizeof the_app.limits.buckets);
}

static const char *const paths[] = {"/api/answers",
                                    "/api/tasks",
                                    "/api/join",
                                    "/api/pause",
                                    "/api/me",
                                    "/api/owner/links",
                                    "/api/project",
                                    "/api/owner/standing",
                                    "/api/owner/overview",
                                    "/api/owner/answers.csv"};
enum { PATHS = sizeof paths / sizeof *paths };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    start();
    be_patient();
    char *rest = need_resize(NULL, size, 1);
    memcpy(rest, bytes + 2, size - 2);
    rest[size - 2] = '\0';
    bool own_path = bytes[0] % (PATHS + 1) == PATHS;
    request r = {.method = bytes[0] & 128 ? "GET" : "POST",
                 .path = own_path ? rest : paths[bytes[0] % (PATHS + 1)],
                 .token = tokens[bytes[1] % (WORKERS + 3)],
                 .body = own_path ? "" : rest,
                 .size = own_path ? 0 : size - 2};
    reply out;
    api_answer(&out, &the_app, &r);
    PROMISE(out.status == 200 || (out.status >= 400 && out.status < 500) || out.status == 503);
    PROMISE(out.type && (out.body || !out.size));
    for (size_t i = 0; i < out.n_records; i++)
        PROMISE(board_apply(the_project.board, &out.records[i]) == SCDC_OK);
    reply_free(&out);
    free(rest);
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const char *const bodies[] = {
        "", /* made below: it needs a seal */
        "{\"want\":4,\"have\":[1,2,3]}",
        "{\"name\":\"Ann\",\"prolific\":\"5f3c\",\"mturk\":\"A1\"}",
        "{}",
        "",
        "{\"names\":[\"Ann\",\"Bob\"]}",
        "",
        "{\"worker\":1,\"standing\":\"blocked\"}",
        "",
        "",
        "/item/0123456789abcdef0123456789abcdef/3/large",
    };
    static const uint8_t who[] = {0,       0,           WORKERS,     0,           0, WORKERS + 1,
                                  WORKERS, WORKERS + 1, WORKERS + 1, WORKERS + 1, 0};
    if (number >= sizeof bodies / sizeof *bodies) return 0;
    char seal[SEAL_LENGTH + 1];
    seal_make(seal, secret, 1, 1);
    /* GET where that is the method of the path. */
    bool get = number == 4 || number == 6 || number > 7;
    out[0] = (uint8_t)(number + (get ? 128 - 128 % (PATHS + 1) + (PATHS + 1) : 0));
    out[1] = who[number];
    char text[512];
    if (number == 0) {
        snprintf(text, sizeof text,
                 "{\"answers\":[{\"id\":\"00112233445566778899aabbccddeeff\",\"task\":1,"
                 "\"seal\":\"%s\",\"value\":\"1\",\"took\":1200,\"names\":[\"a\",\"b\"]}]}",
                 seal);
        return 2 + fuzz_text(out + 2, text);
    }
    return 2 + fuzz_text(out + 2, bodies[number]);
}
