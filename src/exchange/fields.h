/* A short list of named texts: a row of a table, an object of a JSON file. Names may repeat; the
 * first one counts. Copies what it is given. */
#ifndef SCDC_EXCHANGE_FIELDS_H
#define SCDC_EXCHANGE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct field_place {
    size_t name, text; /* where they begin in bytes */
} field_place;

typedef struct fields {
    char *bytes;
    size_t used, capacity;
    field_place *list;
    size_t count, list_capacity;
} fields;

/* Bytes behind a NUL in name or text are not seen by anybody. */
int fields_add(fields *f, const char *name, size_t name_length, const char *text, size_t length);
int fields_set(fields *f, const char *name, const char *text); /* whole texts; NULL adds nothing */
const char *fields_name(const fields *f, size_t index);
const char *fields_text(const fields *f, size_t index);
/* The text of the first field of this name (upper and lower case alike); NULL when there is none.
 * Valid until the next addition. */
const char *fields_find(const fields *f, const char *name);
void fields_clear(fields *f);
void fields_free(fields *f);

#endif
