/* Rows of tables to entries: the columns get their roles from the header, once. */
#include "exchange/tables.h"

#include "base/memory.h"
#include "base/status.h"
#include "exchange/json.h"
#include "exchange/words.h"
#include "io/csv.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum role {
    IS_INPUT,
    IS_SAID,
    IS_GOLD,
    IS_WORKER,
    IS_TASK,
    IS_TIME,
    IS_SECONDS,
    IS_STATUS,
    IS_OWN
} role;

static const char *const about_names[] = {
    [IS_GOLD] = "gold", [IS_WORKER] = "worker",   [IS_TASK] = "task",
    [IS_TIME] = "time", [IS_SECONDS] = "seconds", [IS_STATUS] = "status",
};

static bool in_names(const char *name, const column_names known)
{
    for (size_t i = 0; i < MOST_NAMES && known[i]; i++) {
        if (strcasecmp(name, known[i]) == 0) return true;
    }
    return false;
}

static bool has_prefix(const char *name, const char *prefix)
{
    return prefix && strncasecmp(name, prefix, strlen(prefix)) == 0;
}

/* *shown: the name without the tool's prefix. */
static role role_of(const char **shown, const char *name, const table_kind *kind,
                    const scdc_import_options *o)
{
    *shown = name;
    if (has_prefix(name, kind->input_prefix)) {
        *shown += strlen(kind->input_prefix);
        return IS_INPUT;
    }
    if (has_prefix(name, kind->said_prefix)) {
        *shown += strlen(kind->said_prefix);
        return IS_SAID;
    }
    if (has_prefix(name, kind->gold_prefix)) return IS_GOLD;
    if (o->worker && strcasecmp(name, o->worker) == 0) return IS_WORKER;
    if (o->answer && strcasecmp(name, o->answer) == 0) return IS_SAID;
    if (!o->worker && in_names(name, kind->worker)) return IS_WORKER;
    if (in_names(name, kind->gold)) return IS_GOLD;
    if (in_names(name, kind->time)) return IS_TIME;
    if (in_names(name, kind->seconds)) return IS_SECONDS;
    if (in_names(name, kind->status)) return IS_STATUS;
    if (!o->answer && in_names(name, kind->said)) return IS_SAID;
    if (in_names(name, kind->task)) return IS_TASK;
    if (in_names(name, kind->own) || has_prefix(name, kind->own_prefix)) return IS_OWN;
    return kind->input_prefix ? IS_OWN : IS_INPUT;
}

/* Splink's probabilities as words; nan is no answer. */
static int word_of_score(const char **word, const importer *in, const char *text)
{
    double score;
    *word = text;
    if (!csv_parse_double(&score, (csv_field){text, strlen(text)})) return SCDC_OK;
    if (score < 0 || score > 1)
        return importer_fail(in, "a score of %s: scores are from 0 to 1", text);
    *word = score > .5 ? "1" : score < .5 ? "0" : "";
    return SCDC_OK;
}

static int add_value(importer *in, role r, const char *name, const char *text)
{
    entry *e = &in->entry;
    if (r == IS_OWN) return SCDC_OK;
    if (r == IS_INPUT) return fields_set(&e->input, name, text);
    if (r == IS_SAID) return fields_set(&e->said, name, text);
    return *text && !fields_find(&e->about, about_names[r])
               ? fields_set(&e->about, about_names[r], text)
               : SCDC_OK;
}

/* ---- flags ---------------------------------------------------------------------------------- */

static bool is_flag(const char *text)
{
    return strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0;
}

/* Radio buttons come as a column each: same.yes = true, same.no = false. They become same = yes. */
static int join_flags(importer *in, fields *scratch)
{
    fields *said = &in->entry.said;
    fields_clear(scratch);
    for (size_t i = 0; i < said->count; i++) {
        const char *name = fields_name(said, i), *text = fields_text(said, i);
        const char *dot = strrchr(name, '.');
        if (!dot || !is_flag(text)) {
            /* crowd-classifier: category.label = cat */
            size_t length =
                dot && strcasecmp(dot, ".label") == 0 ? (size_t)(dot - name) : strlen(name);
            SCDC_TRY(fields_add(scratch, name, length, text, strlen(text)));
            continue;
        }
        if (strcasecmp(text, "true") != 0) continue;
        size_t length = (size_t)(dot - name);
        for (size_t k = 0; k < scratch->count; k++) {
            const char *other = fields_name(scratch, k);
            if (strlen(other) == length && memcmp(other, name, length) == 0) in->entry.many = true;
        }
        SCDC_TRY(fields_add(scratch, name, length, dot + 1, strlen(dot + 1)));
    }
    in->entry.skipped |= said->count > 0 && scratch->count == 0;
    fields swapped = *said;
    *said = *scratch;
    *scratch = swapped;
    return SCDC_OK;
}

/* Answer.taskAnswers = [{"same": {"yes": true, "no": false}}] */
static int open_json_answers(importer *in, fields *scratch)
{
    fields *said = &in->entry.said;
    if (said->count != 1 || strcasecmp(fields_name(said, 0), "taskAnswers") != 0) return SCDC_OK;
    json_t *answers = json_loads(fields_text(said, 0), 0, NULL);
    const json_t *object = json_is_array(answers) ? json_array_get(answers, 0) : answers;
    int status = SCDC_OK;
    if (!json_is_object(object)) {
        status = importer_fail(in, "Answer.taskAnswers is not a list with one JSON object");
    } else {
        fields_clear(scratch);
        status = json_flatten(scratch, "", object);
        fields swapped = *said;
        *said = *scratch;
        *scratch = swapped;
    }
    json_decref(answers);
    return status;
}

/* Of several answer columns the one with a telling name, unless the user chose. */
static int choose_answer(importer *in, const table_kind *kind, fields *scratch)
{
    fields *said = &in->entry.said;
    if (in->options->answer || said->count < 2 || kind->said_prefix) return SCDC_OK;
    for (size_t n = 0; n < MOST_NAMES && kind->said[n]; n++) {
        const char *text = fields_find(said, kind->said[n]);
        if (!text) continue;
        fields_clear(scratch);
        SCDC_TRY(fields_set(scratch, kind->said[n], text));
        fields swapped = *said;
        *said = *scratch;
        *scratch = swapped;
        return SCDC_OK;
    }
    return SCDC_OK;
}

static int take_row(importer *in, const table_kind *kind, fields *scratch)
{
    fields *said = &in->entry.said;
    SCDC_TRY(open_json_answers(in, scratch));
    SCDC_TRY(join_flags(in, scratch));
    SCDC_TRY(choose_answer(in, kind, scratch));
    if (kind->scores && said->count == 1) {
        const char *name = fields_name(said, 0), *word;
        SCDC_TRY(word_of_score(&word, in, fields_text(said, 0)));
        fields_clear(scratch);
        SCDC_TRY(fields_set(scratch, name, word));
        fields swapped = *said;
        *said = *scratch;
        *scratch = swapped;
    }
    return importer_take(in);
}

static int check_said(const importer *in, const table_kind *kind, bool some_said)
{
    if (some_said) return SCDC_OK;
    if (kind->lacks_said) return importer_fail(in, "%s", kind->lacks_said);
    return importer_fail(in, "no column holds answers: name it with --answer");
}

/* ---- csv ------------------------------------------------------------------------------------ */

typedef struct header {
    fields names; /* of all columns, shown */
    role *roles;
    size_t count, capacity;
} header;

static int read_header(header *h, importer *in, csv_reader *r, const table_kind *kind)
{
    bool more, some_said = false;
    SCDC_TRY(csv_next(&more, r));
    if (!more) return importer_fail(in, "is empty");
    SCDC_TRY(mem_reserve(&h->roles, &h->capacity, r->n_fields, sizeof *h->roles, "a header"));
    h->count = r->n_fields;
    for (size_t i = 0; i < r->n_fields; i++) {
        fields whole = {0};
        const char *shown;
        int status = fields_add(&whole, r->fields[i].text, r->fields[i].length, "", 0);
        if (status == SCDC_OK) {
            h->roles[i] = role_of(&shown, fields_name(&whole, 0), kind, in->options);
            status = fields_set(&h->names, shown, "");
        }
        fields_free(&whole);
        SCDC_TRY(status);
        some_said |= h->roles[i] == IS_SAID;
    }
    return check_said(in, kind, some_said);
}

static int read_rows(importer *in, csv_reader *r, const header *h, const table_kind *kind,
                     fields *text)
{
    fields scratch = {0};
    int status = SCDC_OK;
    for (bool more = true;;) {
        SCDC_TRY_OR(done, status, csv_next(&more, r));
        if (!more) break;
        in->unit = "line";
        in->number = r->line;
        if (r->n_fields != h->count) {
            status = importer_fail(in, "has %zu fields, but the first line has %zu", r->n_fields,
                                   h->count);
            break;
        }
        fields_clear(text);
        for (size_t i = 0; i < h->count; i++) {
            SCDC_TRY_OR(done, status,
                        fields_add(text, "", 0, r->fields[i].text, r->fields[i].length));
            SCDC_TRY_OR(
                done, status,
                add_value(in, h->roles[i], fields_name(&h->names, i), fields_text(text, i)));
        }
        SCDC_TRY_OR(done, status, take_row(in, kind, &scratch));
    }
done:
    fields_free(&scratch);
    return status;
}

int read_table(importer *in, const table_kind *kind)
{
    csv_reader reader;
    header h = {0};
    fields text = {0};
    in->default_worker = kind->default_worker;
    SCDC_TRY(csv_open(&reader, in->file));
    reader.skip_blank = kind->blank_lines;
    int status = read_header(&h, in, &reader, kind);
    if (status == SCDC_OK) status = read_rows(in, &reader, &h, kind, &text);
    csv_close(&reader);
    fields_free(&h.names);
    fields_free(&text);
    mem_free(h.roles);
    return status;
}

/* ---- JSON records --------------------------------------------------------------------------- */

typedef struct records {
    importer *in;
    const table_kind *kind;
    fields flat, scratch;
} records;

static int take_record(void *user, const json_t *record, const char *unit, size_t number)
{
    records *r = user;
    bool some_said = false;
    r->in->unit = unit;
    r->in->number = number;
    if (!json_is_object(record)) return importer_fail(r->in, "expected an object");
    fields_clear(&r->flat);
    SCDC_TRY(json_flatten(&r->flat, "", record));
    for (size_t i = 0; i < r->flat.count; i++) {
        const char *shown;
        role is = role_of(&shown, fields_name(&r->flat, i), r->kind, r->in->options);
        some_said |= is == IS_SAID;
        SCDC_TRY(add_value(r->in, is, shown, fields_text(&r->flat, i)));
    }
    r->in->entry.skipped = !some_said;
    return take_row(r->in, r->kind, &r->scratch);
}

int read_records(importer *in, const table_kind *kind)
{
    records r = {.in = in, .kind = kind};
    in->default_worker = kind->default_worker;
    int status = json_each(in->file, take_record, &r);
    fields_free(&r.flat);
    fields_free(&r.scratch);
    return status;
}
