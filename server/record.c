/* Freeing and copying records: their texts are those that the tables of a store name. */
#include "base.h"
#include "store_tables.h"

#include <stdlib.h>

static char **text_at(record *r, const column *c)
{
    return (char **)(void *)((char *)r + c->at);
}

void record_clear(record *r)
{
    for (const column *c = store_tables[r->kind].columns; c->name; c++) {
        if (c->type == COLUMN_TEXT) free(*text_at(r, c));
    }
    *r = (record){0};
}

record record_copy(const record *r)
{
    record out = *r;
    for (const column *c = store_tables[r->kind].columns; c->name; c++) {
        if (c->type == COLUMN_TEXT) *text_at(&out, c) = text_copy(*text_at(&out, c));
    }
    return out;
}
