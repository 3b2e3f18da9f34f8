/* Rows of a csv that comes piece by piece. */
#ifndef SCDC_DATA_STREAM_CSV_H
#define SCDC_DATA_STREAM_CSV_H

#include "data/csv_table.h"
#include "io/stream.h"

typedef struct csv_stream {
    table table;
    char *text; /* begins with a row that was not read yet */
    size_t size, capacity;
    size_t whole; /* bytes of it that are whole rows */
    bool ended;   /* no more bytes follow */
} csv_stream;

/* Up to `most` rows; *out is NULL when there are none left. */
int csv_stream_next(scdc_data **out, csv_stream *s, byte_stream *bytes, size_t most);
void csv_stream_free(csv_stream *s);

#endif
