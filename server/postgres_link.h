/* A connection to PostgreSQL that comes back: statements are prepared once for each connection and
 * sent in a row, their results taken together, and nothing is waited for longer than a few seconds.
 * What is said about failures never holds a password. */
#ifndef SCDC_SERVER_POSTGRES_LINK_H
#define SCDC_SERVER_POSTGRES_LINK_H

#include "libpq.h"

typedef struct postgres_link {
    PGconn *db;                    /* NULL: not connected */
    char *address;                 /* as given: may hold a password */
    char *shown;                   /* without one */
    const char *const *statements; /* prepared under their numbers; the caller's */
    size_t n_statements;
    const char *schema; /* run first on the first connection; NULL: nothing */
    int64_t not_before; /* when the next try may be made, after one that failed */
    size_t connects;    /* so many connections were made */
} postgres_link;

/* An address without its password, freed by the caller; SCDC_ERR_ARGUMENT when it is none. */
int postgres_shown(char **out, const char *address);

/* Connects. `schema` must be there, or is run when it is given. */
int postgres_open(postgres_link *l, const char *address, const char *const *statements,
                  size_t count, const char *schema);
void postgres_close(postgres_link *l);
/* Connects again where the connection was lost. Fails at once when it has just been tried. */
int postgres_ready(postgres_link *l);

/* Puts a statement into the row that postgres_take sends; values are texts, NULL is NULL. False
 * when there is no connection any more. */
bool postgres_send(postgres_link *l, size_t statement, const char *const *values, int count);
/* Called with the result of each statement of the row, in their order. */
typedef int (*postgres_result_fn)(const PGresult *result, size_t which, void *user);
/* Runs the row. After a failure the connection has no transaction open, or is gone:
 * SCDC_ERR_ARGUMENT when a constraint was hurt, SCDC_ERR_OUTPUT for anything else. */
int postgres_take(postgres_link *l, postgres_result_fn each, void *user, const char *doing);

#endif
