/* The tables and statements for PostgreSQL, made from the list of tables where they speak of
 * records.
 */
#include "postgres_sql.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Servers that start together wait for the one that makes the tables. */
#define SCHEMA_LOCK "SELECT pg_advisory_xact_lock(5064119);"
#define SCHEMA_NEW                                                                                 \
    "DO $$ BEGIN IF to_regclass('journal') IS NOT NULL THEN"                                       \
    " RAISE EXCEPTION 'holds a project already'; END IF; END $$;"
#define SCHEMA                                                                                     \
    "CREATE TABLE IF NOT EXISTS journal (one BOOLEAN PRIMARY KEY CHECK (one),"                     \
    " version INTEGER NOT NULL, head BIGINT NOT NULL);"                                            \
    "INSERT INTO journal VALUES (true, 1, 0) ON CONFLICT DO NOTHING;"                              \
    "CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);"             \
    "CREATE TABLE IF NOT EXISTS worker (sequence BIGINT NOT NULL UNIQUE,"                          \
    " number BIGINT PRIMARY KEY, time BIGINT NOT NULL, name TEXT NOT NULL UNIQUE,"                 \
    " source TEXT NOT NULL, outside TEXT NOT NULL);"                                               \
    "CREATE UNIQUE INDEX IF NOT EXISTS worker_outside ON worker (source, outside)"                 \
    " WHERE outside <> '';"                                                                        \
    "CREATE TABLE IF NOT EXISTS token (sequence BIGINT NOT NULL UNIQUE, hash BYTEA PRIMARY KEY,"   \
    " time BIGINT NOT NULL, role BIGINT NOT NULL, worker BIGINT REFERENCES worker(number));"       \
    "CREATE TABLE IF NOT EXISTS task (sequence BIGINT NOT NULL UNIQUE, number BIGINT PRIMARY KEY," \
    " time BIGINT NOT NULL, items TEXT NOT NULL, truth TEXT NOT NULL, reason TEXT NOT NULL);"      \
    "CREATE UNIQUE INDEX IF NOT EXISTS task_pair ON task ("                                        \
    " least(split_part(items, ' ', 1)::bigint, split_part(items, ' ', 2)::bigint),"                \
    " greatest(split_part(items, ' ', 1)::bigint, split_part(items, ' ', 2)::bigint))"             \
    " WHERE items ~ '^[0-9]+ [0-9]+$';"                                                            \
    "CREATE TABLE IF NOT EXISTS answer (sequence BIGINT PRIMARY KEY, id BYTEA NOT NULL UNIQUE,"    \
    " time BIGINT NOT NULL, task BIGINT NOT NULL REFERENCES task(number),"                         \
    " worker BIGINT NOT NULL REFERENCES worker(number), value TEXT NOT NULL,"                      \
    " names TEXT NOT NULL, took BIGINT NOT NULL);"                                                 \
    "CREATE TABLE IF NOT EXISTS standing (sequence BIGINT PRIMARY KEY, time BIGINT NOT NULL,"      \
    " worker BIGINT NOT NULL REFERENCES worker(number), standing BIGINT NOT NULL);"                \
    "CREATE TABLE IF NOT EXISTS wish (sequence BIGINT PRIMARY KEY, time BIGINT NOT NULL,"          \
    " task BIGINT NOT NULL REFERENCES task(number), worker BIGINT REFERENCES worker(number),"      \
    " again BIGINT NOT NULL);"                                                                     \
    "CREATE TABLE IF NOT EXISTS lease (worker BIGINT NOT NULL, task BIGINT NOT NULL,"              \
    " sequence BIGINT NOT NULL UNIQUE, until TIMESTAMPTZ NOT NULL, PRIMARY KEY (worker, task));"

const char *postgres_schema(store_mode mode)
{
    return mode == STORE_CREATE ? SCHEMA_LOCK SCHEMA_NEW SCHEMA
           : mode == STORE_JOIN ? SCHEMA_LOCK SCHEMA
                                : NULL;
}

/* ---- statements ----------------------------------------------------------------------------- */

static const char *statements[STATEMENTS] = {
    [BEGIN_WRITE] = "BEGIN",
    [BEGIN_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [LOCK_HEAD] = "SELECT head, version FROM journal FOR UPDATE",
    [HEAD] = "SELECT head, version FROM journal",
    [MOVE_HEAD] = "UPDATE journal SET head = $1",
    /* Held as long as the connection lasts. */
    [LEAD] = "SELECT pg_try_advisory_lock('journal'::regclass::oid::bigint)",
    [SWEEP] = "DELETE FROM lease WHERE until < clock_timestamp() - interval '1 minute'",
    [SET] = "INSERT INTO setting VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2",
    [KEEP] = "INSERT INTO setting VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
    [GET] = "SELECT value FROM setting WHERE name = $1",
    [SETTINGS] = "SELECT name, value FROM setting ORDER BY name",
};

static char *insert_statement(const table *t)
{
    char names[256] = "sequence", places[512] = "$1";
    int at = 2;
    for (const column *c = t->columns; c->name; c++, at++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", c->name);
        snprintf(places + strlen(places), sizeof places - strlen(places),
                 c->type == COLUMN_LEFT
                     ? ", clock_timestamp() + $%d::float8 * interval '1 millisecond'"
                     : ", $%d",
                 at);
    }
    return text_format("INSERT INTO %s (%s) VALUES (%s)%s", t->name, names, places, t->twice);
}

static char *select_statement(const table *t)
{
    char names[256] = "";
    for (const column *c = t->columns; c->name; c++)
        snprintf(names + strlen(names), sizeof names - strlen(names),
                 c->type == COLUMN_LEFT
                     ? "%s(extract(epoch FROM %s - clock_timestamp()) * 1000)::bigint"
                     : "%s%s",
                 *names ? ", " : "", c->name);
    return text_format("SELECT %s FROM %s WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence",
                       names, t->name);
}

static void make_statements(void)
{
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        const table *t = &store_tables[kind];
        statements[INSERT + kind] = t->name ? insert_statement(t) : "";
        statements[SELECT + kind] = t->name ? select_statement(t) : "";
    }
}

const char *const *postgres_statements(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_statements);
    return statements;
}
