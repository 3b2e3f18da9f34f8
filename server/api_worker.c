/* What a worker's page asks for: who am I, tasks, answers, a pause; and joining. */
#include "api.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BATCH = 100, MOST_PILE_NAMES = 2000, LONGEST_ID = 128 };

/* ---- who am I ------------------------------------------------------------------------------- */

static json_t *project_json(const project *p)
{
    static const char *const kinds[] = {"picture", "text", "file", "profile"};
    size_t width, height;
    items_size(&width, &height, p->items);
    char *base = text_format("/item/%s/", p->item_key);
    json_t *examples = json_loads(p->examples, 0, NULL);
    json_t *out =
        json_pack("{s:s,s:s,s:s,s:o,s:s,s:I,s:s,s:s,s:I,s:I,s:I}", "id", p->id, "title", p->title,
                  "instructions", p->instructions, "examples", examples ? examples : json_array(),
                  "task", p->sets ? "sets" : "pairs", "setSize", (json_int_t)p->set_size, "items",
                  kinds[items_kind(p->items)], "itemBase", base, "width", (json_int_t)width,
                  "height", (json_int_t)height, "quota", (json_int_t)p->quota);
    free(base);
    return out;
}

void api_project(call *c)
{
    reply_json(c->reply, 200, project_json(c->app->project));
}

void api_me(call *c)
{
    project *p = c->app->project;
    board *b = p->board;
    json_t *out = project_json(p);
    pthread_mutex_lock(&b->lock);
    const board_worker *w = &b->workers[c->worker];
    json_t *me = json_pack("{s:s,s:I,s:b,s:s}", "name", w->name, "answers", (json_int_t)w->answers,
                           "blocked", (int)(w->standing == STANDING_BLOCKED), "source", w->source);
    bool done = board_quota_reached(b, w);
    pthread_mutex_unlock(&b->lock);
    /* Told only to those who have earned it. */
    json_object_set_new(out, "completion", json_string(done ? p->completion : ""));
    reply_json(c->reply, 200, json_pack("{s:o,s:o}", "project", out, "me", me));
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static json_t *task_json(const call *c, const board *b, uint32_t number)
{
    const board_task *t = &b->tasks[number];
    const uint32_t *items = board_items(b, t);
    char seal[SEAL_LENGTH + 1];
    seal_make(seal, c->app->project->secret, number, c->worker);
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->count; i++)
        json_array_append_new(list, json_integer((json_int_t)items[i]));
    return json_pack("{s:I,s:s,s:o}", "task", (json_int_t)number, "seal", seal, "items", list);
}

static size_t read_have(uint32_t *out, const json_t *list)
{
    size_t count = 0, i;
    const json_t *value;
    json_array_foreach(list, i, value)
    {
        json_int_t number = json_integer_value(value);
        if (count < MOST_BATCH && number > 0 && number <= UINT32_MAX)
            out[count++] = (uint32_t)number;
    }
    return count;
}

/* What other servers have to know: the worker's leases, from now on for `left` milliseconds. */
static void tell_leases(call *c, const board_worker *w, int64_t left)
{
    if (!c->app->project->shared) return;
    for (size_t i = 0; i < w->n_leases; i++) {
        record *r = reply_record(c->reply, RECORD_LEASE);
        r->lease.task = w->leases[i].task;
        r->lease.worker = c->worker;
        r->lease.left = left;
    }
}

void api_tasks(call *c)
{
    board *b = c->app->project->board;
    uint32_t have[MOST_BATCH], lent[MOST_LEASES];
    size_t n_have = read_have(have, json_object_get(c->body, "have"));
    json_int_t want = json_integer_value(json_object_get(c->body, "want"));
    json_t *list = json_array();
    size_t count = 0;
    pthread_mutex_lock(&b->lock);
    const board_worker *w = &b->workers[c->worker];
    bool blocked = w->standing == STANDING_BLOCKED, done = board_quota_reached(b, w);
    if (!blocked && want > 0)
        count = board_lend(b, lent, c->worker, (size_t)want, have, n_have, clock_steady());
    for (size_t i = 0; i < count; i++) json_array_append_new(list, task_json(c, b, lent[i]));
    tell_leases(c, w, b->rules.lease_ms);
    size_t answers = w->answers;
    pthread_mutex_unlock(&b->lock);
    planner_state state = {.exhausted = true};
    if (c->app->planner) {
        planner_look(c->app->planner, &state);
        if (!count) planner_wake(c->app->planner);
    }
    const char *end = blocked           ? "blocked"
                      : done            ? "quota"
                      : count || n_have ? ""
                      : state.exhausted ? "exhausted"
                                        : "wait";
    reply_json(c->reply, 200,
               json_pack("{s:o,s:s,s:I,s:s}", "tasks", list, "end", end, "answers",
                         (json_int_t)answers, "completion",
                         done ? c->app->project->completion : ""));
}

void api_pause(call *c)
{
    board *b = c->app->project->board;
    pthread_mutex_lock(&b->lock);
    tell_leases(c, &b->workers[c->worker], 0);
    board_give_back(b, c->worker);
    pthread_mutex_unlock(&b->lock);
    reply_json(c->reply, 200, json_object());
}

/* ---- answers -------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Names of piles are kept as the page gave them, as long as they are a short list of texts. */
static char *pile_names(const json_t *list)
{
    size_t i;
    const json_t *value;
    if (!json_is_array(list) || json_array_size(list) > LARGEST_SET) return text_copy("");
    json_array_foreach(list, i, value)
    {
        if (!json_is_string(value)) return text_copy("");
    }
    char *text = json_dumps(list, JSON_COMPACT);
    if (text && strlen(text) <= MOST_PILE_NAMES) return text;
    free(text);
    return text_copy("");
}

/* NULL when the answer may be kept (then *known tells whether it is already), else why not. */
static const char *judge(const call *c, board *b, const json_t *answer, id128 *id, bool *known)
{
    char seal[SEAL_LENGTH + 1];
    json_int_t number = json_integer_value(json_object_get(answer, "task"));
    if (!id128_parse(id, text_of(answer, "id"))) return "its id is no UUID";
    *known = board_knows_answer(b, *id);
    if (*known) return NULL;
    const board_task *t =
        number > 0 && number <= UINT32_MAX ? board_task_at(b, (uint32_t)number) : NULL;
    if (!t) return "there is no such task";
    seal_make(seal, c->app->project->secret, (uint32_t)number, c->worker);
    if (!seal_equal(seal, text_of(answer, "seal"))) return "this task was not given to you";
    if (!board_value_fits(b, t, text_of(answer, "value"))) return "its value is none";
    return NULL;
}

static void add_answer(call *c, const json_t *answer, id128 id)
{
    record *r = reply_record(c->reply, RECORD_ANSWER);
    json_int_t took = json_integer_value(json_object_get(answer, "took"));
    r->answer.id = id;
    r->answer.task = (uint32_t)json_integer_value(json_object_get(answer, "task"));
    r->answer.worker = c->worker;
    r->answer.value = text_copy(text_of(answer, "value"));
    r->answer.names = pile_names(json_object_get(answer, "names"));
    r->answer.took = took < 0 ? 0 : took > 86400000 ? 86400000 : (uint32_t)took;
}

void api_answers(call *c)
{
    board *b = c->app->project->board;
    const json_t *list = json_object_get(c->body, "answers"), *answer;
    json_t *kept = json_array(), *refused = json_array();
    size_t i, fresh = 0; /* tasks answered for the first time */
    if (!json_is_array(list) || json_array_size(list) > MOST_BATCH) {
        json_decref(kept);
        json_decref(refused);
        reply_error(c->reply, 400, "answers is no list of up to 100");
        return;
    }
    pthread_mutex_lock(&b->lock);
    json_array_foreach(list, i, answer)
    {
        id128 id;
        bool known = false;
        const char *why = judge(c, b, answer, &id, &known);
        const char *name = text_of(answer, "id");
        if (strlen(name) > LONGEST_ID) name = "";
        if (why) {
            json_array_append_new(refused, json_pack("{s:s,s:s}", "id", name, "why", why));
            continue;
        }
        if (!known) {
            add_answer(c, answer, id);
            const record *r = &c->reply->records[c->reply->n_records - 1];
            fresh += !board_did(b, c->worker, r->answer.task);
        }
        json_array_append_new(kept, json_string(name));
    }
    fresh += b->workers[c->worker].answers;
    pthread_mutex_unlock(&b->lock);
    reply_json(
        c->reply, 200,
        json_pack("{s:o,s:o,s:I}", "kept", kept, "refused", refused, "answers", (json_int_t)fresh));
}

/* ---- joining -------------------------------------------------------------------------------- */

/* A person with a name, or somebody a platform sent. */
static bool read_guest(const json_t *body, const char **name, const char **source, char **outside)
{
    const char *pid = text_of(body, "prolific"), *turk = text_of(body, "mturk");
    *name = text_of(body, "name");
    *source = "open";
    *outside = NULL;
    if (*pid || *turk) {
        *source = *pid ? "prolific" : "mturk";
        *name = *pid ? pid : turk;
        *outside = text_copy(*name);
        if (strlen(*name) > LONGEST_ID || !text_clean(*outside, LONGEST_ID)) return false;
        return true;
    }
    *outside = text_copy("");
    return strlen(*name) <= 400;
}

void api_join(call *c)
{
    board *b = c->app->project->board;
    const char *name, *source;
    char *outside, *unique, token[TOKEN_LENGTH + 1];
    if (!read_guest(c->body, &name, &source, &outside)) {
        free(outside);
        reply_error(c->reply, 400, "that is no name");
        return;
    }
    bool known;
    pthread_mutex_lock(&b->lock);
    uint32_t number = board_reserve_worker(b, &unique, &known, name, source, outside);
    pthread_mutex_unlock(&b->lock);
    if (!known) {
        record *r = reply_record(c->reply, RECORD_WORKER);
        r->worker.number = number;
        r->worker.name = unique;
        r->worker.source = text_copy(source);
        r->worker.outside = outside;
    } else {
        free(outside);
    }
    token_make(token);
    record *r = reply_record(c->reply, RECORD_TOKEN);
    r->token.role = ROLE_WORKER;
    r->token.worker = number;
    token_hash_of(&r->token.hash, token);
    reply_json(c->reply, 200, json_pack("{s:s}", "token", token));
}
