/* Databases of projects whose bytes were changed: an error, or records, each of which fits the
 * others or is refused. The input is a list of changes: a place in the file (two bytes), a byte. */
#include "fuzz/scratch.h"

#include "../../server/board.h"
#include "../../server/store.h"

enum { ITEMS = 8, WORKERS = 2, TASKS = 3, MOST = 1 << 17 };

static uint8_t database[MOST];
static size_t database_size;

static void tidy(void)
{
    unlink(scratch_path("made.db"));
    unlink(scratch_path("changed.db"));
    unlink(scratch_path("changed.db-wal"));
    unlink(scratch_path("changed.db-shm"));
    rmdir(scratch_folder());
}

static void put(store *s, record *r)
{
    PROMISE(store_write(s, r, 1) == SCDC_OK);
    record_clear(r);
}

static void make_database(void)
{
    store *s = NULL;
    PROMISE(atexit(tidy) == 0);
    PROMISE(store_open(&s, scratch_path("full.db"), STORE_CREATE) == SCDC_OK);
    PROMISE(store_set(s, "title", "t") == SCDC_OK);
    for (uint32_t i = 1; i <= WORKERS; i++) {
        record r = {.kind = RECORD_WORKER};
        r.worker.number = i;
        r.worker.name = text_format("w%lu", (unsigned long)i);
        r.worker.source = text_copy("link");
        r.worker.outside = text_copy("");
        put(s, &r);
        record t = {.kind = RECORD_TOKEN};
        char token[TOKEN_LENGTH + 1];
        snprintf(token, sizeof token, "%032lx", (unsigned long)i);
        token_hash_of(&t.token.hash, token);
        t.token.role = ROLE_WORKER;
        t.token.worker = i;
        put(s, &t);
    }
    for (uint32_t i = 1; i <= TASKS; i++) {
        record r = {.kind = RECORD_TASK};
        r.task.number = i;
        r.task.items = text_format("%lu %lu", (unsigned long)i, (unsigned long)7);
        r.task.truth = text_copy(i > 1 ? "" : "1");
        r.task.reason = text_copy("spread");
        put(s, &r);
    }
    char to[128];
    snprintf(to, sizeof to, "%s", scratch_path("made.db"));
    PROMISE(store_copy(s, to) == SCDC_OK);
    store_close(s);
    unlink(scratch_path("full.db"));
    FILE *file = fopen(to, "rb");
    PROMISE(file);
    database_size = fread(database, 1, MOST, file);
    fclose(file);
    PROMISE(database_size > 0 && database_size < MOST);
}

static int each(const record *r, void *user)
{
    board *b = user;
    int status = board_apply(b, r);
    PROMISE(status == SCDC_OK || server_error()[0]);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t changed[MOST];
    store *s = NULL;
    if (!database_size) make_database();
    memcpy(changed, database, database_size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        changed[((size_t)bytes[i] << 8 | bytes[i + 1]) % database_size] = bytes[i + 2];
    int status = store_open(&s, scratch_file("changed.db", changed, database_size), STORE_READ);
    PROMISE(status == SCDC_OK || server_error()[0]);
    if (status == SCDC_OK) {
        board_rules rules = {.items = ITEMS, .redundancy = 2, .check_every = 4, .lease_ms = 1000};
        board *b = board_create(&rules);
        status = store_read(s, each, b);
        PROMISE(status == SCDC_OK || server_error()[0]);
        free(store_get(s, "title"));
        board_free(b);
        store_close(s);
    }
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const uint8_t seeds[][6] = {
        {0, 16, 4, 0, 17, 0}, {0, 100, 5, 1, 0, 0}, {16, 0, 13, 16, 5, 255}, {32, 3, 9, 48, 7, 1}};
    if (number >= sizeof seeds / sizeof *seeds) return 0;
    memcpy(out, seeds[number], sizeof seeds[number]);
    return sizeof seeds[number];
}
