/* The store in a SQLite file: write-ahead log, every commit synced. */
#include "store.h"

#include "checkpoint.h"
#include "store_tables.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
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

typedef struct sqlite_store {
    store store;
    sqlite3 *db;
    char *path;
    sqlite3_stmt *insert[STORE_KINDS]; /* NULL: not kept in a file */
    checkpointer *checkpointer;        /* of a store that is written */
} sqlite_store;

static sqlite_store *own(store *s)
{
    return (sqlite_store *)s;
}

static int fail_db(const sqlite_store *s, const char *doing)
{
    int code = s->db ? sqlite3_errcode(s->db) : SQLITE_NOMEM;
    int status = code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? SCDC_ERR_INPUT
                 : code == SQLITE_CONSTRAINT                     ? SCDC_ERR_ARGUMENT
                                                                 : SCDC_ERR_OUTPUT;
    return server_fail(status, "%s: %s: %s", s->path, doing,
                       s->db ? sqlite3_errmsg(s->db) : "out of memory");
}

/* ---- opening -------------------------------------------------------------------------------- */

static int check_version(sqlite_store *s)
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

/* The columns of a table, as a list of their names or of places to bind. */
static void list_columns(char out[256], const table *t, bool places)
{
    *out = '\0';
    for (const column *c = t->columns; c->name; c++)
        snprintf(out + strlen(out), 256 - strlen(out), "%s%s", c == t->columns ? "" : ", ",
                 places ? "?" : c->name);
}

static int prepare_insert(sqlite_store *s, int kind)
{
    char sql[1024], names[256], places[256];
    const table *t = &store_tables[kind];
    list_columns(names, t, false);
    list_columns(places, t, true);
    snprintf(sql, sizeof sql, "INSERT INTO %s (%s) VALUES (%s)%s", t->name, names, places,
             t->twice);
    int code =
        sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->insert[kind], NULL);
    return code == SQLITE_OK ? SCDC_OK : fail_db(s, "opening");
}

static int prepare_select(sqlite3_stmt **out, sqlite_store *s, int kind)
{
    char sql[1024], names[256];
    const table *t = &store_tables[kind];
    list_columns(names, t, false);
    snprintf(sql, sizeof sql, "SELECT %s FROM %s ORDER BY %s", names, t->name, t->order);
    int code = sqlite3_prepare_v2(s->db, sql, -1, out, NULL);
    return code == SQLITE_OK ? SCDC_OK : fail_db(s, "reading");
}

/* Takes the place of the automatic checkpoint. */
static int log_grew(void *user, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    checkpointer_tell(user, pages);
    return SQLITE_OK;
}

static int set_up(sqlite_store *s, store_mode mode)
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
    for (int kind = RECORD_WORKER; kind < STORE_KINDS; kind++) {
        if (!store_tables[kind].shared) SERVER_TRY(prepare_insert(s, kind));
    }
    /* Without the thread SQLite moves its log itself, in the middle of some commit. */
    s->checkpointer = checkpointer_start(s->path);
    if (s->checkpointer) sqlite3_wal_hook(s->db, log_grew, s->checkpointer);
    return SCDC_OK;
}

static void sqlite_close(store *base)
{
    sqlite_store *s = own(base);
    checkpointer_stop(s->checkpointer);
    for (int kind = 0; kind < STORE_KINDS; kind++) sqlite3_finalize(s->insert[kind]);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}

static int sqlite_open(store **out, const char *path, store_mode mode)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (mode == STORE_JOIN) mode = there ? STORE_WRITE : STORE_CREATE;
    if (mode == STORE_CREATE && there)
        return server_fail(SCDC_ERR_OUTPUT, "%s: is there already", path);
    if (mode != STORE_CREATE && !there)
        return server_fail(SCDC_ERR_INPUT, "%s: %s", path, strerror(errno));
    sqlite_store *s = need_zeroed(1, sizeof *s);
    s->store.kind = &store_sqlite;
    s->path = text_copy(path);
    int flags = mode == STORE_CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                : mode == STORE_READ ? SQLITE_OPEN_READONLY
                                     : SQLITE_OPEN_READWRITE;
    mode_t before = umask(077); /* names of workers are nobody else's business */
    int code = sqlite3_open_v2(path, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    int status = code == SQLITE_OK ? set_up(s, mode) : fail_db(s, "opening");
    umask(before);
    if (status != SCDC_OK) {
        sqlite_close(&s->store);
        if (mode == STORE_CREATE) unlink(path);
        return status;
    }
    *out = &s->store;
    return SCDC_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void bind_text(sqlite3_stmt *q, int at, const char *text)
{
    sqlite3_bind_text(q, at, text ? text : "", -1, SQLITE_STATIC);
}

static void bind_value(sqlite3_stmt *q, int at, column_type type, const void *value)
{
    unsigned char id[ID_SIZE];
    uint32_t number = type == COLUMN_NUMBER || type == COLUMN_WORKER ? *(const uint32_t *)value : 0;
    switch (type) {
    case COLUMN_TIME: sqlite3_bind_int64(q, at, *(const int64_t *)value); break;
    case COLUMN_NUMBER: sqlite3_bind_int64(q, at, number); break;
    case COLUMN_WORKER:
        if (number) sqlite3_bind_int64(q, at, number);
        break;
    case COLUMN_TEXT: bind_text(q, at, *(char *const *)value); break;
    case COLUMN_HASH: sqlite3_bind_blob(q, at, value, HASH_SIZE, SQLITE_STATIC); break;
    case COLUMN_ID:
        id128_to_bytes(id, *(const id128 *)value);
        sqlite3_bind_blob(q, at, id, sizeof id, SQLITE_TRANSIENT);
        break;
    case COLUMN_LEFT: break; /* only where servers share a store */
    }
}

/* The statement keeps pointers into the record until it is reset. */
static void bind_record(sqlite3_stmt *q, const record *r)
{
    int at = 1;
    for (const column *c = store_tables[r->kind].columns; c->name; c++)
        bind_value(q, at++, c->type, (const char *)r + c->at);
}

/* Runs a statement that gives no rows, and makes it ready for the next values. */
static int run(sqlite_store *s, sqlite3_stmt *q)
{
    int code = sqlite3_step(q);
    int status = code == SQLITE_DONE ? SCDC_OK : fail_db(s, "writing");
    sqlite3_reset(q);
    sqlite3_clear_bindings(q);
    return status;
}

static int insert(sqlite_store *s, const record *r)
{
    sqlite3_stmt *q = s->insert[r->kind];
    if (!q) return SCDC_OK;
    bind_record(q, r);
    return run(s, q);
}

/* Nobody else writes to a file: the transaction need not begin before there is something to write.
 */
static int sqlite_begin(store *base, store_each_fn each, void *user)
{
    (void)base;
    (void)each;
    (void)user;
    return SCDC_OK;
}

static int sqlite_commit(store *base, const record *records, size_t count)
{
    sqlite_store *s = own(base);
    if (!count) return SCDC_OK;
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

static bool sqlite_lead(store *base)
{
    (void)base;
    return true;
}

/* ---- reading -------------------------------------------------------------------------------- */

static char *column_text(sqlite3_stmt *q, int at)
{
    return text_copy((const char *)sqlite3_column_text(q, at));
}

/* False when the column does not hold such a value. */
static bool read_value(void *value, column_type type, sqlite3_stmt *q, int at)
{
    switch (type) {
    case COLUMN_TIME: *(int64_t *)value = sqlite3_column_int64(q, at); return true;
    case COLUMN_NUMBER:
    case COLUMN_WORKER: *(uint32_t *)value = (uint32_t)sqlite3_column_int64(q, at); return true;
    case COLUMN_TEXT: *(char **)value = column_text(q, at); return true;
    case COLUMN_HASH:
        if (sqlite3_column_bytes(q, at) != HASH_SIZE) return false;
        memcpy(value, sqlite3_column_blob(q, at), HASH_SIZE);
        return true;
    case COLUMN_ID:
        if (sqlite3_column_bytes(q, at) != ID_SIZE) return false;
        *(id128 *)value = id128_from_bytes(sqlite3_column_blob(q, at));
        return true;
    case COLUMN_LEFT: break;
    }
    return false;
}

static bool read_row(record *r, sqlite3_stmt *q)
{
    int at = 0;
    for (const column *c = store_tables[r->kind].columns; c->name; c++) {
        if (!read_value((char *)r + c->at, c->type, q, at++)) return false;
    }
    return true;
}

static int read_kind(sqlite_store *s, record_kind kind, store_each_fn each, void *user)
{
    sqlite3_stmt *q = NULL;
    SERVER_TRY(prepare_select(&q, s, (int)kind));
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

static int sqlite_read(store *base, store_each_fn each, void *user)
{
    sqlite_store *s = own(base);
    /* One transaction: all tables as of the same moment, also beside a server that writes. */
    if (sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK) return fail_db(s, "reading");
    int status = SCDC_OK;
    for (int kind = RECORD_WORKER; kind < STORE_KINDS && status == SCDC_OK; kind++) {
        if (!store_tables[kind].shared) status = read_kind(s, (record_kind)kind, each, user);
    }
    sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    return status;
}

/* ---- settings and copies -------------------------------------------------------------------- */

static int run_with(sqlite_store *s, const char *sql, const char *first, const char *second)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK) return fail_db(s, "writing");
    bind_text(q, 1, first);
    if (second) bind_text(q, 2, second);
    int status = run(s, q);
    sqlite3_finalize(q);
    return status;
}

static int sqlite_set(store *base, const char *name, const char *value)
{
    return run_with(own(base),
                    "INSERT INTO setting (name, value) VALUES (?,?)"
                    " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    name, value);
}

static char *sqlite_get(store *base, const char *name)
{
    sqlite_store *s = own(base);
    sqlite3_stmt *q = NULL;
    char *value = NULL;
    if (sqlite3_prepare_v2(s->db, "SELECT value FROM setting WHERE name = ?", -1, &q, NULL) ==
        SQLITE_OK) {
        bind_text(q, 1, name);
        if (sqlite3_step(q) == SQLITE_ROW) value = column_text(q, 0);
    }
    sqlite3_finalize(q);
    return value;
}

static int sqlite_keep(char **out, store *base, const char *name, const char *value)
{
    SERVER_TRY(run_with(own(base),
                        "INSERT INTO setting (name, value) VALUES (?,?)"
                        " ON CONFLICT (name) DO NOTHING",
                        name, value));
    *out = sqlite_get(base, name);
    return *out ? SCDC_OK : fail_db(own(base), "reading");
}

static int sqlite_copy(store *base, const char *path)
{
    return run_with(own(base), "VACUUM INTO ?", path, NULL);
}

const store_kind store_sqlite = {
    .shared = false,
    .open = sqlite_open,
    .close = sqlite_close,
    .read = sqlite_read,
    .follow = sqlite_begin,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .lead = sqlite_lead,
    .set = sqlite_set,
    .keep = sqlite_keep,
    .get = sqlite_get,
    .copy = sqlite_copy,
};
