/* Suggestions as csv and as JSON, a line each. */
#include "asking/batch.h"

#include "asking/texts.h"
#include "base/sized.h"
#include "base/status.h"
#include "data/data.h"
#include "io/json_text.h"
#include "io/writer.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const scdc_suggest_file plain = {.size = sizeof plain, .format = "csv"};

void scdc_suggest_file_init_sized(scdc_suggest_file *file, size_t size)
{
    sized_init(file, size, &plain, sizeof plain);
}

static const char *kind_name(scdc_question_kind kind)
{
    return kind == SCDC_QUESTION_SET ? "set" : "pair";
}

static const char *name_of(const scdc_suggest_file *f, uint32_t item)
{
    return f->names ? scdc_data_name(f->names, item) : NULL;
}

/* ---- csv ------------------------------------------------------------------------------------ */

/* Items are separated by blanks, so that a blank in a name must not look like one. */
static void append_name(FILE *text, const char *name)
{
    for (; *name; name++) {
        if (*name == ' ' || *name == '%') fprintf(text, "%%%02X", (unsigned char)*name);
        else putc(*name, text);
    }
}

static int put_row(writer *w, const scdc_suggest_file *f, const scdc_question *q, size_t number)
{
    char *items = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&items, &size);
    if (!text) return fail_memory(256, "a row of suggestions");
    for (size_t i = 0; i < q->count; i++) {
        const char *name = name_of(f, q->items[i]);
        if (i) putc(' ', text);
        if (name) append_name(text, name);
        else fprintf(text, "%u", (unsigned)q->items[i]);
    }
    int failed = fclose(text);
    if (failed || !items) {
        free(items);
        return fail_memory(256, "a row of suggestions");
    }
    fprintf(w->stream, "%zu,%s,", number, kind_name(q->kind));
    writer_csv_field(w, items);
    putc(',', w->stream);
    if (q->worker) writer_csv_field(w, q->worker);
    fprintf(w->stream, ",%.6g,%s\n", q->gain, q->reason);
    free(items);
    return SCDC_OK;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *path_json(const char *folder, const char *name)
{
    char *path = NULL;
    size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    if (asprintf(&path, "%s%s%s", folder, slash, name) < 0) return NULL;
    json_t *value = text_json(path);
    free(path);
    return value;
}

static json_t *item_json(const scdc_suggest_file *f, uint32_t item)
{
    char number[16];
    const char *name = name_of(f, item);
    snprintf(number, sizeof number, "%u", (unsigned)item);
    json_t *value =
        json_pack("{s:I,s:o}", "item", (json_int_t)item, "id", text_json(name ? name : number));
    if (value && f->folder && name) json_object_set_new(value, "path", path_json(f->folder, name));
    if (value && f->texts && item < f->n_texts && f->texts[item])
        json_object_set_new(value, "text", text_json(f->texts[item]));
    return value;
}

static int put_object(writer *w, const scdc_suggest_file *f, const scdc_question *q, size_t number)
{
    json_t *items = json_array();
    for (size_t i = 0; i < q->count; i++) json_array_append_new(items, item_json(f, q->items[i]));
    json_t *value = json_pack("{s:I,s:s,s:o,s:o,s:f,s:s}", "question", (json_int_t)number, "kind",
                              kind_name(q->kind), "items", items, "worker",
                              q->worker ? text_json(q->worker) : json_null(), "gain", q->gain,
                              "reason", q->reason);
    if (!value) return fail_memory(256, "a JSON value");
    int failed = json_dumpf(value, w->stream, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(value);
    putc('\n', w->stream);
    /* Of a full disk writer_commit tells. */
    return failed && !ferror(w->stream) ? fail_memory(256, "a JSON value") : SCDC_OK;
}

static int write_all(const char *path, const scdc_suggestions *suggestions,
                     const scdc_suggest_file *f, bool csv)
{
    writer w;
    SCDC_TRY(writer_open(&w, path));
    if (csv) fputs("question,kind,items,worker,gain,reason\n", w.stream);
    int status = SCDC_OK;
    for (size_t i = 0; i < suggestions->count && status == SCDC_OK && !writer_failed(&w); i++)
        status = (csv ? put_row : put_object)(&w, f, &suggestions->questions[i], i + 1);
    if (status == SCDC_OK) return writer_commit(&w);
    writer_abandon(&w);
    return status;
}

int scdc_suggestions_write(const char *path, const scdc_suggestions *suggestions,
                           const scdc_suggest_file *file)
{
    scdc_suggest_file f = plain;
    arena memory = {0};
    if (!path || !suggestions)
        return fail_with(SCDC_ERR_ARGUMENT, "path and suggestions must not be NULL");
    if (file) SCDC_TRY(sized_take(&f, sizeof f, file, "scdc_suggest_file_init"));
    bool csv = f.format && strcmp(f.format, "csv") == 0;
    if (!csv && (!f.format || strcmp(f.format, "jsonl") != 0))
        return fail_with(SCDC_ERR_ARGUMENT, "format: '%s' is not one of csv, jsonl",
                         f.format ? f.format : "NULL");
    if (f.texts_file && !f.names)
        return fail_with(SCDC_ERR_ARGUMENT, "texts_file: names must be the items it is about");
    int status = SCDC_OK;
    if (f.texts_file && !csv) {
        status = texts_read(&f.texts, &memory, f.texts_file, f.names);
        f.n_texts = f.names->rows;
    }
    if (status == SCDC_OK) status = write_all(path, suggestions, &f, csv);
    arena_free(&memory);
    return status;
}
