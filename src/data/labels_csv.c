/* Labels from csv. Which column, whether the first row is a header, and which item each row is
 * about, are told by the content. */
#include "data/labels.h"

#include "base/memory.h"
#include "base/status.h"
#include "data/data.h"
#include "io/csv.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_COLUMN = -1 };

/* One column of text: distinct texts and which one each row has. */
typedef struct column {
    ptrdiff_t index; /* in the file, or NO_COLUMN */
    names texts;
    uint32_t *code;
    size_t capacity;
} column;

typedef struct table {
    csv_reader csv;
    const scdc_data *items; /* may be NULL */
    column label, id;
    bool id_by_name;  /* the header calls it an id: then it must be one */
    bool ids_found;   /* each row found its item by its id */
    bool sure_header; /* known from the first row alone */
    bool guessed;     /* no column has a known name: the last one was taken */
    size_t columns;
    char name[48]; /* of the label column, as the first row says */
    size_t skip;   /* 1 when the first row is a header */
    size_t rows;   /* header included */
    size_t *line;  /* of each row */
    size_t line_capacity;
    uint32_t *place; /* item of each row after skip */
} table;

static ptrdiff_t find_field(const csv_reader *r, const char *const *words, size_t count)
{
    for (size_t w = 0; w < count; w++) {
        for (size_t i = 0; i < r->n_fields; i++) {
            if (csv_equals(r->fields[i], words[w])) return (ptrdiff_t)i;
        }
    }
    return NO_COLUMN;
}

static int fail_no_column(const csv_reader *r, const char *wanted)
{
    char list[400] = "";
    size_t at = 0;
    for (size_t i = 0; i < r->n_fields && at + 50 < sizeof list; i++) {
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%.*s", i ? ", " : "",
                               csv_shown(r->fields[i]), r->fields[i].text);
    }
    return fail_with(SCDC_ERR_INPUT, "%s: no column is called '%s'; there are: %s", r->name, wanted,
                     list);
}

/* Looks at the first row: which columns matter. */
static int choose_columns(table *t, const char *wanted)
{
    static const char *const label_words[] = {LABEL_COLUMN_NAMES};
    enum { LABEL_WORDS = sizeof label_words / sizeof label_words[0] };
    static const char *const id_words[] = {"item", "id", "name", "file"};
    const csv_reader *r = &t->csv;
    t->label.index = wanted ? find_field(r, &wanted, 1) : find_field(r, label_words, LABEL_WORDS);
    if (wanted && t->label.index == NO_COLUMN) return fail_no_column(r, wanted);
    t->id.index = find_field(r, id_words, 4);
    if (t->id.index == t->label.index) t->id.index = NO_COLUMN;
    t->sure_header = t->label.index != NO_COLUMN || t->id.index != NO_COLUMN;
    t->columns = r->n_fields;
    if (t->label.index == NO_COLUMN) {
        t->guessed = true;
        t->label.index = (ptrdiff_t)r->n_fields - 1;
        if (t->id.index == t->label.index && r->n_fields > 1) t->label.index--;
        if (t->id.index == t->label.index) t->id.index = NO_COLUMN; /* the only column */
    }
    csv_field name = r->fields[t->label.index];
    snprintf(t->name, sizeof t->name, "%.*s", csv_shown(name), name.text);
    t->id_by_name = t->id.index != NO_COLUMN;
    if (!t->id_by_name && t->label.index != 0) t->id.index = 0; /* perhaps: seen later */
    return SCDC_OK;
}

static int add_cell(column *c, const csv_reader *r, size_t row)
{
    if (c->index == NO_COLUMN) return SCDC_OK;
    size_t code;
    csv_field field = r->fields[c->index];
    SCDC_TRY(names_add(&code, NULL, &c->texts, field.text, field.length));
    SCDC_TRY(mem_reserve(&c->code, &c->capacity, row + 1, sizeof *c->code, "labels"));
    c->code[row] = (uint32_t)code;
    return SCDC_OK;
}

static int read_rows(table *t, const char *wanted)
{
    csv_reader *r = &t->csv;
    size_t fields = 0;
    for (;;) {
        bool more;
        SCDC_TRY(csv_next(&more, r));
        if (!more) break;
        if (t->rows == 0) {
            SCDC_TRY(choose_columns(t, wanted));
            fields = r->n_fields;
        }
        if (r->n_fields != fields) {
            return fail_with(SCDC_ERR_INPUT, "%s: line %zu: %zu fields, expected %zu as on line 1",
                             r->name, r->line, r->n_fields, fields);
        }
        if (r->fields[t->label.index].length == 0) {
            return fail_with(SCDC_ERR_INPUT, "%s: line %zu: column %td: the label is empty",
                             r->name, r->line, t->label.index + 1);
        }
        SCDC_TRY(add_cell(&t->label, r, t->rows));
        SCDC_TRY(add_cell(&t->id, r, t->rows));
        SCDC_TRY(mem_reserve(&t->line, &t->line_capacity, t->rows + 1, sizeof *t->line, "labels"));
        t->line[t->rows++] = r->line;
    }
    if (t->rows == 0) return fail_with(SCDC_ERR_INPUT, "%s: the file is empty", r->name);
    return SCDC_OK;
}

static bool text_to_int(int64_t *out, const column *c, size_t code)
{
    const char *text = names_at(&c->texts, code);
    return csv_parse_int64(out, (csv_field){text, strlen(text)});
}

/* Rows from `first` on are all integers. */
static bool all_integers(const column *c, size_t first, size_t rows)
{
    int64_t value;
    for (size_t i = first; i < rows; i++) {
        if (!text_to_int(&value, c, c->code[i])) return false;
    }
    return true;
}

static bool all_numbers(const column *c, size_t first, size_t rows)
{
    double value;
    for (size_t i = first; i < rows; i++) {
        const char *text = names_at(&c->texts, c->code[i]);
        if (!csv_parse_double(&value, (csv_field){text, strlen(text)})) return false;
    }
    return true;
}

/* A header not known by its words: one row too many, or text above integers. */
static int settle_header(table *t)
{
    bool header = t->sure_header;
    if (!header && t->rows > 1) {
        if (t->items && t->items->rows == t->rows - 1) header = true;
        if (!all_integers(&t->label, 0, 1) && all_integers(&t->label, 1, t->rows)) header = true;
    }
    t->skip = header;
    size_t count = t->rows - t->skip;
    if (count == 0) return fail_with(SCDC_ERR_INPUT, "%s: only a header row", t->csv.name);
    if (count >= UINT32_MAX) {
        return fail_with(SCDC_ERR_INPUT, "%s: %zu labels are too many", t->csv.name, count);
    }
    if (t->items && count != t->items->rows) {
        return fail_with(SCDC_ERR_INPUT, "%s: %zu labels, but there are %zu items", t->csv.name,
                         count, t->items->rows);
    }
    return SCDC_OK;
}

static const char *id_of(const table *t, size_t row)
{
    return names_at(&t->id.texts, t->id.code[row]);
}

static int fail_id(const table *t, size_t row, const char *problem)
{
    return fail_with(SCDC_ERR_INPUT, "%s: line %zu: item id '%.40s' %s", t->csv.name, t->line[row],
                     id_of(t, row), problem);
}

/* Each row finds its item by `find`; false (with *bad the row) when one does not, or twice. */
typedef bool (*find_item)(size_t *item, const table *t, size_t row);
static bool by_name(size_t *item, const table *t, size_t row)
{
    const char *id = id_of(t, row);
    return t->items && names_find(item, &t->items->names, id, strlen(id));
}
static bool by_number(size_t *item, const table *t, size_t row)
{
    int64_t value;
    if (!text_to_int(&value, &t->id, t->id.code[row])) return false;
    if (value < 0 || (uint64_t)value >= t->rows - t->skip) return false;
    *item = (size_t)value;
    return true;
}

static int place_rows(bool *good, size_t *bad, bool *twice, table *t, find_item find)
{
    size_t count = t->rows - t->skip;
    unsigned char *taken;
    SCDC_TRY(mem_zeroed(&taken, count, 1, "labels"));
    *good = true;
    for (size_t i = 0; i < count && *good; i++) {
        size_t item = 0;
        bool found = find(&item, t, i + t->skip);
        *twice = found && taken[item];
        if (!found || *twice) {
            *good = false;
            *bad = i + t->skip;
        } else {
            taken[item] = 1;
            t->place[i] = (uint32_t)item;
        }
    }
    mem_free(taken);
    return SCDC_OK;
}

/* Ids that resolve to nothing stay with the labels, so that two files can still be matched. */
static int keep_ids(scdc_labels *labels, const table *t)
{
    for (size_t i = t->skip; i < t->rows; i++) {
        size_t number;
        bool added;
        const char *id = id_of(t, i);
        SCDC_TRY(names_add(&number, &added, &labels->items, id, strlen(id)));
        if (added && *id) continue;
        if (t->id_by_name) return fail_id(t, i, *id ? "has a label already" : "is empty");
        names_free(&labels->items); /* repeats: it was no id after all */
        return SCDC_OK;
    }
    return SCDC_OK;
}

/* Which item each row is about: by name, by number, or as they come. */
static int match_rows(scdc_labels *labels, table *t)
{
    bool good = false, twice = false;
    size_t bad = 0, count = labels->count;
    SCDC_TRY(mem_zeroed(&t->place, count, sizeof *t->place, "labels"));
    if (t->id.index != NO_COLUMN && t->items && t->items->names.count) {
        SCDC_TRY(place_rows(&good, &bad, &twice, t, by_name));
        t->ids_found = good;
        if (good) return SCDC_OK;
        bool good_number, ignored;
        size_t bad_number;
        SCDC_TRY(place_rows(&good_number, &bad_number, &ignored, t, by_number));
        t->ids_found = good_number;
        if (good_number) return SCDC_OK;
        if (t->id_by_name) {
            return fail_id(t, bad, twice ? "has a label already" : "is the name of no item");
        }
    } else if (t->id.index != NO_COLUMN) {
        SCDC_TRY(place_rows(&good, &bad, &twice, t, by_number));
        t->ids_found = good;
        if (good) return SCDC_OK;
        if (t->id_by_name && t->items && all_integers(&t->id, t->skip, t->rows)) {
            return fail_id(t, bad, twice ? "has a label already" : "is not the number of an item");
        }
    }
    for (size_t i = 0; i < count; i++) t->place[i] = (uint32_t)i;
    /* A first column of numbers is a feature rather than an id, unless the header says so. */
    bool ids = t->id.index != NO_COLUMN && !t->items;
    if (ids && !t->id_by_name) ids = !all_numbers(&t->id, t->skip, t->rows);
    return ids ? keep_ids(labels, t) : SCDC_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Codes in the sorted order of the texts that occur. */
static int code_texts(scdc_labels *labels, const table *t)
{
    const char **sorted;
    size_t n = 0, number;
    bool *used;
    SCDC_TRY(mem_zeroed(&used, t->label.texts.count, sizeof *used, "labels"));
    int status = mem_zeroed(&sorted, t->label.texts.count, sizeof *sorted, "labels");
    if (status != SCDC_OK) {
        mem_free(used);
        return status;
    }
    for (size_t i = t->skip; i < t->rows; i++) used[t->label.code[i]] = true;
    for (size_t i = 0; i < t->label.texts.count; i++) {
        if (used[i]) sorted[n++] = names_at(&t->label.texts, i);
    }
    qsort(sorted, n, sizeof *sorted, compare_texts);
    for (size_t i = 0; i < n && status == SCDC_OK; i++) {
        status = names_add(&number, NULL, &labels->texts, sorted[i], strlen(sorted[i]));
    }
    mem_free(sorted);
    mem_free(used);
    return status;
}

static int fill_values(scdc_labels *labels, const table *t)
{
    bool integers = all_integers(&t->label, t->skip, t->rows);
    if (!integers) SCDC_TRY(code_texts(labels, t));
    for (size_t i = 0; i < labels->count; i++) {
        int64_t *value = &labels->values[t->place[i]];
        size_t code = t->label.code[i + t->skip], number = 0;
        if (integers) {
            text_to_int(value, &t->label, code);
        } else {
            const char *text = names_at(&t->label.texts, code);
            names_find(&number, &labels->texts, text, strlen(text));
            *value = (int64_t)number;
        }
    }
    return SCDC_OK;
}

/* Tells which column was taken when another might be meant: ids are none that might. */
static void note_guess(scdc_labels *labels, const table *t)
{
    size_t candidates = t->columns;
    if (t->id_by_name || t->ids_found || labels->items.count) candidates--;
    if (!t->guessed || candidates < 2) return;
    if (t->skip) {
        snprintf(labels->guess, sizeof labels->guess, "%s", t->name);
    } else {
        snprintf(labels->guess, sizeof labels->guess, "column %td", t->label.index + 1);
    }
}

static int read_table(scdc_labels **out, table *t, const char *wanted)
{
    scdc_labels *labels = NULL;
    int status;
    SCDC_TRY(read_rows(t, wanted));
    SCDC_TRY(settle_header(t));
    SCDC_TRY(labels_new(&labels, t->rows - t->skip));
    SCDC_TRY_OR(done, status, match_rows(labels, t));
    SCDC_TRY_OR(done, status, fill_values(labels, t));
    note_guess(labels, t);
done:
    if (status != SCDC_OK) {
        scdc_labels_free(labels);
        return status;
    }
    *out = labels;
    return SCDC_OK;
}

int labels_read_csv(scdc_labels **out, const file_bytes *file, const char *wanted,
                    const scdc_data *items)
{
    table t = {.items = items};
    int status = csv_open(&t.csv, file);
    if (status == SCDC_OK) status = read_table(out, &t, wanted);
    csv_close(&t.csv);
    names_free(&t.label.texts);
    names_free(&t.id.texts);
    free(t.label.code);
    free(t.id.code);
    free(t.line);
    mem_free(t.place);
    return status;
}
