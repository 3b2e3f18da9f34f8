/* Telling tools apart. Only signs that no other file has by chance count. */
#include "exchange/detect.h"

#include "base/status.h"
#include "crowd/columns.h"
#include "exchange/json.h"
#include "exchange/mustlink.h"
#include "io/csv.h"

#include <string.h>

static bool has(const json_t *object, const char *name)
{
    return json_object_get(object, name) != NULL;
}

static bool is_prodigy(const json_t *record)
{
    const char *answer = json_string_value(json_object_get(record, "answer"));
    return answer && (strcmp(answer, "accept") == 0 || strcmp(answer, "reject") == 0 ||
                      strcmp(answer, "ignore") == 0);
}

static bool is_argilla(const json_t *record)
{
    const char *name;
    json_t *value;
    if (has(record, "fields") && has(record, "responses")) return true;
    json_object_foreach((json_t *)(uintptr_t)record, name, value)
    {
        if (strstr(name, ".responses")) return true;
        if (json_is_array(value) && has(json_array_get(value, 0), "user_id") &&
            has(json_array_get(value, 0), "value"))
            return true;
    }
    return false;
}

static const char *tool_of_record(const json_t *r)
{
    if (has(r, "match") && has(r, "distinct")) return "dedupe";
    if (has(r, "must_link") || has(r, "cannot_link")) return "mustlink";
    if (has(r, "instance_id_to_label_to_value") || has(r, "label_annotations")) return "potato";
    if (json_is_array(json_object_get(r, "annotations")) && has(r, "data")) return "label-studio";
    if (json_is_array(json_object_get(r, "completions")) && has(r, "data")) return "label-studio";
    if (has(r, "annotation_id") && has(r, "annotator")) return "label-studio";
    if (is_prodigy(r)) return "prodigy";
    if (is_argilla(r)) return "argilla";
    if (has(r, "PROLIFIC_PID")) return "prolific";
    if (has(r, "unique_id_l") && has(r, "unique_id_r")) return "splink";
    return NULL;
}

static bool has_column(const csv_reader *r, const char *name)
{
    for (size_t i = 0; i < r->n_fields; i++) {
        if (csv_equals(r->fields[i], name)) return true;
    }
    return false;
}

static bool has_prefix(const csv_reader *r, const char *prefix)
{
    for (size_t i = 0; i < r->n_fields; i++) {
        csv_field f = r->fields[i];
        if (f.length > strlen(prefix)) f.length = strlen(prefix);
        if (csv_equals(f, prefix)) return true;
    }
    return false;
}

static const char *tool_of_header(const csv_reader *r)
{
    if (has_prefix(r, "INPUT:") && has_prefix(r, "ASSIGNMENT:")) return "toloka";
    if (has_column(r, "WorkerId") && (has_column(r, "HITId") || has_prefix(r, "Answer.")))
        return "mturk";
    if (has_column(r, "unique_id_l") && has_column(r, "unique_id_r")) return "splink";
    if (has_column(r, "annotation_id") && has_column(r, "annotator")) return "label-studio";
    if (has_column(r, "PROLIFIC_PID") || has_column(r, "participant id") ||
        has_column(r, "participant_id"))
        return "prolific";
    bool labels = has_column(r, "label") || has_column(r, "output");
    bool workers = has_column(r, "worker") || has_column(r, "performer");
    if (r->n_fields <= 6 && has_column(r, "task") && workers && labels) return "crowd-kit";
    return NULL;
}

/* Runs `look` on the header line, if there is one. What is no csv has none. */
static int with_header(const file_bytes *file, void (*look)(void *user, const csv_reader *r),
                       void *user)
{
    csv_reader reader;
    bool more = false;
    int status = csv_open(&reader, file);
    if (status == SCDC_OK) status = csv_next(&more, &reader);
    if (status == SCDC_OK && more) look(user, &reader);
    csv_close(&reader);
    return status == SCDC_ERR_MEMORY ? status : SCDC_OK;
}

static void look_for_tool(void *user, const csv_reader *r)
{
    *(const char **)user = tool_of_header(r);
}

static void look_for_answers(void *user, const csv_reader *r)
{
    answer_columns columns;
    const char *missing;
    if (columns_of_header(&columns, &missing, r) != HEADER_GOOD) return;
    *(own_form *)user = columns.form == FORM_PAIRS ? OWN_PAIRS : OWN_GROUPINGS;
}

static bool is_text(const file_bytes *file)
{
    size_t head = file->size < 4096 ? file->size : 4096;
    return head > 0 && !memchr(file->bytes, 0, head);
}

int detect_tool(const char **out, const file_bytes *file)
{
    *out = NULL;
    if (!is_text(file)) return SCDC_OK;
    if (json_begins(file)) {
        json_t *first = json_first_record(file);
        *out = json_is_object(first) ? tool_of_record(first) : NULL;
        json_decref(first);
        return SCDC_OK;
    }
    SCDC_TRY(with_header(file, look_for_tool, out));
    if (!*out && mustlink_looks_like(file)) *out = "mustlink";
    return SCDC_OK;
}

int detect_own(own_form *out, const file_bytes *file)
{
    *out = OWN_NONE;
    if (!is_text(file) || json_begins(file)) return SCDC_OK;
    return with_header(file, look_for_answers, out);
}
