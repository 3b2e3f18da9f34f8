/* Prodigy: JSON lines of `prodigy db-out`. https://prodi.gy/docs/api-interfaces */
#include "base/status.h"
#include "exchange/importer.h"
#include "exchange/json.h"
#include "exchange/words.h"

#include <string.h>

typedef struct prodigy {
    importer *in;
    char prefix[256]; /* what all sessions begin with: the data set and a dash */
    size_t sessions;  /* seen while looking for the prefix */
} prodigy;

static const char *session_of(const json_t *record)
{
    const char *name = json_string_value(json_object_get(record, "_annotator_id"));
    return name ? name : json_string_value(json_object_get(record, "_session_id"));
}

/* A session is called DATASET-NAME; a data set may have dashes, too. What all begin with, up to
 * the last dash in it, is the data set; with one session, up to its first dash. A session nobody
 * named is called by its time: 2023-07-25_14-50-21. */
static int find_prefix(void *user, const json_t *record, const char *unit, size_t number)
{
    prodigy *p = user;
    const char *session = session_of(record);
    (void)unit;
    (void)number;
    if (!session || strlen(session) >= sizeof p->prefix) return SCDC_OK;
    if (p->sessions++ == 0) {
        strcpy(p->prefix, session);
        return SCDC_OK;
    }
    size_t common = 0;
    while (p->prefix[common] && p->prefix[common] == session[common]) common++;
    if (!p->prefix[common] && !session[common]) return SCDC_OK; /* the same one again */
    while (common > 0 && p->prefix[common - 1] != '-') common--;
    p->prefix[common] = '\0';
    return SCDC_OK;
}

static void trim_prefix(prodigy *p)
{
    size_t length = strlen(p->prefix);
    if (length && p->prefix[length - 1] != '-') { /* one session in the whole file */
        const char *dash = strchr(p->prefix, '-');
        p->prefix[dash && dash[1] ? dash + 1 - p->prefix : 0] = '\0';
    }
    /* A time, or nothing but digits before the dash, is no data set. */
    if (p->prefix[strspn(p->prefix, "0123456789-_")] == '\0') p->prefix[0] = '\0';
}

static const char *worker_of(const prodigy *p, const json_t *record)
{
    const char *session = session_of(record);
    size_t length = strlen(p->prefix);
    bool named = session && strncmp(session, p->prefix, length) == 0 && session[length];
    return named ? session + length : session;
}

/* The chosen option: its id, or its text where only that says same or different. */
static const char *option_of(char scratch[JSON_SCALAR], const json_t *record, const json_t *chosen)
{
    const char *id = json_scalar(scratch, chosen);
    size_t index;
    json_t *option;
    if (!id || answer_of_word(id, NULL, NULL) != ANSWER_UNKNOWN) return id;
    json_array_foreach(json_object_get(record, "options"), index, option)
    {
        const char *text = json_string_value(json_object_get(option, "text"));
        if (!json_equal(json_object_get(option, "id"), chosen) || !text) continue;
        answer_word word = answer_of_word(text, NULL, NULL);
        if (word == ANSWER_SAME || word == ANSWER_DIFFERENT || word == ANSWER_UNSURE) return text;
    }
    return id;
}

static int add_answer(prodigy *p, const json_t *record, const char *answer)
{
    entry *e = &p->in->entry;
    const json_t *accept = json_object_get(record, "accept");
    const char *label = json_string_value(json_object_get(record, "label"));
    char scratch[JSON_SCALAR];
    e->skipped = strcmp(answer, "ignore") == 0;
    if (json_is_array(accept)) {
        e->skipped |= strcmp(answer, "reject") == 0 || json_array_size(accept) == 0;
        e->many = json_array_size(accept) > 1;
        return fields_set(&e->said, "accept",
                          option_of(scratch, record, json_array_get(accept, 0)));
    }
    if (!label) return fields_set(&e->said, "answer", answer);
    /* Of two items the label is the question ("same?"), of one it is a class, and a rejected
     * class does not say which other one it is. */
    char stem[64];
    bool pair = false;
    for (size_t i = 0; i < e->input.count; i++)
        pair |= side_of_name(stem, sizeof stem, fields_name(&e->input, i)) == SIDE_LEFT;
    if (pair) return fields_set(&e->said, "answer", answer);
    e->skipped |= strcmp(answer, "reject") == 0;
    return fields_set(&e->said, "label", label);
}

static int take_record(void *user, const json_t *record, const char *unit, size_t number)
{
    prodigy *p = user;
    entry *e = &p->in->entry;
    const char *name, *answer = json_string_value(json_object_get(record, "answer"));
    json_t *value;
    char scratch[JSON_SCALAR];
    p->in->unit = unit;
    p->in->number = number;
    if (!answer) return importer_fail(p->in, "no \"answer\": expected accept, reject or ignore");
    json_object_foreach((json_t *)(uintptr_t)record, name, value)
    {
        static const char *const own[] = {"answer", "label", "accept", "config", "score", NULL};
        bool mine = name[0] == '_';
        for (const char *const *o = own; *o; o++) mine |= strcmp(name, *o) == 0;
        if (mine) continue;
        const char *text = json_scalar(scratch, value);
        if (text) SCDC_TRY(fields_set(&e->input, name, text));
        else if (json_is_object(value)) SCDC_TRY(json_flatten(&e->input, name, value));
    }
    SCDC_TRY(fields_set(&e->about, "worker", worker_of(p, record)));
    const char *hash = json_scalar(scratch, json_object_get(record, "_input_hash"));
    SCDC_TRY(fields_set(&e->about, "task", hash));
    const char *time = json_scalar(scratch, json_object_get(record, "_timestamp"));
    SCDC_TRY(fields_set(&e->about, "time", time));
    SCDC_TRY(add_answer(p, record, answer));
    return importer_take(p->in);
}

int read_prodigy(importer *in)
{
    prodigy p = {.in = in};
    in->default_worker = "annotator"; /* databases of one person name nobody */
    SCDC_TRY(json_each(in->file, find_prefix, &p));
    trim_prefix(&p);
    return json_each(in->file, take_record, &p);
}
