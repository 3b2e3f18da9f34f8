/* Potato: user_state.json of one annotator, or annotated_instances.jsonl of many. What is said of
 * an instance is a list of [{schema, name}, value], or an object {schema: {name: value}}; a card
 * sort is a value that is itself JSON. https://potatoannotator.readthedocs.io */
#include "base/status.h"
#include "exchange/importer.h"
#include "exchange/json.h"

#include <string.h>
#include <strings.h>

static bool is_false(const char *text)
{
    return !*text || strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

/* A label that was ticked: its name is the answer, or its value when that is a card sort. */
static int add_label(entry *e, const char *schema, const char *name, const json_t *value)
{
    char scratch[JSON_SCALAR];
    const char *text = json_scalar(scratch, value);
    char *dumped = !text && value && !json_is_null(value) ? json_dumps(value, JSON_COMPACT) : NULL;
    if (dumped) text = dumped;
    int status = SCDC_OK;
    if (text && !is_false(text)) {
        bool sorted = *text == '{' || *text == '[';
        if (fields_find(&e->said, schema)) e->many = true;
        else status = fields_set(&e->said, schema, sorted ? text : name);
    }
    free(dumped);
    return status;
}

static int add_labels(entry *e, const json_t *labels)
{
    size_t index;
    const char *schema, *name;
    json_t *pair, *ticks, *value;
    json_array_foreach(labels, index, pair)
    {
        const json_t *label = json_array_get(pair, 0);
        schema = json_string_value(json_object_get(label, "schema"));
        name = json_string_value(json_object_get(label, "name"));
        if (schema && name) SCDC_TRY(add_label(e, schema, name, json_array_get(pair, 1)));
    }
    json_object_foreach((json_t *)(uintptr_t)labels, schema, ticks)
    {
        if (json_is_object(ticks)) {
            json_object_foreach(ticks, name, value) SCDC_TRY(add_label(e, schema, name, value));
        } else if (json_is_string(ticks)) {
            SCDC_TRY(fields_set(&e->said, schema, json_string_value(ticks)));
        }
    }
    return SCDC_OK;
}

static int add_times(entry *e, const json_t *behaviour)
{
    char scratch[JSON_SCALAR];
    const json_t *total = json_object_get(behaviour, "total_time_ms");
    if (json_is_number(total)) {
        char seconds[32];
        snprintf(seconds, sizeof seconds, "%.3f", json_number_value(total) / 1000);
        SCDC_TRY(fields_set(&e->about, "seconds", seconds));
    }
    return fields_set(&e->about, "time",
                      json_scalar(scratch, json_object_get(behaviour, "session_start")));
}

static int take_state(importer *in, const json_t *state)
{
    const char *id, *user = json_string_value(json_object_get(state, "user_id"));
    const json_t *behaviour = json_object_get(state, "instance_id_to_behavioral_data");
    json_t *labels;
    json_object_foreach(json_object_get(state, "instance_id_to_label_to_value"), id, labels)
    {
        entry *e = &in->entry;
        in->unit = "instance";
        in->number++;
        SCDC_TRY(fields_set(&e->about, "worker", user));
        SCDC_TRY(fields_set(&e->about, "task", id));
        SCDC_TRY(add_times(e, json_object_get(behaviour, id)));
        SCDC_TRY(add_labels(e, labels));
        e->skipped = e->said.count == 0;
        SCDC_TRY(importer_take(in));
    }
    return SCDC_OK;
}

static int take_instance(importer *in, const json_t *record)
{
    entry *e = &in->entry;
    char scratch[JSON_SCALAR];
    const char *name;
    json_t *value;
    const json_t *user = json_object_get(record, "user_id");
    const json_t *id = json_object_get(record, "instance_id");
    if (!user) user = json_object_get(record, "user");
    if (!id) id = json_object_get(record, "id");
    json_object_foreach((json_t *)(uintptr_t)record, name, value)
    {
        const char *text = json_scalar(scratch, value);
        if (text && strcmp(name, "displayed_text") != 0)
            SCDC_TRY(fields_set(&e->input, name, text));
    }
    SCDC_TRY(fields_set(&e->about, "worker", json_scalar(scratch, user)));
    SCDC_TRY(fields_set(&e->about, "task", json_scalar(scratch, id)));
    SCDC_TRY(add_times(e, json_object_get(record, "behavioral_data")));
    SCDC_TRY(add_labels(e, json_object_get(record, "label_annotations")));
    e->skipped = e->said.count == 0;
    return importer_take(in);
}

static int take_record(void *user, const json_t *record, const char *unit, size_t number)
{
    importer *in = user;
    in->unit = unit;
    if (json_object_get(record, "instance_id_to_label_to_value")) {
        in->number = 0;
        return take_state(in, record);
    }
    in->number = number;
    if (!json_object_get(record, "label_annotations"))
        return importer_fail(in, "neither instance_id_to_label_to_value nor label_annotations");
    return take_instance(in, record);
}

int read_potato(importer *in)
{
    return json_each(in->file, take_record, in);
}
