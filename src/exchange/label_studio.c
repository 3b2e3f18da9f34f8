/* Label Studio: its JSON export (tasks with annotations and predictions), and JSON-MIN and csv,
 * whose rows are flat. https://labelstud.io/guide/export */
#include "base/status.h"
#include "exchange/importer.h"
#include "exchange/json.h"
#include "exchange/tables.h"

#include <string.h>

typedef struct task {
    importer *in;
    const json_t *record;
    char gold[256]; /* of the task: what its ground truth says; "" when there is none */
} task;

/* completed_by is a number, an address, or an object that has both. */
static const char *worker_of(char scratch[JSON_SCALAR], const json_t *annotation)
{
    const json_t *by = json_object_get(annotation, "completed_by");
    static const char *const known[] = {"email", "username", "id", NULL};
    for (const char *const *name = known; json_is_object(by) && *name; name++) {
        const char *text = json_scalar(scratch, json_object_get(by, *name));
        if (text && *text) return text;
    }
    return json_scalar(scratch, by);
}

/* What one region of a result says: choices, a rating, a side, or buckets of items. */
static int add_said(entry *e, const json_t *result)
{
    const json_t *value = json_object_get(result, "value");
    const char *name = json_string_value(json_object_get(result, "from_name"));
    const json_t *choices = json_object_get(value, "choices");
    const json_t *buckets = json_object_get(value, "ranker");
    char scratch[JSON_SCALAR];
    if (!name) name = "result";
    if (buckets) {
        char *text = json_dumps(buckets, JSON_COMPACT);
        if (!text) return fail_memory(0, "JSON");
        int status = fields_set(&e->said, name, text);
        free(text);
        return status;
    }
    if (json_is_array(choices)) {
        if (json_array_size(choices) > 1) e->many = true;
        return fields_set(&e->said, name, json_scalar(scratch, json_array_get(choices, 0)));
    }
    static const char *const single[] = {"selected", "rating", "number", "text", NULL};
    for (const char *const *one = single; *one; one++) {
        const json_t *said = json_object_get(value, *one);
        if (json_is_array(said)) said = json_array_get(said, 0);
        const char *text = json_scalar(scratch, said);
        if (text) return fields_set(&e->said, name, text);
    }
    return SCDC_OK;
}

static int add_result(entry *e, const json_t *annotation)
{
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(annotation, "result"), index, result)
        SCDC_TRY(add_said(e, result));
    return SCDC_OK;
}

/* The answer of the annotation that is marked as ground truth. */
static int find_gold(task *t)
{
    size_t index;
    json_t *annotation;
    json_array_foreach(json_object_get(t->record, "annotations"), index, annotation)
    {
        entry *e = &t->in->entry;
        if (!json_is_true(json_object_get(annotation, "ground_truth"))) continue;
        SCDC_TRY(add_result(e, annotation));
        const char *name = t->in->options->answer;
        const char *said = name            ? fields_find(&e->said, name)
                           : e->said.count ? fields_text(&e->said, 0)
                                           : NULL;
        if (said && strlen(said) < sizeof t->gold) strcpy(t->gold, said);
        importer_clear(t->in);
        if (t->gold[0]) break;
    }
    return SCDC_OK;
}

static int take_annotation(task *t, const json_t *annotation, const char *worker)
{
    entry *e = &t->in->entry;
    char scratch[JSON_SCALAR];
    SCDC_TRY(json_flatten(&e->input, "", json_object_get(t->record, "data")));
    SCDC_TRY(fields_set(&e->about, "worker", worker));
    SCDC_TRY(fields_set(&e->about, "task", json_scalar(scratch, json_object_get(t->record, "id"))));
    SCDC_TRY(fields_set(&e->about, "time",
                        json_scalar(scratch, json_object_get(annotation, "created_at"))));
    SCDC_TRY(fields_set(&e->about, "seconds",
                        json_scalar(scratch, json_object_get(annotation, "lead_time"))));
    if (t->gold[0]) SCDC_TRY(fields_set(&e->about, "gold", t->gold));
    SCDC_TRY(add_result(e, annotation));
    e->skipped = json_is_true(json_object_get(annotation, "was_cancelled"));
    return importer_take(t->in);
}

static int take_task(void *user, const json_t *record, const char *unit, size_t number)
{
    importer *in = user;
    task t = {.in = in, .record = record};
    size_t index;
    json_t *annotation;
    char scratch[JSON_SCALAR];
    in->unit = strcmp(unit, "record") == 0 ? "task" : unit;
    in->number = number;
    const json_t *annotations = json_object_get(record, "annotations");
    /* Its name before version 1.0. */
    if (!annotations) annotations = json_object_get(record, "completions");
    if (!json_is_array(annotations)) return importer_fail(in, "a task without annotations");
    SCDC_TRY(find_gold(&t));
    json_array_foreach(annotations, index, annotation)
    {
        const char *worker = worker_of(scratch, annotation);
        SCDC_TRY(take_annotation(&t, annotation, worker));
    }
    json_array_foreach(json_object_get(record, "predictions"), index, annotation)
    {
        const char *model = json_scalar(scratch, json_object_get(annotation, "model_version"));
        if (!json_is_object(annotation)) continue; /* a number, when they were not exported */
        SCDC_TRY(take_annotation(&t, annotation, model && *model ? model : "prediction"));
    }
    return SCDC_OK;
}

int read_label_studio(importer *in)
{
    if (!json_begins(in->file)) return read_table(in, &label_studio_table);
    json_t *first = json_first_record(in->file);
    bool flat = first && json_object_get(first, "annotation_id");
    json_decref(first);
    return flat ? read_records(in, &label_studio_table) : json_each(in->file, take_task, in);
}
