/* Rows of a csv as items, all at once (csv_items.c) or some at a time (stream_csv.c). */
#ifndef SCDC_DATA_CSV_TABLE_H
#define SCDC_DATA_CSV_TABLE_H

#include "base/names.h"
#include "data/data.h"
#include "io/csv.h"

enum { NO_COLUMN = -1 };

typedef struct table {
    csv_reader csv;
    size_t columns;    /* fields per row */
    size_t first_line; /* the line that told us so */
    ptrdiff_t id;      /* the id column, or NO_COLUMN */
    size_t first;      /* rows handed on before these */
    size_t rows, values, capacity;
    double *value;
    names names, header;   /* of items, of all columns (empty: no header, or a name twice) */
    ptrdiff_t classes;     /* a column that is called like classes, or NO_COLUMN */
    char class_column[48]; /* its name */
} table;

/* Reads up to the first row of values, which is then the reader's current one, and decides which
 * column holds ids. */
int table_begin(table *t);
/* The reader's current row. */
int table_take_row(table *t);
/* The rows taken since the last time, at least one; they leave the table. */
int table_to_data(scdc_data **out, table *t);
/* Safe on a zeroed struct. */
void table_free(table *t);

#endif
