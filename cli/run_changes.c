/* Reading changes.csv back: rows of five fields, some of them quoted. */
#include "run_changes.h"

#include "output.h"
#include "run_dir.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 5, SHOWN = 4 };

static char *read_text(FILE *file)
{
    char *text = NULL;
    size_t size = 0, room = 0, got;
    if (!file) return NULL;
    do {
        room = room ? 2 * room : 4096;
        text = must_resize(text, room, 1);
        got = fread(text + size, 1, room - size - 1, file);
        size += got;
    } while (got && size + 1 == room);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* Ends the field at *next in place and moves on; *last: it was the last of its row. */
static char *take_field(char **next, int *last)
{
    char *from = *next, *to = from, *field = from;
    int quoted = *from == '"';
    if (quoted) from++;
    for (; *from; from++) {
        if (quoted && *from == '"') {
            if (from[1] != '"') {
                from++;
                break;
            }
            from++;
        } else if (!quoted && (*from == ',' || *from == '\n')) {
            break;
        }
        *to++ = *from;
    }
    *last = *from != ',';
    *next = *from ? from + 1 : from;
    *to = '\0';
    return field;
}

void run_changes_read(run_changes *out, const char *run)
{
    char *next;
    *out = (run_changes){.text = read_text(run_open(run, RUN_CHANGES))};
    if (!out->text) return;
    next = out->text;
    for (size_t row = 0; *next; row++) {
        const char *field[COLUMNS] = {"", "", "", "", ""};
        int last = 0;
        for (size_t i = 0; !last; i++) {
            const char *one = take_field(&next, &last);
            if (i < COLUMNS) field[i] = one;
        }
        if (!row) continue; /* the header */
        out->rows = must_resize(out->rows, (out->count + 1) * SHOWN, sizeof *out->rows);
        const char **to = out->rows + out->count++ * SHOWN;
        to[0] = field[0], to[1] = field[1], to[2] = field[2], to[3] = field[4];
    }
}

void run_changes_free(run_changes *c)
{
    free(c->text);
    free(c->rows);
    *c = (run_changes){0};
}
