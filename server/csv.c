/* Reading a whole csv file into cells. */
#include "csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int read_all(char **out, size_t *size, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return server_fail(SCDC_ERR_INPUT, "%s: %s", path, strerror(errno));
    size_t room = 1 << 16, used = 0;
    char *bytes = need_resize(NULL, room, 1);
    bool bad = false; /* no text: not read further, because a device may not end */
    for (size_t got; !bad && (got = fread(bytes + used, 1, room - used - 1, f)) > 0;) {
        bad = memchr(bytes + used, '\0', got);
        used += got;
        if (room - used < 2) bytes = need_resize(bytes, room *= 2, 1);
    }
    bad = bad || ferror(f);
    fclose(f);
    if (bad) {
        free(bytes);
        return server_fail(SCDC_ERR_INPUT, "%s: cannot be read as a table of text", path);
    }
    bytes[used] = '\0';
    *out = bytes;
    *size = used;
    return SCDC_OK;
}

static char separator_of(const char *text)
{
    size_t line = strcspn(text, "\r\n");
    const char *best = ",";
    size_t most = 0;
    for (const char *c = ",;\t"; *c; c++) {
        size_t count = 0;
        for (size_t i = 0; i < line; i++) count += text[i] == *c;
        if (count > most) {
            most = count;
            best = c;
        }
    }
    return *best;
}

/* Cuts out the field at *at and moves behind it; the character that ended it. */
static char cut_field(char **at, char separator)
{
    char *from = *at, *to = *at;
    bool quoted = *from == '"';
    if (quoted) from++;
    for (; *from; from++) {
        if (quoted && *from == '"') {
            if (from[1] == '"') {
                from++;
            } else {
                quoted = false;
                continue;
            }
        } else if (!quoted && (*from == separator || *from == '\n' || *from == '\r')) {
            break;
        }
        *to++ = *from;
    }
    char end = *from;
    if (end == '\r' && from[1] == '\n') from++;
    if (end) from++;
    *to = '\0';
    *at = from;
    return end == separator ? separator : end ? '\n' : '\0';
}

static int cut(csv_table *t, const char *path)
{
    char *at = t->bytes;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    char separator = separator_of(at);
    size_t cells = 0, room = 0;
    while (*at) {
        size_t columns = 0;
        char end;
        do {
            t->cells = need_room(t->cells, &room, cells, sizeof *t->cells);
            t->cells[cells++] = at;
            columns++;
            end = cut_field(&at, separator);
        } while (end == separator);
        if (columns == 1 && *t->cells[cells - 1] == '\0') {
            cells--; /* an empty line */
            continue;
        }
        if (!t->columns) t->columns = columns;
        t->rows++;
        if (columns != t->columns)
            return server_fail(SCDC_ERR_INPUT, "%s: row %zu has %zu columns, the header %zu", path,
                               t->rows, columns, t->columns);
    }
    if (t->rows == 0) return server_fail(SCDC_ERR_INPUT, "%s: is empty", path);
    return SCDC_OK;
}

int csv_open(csv_table *out, const char *path)
{
    csv_table t = {0};
    size_t size = 0;
    SERVER_TRY(read_all(&t.bytes, &size, path));
    int status = cut(&t, path);
    if (status != SCDC_OK) {
        csv_free(&t);
        return status;
    }
    *out = t;
    return SCDC_OK;
}

void csv_free(csv_table *t)
{
    free(t->bytes);
    free(t->cells);
    *t = (csv_table){0};
}

int csv_column(const csv_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++) {
        if (strcasecmp(t->cells[i], name) == 0) return (int)i;
    }
    return CSV_NONE;
}

const char *csv_cell(const csv_table *t, size_t row, int column)
{
    return t->cells[(row + 1) * t->columns + (size_t)column];
}

char *csv_quoted(const char *text)
{
    if (!text[strcspn(text, ",;\t\"\r\n")]) return text_copy(text);
    char *out = need_resize(NULL, 2 * strlen(text) + 3, 1), *to = out;
    *to++ = '"';
    for (; *text; text++) {
        if (*text == '"') *to++ = '"';
        *to++ = *text;
    }
    *to++ = '"';
    *to = '\0';
    return out;
}
