/* From what a file calls an item to its number. */
#ifndef SCDC_CROWD_RESOLVE_H
#define SCDC_CROWD_RESOLVE_H

#include "crowd/crowd.h"
#include "io/csv.h"

/* Where a value was read, for messages: "FILE: line 7" or "FILE: row 7". */
typedef struct place {
    const char *file, *unit;
    size_t number;
} place;

typedef struct resolver {
    const scdc_data *items; /* may be NULL: any number is good, or names get numbers */
    bool by_name;           /* text is looked up (items) or given a number (no items) as a name */
    bool by_number;         /* text that is a number is an item number */
    scdc_crowd *crowd;      /* takes the names when there are no items */
} resolver;

/* Whole numbers, also as 17.0. Digits that fit no integer are NO_ITEM: a number, but of nothing. */
#define NO_ITEM INT64_MIN
bool item_number(int64_t *out, csv_field text);

/* With named items a number means a row only when no name looks like a number, so that numeric ids
 * and row numbers are never mixed up. `named` tells, for files without items,
 * that some id is not a number: then all are names. */
resolver resolver_open(const scdc_data *items, scdc_crowd *crowd, bool named);
int resolve_text(uint32_t *item, const resolver *r, csv_field text, place at);
int resolve_number(uint32_t *item, const resolver *r, int64_t number, place at);

#endif
