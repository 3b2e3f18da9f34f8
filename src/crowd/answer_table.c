/* Annotation tables: the header, or the proof that a table without one is a table of pairs. */
#include "crowd/answer_table.h"

#include "base/names.h"
#include "base/status.h"

csv_field answer_table_field(const answer_table *table, column_role role)
{
    size_t column = table->columns.of_role[role];
    return column == NO_COLUMN ? (csv_field){"", 0} : table->reader.fields[column];
}

int answer_table_next(bool *more, answer_table *t)
{
    SCDC_TRY(csv_next(more, &t->reader));
    if (!*more || t->reader.n_fields == t->columns.n_fields) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT, "%s: line %zu: has %zu fields, but the first line has %zu",
                     t->reader.name, t->reader.line, t->reader.n_fields, t->columns.n_fields);
}

void answer_table_close(answer_table *table)
{
    csv_close(&table->reader);
}

static int fail_header(const csv_reader *r, const char *what)
{
    return fail_with(SCDC_ERR_INPUT, "%s: line %zu: %s: " EXPECTED_HEADERS, r->name, r->line, what);
}

/* Does some item stand on both sides? It does in pairs, but hardly in groupings (task, item). */
static int sides_share_items(bool *share, const file_bytes *file)
{
    names left = {0};
    answer_table t = {.columns = columns_without_header()};
    bool more;
    int status = SCDC_OK;
    *share = false;
    for (int pass = 0; pass < 2 && !*share; pass++) {
        SCDC_TRY_OR(done, status, csv_open(&t.reader, file));
        for (;;) {
            size_t number;
            SCDC_TRY_OR(done, status, answer_table_next(&more, &t));
            if (!more) break;
            csv_field f = answer_table_field(&t, pass ? ROLE_RIGHT : ROLE_LEFT);
            if (pass == 0) {
                SCDC_TRY_OR(done, status, names_add(&number, NULL, &left, f.text, f.length));
            } else if (names_find(&number, &left, f.text, f.length)) {
                *share = true;
                break;
            }
        }
        answer_table_close(&t);
    }
done:
    answer_table_close(&t);
    names_free(&left);
    return status;
}

/* A first row without known names: only taken as values when nothing else can be meant. */
static int check_headerless(answer_table *t, const file_bytes *file)
{
    const csv_reader *r = &t->reader;
    int64_t number;
    if (r->n_fields != 4) return fail_header(r, "no known column names");
    csv_field worker = r->fields[0], label = r->fields[3];
    if (label_of(label) == LABEL_UNKNOWN) {
        return fail_header(r, "neither known column names nor worker,left,right,label values");
    }
    if (csv_parse_int64(&number, worker)) {
        return fail_header(r, "without a header it cannot be told which of the numbers are workers "
                              "and which are items");
    }
    bool plain = !csv_parse_int64(&number, label); /* a word, as groups hardly ever are */
    if (!plain) SCDC_TRY(sides_share_items(&plain, file));
    if (!plain) {
        return fail_header(r, "without a header it cannot be told whether these are pairs or "
                              "groupings");
    }
    return SCDC_OK;
}

static int find_columns(answer_table *t, const file_bytes *file)
{
    bool more;
    const char *missing;
    SCDC_TRY(csv_open(&t->reader, file));
    SCDC_TRY(csv_next(&more, &t->reader));
    if (!more) {
        return fail_with(SCDC_ERR_INPUT, "%s: is empty: " EXPECTED_HEADERS, t->reader.name);
    }
    switch (columns_of_header(&t->columns, &missing, &t->reader)) {
    case HEADER_GOOD: return SCDC_OK;
    case HEADER_DOUBLE:
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: two columns are called %s", t->reader.name,
                         t->reader.line, missing);
    case HEADER_PARTIAL:
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: there is no column %s: " EXPECTED_HEADERS,
                         t->reader.name, t->reader.line, missing);
    case HEADER_NONE: break;
    }
    SCDC_TRY(check_headerless(t, file));
    t->columns = columns_without_header();
    csv_close(&t->reader);
    return csv_open(&t->reader, file);
}

int answer_table_open(answer_table *out, const file_bytes *file)
{
    *out = (answer_table){0};
    int status = find_columns(out, file);
    if (status != SCDC_OK) answer_table_close(out);
    return status;
}
