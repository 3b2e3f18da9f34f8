/* The store in a PostgreSQL database that several servers share.
 *
 * All records have numbers in one row, the journal. Whoever writes locks its end first (the table
 * `journal` is one row that says where it is), reads what others have added since, and adds behind
 * it, so all servers see the same records in the same order without gaps, and what one writes
 * always fits what is there. Constraints say the same once more: a name, a platform's person, an
 * answer's id and a pair of items are there once. */
#include "store.h"

#include "postgres_link.h"
#include "postgres_sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 2000, VALUE_SIZE = 72, SWEEP_MS = 60000 };

typedef struct postgres_store {
    store store;
    postgres_link link;
    int64_t seen, head; /* records told or written by us; the end of the journal as last read */
    bool leads;
    size_t led_by; /* the connection that leads */
    int64_t swept;
} postgres_store;

static postgres_store *own(store *s)
{
    return (postgres_store *)s;
}

/* ---- opening -------------------------------------------------------------------------------- */

static int note_head(const PGresult *r, size_t which, void *user)
{
    postgres_store *s = user;
    (void)which;
    if (pq.nfields(r) != 2) return SCDC_OK; /* of BEGIN */
    int version = pq.ntuples(r) == 1 ? atoi(pq.getvalue(r, 0, 1)) : 0;
    if (version != POSTGRES_SCHEMA_VERSION)
        return server_fail(SCDC_ERR_INPUT,
                           "%s: holds tables of version %d, this program knows version %d",
                           s->link.shown, version, POSTGRES_SCHEMA_VERSION);
    s->head = strtoll(pq.getvalue(r, 0, 0), NULL, 10);
    if (s->head < s->seen)
        return server_fail(SCDC_ERR_INPUT,
                           "%s: the database has lost records that were committed (an old copy?); "
                           "start this server again to go on with what there is",
                           s->link.shown);
    return SCDC_OK;
}

static int read_head(postgres_store *s)
{
    postgres_send(&s->link, HEAD, NULL, 0);
    return postgres_take(&s->link, note_head, s, "reading");
}

static void postgres_store_close(store *base)
{
    postgres_store *s = own(base);
    postgres_close(&s->link);
    free(s);
}

static int postgres_store_open(store **out, const char *address, store_mode mode)
{
    postgres_store *s = need_zeroed(1, sizeof *s);
    s->store.kind = &store_postgres;
    int status =
        postgres_open(&s->link, address, postgres_statements(), STATEMENTS, postgres_schema(mode));
    if (status == SCDC_OK) status = read_head(s);
    if (status != SCDC_OK) {
        postgres_store_close(&s->store);
        return status;
    }
    *out = &s->store;
    return SCDC_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* From \x0123...; false when it is not so many bytes. */
static bool read_bytes(unsigned char *out, size_t size, const char *text)
{
    if (strlen(text) != 2 + 2 * size) return false;
    for (size_t i = 0; i < size; i++) {
        int high = hex_digit(text[2 + 2 * i]), low = hex_digit(text[3 + 2 * i]);
        if (high < 0 || low < 0) return false;
        out[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

static bool read_value(void *value, column_type type, const char *text)
{
    unsigned char id[ID_SIZE];
    switch (type) {
    case COLUMN_TIME:
    case COLUMN_LEFT: *(int64_t *)value = strtoll(text, NULL, 10); return true;
    case COLUMN_NUMBER:
    case COLUMN_WORKER: *(uint32_t *)value = (uint32_t)strtoul(text, NULL, 10); return true;
    case COLUMN_TEXT: *(char **)value = text_copy(text); return true;
    case COLUMN_HASH: return read_bytes(value, HASH_SIZE, text);
    case COLUMN_ID:
        if (!read_bytes(id, sizeof id, text)) return false;
        *(id128 *)value = id128_from_bytes(id);
        return true;
    }
    return false;
}

/* Records that were read: they are told only when all of a part are here, because a connection that
 * breaks in the middle must not have told half of them. */
typedef struct part {
    const postgres_store *store;
    record list[AT_ONCE];
    size_t count;
} part;

static void clear_part(part *p)
{
    for (size_t i = 0; i < p->count; i++) record_clear(&p->list[i]);
    p->count = 0;
}

/* The rows of one kind of record: the statements are sent kind by kind. */
static int take_rows(const PGresult *result, size_t which, void *user)
{
    part *p = user;
    record_kind kind = (record_kind)(RECORD_WORKER + which);
    for (int row = 0; row < pq.ntuples(result) && p->count < AT_ONCE; row++) {
        record *r = &p->list[p->count++];
        bool good = true;
        int at = 0;
        *r = (record){.kind = kind};
        for (const column *c = store_tables[kind].columns; c->name && good; c++, at++)
            good = read_value((char *)r + c->at, c->type, pq.getvalue(result, row, at));
        if (!good) return server_fail(SCDC_ERR_INPUT, "%s: a row is damaged", p->store->link.shown);
    }
    return SCDC_OK;
}

static int tell_until(postgres_store *s, int64_t until, part *p, store_each_fn each, void *user)
{
    char first[24], last[24];
    const char *values[] = {first, last};
    snprintf(first, sizeof first, "%lld", (long long)s->seen);
    snprintf(last, sizeof last, "%lld", (long long)until);
    for (int kind = RECORD_WORKER; kind < STORE_KINDS; kind++)
        postgres_send(&s->link, (size_t)(SELECT + kind), values, 2);
    SERVER_TRY(postgres_take(&s->link, take_rows, p, "reading"));
    for (size_t i = 0; i < p->count; i++) SERVER_TRY(each(&p->list[i], user));
    s->seen = until;
    return SCDC_OK;
}

/* What lies between what was seen and the end of the journal; every record has a number of its own,
 * so a part is never larger than its range. */
static int tell_new(postgres_store *s, store_each_fn each, void *user)
{
    if (s->seen == s->head) return SCDC_OK;
    part *p = need_zeroed(1, sizeof *p);
    int status = SCDC_OK;
    p->store = s;
    while (status == SCDC_OK && s->seen < s->head) {
        int64_t until = s->head - s->seen > AT_ONCE ? s->seen + AT_ONCE : s->head;
        status = tell_until(s, until, p, each, user);
        clear_part(p);
    }
    free(p);
    return status;
}

static int postgres_follow(store *base, store_each_fn each, void *user)
{
    postgres_store *s = own(base);
    SERVER_TRY(postgres_ready(&s->link));
    SERVER_TRY(read_head(s));
    if (s->head == s->seen) return SCDC_OK;
    /* One moment for all tables. */
    postgres_send(&s->link, BEGIN_READ, NULL, 0);
    postgres_send(&s->link, HEAD, NULL, 0);
    SERVER_TRY(postgres_take(&s->link, note_head, s, "reading"));
    SERVER_TRY(tell_new(s, each, user));
    postgres_send(&s->link, COMMIT, NULL, 0);
    return postgres_take(&s->link, NULL, NULL, "reading");
}

static int postgres_read(store *base, store_each_fn each, void *user)
{
    own(base)->seen = 0;
    return postgres_follow(base, each, user);
}

/* ---- writing -------------------------------------------------------------------------------- */

static int postgres_begin(store *base, store_each_fn each, void *user)
{
    postgres_store *s = own(base);
    SERVER_TRY(postgres_ready(&s->link));
    postgres_send(&s->link, BEGIN_WRITE, NULL, 0);
    postgres_send(&s->link, LOCK_HEAD, NULL, 0);
    SERVER_TRY(postgres_take(&s->link, note_head, s, "writing"));
    return tell_new(s, each, user);
}

static void put_bytes(char out[VALUE_SIZE], const unsigned char *bytes, size_t size)
{
    out[0] = '\\';
    out[1] = 'x';
    for (size_t i = 0; i < size; i++) sprintf(out + 2 + 2 * i, "%02x", bytes[i]);
}

/* The value as text, in `room` unless it is one already. */
static const char *value_text(char room[VALUE_SIZE], column_type type, const void *value)
{
    unsigned char id[ID_SIZE];
    const char *text;
    switch (type) {
    case COLUMN_TIME:
    case COLUMN_LEFT:
        snprintf(room, VALUE_SIZE, "%lld", (long long)*(const int64_t *)value);
        return room;
    case COLUMN_WORKER:
        if (!*(const uint32_t *)value) return NULL;
        /* fall through */
    case COLUMN_NUMBER:
        snprintf(room, VALUE_SIZE, "%lu", (unsigned long)*(const uint32_t *)value);
        return room;
    case COLUMN_TEXT: text = *(char *const *)value; return text ? text : "";
    case COLUMN_HASH: put_bytes(room, value, HASH_SIZE); return room;
    case COLUMN_ID:
        id128_to_bytes(id, *(const id128 *)value);
        put_bytes(room, id, sizeof id);
        return room;
    }
    return NULL;
}

static void send_record(postgres_store *s, const record *r, int64_t sequence)
{
    char room[STORE_COLUMNS + 1][VALUE_SIZE];
    const char *values[STORE_COLUMNS + 1] = {room[0]};
    int count = 1;
    snprintf(room[0], VALUE_SIZE, "%lld", (long long)sequence);
    for (const column *c = store_tables[r->kind].columns; c->name; c++, count++)
        values[count] = value_text(room[count], c->type, (const char *)r + c->at);
    postgres_send(&s->link, (size_t)(INSERT + r->kind), values, count);
}

static int postgres_commit(store *base, const record *records, size_t count)
{
    postgres_store *s = own(base);
    int64_t end = s->head + (int64_t)count;
    char text[24];
    const char *value = text;
    if (!count) {
        postgres_send(&s->link, ROLLBACK, NULL, 0);
        return postgres_take(&s->link, NULL, NULL, "writing");
    }
    for (size_t i = 0; i < count; i++) send_record(s, &records[i], s->head + 1 + (int64_t)i);
    snprintf(text, sizeof text, "%lld", (long long)end);
    postgres_send(&s->link, MOVE_HEAD, &value, 1);
    postgres_send(&s->link, COMMIT, NULL, 0);
    /* When the connection is lost here nobody knows whether the records were kept. The sender is
     * told that they were not; if they were, they come back with what others wrote. */
    SERVER_TRY(postgres_take(&s->link, NULL, NULL, "writing"));
    s->seen = s->head = end;
    return SCDC_OK;
}

/* ---- who leads ------------------------------------------------------------------------------ */

static int note_lead(const PGresult *r, size_t which, void *user)
{
    (void)which;
    *(bool *)user = pq.ntuples(r) == 1 && *pq.getvalue(r, 0, 0) == 't';
    return SCDC_OK;
}

static bool postgres_lead(store *base)
{
    postgres_store *s = own(base);
    if (postgres_ready(&s->link) != SCDC_OK) return s->leads = false;
    if (!s->leads || s->led_by != s->link.connects) {
        s->leads = false;
        postgres_send(&s->link, LEAD, NULL, 0);
        if (postgres_take(&s->link, note_lead, &s->leads, "leading") != SCDC_OK) s->leads = false;
        s->led_by = s->link.connects;
    }
    if (s->leads && clock_steady() - s->swept >= SWEEP_MS) {
        s->swept = clock_steady();
        postgres_send(&s->link, SWEEP, NULL, 0);
        if (postgres_take(&s->link, NULL, NULL, "sweeping") != SCDC_OK && !s->link.db)
            s->leads = false;
    }
    return s->leads;
}

/* ---- settings and copies -------------------------------------------------------------------- */

static int run_setting(postgres_store *s, size_t statement, const char *name, const char *value)
{
    const char *values[] = {name, value};
    SERVER_TRY(postgres_ready(&s->link));
    postgres_send(&s->link, statement, values, 2);
    return postgres_take(&s->link, NULL, NULL, "writing");
}

static int postgres_set(store *base, const char *name, const char *value)
{
    return run_setting(own(base), SET, name, value);
}

static int note_text(const PGresult *r, size_t which, void *user)
{
    (void)which;
    if (pq.ntuples(r) == 1) *(char **)user = text_copy(pq.getvalue(r, 0, 0));
    return SCDC_OK;
}

static int get_setting(char **out, postgres_store *s, const char *name)
{
    *out = NULL;
    SERVER_TRY(postgres_ready(&s->link));
    postgres_send(&s->link, GET, &name, 1);
    return postgres_take(&s->link, note_text, out, "reading");
}

static char *postgres_get(store *base, const char *name)
{
    char *value;
    return get_setting(&value, own(base), name) == SCDC_OK ? value : NULL;
}

static int postgres_keep(char **out, store *base, const char *name, const char *value)
{
    postgres_store *s = own(base);
    SERVER_TRY(run_setting(s, KEEP, name, value));
    SERVER_TRY(get_setting(out, s, name));
    return *out ? SCDC_OK : server_fail(SCDC_ERR_OUTPUT, "%s: a setting is gone", s->link.shown);
}

/* Records on their way into a file, some at a time. */
typedef struct carrier {
    store *to;
    record list[AT_ONCE];
    size_t count;
} carrier;

static int unload(carrier *c)
{
    int status = store_write(c->to, c->list, c->count);
    for (size_t i = 0; i < c->count; i++) record_clear(&c->list[i]);
    c->count = 0;
    return status;
}

static int carry(const record *r, void *user)
{
    carrier *c = user;
    c->list[c->count++] = record_copy(r);
    return c->count == AT_ONCE ? unload(c) : SCDC_OK;
}

static int carry_settings(const PGresult *r, size_t which, void *user)
{
    carrier *c = user;
    (void)which;
    for (int i = 0; i < pq.ntuples(r); i++) {
        /* What servers tell each other (relay.c) is no part of a project. */
        const char *name = pq.getvalue(r, i, 0);
        if (strncmp(name, "round", 5) == 0 || strcmp(name, "exhausted") == 0) continue;
        SERVER_TRY(store_set(c->to, name, pq.getvalue(r, i, 1)));
    }
    return SCDC_OK;
}

static int postgres_copy(store *base, const char *path)
{
    postgres_store *s = own(base);
    carrier *c = need_zeroed(1, sizeof *c);
    int status = postgres_ready(&s->link);
    if (status == SCDC_OK) status = store_open(&c->to, path, STORE_CREATE);
    if (status == SCDC_OK) {
        postgres_send(&s->link, SETTINGS, NULL, 0);
        status = postgres_take(&s->link, carry_settings, c, "reading");
    }
    if (status == SCDC_OK) status = postgres_read(base, carry, c);
    if (status == SCDC_OK) status = unload(c);
    for (size_t i = 0; i < c->count; i++) record_clear(&c->list[i]);
    store_close(c->to);
    free(c);
    return status;
}

const store_kind store_postgres = {
    .shared = true,
    .open = postgres_store_open,
    .close = postgres_store_close,
    .read = postgres_read,
    .follow = postgres_follow,
    .begin = postgres_begin,
    .commit = postgres_commit,
    .lead = postgres_lead,
    .set = postgres_set,
    .keep = postgres_keep,
    .get = postgres_get,
    .copy = postgres_copy,
};
