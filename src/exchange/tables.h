/* Tables of other tools: what the columns of each tool are called. A table is a csv or tsv file, or
 * JSON records that are flat. */
#ifndef SCDC_EXCHANGE_TABLES_H
#define SCDC_EXCHANGE_TABLES_H

#include "exchange/importer.h"

enum { MOST_NAMES = 16 };
typedef const char *column_names[MOST_NAMES];

/* Names are compared without case; a column that has none of the roles is an input. */
typedef struct table_kind {
    column_names worker, task, time, seconds, status, gold;
    column_names said;        /* answers, where no prefix tells */
    column_names own;         /* of the tool itself, no input */
    const char *input_prefix; /* "Input.": only these are inputs */
    const char *said_prefix, *gold_prefix, *own_prefix;
    const char *default_worker;
    bool scores;            /* the answer is a probability of "same" */
    bool blank_lines;       /* may stand between rows */
    const char *lacks_said; /* what such a file is when it has no answers; NULL: a mistake */
} table_kind;

extern const table_kind label_studio_table;

int read_table(importer *in, const table_kind *kind);   /* csv, tsv */
int read_records(importer *in, const table_kind *kind); /* JSON */

#endif
