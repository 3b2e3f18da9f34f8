/* Lists of must-links and cannot-links, as papers on constrained clustering use them: lines of two
 * items and 1 or -1 (ML or CL, must-link or cannot-link), or JSON {"must_link": [[a, b], ...],
 * "cannot_link": [...]}. */
#include "exchange/mustlink.h"

#include "base/status.h"
#include "exchange/importer.h"
#include "exchange/json.h"
#include "exchange/words.h"

#include <string.h>
#include <strings.h>

enum { MOST_PARTS = 4, SURE_LINES = 1000 };

typedef struct part {
    const char *text;
    size_t length;
} part;

/* A line cut at blanks, commas and semicolons; more parts than fit are counted only. */
static size_t cut_line(part parts[MOST_PARTS], const char *line, size_t length)
{
    static const char cuts[] = " \t\r,;";
    size_t count = 0;
    for (size_t i = 0; i < length;) {
        while (i < length && strchr(cuts, line[i]) && line[i]) i++;
        size_t begin = i;
        while (i < length && !(strchr(cuts, line[i]) && line[i])) i++;
        if (i > begin && count++ < MOST_PARTS) parts[count - 1] = (part){line + begin, i - begin};
    }
    return count;
}

static const char *next_line(size_t *length, const char **at, const char *end)
{
    const char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));
    *length = (size_t)((stop ? stop : end) - line);
    *at = stop ? stop + 1 : end;
    return line;
}

/* 1 for a must-link, 0 for a cannot-link, -1 for anything else. */
static int kind_of(part p)
{
    static const char *const must[] = {"1", "+1", "ml", "must-link", "must_link", "mustlink", NULL};
    static const char *const cannot[] = {"-1",          "cl",         "cannot-link",
                                         "cannot_link", "cannotlink", NULL};
    for (const char *const *word = must; *word; word++) {
        if (strlen(*word) == p.length && strncasecmp(p.text, *word, p.length) == 0) return 1;
    }
    for (const char *const *word = cannot; *word; word++) {
        if (strlen(*word) == p.length && strncasecmp(p.text, *word, p.length) == 0) return 0;
    }
    return -1;
}

/* Two coordinates and a class of 1 or -1 are no link between items. */
static bool has_point(part p)
{
    return memchr(p.text, '.', p.length) != NULL;
}

bool mustlink_looks_like(const file_bytes *file)
{
    const char *at = (const char *)file->bytes, *end = at + file->size;
    bool some_cannot = false, some_word = false;
    size_t lines = 0;
    while (at < end && lines < SURE_LINES) {
        part parts[MOST_PARTS];
        size_t length;
        const char *line = next_line(&length, &at, end);
        size_t count = cut_line(parts, line, length);
        if (count == 0 || line[0] == '#') continue;
        int kind = count == 3 ? kind_of(parts[2]) : -1;
        if (kind < 0 && lines++ == 0) continue; /* a header */
        if (kind < 0 || has_point(parts[0]) || has_point(parts[1])) return false;
        some_cannot |= kind == 0;
        some_word |= parts[2].length > 2 || strchr("lL", parts[2].text[parts[2].length - 1]);
        lines++;
    }
    /* Three columns that end in 1 may be anything. */
    return lines > 0 && (some_cannot || some_word);
}

static int take_link(importer *in, part left, part right, bool must)
{
    entry *e = &in->entry;
    const char *said = must ? "must link" : "cannot link";
    SCDC_TRY(fields_add(&e->input, "left", 4, left.text, left.length));
    SCDC_TRY(fields_add(&e->input, "right", 5, right.text, right.length));
    SCDC_TRY(fields_set(&e->said, "link", said));
    return importer_take(in);
}

static int read_lines(importer *in)
{
    const char *at = (const char *)in->file->bytes, *end = at + in->file->size;
    size_t links = 0;
    in->unit = "line";
    while (at < end) {
        part parts[MOST_PARTS];
        size_t length;
        const char *line = next_line(&length, &at, end);
        size_t count = cut_line(parts, line, length);
        in->number++;
        if (memchr(line, '\0', length)) return importer_fail(in, "a NUL byte: not a text file");
        if (count == 0 || line[0] == '#') continue;
        int kind = count == 3 ? kind_of(parts[2]) : -1;
        if (kind < 0 && links == 0 && in->number == 1) continue; /* a header */
        if (kind < 0)
            return importer_fail(in, "expected two items and 1 or -1 (or ML or CL), not \"%.*s\"",
                                 length > 60 ? 60 : (int)length, line);
        SCDC_TRY(take_link(in, parts[0], parts[1], kind == 1));
        links++;
    }
    return SCDC_OK;
}

static int take_lists(void *user, const json_t *record, const char *unit, size_t number)
{
    static const char *const known[][4] = {{"cannot_link", "cannot-link", "cannotlink", "cl"},
                                           {"must_link", "must-link", "mustlink", "ml"}};
    importer *in = user;
    (void)unit;
    (void)number;
    in->unit = "link";
    for (int must = 0; must < 2; must++) {
        for (int n = 0; n < 4; n++) {
            size_t index;
            json_t *pair;
            json_array_foreach(json_object_get(record, known[must][n]), index, pair)
            {
                char scratch[2][JSON_SCALAR];
                const char *a = json_scalar(scratch[0], json_array_get(pair, 0));
                const char *b = json_scalar(scratch[1], json_array_get(pair, 1));
                in->number = index + 1;
                if (!a || !b || json_array_size(pair) != 2)
                    return importer_fail(in, "%s: expected two items", known[must][n]);
                SCDC_TRY(take_link(in, (part){a, strlen(a)}, (part){b, strlen(b)}, must == 1));
            }
        }
    }
    return SCDC_OK;
}

int read_mustlink(importer *in)
{
    in->default_worker = "expert";
    in->sides_known = true;
    return json_begins(in->file) ? json_each(in->file, take_lists, in) : read_lines(in);
}
