/* Reading texts of items. */
#include "asking/texts.h"
#include "base/status.h"
#include "data/data.h"
#include "io/csv.h"

/* Columns of the file; SIZE_MAX: there is none. */
typedef struct columns {
    size_t text, id;
} columns;

static size_t find_column(const csv_reader *r, const char *name)
{
    for (size_t c = 0; c < r->n_fields; c++) {
        if (csv_equals(r->fields[c], name)) return c;
    }
    return SIZE_MAX;
}

static int read_header(columns *c, csv_reader *r)
{
    static const char *const ids[] = {"id", "item", "name", "file"};
    bool more;
    SCDC_TRY(csv_next(&more, r));
    c->text = more ? find_column(r, "text") : SIZE_MAX;
    if (c->text == SIZE_MAX)
        return fail_with(SCDC_ERR_INPUT, "%s: has no column called text", r->name);
    c->id = SIZE_MAX;
    for (size_t i = 0; i < sizeof ids / sizeof *ids && c->id == SIZE_MAX; i++)
        c->id = find_column(r, ids[i]);
    return SCDC_OK;
}

/* Of items without names by their numbers. */
static bool find_item(size_t *item, const scdc_data *data, csv_field f)
{
    int64_t number;
    if (scdc_data_name(data, 0)) return data_find(item, data, f.text, f.length);
    if (!csv_parse_int64(&number, f) || number < 0 || (uint64_t)number >= data->rows) return false;
    *item = (size_t)number;
    return true;
}

/* Rows of anything that is no item are left out. */
static int read_rows(const char **texts, arena *memory, csv_reader *r, columns c,
                     const scdc_data *data)
{
    size_t rows = 0, item;
    bool more;
    SCDC_TRY(csv_next(&more, r));
    for (; more; rows++) {
        if (r->n_fields <= c.text || (c.id != SIZE_MAX && r->n_fields <= c.id))
            return fail_with(SCDC_ERR_INPUT, "%s, line %zu: a row without a text", r->name,
                             r->line);
        item = rows;
        bool known = c.id == SIZE_MAX ? rows < data->rows : find_item(&item, data, r->fields[c.id]);
        const csv_field *f = &r->fields[c.text];
        if (known) texts[item] = arena_string(memory, f->text, f->length);
        SCDC_TRY(csv_next(&more, r));
    }
    if (c.id != SIZE_MAX || rows == data->rows) return arena_status(memory);
    return fail_with(SCDC_ERR_INPUT,
                     "%s: %zu texts for %zu items, and no column id to tell which is which",
                     r->name, rows, data->rows);
}

int texts_read(const char *const **out, arena *memory, const char *path, const scdc_data *data)
{
    file_bytes file;
    csv_reader reader;
    columns c = {0};
    const char **texts = arena_new(memory, data->rows, sizeof *texts, "texts of items");
    SCDC_TRY(arena_status(memory));
    SCDC_TRY(file_open(&file, path));
    int status = csv_open(&reader, &file);
    if (status == SCDC_OK) {
        status = read_header(&c, &reader);
        if (status == SCDC_OK) status = read_rows(texts, memory, &reader, c, data);
        csv_close(&reader);
    }
    file_close(&file);
    *out = texts;
    return status;
}
