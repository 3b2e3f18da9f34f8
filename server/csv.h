/* Small tables: what is shown beside items, checks, and the files a fit leaves. */
#ifndef SCDC_SERVER_CSV_H
#define SCDC_SERVER_CSV_H

#include "base.h"

typedef struct csv_table {
    char *bytes;  /* the file; fields are cut out of it */
    char **cells; /* rows x columns, the first row is the header */
    size_t rows, columns;
} csv_table;

enum { CSV_NONE = -1 };

/* Comma, semicolon or tab; quoted fields; every row as long as the header. */
int csv_open(csv_table *out, const char *path);
void csv_free(csv_table *t);
/* A column by name, capitals or not; CSV_NONE when there is none. */
int csv_column(const csv_table *t, const char *name);
/* Row 0 is the first below the header. */
const char *csv_cell(const csv_table *t, size_t row, int column);
static inline size_t csv_count(const csv_table *t)
{
    return t->rows ? t->rows - 1 : 0;
}
/* A field as csv wants it, quoted where it must be; freed by the caller. */
char *csv_quoted(const char *text);

#endif
