/* The store in a SQLite file: write-ahead log, every commit synced, tables that another database
 * could hold as they are. */
#include "store.h"

#include "checkpoint.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCHEMA_VERSION = 1, BUSY_MS = 10000 };

static const char schema[] =
    "CREATE TABLE setting (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);"
    "CREATE TABLE worker (number INTEGER PRIMARY KEY NOT NULL, time INTEGER NOT NULL,"
    " name TEXT NOT NULL UNIQUE, source TEXT NOT NULL, outside TEXT NOT NULL);"
    "CREATE TABLE token (hash BLOB PRIMARY KEY NOT NULL, time INTEGER NOT NULL,"
    " role INTEGER NOT NULL, worker INTEGER REFERENCES worker(number));"
    "CREATE TABLE task (number INTEGER PRIMARY KEY NOT NULL, time INTEGER NOT NULL,"
    " items TEXT NOT NULL, truth TEXT NOT NULL, reason TEXT NOT NULL);"
    "CREATE TABLE answer (sequence INTEGER PRIMARY KEY NOT NULL, id BLOB NOT NULL UNIQUE,"
    " time INTEGER NOT NULL, task INTEGER NOT NULL REFERENCES task(number),"
    " worker INTEGER NOT NULL REFERENCES worker(number), value TEXT NOT NULL,"
    " names TEXT NOT NULL, took INTEGER NOT NULL);"
    "CREATE TABLE standing (sequence INTEGER PRIMARY KEY NOT NULL, time INTEGER NOT NULL,"
    " worker INTEGER NOT NULL REFERENCES worker(number), standing INTEGER NOT NULL);"
    "PRAGMA user_version = 1;";

/* Statements in the order of record_kind. */
static const char *const insert_sql[] = {
    [RECORD_WORKER] = "INSERT INTO worker (time, number, name, source, outside) VALUES (?,?,?,?,?)",
    [RECORD_TOKEN] = "INSERT INTO token (time, hash, role, worker) VALUES (?,?,?,?)",
    [RECORD_TASK] = "INSERT INTO task (time, number, items, truth, reason) VALUES (?,?,?,?,?)",
    [RECORD_ANSWER] = "INSERT INTO answer (time, id, task, worker, value, names, took)"
                      " VALUES (?,?,?,?,?,?,?) ON CONFLICT (id) DO NOTHING",
    [RECORD_STANDING] = "INSERT INTO standing (time, worker, standing) VALUES (?,?,?)",
};
static const char *const select_sql[] = {
    [RECORD_WORKER] = "SELECT time, number, name, source, outside FROM worker ORDER BY number",
    [RECORD_TOKEN] = "SELECT time, hash, role, worker FROM token ORDER BY rowid",
    [RECORD_TASK] = "SELECT time, number, items, truth, reason FROM task ORDER BY number",
    [RECORD_ANSWER] = "SELECT time, id, task, worker, value, names, took FROM answer"
                      " ORDER BY sequence",
    [RECORD_STANDING] = "SELECT time, worker, standing FROM standing ORDER BY sequence",
};
enum { KINDS = RECORD_STANDING + 1 };

struct store {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *insert[KINDS];
    checkpointer *checkpointer; /* of a store that is written */
};

static int fail_db(const store *s, const char *doing)
{
    int code = s->db ? sqlite3_errcode(s->db) : SQLITE_NOMEM;
    int status = code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? SCDC_ERR_INPUT
                 : code == SQLITE_CONSTRAINT                     ? SCDC_ERR_ARGUMENT
                                                                 : SCDC_ERR_OUTPUT;
    return server_fail(status, "%s: %s: %s", s->path, doing,
                       s->db ? sqlite3_errmsg(s->db) : "out of memory");
}

/* ---- opening -------------------------------------------------------------------------------- */

static int check_version(store *s)
{
    sqlite3_stmt *query = NULL;
    if (sqlite3_prepare_v2(s->db, "PRAGMA user_version", -1, &query, NULL) != SQLITE_OK ||
        sqlite3_step(query) != SQLITE_ROW) {
        sqlite3_finalize(query);
        return fail_db(s, "opening");
    }
    int version = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    if (version == SCHEMA_VERSION) return SCDC_OK;
    return server_fail(SCDC_ERR_INPUT,
                       "%s: holds tables of version %d, this program knows version %d", s->path,
                       version, SCHEMA_VERSION);
}

static int prepare(store *s)
{
    for (int kind = RECORD_WORKER; kind < KINDS; kind++) {
        if (sqlite3_prepare_v3(s->db, insert_sql[kind], -1, SQLITE_PREPARE_PERSISTENT,
                               &s->insert[kind], NULL) != SQLITE_OK)
            return fail_db(s, "opening");
    }
    return SCDC_OK;
}

/* Takes the place of the automatic checkpoint. */
static int log_grew(void *user, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    checkpointer_tell(user, pages);
    return SQLITE_OK;
}

static int set_up(store *s, store_mode mode)
{
    sqlite3_busy_timeout(s->db, BUSY_MS);
    /* FULL: a commit is on disk, not on its way there. */
    const char *settings = mode == STORE_READ
                               ? "PRAGMA foreign_keys = ON;"
                               : "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                 "PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000;"
                                 "PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -8192;";
    if (sqlite3_exec(s->db, settings, NULL, NULL, NULL) != SQLITE_OK) return fail_db(s, "opening");
    if (mode == STORE_CREATE && sqlite3_exec(s->db, schema, NULL, NULL, NULL) != SQLITE_OK)
        return fail_db(s, "making the tables");
    SERVER_TRY(check_version(s));
    if (mode == STORE_READ) return SCDC_OK;
    SERVER_TRY(prepare(s));
    /* Without the thread SQLite moves its log itself, in the middle of some commit. */
    s->checkpointer = checkpointer_start(s->path);
    if (s->checkpointer) sqlite3_wal_hook(s->db, log_grew, s->checkpointer);
    return SCDC_OK;
}

int store_open(store **out, const char *path, store_mode mode)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (mode == STORE_CREATE && there)
        return server_fail(SCDC_ERR_OUTPUT, "%s: is there already", path);
    if (mode != STORE_CREATE && !there)
        return server_fail(SCDC_ERR_INPUT, "%s: %s", path, strerror(errno));
    store *s = need_zeroed(1, sizeof *s);
    s->path = text_copy(path);
    int flags = mode == STORE_CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                : mode == STORE_READ ? SQLITE_OPEN_READONLY
                                     : SQLITE_OPEN_READWRITE;
    mode_t before = umask(077); /* names of workers are nobody else's business */
    int code = sqlite3_open_v2(path, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    int status = code == SQLITE_OK ? set_up(s, mode) : fail_db(s, "opening");
    umask(before);
    if (status != SCDC_OK) {
        store_close(s);
        if (mode == STORE_CREATE) unlink(path);
        return status;
    }
    *out = s;
    return SCDC_OK;
}

void store_close(store *s)
{
    if (!s) return;
    checkpointer_stop(s->checkpointer);
    for (int kind = 0; kind < KINDS; kind++) sqlite3_finalize(s->insert[kind]);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void bind_text(sqlite3_stmt *q, int at, const char *text)
{
    sqlite3_bind_text(q, at, text ? text : "", -1, SQLITE_STATIC);
}

static void id_bytes(unsigned char out[16], id128 id)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (unsigned char)(id.high >> (56 - 8 * i));
        out[8 + i] = (unsigned char)(id.low >> (56 - 8 * i));
    }
}

/* The statement keeps pointers into the record until it is reset. */
static void bind_record(sqlite3_stmt *q, const record *r)
{
    unsigned char id[16];
    sqlite3_bind_int64(q, 1, r->time);
    switch (r->kind) {
    case RECORD_WORKER:
        sqlite3_bind_int64(q, 2, r->worker.number);
        bind_text(q, 3, r->worker.name);
        bind_text(q, 4, r->worker.source);
        bind_text(q, 5, r->worker.outside);
        break;
    case RECORD_TOKEN:
        sqlite3_bind_blob(q, 2, r->token.hash.bytes, HASH_SIZE, SQLITE_STATIC);
        sqlite3_bind_int(q, 3, (int)r->token.role);
        if (r->token.worker) sqlite3_bind_int64(q, 4, r->token.worker);
        break;
    case RECORD_TASK:
        sqlite3_bind_int64(q, 2, r->task.number);
        bind_text(q, 3, r->task.items);
        bind_text(q, 4, r->task.truth);
        bind_text(q, 5, r->task.reason);
        break;
    case RECORD_ANSWER:
        id_bytes(id, r->answer.id);
        sqlite3_bind_blob(q, 2, id, sizeof id, SQLITE_TRANSIENT);
        sqlite3_bind_int64(q, 3, r->answer.task);
        sqlite3_bind_int64(q, 4, r->answer.worker);
        bind_text(q, 5, r->answer.value);
        bind_text(q, 6, r->answer.names);
        sqlite3_bind_int64(q, 7, r->answer.took);
        break;
    case RECORD_STANDING:
        sqlite3_bind_int64(q, 2, r->standing.worker);
        sqlite3_bind_int(q, 3, (int)r->standing.standing);
        break;
    }
}

static int insert(store *s, const record *r)
{
    sqlite3_stmt *q = s->insert[r->kind];
    bind_record(q, r);
    int code = sqlite3_step(q);
    int status = code == SQLITE_DONE ? SCDC_OK : fail_db(s, "writing");
    sqlite3_reset(q);
    sqlite3_clear_bindings(q);
    return status;
}

int store_write(store *s, const record *records, size_t count)
{
    if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return fail_db(s, "writing");
    int status = SCDC_OK;
    for (size_t i = 0; i < count && status == SCDC_OK; i++) status = insert(s, &records[i]);
    if (status == SCDC_OK && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = fail_db(s, "writing");
    /* Some failures have rolled back already; then this one says so and nobody minds. */
    if (status != SCDC_OK && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

static char *column_text(sqlite3_stmt *q, int at)
{
    return text_copy((const char *)sqlite3_column_text(q, at));
}

static id128 id_of(const unsigned char *bytes)
{
    id128 id = {0, 0};
    for (int i = 0; i < 8; i++) {
        id.high = id.high << 8 | bytes[i];
        id.low = id.low << 8 | bytes[8 + i];
    }
    return id;
}

static bool read_row(record *r, sqlite3_stmt *q)
{
    r->time = sqlite3_column_int64(q, 0);
    switch (r->kind) {
    case RECORD_WORKER:
        r->worker.number = (uint32_t)sqlite3_column_int64(q, 1);
        r->worker.name = column_text(q, 2);
        r->worker.source = column_text(q, 3);
        r->worker.outside = column_text(q, 4);
        return true;
    case RECORD_TOKEN:
        if (sqlite3_column_bytes(q, 1) != HASH_SIZE) return false;
        memcpy(r->token.hash.bytes, sqlite3_column_blob(q, 1), HASH_SIZE);
        r->token.role = (token_role)sqlite3_column_int(q, 2);
        r->token.worker = (uint32_t)sqlite3_column_int64(q, 3);
        return true;
    case RECORD_TASK:
        r->task.number = (uint32_t)sqlite3_column_int64(q, 1);
        r->task.items = column_text(q, 2);
        r->task.truth = column_text(q, 3);
        r->task.reason = column_text(q, 4);
        return true;
    case RECORD_ANSWER:
        if (sqlite3_column_bytes(q, 1) != 16) return false;
        r->answer.id = id_of(sqlite3_column_blob(q, 1));
        r->answer.task = (uint32_t)sqlite3_column_int64(q, 2);
        r->answer.worker = (uint32_t)sqlite3_column_int64(q, 3);
        r->answer.value = column_text(q, 4);
        r->answer.names = column_text(q, 5);
        r->answer.took = (uint32_t)sqlite3_column_int64(q, 6);
        return true;
    case RECORD_STANDING:
        r->standing.worker = (uint32_t)sqlite3_column_int64(q, 1);
        r->standing.standing = (standing)sqlite3_column_int(q, 2);
        return true;
    }
    return false;
}

static int read_kind(store *s, record_kind kind, store_each_fn each, void *user)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db, select_sql[kind], -1, &q, NULL) != SQLITE_OK)
        return fail_db(s, "reading");
    int code, status = SCDC_OK;
    while (status == SCDC_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
        record r = {.kind = kind};
        status = read_row(&r, q) ? each(&r, user)
                                 : server_fail(SCDC_ERR_INPUT, "%s: a row is damaged", s->path);
        record_clear(&r);
    }
    if (status == SCDC_OK && code != SQLITE_DONE) status = fail_db(s, "reading");
    sqlite3_finalize(q);
    return status;
}

int store_read(store *s, store_each_fn each, void *user)
{
    /* One transaction: all tables as of the same moment, also beside a server that writes. */
    if (sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK) return fail_db(s, "reading");
    int status = SCDC_OK;
    for (int kind = RECORD_WORKER; kind < KINDS && status == SCDC_OK; kind++)
        status = read_kind(s, (record_kind)kind, each, user);
    sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    return status;
}

/* ---- settings and copies -------------------------------------------------------------------- */

static int run_with(store *s, const char *sql, const char *first, const char *second)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK) return fail_db(s, "writing");
    bind_text(q, 1, first);
    if (second) bind_text(q, 2, second);
    int code = sqlite3_step(q);
    int status = code == SQLITE_DONE ? SCDC_OK : fail_db(s, "writing");
    sqlite3_finalize(q);
    return status;
}

int store_set(store *s, const char *key, const char *value)
{
    return run_with(s,
                    "INSERT INTO setting (name, value) VALUES (?,?)"
                    " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    key, value);
}

char *store_get(store *s, const char *key)
{
    sqlite3_stmt *q = NULL;
    char *value = NULL;
    if (sqlite3_prepare_v2(s->db, "SELECT value FROM setting WHERE name = ?", -1, &q, NULL) ==
        SQLITE_OK) {
        bind_text(q, 1, key);
        if (sqlite3_step(q) == SQLITE_ROW) value = column_text(q, 0);
    }
    sqlite3_finalize(q);
    return value;
}

int store_copy(store *s, const char *path)
{
    return run_with(s, "VACUUM INTO ?", path, NULL);
}
