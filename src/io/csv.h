/* The one csv/tsv reader: rows of text fields over a buffer, with line numbers for messages.
 * RFC 4180 quoting, CRLF, a BOM, a missing last newline and blank lines at the end are accepted; a
 * blank line in the middle is refused. Knows nothing of what the columns mean. */
#ifndef SCDC_IO_CSV_H
#define SCDC_IO_CSV_H

#include "io/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct csv_field {
    const char *text; /* not NUL-terminated; points into the file or into the reader's scratch */
    size_t length;
} csv_field;

typedef struct csv_reader {
    const char *name; /* for messages */
    const char *next, *end;
    char delimiter; /* ',' or '\t' or ';', told from the first line */
    size_t line;    /* 1-based line of the current row's start */
    csv_field *fields;
    size_t n_fields, capacity;
    char *scratch; /* unescaped quoted fields of the current row */
    size_t scratch_size, scratch_capacity;
    size_t next_line;
    bool skip_blank; /* set after csv_open: blank lines between rows are no mistake */
} csv_reader;

/* The file must stay open as long as the reader. */
int csv_open(csv_reader *out, const file_bytes *file);
/* Next row into reader->fields; *more = false at the end. Fields are trimmed of blanks when not
 * quoted. A quote that is never closed, text around a quoted field or a quote inside an unquoted
 * one is SCDC_ERR_INPUT naming file, line and column. A NUL byte is refused. */
int csv_next(bool *more, csv_reader *reader);
void csv_close(csv_reader *reader);
/* SCDC_ERR_INPUT for what begins with the mark of UTF-16, as spreadsheets save it; csv_open asks by
 * itself. */
int csv_refuse_utf16(const file_bytes *file);

/* Whole-field parses: false when the field is not entirely such a number. Locale independent. */
bool csv_parse_double(double *out, csv_field field); /* accepts inf and nan: callers decide */
bool csv_parse_int64(int64_t *out, csv_field field);
bool csv_equals(csv_field field, const char *text); /* ASCII case-insensitive */

/* For "%.*s" in messages: at most 40 bytes of the field. */
int csv_shown(csv_field field);

#endif
