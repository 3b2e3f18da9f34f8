/* A growing table of distinct texts, numbered from 0 in order of arrival: item names, worker names,
 * text labels. Texts must not hold NUL bytes. */
#ifndef SCDC_BASE_NAMES_H
#define SCDC_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct names {
    size_t count;
    char *text;    /* all of them, each with its NUL */
    size_t *start; /* [count] where each begins in text */
    size_t text_size, text_capacity, start_capacity;
    uint32_t *slots; /* open addressing: number + 1, or 0 for a free slot */
    size_t n_slots;  /* a power of two, at least twice the count */
} names;

/* Number of `text`, added when it is new (*added says so; may be NULL). A zeroed table is empty. */
int names_add(size_t *number, bool *added, names *table, const char *text, size_t length);
/* False when it is not there; *number untouched then. */
bool names_find(size_t *number, const names *table, const char *text, size_t length);
/* NULL when out of range. Valid until the next names_add. */
const char *names_at(const names *table, size_t number);
void names_free(names *table);

#endif
