/* Argilla: records as JSON or JSON lines. Three shapes are about: columns "<q>.responses",
 * "<q>.responses.users", "<q>.responses.status" beside each other; a list of {user_id, value,
 * status} in column "<q>"; and "responses": {"<q>": [{user_id, value}]}. Suggestions are answers of
 * the agent that made them. https://docs.argilla.io */
#include "base/status.h"
#include "exchange/importer.h"
#include "exchange/json.h"

#include <string.h>

typedef struct response {
    const char *question;
    size_t length; /* of its name */
    const json_t *user, *value, *status;
} response;

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static int add_input(entry *e, const json_t *record)
{
    const char *name;
    json_t *value;
    char scratch[JSON_SCALAR];
    json_object_foreach((json_t *)(uintptr_t)record, name, value)
    {
        static const char *const own[] = {"responses", "suggestions", "vectors",    "_server_id",
                                          "status",    "inserted_at", "updated_at", NULL};
        bool mine = strstr(name, ".responses") || strstr(name, ".suggestion") ||
                    strstr(name, "-suggestion");
        for (const char *const *o = own; *o; o++) mine |= strcmp(name, *o) == 0;
        if (mine) continue;
        const char *text = json_scalar(scratch, value);
        bool plain = strcmp(name, "fields") == 0;
        if (text) SCDC_TRY(fields_set(&e->input, name, text));
        else if (json_is_object(value)) SCDC_TRY(json_flatten(&e->input, plain ? "" : name, value));
    }
    return SCDC_OK;
}

static int take_response(importer *in, const json_t *record, const response *r)
{
    entry *e = &in->entry;
    char scratch[JSON_SCALAR];
    const json_t *value = r->value;
    if (json_is_object(value) && json_object_get(value, "value"))
        value = json_object_get(value, "value");
    SCDC_TRY(add_input(e, record));
    SCDC_TRY(fields_set(&e->about, "worker", json_scalar(scratch, r->user)));
    SCDC_TRY(fields_set(&e->about, "status", json_scalar(scratch, r->status)));
    SCDC_TRY(fields_set(&e->about, "task", json_scalar(scratch, json_object_get(record, "id"))));
    SCDC_TRY(
        fields_set(&e->about, "time", json_scalar(scratch, json_object_get(record, "updated_at"))));
    if (json_is_array(value)) { /* a question with several labels */
        e->many = json_array_size(value) > 1;
        value = json_array_get(value, 0);
    }
    const char *said = json_scalar(scratch, value);
    if (said) SCDC_TRY(fields_add(&e->said, r->question, r->length, said, strlen(said)));
    e->skipped = !said;
    e->by_answer = true;
    return importer_take(in);
}

/* [{user_id, value, status}, ...] */
static int take_list(importer *in, const json_t *record, const char *question, const json_t *list)
{
    size_t index;
    json_t *one;
    json_array_foreach(list, index, one)
    {
        response r = {question, strlen(question), json_object_get(one, "user_id"),
                      json_object_get(one, "value"), json_object_get(one, "status")};
        SCDC_TRY(take_response(in, record, &r));
    }
    return SCDC_OK;
}

static int take_columns(importer *in, const json_t *record, const char *name, const json_t *values)
{
    char key[256];
    size_t length = strlen(name) - strlen(".responses");
    snprintf(key, sizeof key, "%s.users", name);
    const json_t *users = json_object_get(record, key);
    snprintf(key, sizeof key, "%s.status", name);
    const json_t *status = json_object_get(record, key);
    size_t count = json_array_size(values);
    if (users && json_array_size(users) != count)
        return importer_fail(in, "%.40s: %zu responses of %zu users", name, count,
                             json_array_size(users));
    for (size_t i = 0; i < count; i++) {
        response r = {name, length, json_array_get(users, i), json_array_get(values, i),
                      json_array_get(status, i)};
        SCDC_TRY(take_response(in, record, &r));
    }
    return SCDC_OK;
}

static int take_suggestion(importer *in, const json_t *record, const char *question, size_t length,
                           const json_t *value, const json_t *agent)
{
    json_t *named = json_is_string(agent) ? NULL : json_string("suggestion");
    response r = {question, length, named ? named : agent, value, NULL};
    int status = json_is_null(value) ? SCDC_OK : take_response(in, record, &r);
    json_decref(named);
    return status;
}

static int take_nested(importer *in, const json_t *record)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(record, "responses"), name, value)
        SCDC_TRY(take_list(in, record, name, value));
    json_object_foreach(json_object_get(record, "suggestions"), name, value) SCDC_TRY(
        take_suggestion(in, record, name, strlen(name), value, json_object_get(value, "agent")));
    return SCDC_OK;
}

static int take_record(void *user, const json_t *record, const char *unit, size_t number)
{
    importer *in = user;
    const char *name;
    json_t *value;
    in->unit = unit;
    in->number = number;
    if (!json_is_object(record)) return importer_fail(in, "expected an object");
    SCDC_TRY(take_nested(in, record));
    json_object_foreach((json_t *)(uintptr_t)record, name, value)
    {
        if (ends_with(name, ".responses")) {
            SCDC_TRY(take_columns(in, record, name, value));
        } else if (ends_with(name, ".suggestion")) {
            char key[256];
            snprintf(key, sizeof key, "%s.agent", name);
            SCDC_TRY(take_suggestion(in, record, name, strlen(name) - strlen(".suggestion"), value,
                                     json_object_get(record, key)));
        } else if (json_is_array(value) && json_object_get(json_array_get(value, 0), "user_id")) {
            SCDC_TRY(take_list(in, record, name, value));
        }
    }
    return SCDC_OK;
}

int read_argilla(importer *in)
{
    return json_each(in->file, take_record, in);
}
