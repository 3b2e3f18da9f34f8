/* Labels and workers in the forms other tools read. */
#include "base/sized.h"
#include "base/status.h"
#include "io/json_text.h"
#include "io/writer.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <scdc/exchange.h>
#include <stdlib.h>
#include <string.h>

typedef struct format {
    const char *name, *about;
} format;

static const format formats[] = {
    {"csv", "a table: item,cluster,probability,component"},
    {"jsonl", "a JSON object per line"},
    {"label-studio", "tasks with predictions, for the import of Label Studio"},
};
enum { TO_CSV, TO_JSONL, TO_LABEL_STUDIO, N_FORMATS };

const char *scdc_export_format(size_t index)
{
    return index < N_FORMATS ? formats[index].name : NULL;
}

const char *scdc_export_about(size_t index)
{
    return index < N_FORMATS ? formats[index].about : NULL;
}

static const scdc_export no_labels = {.size = sizeof no_labels, .format = "csv"};

void scdc_export_init_sized(scdc_export *labels, size_t size)
{
    sized_init(labels, size, &no_labels, sizeof no_labels);
}

static int find_format(const char *name)
{
    for (int i = 0; name && i < N_FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) return i;
    }
    return -1;
}

static int fail_format(const char *name)
{
    return fail_with(SCDC_ERR_ARGUMENT, "format: '%s' is not one of csv, jsonl, label-studio",
                     name ? name : "NULL");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Writes and frees a value; NULL is memory that ran out. */
static int put_json(writer *w, json_t *value)
{
    if (!value) return fail_memory(256, "a JSON value");
    int failed = json_dumpf(value, w->stream, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(value);
    /* Of a full disk writer_commit tells. */
    return failed && !ferror(w->stream) ? fail_memory(256, "a JSON value") : SCDC_OK;
}

static json_t *item_json(const scdc_export *e, size_t i)
{
    const char *name = e->names ? scdc_data_name(e->names, i) : NULL;
    return name ? text_json(name) : json_integer((json_int_t)i);
}

static json_t *line_json(const scdc_export *e, size_t i)
{
    return json_pack("{s:o,s:I,s:o,s:I}", "item", item_json(e, i), "cluster",
                     (json_int_t)e->labels[i], "probability", number_json(e->probability[i]),
                     "component", (json_int_t)e->component[i]);
}

/* ---- Label Studio --------------------------------------------------------------------------- */

static const char *or_default(const char *text, const char *fallback)
{
    return text && *text ? text : fallback;
}

static json_t *task_json(const scdc_export *e, size_t i)
{
    char cluster[32], number[32], *address = NULL;
    const char *name = e->names ? scdc_data_name(e->names, i) : NULL;
    snprintf(cluster, sizeof cluster, "%" PRId64, e->labels[i]);
    snprintf(number, sizeof number, "%zu", i);
    if (!name) name = number;
    if (asprintf(&address, "%s%s", or_default(e->prefix, ""), name) < 0) return NULL;
    json_t *result = json_pack(
        "{s:s,s:s,s:s,s:{s:[s]}}", "from_name", or_default(e->from_name, "cluster"), "to_name",
        or_default(e->to_name, "item"), "type", "choices", "value", "choices", cluster);
    json_t *task =
        json_pack("{s:{s:o},s:[{s:s+,s:o,s:[o]}]}", "data", or_default(e->data_key, "item"),
                  text_json(address), "predictions", "model_version", "scdc ", scdc_version(),
                  "score", number_json(e->probability[i]), "result", result);
    free(address);
    return task;
}

static int put_lines(writer *w, const scdc_export *e)
{
    for (size_t i = 0; i < e->count && !writer_failed(w); i++) {
        SCDC_TRY(put_json(w, line_json(e, i)));
        putc('\n', w->stream);
    }
    return SCDC_OK;
}

static int put_tasks(writer *w, const scdc_export *e)
{
    fputs("[\n", w->stream);
    for (size_t i = 0; i < e->count && !writer_failed(w); i++) {
        SCDC_TRY(put_json(w, task_json(e, i)));
        fputs(i + 1 < e->count ? ",\n" : "\n", w->stream);
    }
    fputs("]\n", w->stream);
    return SCDC_OK;
}

static int finish(writer *w, int status)
{
    if (status == SCDC_OK) return writer_commit(w);
    writer_abandon(w);
    return status;
}

int scdc_export_labels(const char *path, const scdc_export *labels)
{
    scdc_export own = no_labels;
    const scdc_export *e = &own;
    if (!path || !labels)
        return fail_with(SCDC_ERR_ARGUMENT, "export: path and labels must not be NULL");
    SCDC_TRY(sized_take(&own, sizeof own, labels, "scdc_export_init"));
    if (!e->labels || !e->probability || !e->component)
        return fail_with(SCDC_ERR_ARGUMENT,
                         "export: labels, probability and component must not be NULL");
    int form = find_format(e->format);
    if (form < 0) return fail_format(e->format);
    if (form == TO_CSV)
        return scdc_write_predictions(path, e->names, e->labels, e->probability, e->component,
                                      e->count);
    writer w;
    SCDC_TRY(writer_open(&w, path));
    return finish(&w, form == TO_JSONL ? put_lines(&w, e) : put_tasks(&w, e));
}

/* ---- workers -------------------------------------------------------------------------------- */

static json_t *worker_json(const scdc_worker *w)
{
    return json_pack("{s:o,s:I,s:o,s:[o,o],s:o,s:[o,o],s:o}", "worker", text_json(w->name),
                     "answers", (json_int_t)w->answers, "sensitivity", number_json(w->sensitivity),
                     "sensitivity_interval", number_json(w->sensitivity_low),
                     number_json(w->sensitivity_high), "specificity", number_json(w->specificity),
                     "specificity_interval", number_json(w->specificity_low),
                     number_json(w->specificity_high), "weight", number_json(w->weight));
}

int scdc_export_workers_sized(const char *path, const char *name, const scdc_worker *workers,
                              size_t size, size_t count)
{
    int form = find_format(name);
    if (!path || (!workers && count))
        return fail_with(SCDC_ERR_ARGUMENT, "export: path and workers must not be NULL");
    if (form < 0) return fail_format(name);
    if (form == TO_CSV) return scdc_write_workers_sized(path, workers, size, count);
    if (form == TO_LABEL_STUDIO)
        return fail_with(SCDC_ERR_ARGUMENT,
                         "format: Label Studio has no place for estimates of workers: use csv or "
                         "jsonl");
    writer w;
    SCDC_TRY(writer_open(&w, path));
    int status = SCDC_OK;
    for (size_t m = 0; m < count && status == SCDC_OK && !writer_failed(&w); m++) {
        scdc_worker own = {0};
        sized_fill(&own, sizeof own, (const char *)workers + m * size, size);
        status = put_json(&w, worker_json(&own));
        putc('\n', w.stream);
    }
    return finish(&w, status);
}
