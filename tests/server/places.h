/* Where the stores of a test are: files of the scratch folder, or, when $SCDC_TEST_STORE is the
 * address of a PostgreSQL database (tests/server/postgres.py), schemas of it. The same tests run
 * with both. */
#ifndef SCDC_TESTS_SERVER_PLACES_H
#define SCDC_TESTS_SERVER_PLACES_H

#include "support/files.h"

#include <ctype.h>

static inline const char *test_database(void)
{
    const char *address = getenv("SCDC_TEST_STORE");
    return address && *address ? address : NULL;
}

/* The address of a schema of its own, made when it is not there; one of eight rotating buffers. */
static inline const char *schema_place(const char *name)
{
    static char places[8][1024];
    static int turn;
    char *place = places[turn++ % 8], command[2048], schema[64];
    snprintf(schema, sizeof schema, "%s", name);
    for (char *c = schema; *c; c++) *c = (char)tolower(*c); /* as a search path is read */
    snprintf(command, sizeof command,
             "psql -q -X \"$SCDC_TEST_STORE\" -c 'SET client_min_messages = error;' "
             "-c 'CREATE SCHEMA IF NOT EXISTS \"%s\"'",
             schema);
    assert_int_equal(system(command), 0);
    snprintf(place, sizeof places[0], "%s?options=-csearch_path%%3D%s", test_database(), schema);
    return place;
}

/* Where a store of this name is, or will be. */
static inline const char *store_place(const char *name)
{
    return test_database() ? schema_place(name) : scratch_path(name);
}

#endif
