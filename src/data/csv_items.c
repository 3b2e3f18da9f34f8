/* Items from csv, tsv or semicolons: a header row and an id column are recognised, everything else
 * must be a finite number. */
#include "data/csv_table.h"
#include "data/labels.h"
#include "data/readers.h"

#include "base/memory.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(csv_field field)
{
    double x;
    return csv_parse_double(&x, field);
}

static bool is_id_name(csv_field field)
{
    return csv_equals(field, "id") || csv_equals(field, "item") || csv_equals(field, "name") ||
           csv_equals(field, "file");
}

static bool is_class_name(csv_field field)
{
    static const char *const words[] = {LABEL_COLUMN_NAMES, "target", "y"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (csv_equals(field, words[i])) return true;
    }
    return false;
}

/* Text anywhere but in the first column, a first column called like an id, or one without a name
 * (an exported index): the row names the columns. Text in the first column alone is an id. */
static bool is_header(const csv_reader *r)
{
    if (r->n_fields == 1) return r->fields[0].length && !is_number(r->fields[0]);
    if (r->fields[0].length == 0 || is_id_name(r->fields[0])) return true;
    for (size_t i = 1; i < r->n_fields; i++) {
        if (r->fields[i].length && !is_number(r->fields[i])) return true;
    }
    return false;
}

/* Names of all columns, ids included, when they differ. */
static int take_header(table *t)
{
    const csv_reader *r = &t->csv;
    for (size_t i = 0; i < r->n_fields; i++) {
        size_t number;
        bool added;
        SCDC_TRY(names_add(&number, &added, &t->header, r->fields[i].text, r->fields[i].length));
        if (added) continue;
        names_free(&t->header);
        t->header = (names){0};
        break;
    }
    return SCDC_OK;
}

/* A column in messages: "3 ('age')", or "3" when it has no name. */
typedef struct column_text {
    char text[80];
} column_text;

static column_text column_called(const table *t, size_t column)
{
    column_text out;
    const char *name = names_at(&t->header, column);
    bool named = name && *name;
    snprintf(out.text, sizeof out.text, "%zu%s%.48s%s", column + 1, named ? " ('" : "",
             named ? name : "", named ? "')" : "");
    return out;
}

/* Names of the columns of values. */
static int value_columns(names *out, const table *t)
{
    for (size_t i = 0; i < t->header.count; i++) {
        size_t number;
        const char *name = names_at(&t->header, i);
        if ((ptrdiff_t)i != t->id) SCDC_TRY(names_add(&number, NULL, out, name, strlen(name)));
    }
    return SCDC_OK;
}

int table_begin(table *t)
{
    bool more;
    csv_reader *r = &t->csv;
    SCDC_TRY(csv_next(&more, r));
    if (!more) return fail_with(SCDC_ERR_INPUT, "%s: the file is empty", r->name);
    t->columns = r->n_fields;
    t->first_line = r->line;
    t->id = t->classes = NO_COLUMN;
    if (is_header(r)) {
        for (size_t i = 0; i < r->n_fields; i++) {
            csv_field name = r->fields[i];
            if (t->id == NO_COLUMN && is_id_name(name)) t->id = (ptrdiff_t)i;
            if (t->classes != NO_COLUMN || !is_class_name(name)) continue;
            t->classes = (ptrdiff_t)i;
            snprintf(t->class_column, sizeof t->class_column, "%.*s", csv_shown(name), name.text);
        }
        if (t->id == NO_COLUMN && r->n_fields > 1 && r->fields[0].length == 0) t->id = 0;
        SCDC_TRY(take_header(t));
        SCDC_TRY(csv_next(&more, r));
        if (!more) {
            return fail_with(SCDC_ERR_INPUT, "%s: only a header row, expected rows of numbers",
                             r->name);
        }
    }
    if (t->id == NO_COLUMN && r->fields[0].length && !is_number(r->fields[0])) t->id = 0;
    if (t->columns == 1 && t->id == 0) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: line %zu: '%.*s' is not a number, and there is no "
                         "other column",
                         r->name, r->line, csv_shown(r->fields[0]), r->fields[0].text);
    }
    return SCDC_OK;
}

static int take_id(table *t, csv_field field)
{
    const csv_reader *r = &t->csv;
    size_t number;
    bool added;
    if (field.length == 0) {
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: column %td: the item id is empty", r->name,
                         r->line, t->id + 1);
    }
    SCDC_TRY(names_add(&number, &added, &t->names, field.text, field.length));
    if (added) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: line %zu: column %td: the item id '%.*s' is also that of "
                     "row %zu, expected each id once",
                     r->name, r->line, t->id + 1, csv_shown(field), field.text,
                     t->first + number + 1);
}

static int take_value(table *t, csv_field field, size_t column)
{
    const csv_reader *r = &t->csv;
    double x;
    if (field.length == 0) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: line %zu: column %s: the cell is empty, expected a number (leave out "
                         "rows or columns with missing values, or fill them in, for instance with "
                         "the column's median)",
                         r->name, r->line, column_called(t, column).text);
    }
    if (!csv_parse_double(&x, field)) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: line %zu: column %s: '%.*s' is not a number (only "
                         "the first column may be text, as item ids; for kinds make a column of 0 "
                         "and 1 for each)",
                         r->name, r->line, column_called(t, column).text, csv_shown(field),
                         field.text);
    }
    if (!(fabs(x) <= FLT_MAX)) {
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: column %s: '%.*s' is %s", r->name, r->line,
                         column_called(t, column).text, csv_shown(field), field.text,
                         isfinite(x) ? "too large for a float: rescale the data"
                                     : "not a finite number (leave out rows or columns with "
                                       "missing values, or fill them in)");
    }
    t->value[t->values++] = x;
    return SCDC_OK;
}

int table_take_row(table *t)
{
    const csv_reader *r = &t->csv;
    if (r->n_fields != t->columns) {
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: %zu fields, expected %zu as on line %zu",
                         r->name, r->line, r->n_fields, t->columns, t->first_line);
    }
    SCDC_TRY(mem_reserve(&t->value, &t->capacity, t->values + t->columns, sizeof *t->value,
                         "the values of the items"));
    for (size_t i = 0; i < t->columns; i++) {
        if ((ptrdiff_t)i == t->id) {
            SCDC_TRY(take_id(t, r->fields[i]));
        } else {
            SCDC_TRY(take_value(t, r->fields[i], i));
        }
    }
    t->rows++;
    return SCDC_OK;
}

/* Ids 0, 1, 2, ... in order say nothing that the row number does not. */
static bool ids_are_row_numbers(const table *t)
{
    for (size_t i = 0; i < t->names.count; i++) {
        char text[24];
        snprintf(text, sizeof text, "%zu", t->first + i);
        if (strcmp(text, names_at(&t->names, i)) != 0) return false;
    }
    return true;
}

/* Few different whole numbers, each of several items, beside other values. */
static bool holds_classes(const table *t, size_t cols)
{
    enum { MOST_CLASSES = 100 };
    double seen[MOST_CLASSES];
    size_t classes = 0, column = (size_t)t->classes;
    if (t->classes == NO_COLUMN || cols < 2) return false;
    if (t->id != NO_COLUMN && t->id < t->classes) column--;
    for (size_t i = 0; i < t->rows; i++) {
        double x = t->value[i * cols + column];
        size_t c = 0;
        if (x != floor(x)) return false;
        while (c < classes && seen[c] != x) c++;
        if (c < classes) continue;
        if (classes == MOST_CLASSES) return false;
        seen[classes++] = x;
    }
    return classes > 1 && 2 * classes <= t->rows;
}

int table_to_data(scdc_data **out, table *t)
{
    scdc_data *data;
    size_t cols = t->columns - (t->id != NO_COLUMN);
    SCDC_TRY(data_new(&data, t->csv.name, "csv", SCDC_F64, t->rows, cols));
    int status = value_columns(&data->columns, t);
    if (status != SCDC_OK) {
        scdc_data_free(data);
        return status;
    }
    if (holds_classes(t, cols)) memcpy(data->class_column, t->class_column, sizeof t->class_column);
    data->values = data->block = t->value;
    data->first = t->first;
    if (!ids_are_row_numbers(t)) {
        data->names = t->names;
        t->names = (names){0};
    }
    names_free(&t->names);
    t->names = (names){0};
    t->value = NULL;
    t->first += t->rows;
    t->rows = t->values = t->capacity = 0;
    *out = data;
    return SCDC_OK;
}

void table_free(table *t)
{
    csv_close(&t->csv);
    names_free(&t->names);
    names_free(&t->header);
    free(t->value);
    *t = (table){0};
}

static int read_table(scdc_data **out, table *t, const file_bytes *file)
{
    SCDC_TRY(csv_open(&t->csv, file));
    SCDC_TRY(table_begin(t));
    for (bool more = true; more;) {
        SCDC_TRY(table_take_row(t));
        SCDC_TRY(csv_next(&more, &t->csv));
    }
    return table_to_data(out, t);
}

int read_csv_items(scdc_data **out, file_bytes *file)
{
    table t = {0};
    int status = read_table(out, &t, file);
    table_free(&t);
    return status;
}
