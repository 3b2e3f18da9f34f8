/* Where a project's records live. This is all the server knows of a database: SQLite today, another
 * one by another file with the same functions. Not for two threads at once. */
#ifndef SCDC_SERVER_STORE_H
#define SCDC_SERVER_STORE_H

#include "base.h"
#include "record.h"

typedef struct store store;

typedef enum store_mode {
    STORE_CREATE, /* must not be there yet */
    STORE_WRITE,
    STORE_READ /* also while a server writes */
} store_mode;

int store_open(store **out, const char *path, store_mode mode);
void store_close(store *s);

/* Writes all records or none, on disk when it returns SCDC_OK; SCDC_ERR_ARGUMENT when a record does
 * not fit the others (a name twice). An answer whose id is there already
 * is left as it is. */
int store_write(store *s, const record *records, size_t count);

/* Calls `each` for every record, those of a kind in the order they were written: workers, tokens,
 * tasks, answers, standings. The record is only lent. `each` returns a status; a failure ends it.
 */
typedef int (*store_each_fn)(const record *r, void *user);
int store_read(store *s, store_each_fn each, void *user);

/* Settings: text by name. store_get gives a copy, or NULL when there is none. */
int store_set(store *s, const char *key, const char *value);
char *store_get(store *s, const char *key);

/* One file that holds everything, as of now. */
int store_copy(store *s, const char *path);

#endif
