/* Named texts in one block of bytes. */
#include "exchange/fields.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int add_text(size_t *at, fields *f, const char *text, size_t length)
{
    SCDC_TRY(mem_reserve(&f->bytes, &f->capacity, f->used + length + 1, 1, "a row"));
    *at = f->used;
    if (length) memcpy(f->bytes + f->used, text, length);
    f->bytes[f->used + length] = '\0';
    f->used += length + 1;
    return SCDC_OK;
}

int fields_add(fields *f, const char *name, size_t name_length, const char *text, size_t length)
{
    field_place place;
    SCDC_TRY(add_text(&place.name, f, name, name_length));
    SCDC_TRY(add_text(&place.text, f, text, length));
    SCDC_TRY(mem_reserve(&f->list, &f->list_capacity, f->count + 1, sizeof *f->list, "a row"));
    f->list[f->count++] = place;
    return SCDC_OK;
}

int fields_set(fields *f, const char *name, const char *text)
{
    return text ? fields_add(f, name, strlen(name), text, strlen(text)) : SCDC_OK;
}

const char *fields_name(const fields *f, size_t index)
{
    return f->bytes + f->list[index].name;
}

const char *fields_text(const fields *f, size_t index)
{
    return f->bytes + f->list[index].text;
}

const char *fields_find(const fields *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++) {
        if (strcasecmp(fields_name(f, i), name) == 0) return fields_text(f, i);
    }
    return NULL;
}

void fields_clear(fields *f)
{
    f->used = f->count = 0;
}

void fields_free(fields *f)
{
    free(f->bytes);
    mem_free(f->list);
    *f = (fields){0};
}
