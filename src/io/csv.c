/* Rows of a csv file: splitting, quoting, line counting. What a field says: csv_field.c. */
#include "io/csv.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Counts each candidate outside quotes on the first line; ties go to the earlier candidate. */
static char told_delimiter(const char *text, const char *end)
{
    static const char candidates[] = {'\t', ',', ';'};
    size_t counts[3] = {0};
    bool quoted = false;
    for (; text < end && (quoted || (*text != '\n' && *text != '\r')); text++) {
        if (*text == '"') quoted = !quoted;
        for (int i = 0; i < 3; i++) counts[i] += !quoted && *text == candidates[i];
    }
    int best = 1; /* one column: a comma, which is not there */
    if (counts[0] && counts[0] >= counts[1]) best = 0;
    if (counts[2] > counts[best]) best = 2;
    return candidates[best];
}

int csv_refuse_utf16(const file_bytes *file)
{
    if (file->size >= 2 &&
        (memcmp(file->bytes, "\xff\xfe", 2) == 0 || memcmp(file->bytes, "\xfe\xff", 2) == 0)) {
        return fail_with(SCDC_ERR_INPUT, "%s: is UTF-16 text, save it as UTF-8", file->path);
    }
    return SCDC_OK;
}

int csv_open(csv_reader *out, const file_bytes *file)
{
    const char *text = (const char *)file->bytes;
    *out = (csv_reader){.name = file->path, .next = text, .end = text + file->size, .next_line = 1};
    if (file->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) out->next += 3;
    SCDC_TRY(csv_refuse_utf16(file));
    out->delimiter = told_delimiter(out->next, out->end);
    return SCDC_OK;
}

void csv_close(csv_reader *reader)
{
    free(reader->fields);
    free(reader->scratch);
    *reader = (csv_reader){0};
}

static int fail_here(const csv_reader *r, const char *what)
{
    return fail_with(SCDC_ERR_INPUT, "%s: line %zu: column %zu: %s", r->name, r->next_line,
                     r->n_fields + 1, what);
}

static bool is_blank(const csv_reader *r, char c)
{
    return c == ' ' || (c == '\t' && r->delimiter != '\t');
}

static bool ends_row(char c)
{
    return c == '\n' || c == '\r';
}

static void skip_blanks(csv_reader *r)
{
    while (r->next < r->end && is_blank(r, *r->next)) r->next++;
}

/* At a line end: over it. */
static void skip_line_end(csv_reader *r)
{
    if (r->next < r->end && *r->next == '\r') {
        r->next++;
        if (r->next < r->end && *r->next == '\n') r->next++;
    } else if (r->next < r->end) {
        r->next++;
    }
    r->next_line++;
}

/* Room for `more` bytes; fields that point into the old scratch are moved along. */
static int grow_scratch(csv_reader *r, size_t more)
{
    if (r->scratch_capacity - r->scratch_size >= more) return SCDC_OK;
    char *grown = NULL;
    size_t capacity = 0, need;
    if (!size_add(&need, r->scratch_size, more)) return fail_memory(SIZE_MAX, r->name);
    SCDC_TRY(mem_reserve(&grown, &capacity, need, 1, "a quoted field"));
    if (r->scratch_size) memcpy(grown, r->scratch, r->scratch_size);
    uintptr_t old = (uintptr_t)r->scratch;
    for (size_t i = 0; i < r->n_fields; i++) {
        uintptr_t offset = (uintptr_t)r->fields[i].text - old;
        if (r->scratch && offset < r->scratch_size) r->fields[i].text = grown + offset;
    }
    free(r->scratch);
    r->scratch = grown;
    r->scratch_capacity = capacity;
    return SCDC_OK;
}

/* [begin, end) with doubled quotes halved, into the scratch. */
static int unescape(csv_field *out, csv_reader *r, const char *begin, const char *end)
{
    SCDC_TRY(grow_scratch(r, (size_t)(end - begin)));
    char *to = r->scratch + r->scratch_size;
    out->text = to;
    for (const char *from = begin; from < end; from++) {
        *to++ = *from;
        if (*from == '"') from++;
    }
    out->length = (size_t)(to - out->text);
    r->scratch_size += out->length;
    return SCDC_OK;
}

/* After the opening quote, to behind the closing one. */
static int read_quoted(csv_field *out, csv_reader *r)
{
    const char *begin = ++r->next;
    size_t opened = r->next_line;
    bool doubled = false;
    for (; r->next < r->end; r->next++) {
        char c = *r->next;
        if (c == '"') {
            if (r->next + 1 == r->end || r->next[1] != '"') break;
            doubled = true;
            r->next++;
        } else if (c == '\0') {
            return fail_here(r, "a NUL byte: not a text file");
        } else if (c == '\n') {
            r->next_line++;
        }
    }
    if (r->next == r->end) {
        r->next_line = opened;
        return fail_here(r, "the quote opened here is never closed");
    }
    const char *end = r->next++;
    skip_blanks(r);
    if (r->next < r->end && *r->next != r->delimiter && !ends_row(*r->next)) {
        return fail_here(r, "text after a closing quote (write \"\" for a quote inside a field)");
    }
    if (doubled) return unescape(out, r, begin, end);
    *out = (csv_field){begin, (size_t)(end - begin)};
    return SCDC_OK;
}

static int read_unquoted(csv_field *out, csv_reader *r)
{
    const char *begin = r->next, *p = begin, *end = r->end;
    /* Everything above the quote is plain, so most bytes cost one comparison. */
    for (; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        if (c > ';' || (c > '"' && c != ',' && c != ';')) continue;
        if ((char)c == r->delimiter || ends_row((char)c)) break;
        if (c != '"' && c != '\0') continue;
        r->next = p;
        return fail_here(r, c ? "a quote inside an unquoted field" : "a NUL byte: not a text file");
    }
    r->next = p;
    while (p > begin && is_blank(r, p[-1])) p--;
    *out = (csv_field){begin, (size_t)(p - begin)};
    return SCDC_OK;
}

static int read_row(csv_reader *r)
{
    r->n_fields = 0;
    r->scratch_size = 0;
    for (;;) {
        SCDC_TRY(mem_reserve(&r->fields, &r->capacity, r->n_fields + 1, sizeof *r->fields,
                             "the fields of a row"));
        csv_field field;
        skip_blanks(r);
        if (r->next < r->end && *r->next == '"') {
            SCDC_TRY(read_quoted(&field, r));
        } else {
            SCDC_TRY(read_unquoted(&field, r));
        }
        r->fields[r->n_fields++] = field;
        if (r->next == r->end || *r->next != r->delimiter) break;
        r->next++;
    }
    skip_line_end(r);
    return SCDC_OK;
}

int csv_next(bool *more, csv_reader *r)
{
    size_t blank = 0;
    for (;;) {
        const char *row = r->next;
        skip_blanks(r);
        if (r->next == r->end) {
            *more = false;
            return SCDC_OK;
        }
        if (!ends_row(*r->next)) {
            r->next = row;
            break;
        }
        if (!blank && !r->skip_blank) blank = r->next_line;
        skip_line_end(r);
    }
    if (blank) {
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: is blank, but more rows follow", r->name,
                         blank);
    }
    r->line = r->next_line;
    SCDC_TRY(read_row(r));
    *more = true;
    return SCDC_OK;
}
