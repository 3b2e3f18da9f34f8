/* Everything that is said to PostgreSQL: the tables, and the statements, which are prepared once
 * for each connection and have their values as parameters. */
#ifndef SCDC_SERVER_POSTGRES_SQL_H
#define SCDC_SERVER_POSTGRES_SQL_H

#include "store.h"
#include "store_tables.h"

enum { POSTGRES_SCHEMA_VERSION = 1 };

/* These, and an INSERT and a SELECT for each kind of record. */
enum {
    BEGIN_WRITE,
    BEGIN_READ,
    COMMIT,
    ROLLBACK,
    LOCK_HEAD,
    HEAD,
    MOVE_HEAD,
    LEAD,
    SWEEP,
    SET,
    KEEP,
    GET,
    SETTINGS,
    FIXED,
    INSERT = FIXED,
    SELECT = INSERT + STORE_KINDS,
    STATEMENTS = SELECT + STORE_KINDS
};

/* Makes the tables; NULL: they must be there. */
const char *postgres_schema(store_mode mode);
/* All statements; lives as long as the program. */
const char *const *postgres_statements(void);

#endif
