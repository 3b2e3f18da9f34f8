/* Aligned tables for people to read. */
#include "output.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add_cell(text_table *t, const char *format, va_list arguments)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        t->cells = must_resize(t->cells, t->capacity, sizeof *t->cells);
    }
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    size_t size = strlen(text) + 1;
    t->cells[t->count++] = memcpy(must_resize(NULL, size, 1), text, size);
}

void table_cell(text_table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_cell(t, format, arguments);
    va_end(arguments);
}

void table_start(text_table *t, size_t columns, const char *const *headings)
{
    *t = (text_table){.columns = columns};
    for (size_t i = 0; i < columns; i++) table_cell(t, "%s", headings ? headings[i] : "");
    t->bare = !headings;
}

/* Characters, not bytes, of UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void pad(FILE *stream, size_t blanks)
{
    fprintf(stream, "%*s", (int)blanks, "");
}

static void print_row(const text_table *t, FILE *stream, size_t first, const size_t *widths,
                      const bool *right)
{
    for (size_t c = 0; c < t->columns && first + c < t->count; c++) {
        const char *text = t->cells[first + c];
        if (first == 0 && right[c]) text++;
        size_t blanks = widths[c] - width_of(text);
        pad(stream, 2);
        if (right[c]) pad(stream, blanks);
        put_text(stream, text);
        if (!right[c] && c + 1 < t->columns) pad(stream, blanks);
    }
    fputc('\n', stream);
}

void table_print(text_table *t, FILE *stream)
{
    size_t *widths = must_resize(NULL, t->columns, sizeof *widths);
    bool *right = must_resize(NULL, t->columns, sizeof *right);
    for (size_t c = 0; c < t->columns; c++) {
        right[c] = t->cells[c][0] == '>';
        widths[c] = width_of(t->cells[c] + right[c]);
    }
    for (size_t i = t->columns; i < t->count; i++) {
        size_t width = width_of(t->cells[i]), c = i % t->columns;
        if (width > widths[c]) widths[c] = width;
    }
    for (size_t first = 0; first < t->count; first += t->columns) {
        if (first == 0 && t->bare) continue;
        if (first == 0) fputs(bold(stream), stream);
        print_row(t, stream, first, widths, right);
        if (first == 0) fputs(plain(stream), stream);
    }
    for (size_t i = 0; i < t->count; i++) free(t->cells[i]);
    free(t->cells);
    free(widths);
    free(right);
    *t = (text_table){0};
}
