/* The tables of a store, the same in every database: which part of a record goes into which column.
 * Statements are made from this, rows written and read by it. */
#ifndef SCDC_SERVER_STORE_TABLES_H
#define SCDC_SERVER_STORE_TABLES_H

#include "record.h"

enum { STORE_KINDS = RECORD_LEASE + 1, STORE_COLUMNS = 8, ID_SIZE = 16 };

typedef enum column_type {
    COLUMN_TIME,   /* int64_t */
    COLUMN_NUMBER, /* uint32_t, or an enum of that size */
    COLUMN_WORKER, /* uint32_t; 0 is nobody: NULL */
    COLUMN_TEXT,   /* char *, the record's own */
    COLUMN_HASH,   /* token_hash */
    COLUMN_ID,     /* id128 */
    COLUMN_LEFT    /* int64_t, milliseconds from now; kept as the moment when they are over */
} column_type;

typedef struct column {
    const char *name;
    column_type type;
    size_t at; /* in the record */
} column;

typedef struct table {
    const char *name;              /* NULL: no such table */
    const char *order;             /* of writing, where rows have no number of their own */
    const char *twice;             /* what becomes of a row that is there already */
    bool shared;                   /* only servers that share a store keep it */
    column columns[STORE_COLUMNS]; /* up to the first without a name */
} table;

/* By kind of record. */
extern const table store_tables[STORE_KINDS];

void id128_to_bytes(unsigned char out[ID_SIZE], id128 id);
id128 id128_from_bytes(const unsigned char bytes[ID_SIZE]);

#endif
