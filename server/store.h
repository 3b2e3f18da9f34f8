/* Where a project's records live. This is all the server knows of a database: a table of functions
 * (store_kind) with two implementations, a SQLite file that one server works with and a PostgreSQL
 * database that several share. A store is not for two threads at once. */
#ifndef SCDC_SERVER_STORE_H
#define SCDC_SERVER_STORE_H

#include "base.h"
#include "record.h"

typedef enum store_mode {
    STORE_CREATE, /* must not be there yet */
    STORE_WRITE,  /* must be there */
    STORE_JOIN,   /* either */
    STORE_READ    /* must be there; also while servers write */
} store_mode;

typedef struct store store;

/* Told about records one by one; a record is only lent. A failure ends the telling. */
typedef int (*store_each_fn)(const record *r, void *user);

/* The functions below without their prefix say what each is to do. */
typedef struct store_kind {
    bool shared; /* other servers may write at the same time */
    int (*open)(store **out, const char *place, store_mode mode);
    void (*close)(store *s);
    int (*read)(store *s, store_each_fn each, void *user);
    int (*follow)(store *s, store_each_fn each, void *user);
    int (*begin)(store *s, store_each_fn each, void *user);
    int (*commit)(store *s, const record *records, size_t count);
    bool (*lead)(store *s);
    int (*set)(store *s, const char *name, const char *value);
    int (*keep)(char **out, store *s, const char *name, const char *value);
    char *(*get)(store *s, const char *name);
    int (*copy)(store *s, const char *path);
} store_kind;

struct store { /* the first member of every implementation's own struct */
    const store_kind *kind;
};

/* `place` is a path, or the address of a database: postgresql://... */
int store_open(store **out, const char *place, store_mode mode);
void store_close(store *s);
bool store_is_address(const char *place);
/* An address without its password, freed by the caller; SCDC_ERR_ARGUMENT when it is none. */
int store_address_shown(char **out, const char *address);
bool store_is_shared(const store *s);

/* Calls `each` for every record, those of a kind in the order they were written, and what a record
 * speaks of before the record. All as of one moment. */
int store_read(store *s, store_each_fn each, void *user);
/* Tells what other servers have written since the last look. A file has no others. */
int store_follow(store *s, store_each_fn each, void *user);

/* A write: begin waits until no other server writes and tells what they wrote, so that what is
 * written next fits everything that is there; commit ends it. All records are written or none, and
 * on disk when it returns SCDC_OK; SCDC_ERR_ARGUMENT when a record does not fit the others (a name
 * twice); SCDC_ERR_OUTPUT when it may work later. An answer whose id is there already is left as it
 * is. Without records commit only ends what begin began. */
int store_begin(store *s, store_each_fn each, void *user);
int store_commit(store *s, const record *records, size_t count);
/* Both, for whoever has no use for what others wrote. */
int store_write(store *s, const record *records, size_t count);

/* Whether this server is the one that makes tasks and fits, now: of all servers with one store one
 * leads, as long as its connection lasts. The server of a file always does. */
bool store_lead(store *s);

/* Settings: text by name. store_keep sets one unless it is there, and gives a copy of what then is.
 * store_get gives a copy, or NULL when there is none. */
int store_set(store *s, const char *name, const char *value);
int store_keep(char **out, store *s, const char *name, const char *value);
char *store_get(store *s, const char *name);

/* One SQLite file that holds everything, as of now. */
int store_copy(store *s, const char *path);

extern const store_kind store_sqlite, store_postgres;

#endif
