/* A csv piece by piece: the reader sees whole rows only, and what is left begins the next piece. */
#include "data/stream_csv.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

#ifdef SCDC_FUZZED
enum { PIECE = 1 << 6 }; /* small, so that rows cross its end */
#else
enum { PIECE = 1 << 20 };
#endif

/* Bytes up to behind the last row that ends in the text. Blank lines after it stay for later: the
 * reader refuses them when rows follow. A quote is open after an odd number of them. */
static size_t whole_rows(size_t *rows, const char *text, size_t size)
{
    bool quoted = false, blank = true;
    size_t whole = 0;
    *rows = 0;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (c == '"') quoted = !quoted;
        if (!quoted && c == '\n') {
            if (!blank) {
                whole = i + 1;
                ++*rows;
            }
            blank = true;
        } else if (c != '\r' && c != ' ' && c != '\t') {
            blank = false;
        }
    }
    return whole;
}

/* More text behind what is there, until it holds a whole row; at first two, of which one may name
 * the columns. */
static int fill(csv_stream *s, byte_stream *bytes)
{
    size_t least = s->table.csv.name ? 1 : 2, rows;
    while (!s->ended) {
        size_t got;
        SCDC_TRY(mem_reserve(&s->text, &s->capacity, s->size + PIECE, 1, "rows of a csv file"));
        SCDC_TRY(byte_stream_read(&got, bytes, s->text + s->size, PIECE));
        s->size += got;
        s->ended = got < PIECE;
        if (s->ended) break;
        s->whole = whole_rows(&rows, s->text, s->size);
        if (rows >= least) return SCDC_OK;
    }
    s->whole = s->size;
    return SCDC_OK;
}

/* Puts the reader on the text; the first time it also looks for delimiter and header. */
static int begin_piece(csv_stream *s, byte_stream *bytes)
{
    csv_reader *r = &s->table.csv;
    SCDC_TRY(fill(s, bytes));
    if (r->name) {
        r->next = s->text;
        r->end = s->text + s->whole;
        return SCDC_OK;
    }
    file_bytes piece;
    file_from_memory(&piece, s->text, s->whole, bytes->path);
    return csv_open(r, &piece);
}

/* What was read makes room for the next piece. */
static void end_piece(csv_stream *s)
{
    if (!s->whole) return;
    s->size -= s->whole;
    memmove(s->text, s->text + s->whole, s->size);
    s->whole = 0;
}

/* The next row becomes the reader's current one; false at the end of the file. */
static int advance(bool *more, csv_stream *s, byte_stream *bytes)
{
    csv_reader *r = &s->table.csv;
    *more = false;
    if (r->name) SCDC_TRY(csv_next(more, r));
    while (!*more && !(s->ended && s->whole == s->size && r->name)) {
        bool first = !r->name;
        end_piece(s);
        SCDC_TRY(begin_piece(s, bytes));
        if (first) {
            SCDC_TRY(table_begin(&s->table));
            *more = true;
        } else {
            SCDC_TRY(csv_next(more, r));
        }
    }
    return SCDC_OK;
}

int csv_stream_next(scdc_data **out, csv_stream *s, byte_stream *bytes, size_t most)
{
    bool more = true;
    *out = NULL;
    while (s->table.rows < most) {
        SCDC_TRY(advance(&more, s, bytes));
        if (!more) break;
        SCDC_TRY(table_take_row(&s->table));
    }
    return s->table.rows ? table_to_data(out, &s->table) : SCDC_OK;
}

void csv_stream_free(csv_stream *s)
{
    table_free(&s->table);
    free(s->text);
    *s = (csv_stream){0};
}
