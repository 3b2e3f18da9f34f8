/* From a request to the function that answers it: paths, tokens, limits, bodies. */
#include "api.h"

#include "overview.h"

#include <stdlib.h>
#include <string.h>

static const double WORKER_MOST = 300, WORKER_RATE = 20; /* requests, and a second */

typedef struct route {
    const char *method, *path;
    token_role role;
    void (*run)(call *c);
} route;

static const route routes[] = {
    {"GET", "/api/me", ROLE_WORKER, api_me},
    {"POST", "/api/tasks", ROLE_WORKER, api_tasks},
    {"POST", "/api/answers", ROLE_WORKER, api_answers},
    {"POST", "/api/pause", ROLE_WORKER, api_pause},
    {"GET", "/api/project", ROLE_JOIN, api_project},
    {"POST", "/api/join", ROLE_JOIN, api_join},
    {"GET", "/api/owner/overview", ROLE_OWNER, api_overview},
    {"POST", "/api/owner/links", ROLE_OWNER, api_links},
    {"POST", "/api/owner/standing", ROLE_OWNER, api_standing},
    {"GET", "/api/owner/answers.csv", ROLE_OWNER, api_answers_csv},
    {"GET", "/api/owner/project.db", ROLE_OWNER, api_project_file},
    {"GET", "/api/owner/report.html", ROLE_OWNER, api_report},
};

void app_init(app *a, project *p, writer *w, planner *pl)
{
    memset(a, 0, sizeof *a);
    a->project = p;
    a->writer = w;
    a->planner = pl;
    a->started = clock_wall();
    pthread_mutex_init(&a->limits.lock, NULL);
    pthread_mutex_init(&a->overview_lock, NULL);
}

void app_free(app *a)
{
    overview_free(a->overview);
    pthread_mutex_destroy(&a->limits.lock);
    pthread_mutex_destroy(&a->overview_lock);
}

/* ---- replies -------------------------------------------------------------------------------- */

void reply_json(reply *out, int status, json_t *value)
{
    out->status = status;
    out->type = "application/json";
    out->body = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(value);
    if (!out->body) out->body = text_copy("{}");
    out->size = strlen(out->body);
    out->owned = true;
}

void reply_error(reply *out, int status, const char *text)
{
    reply_json(out, status, json_pack("{s:s}", "error", text));
}

record *reply_record(reply *out, record_kind kind)
{
    out->records = need_resize(out->records, out->n_records + 1, sizeof *out->records);
    record *r = &out->records[out->n_records++];
    *r = (record){.kind = kind, .time = clock_wall()};
    return r;
}

void reply_free(reply *r)
{
    for (size_t i = 0; i < r->n_records; i++) record_clear(&r->records[i]);
    free(r->records);
    if (r->owned) free(r->body);
    *r = (reply){0};
}

void api_not_kept(reply *out)
{
    reply_free(out);
    reply_error(out, 503,
                "the server cannot write just now; your answers stay with you and will "
                "be sent again");
    out->retry_after = 5;
}

/* ---- the whole way -------------------------------------------------------------------------- */

void errand_answer(write_job *job)
{
    errand *e = job->user;
    reply_free(&e->reply);
    e->request.stage = REQUEST_WRITING;
    api_answer(&e->reply, e->app, &e->request);
    job->records = e->reply.records;
    job->count = e->reply.n_records;
}

void app_ask(reply *out, app *a, const request *r)
{
    errand e = {.app = a, .request = *r};
    write_job job = {.user = &e};
    int status = SCDC_OK;
    api_answer(&e.reply, a, r);
    if (e.reply.wanted == REQUEST_AGAIN) {
        status = writer_run(a->writer, &job);
        e.request.stage = REQUEST_AGAIN;
        api_answer(&e.reply, a, &e.request);
    }
    job.prepare = e.reply.wanted == REQUEST_WRITING ? errand_answer : NULL;
    job.records = e.reply.records;
    job.count = e.reply.n_records;
    if (status == SCDC_OK && (job.prepare || job.count)) status = writer_run(a->writer, &job);
    if (status != SCDC_OK) api_not_kept(&e.reply);
    *out = e.reply;
}

/* ---- items ---------------------------------------------------------------------------------- */

/* /item/KEY/NUMBER or /item/KEY/NUMBER/large. The key is known to those who were let in. */
static void item_reply(reply *out, app *a, const char *rest)
{
    const project *p = a->project;
    token_hash given, wanted;
    char key[TOKEN_LENGTH + 1];
    size_t length = strcspn(rest, "/");
    if (length != TOKEN_LENGTH || rest[length] != '/') {
        reply_error(out, 404, "no such page");
        return;
    }
    memcpy(key, rest, TOKEN_LENGTH);
    key[TOKEN_LENGTH] = '\0';
    token_hash_of(&wanted, p->item_key);
    if (!token_hash_of(&given, key) || !token_hash_equal(&given, &wanted)) {
        reply_error(out, 404, "no such page");
        return;
    }
    const char *number = rest + length + 1;
    size_t digits = strspn(number, "0123456789");
    bool large = strcmp(number + digits, "/large") == 0;
    if (digits == 0 || digits > 9 || (number[digits] && !large) ||
        items_body(&out->body, &out->size, &out->type, p->items, strtoul(number, NULL, 10),
                   large) != SCDC_OK) {
        reply_error(out, 404, "no such item");
        return;
    }
    out->status = 200;
    out->owned = true;
    out->max_age = 86400;
}

/* ---- who asks ------------------------------------------------------------------------------- */

/* The role of the caller; false when the reply says no already. */
static bool let_in(call *c, token_role wanted)
{
    board *b = c->app->project->board;
    token_hash hash;
    token_role role = ROLE_NONE;
    bool shaped = c->request->token && token_hash_of(&hash, c->request->token);
    bool calm = true, first = c->request->stage == REQUEST_FIRST;
    int64_t now = clock_steady();
    pthread_mutex_lock(&b->lock);
    if (shaped) role = board_role(b, &hash, &c->worker);
    if (role == ROLE_WORKER) {
        board_worker *w = &b->workers[c->worker];
        w->seen = now;
        calm = !first || bucket_take(&w->allowance, &w->filled, WORKER_MOST, WORKER_RATE, now);
    }
    pthread_mutex_unlock(&b->lock);
    /* Guessing tokens and joining are rationed by address. */
    if (first && role != ROLE_WORKER && role != ROLE_OWNER)
        calm = address_allowed(&c->app->limits, c->request->address, now);
    if (!calm) {
        reply_error(c->reply, 429, "too many requests; please wait a moment");
        c->reply->retry_after = 5;
        return false;
    }
    /* Where servers share a store, whatever changes something is done when everything is known; and
     * another one may have made a link that is not known here. */
    bool post = strcmp(c->request->method, "POST") == 0;
    if (c->app->project->shared && c->request->stage != REQUEST_WRITING &&
        (post || (first && shaped && role == ROLE_NONE))) {
        c->reply->wanted = post ? REQUEST_WRITING : REQUEST_AGAIN;
        return false;
    }
    if (role == wanted) {
        c->reply->worker = role == ROLE_WORKER ? c->worker : 0;
        return true;
    }
    reply_error(c->reply, role == ROLE_NONE ? 401 : 403, "this link does not open that");
    return false;
}

/* ---- the way -------------------------------------------------------------------------------- */

static void run_route(call *c, const route *r)
{
    if (!let_in(c, r->role)) return;
    if (strcmp(r->method, "POST") == 0) {
        c->body = json_loadb(c->request->body, c->request->size, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_object(c->body)) {
            json_decref(c->body);
            reply_error(c->reply, 400, "the body is no JSON object");
            return;
        }
    }
    r->run(c);
    json_decref(c->body);
}

void api_answer(reply *out, app *a, const request *r)
{
    *out = (reply){0};
    bool known = false;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(routes[i].path, r->path) != 0) continue;
        known = true;
        if (strcmp(routes[i].method, r->method) != 0) continue;
        call c = {.app = a, .request = r, .reply = out};
        run_route(&c, &routes[i]);
        return;
    }
    bool get = strcmp(r->method, "GET") == 0;
    if (!known && get && strncmp(r->path, "/item/", 6) == 0) {
        item_reply(out, a, r->path + 6);
    } else if (!known && asset_reply(out, r->path)) {
        if (get) return;
        *out = (reply){0};
        reply_error(out, 405, "this page can only be read");
    } else if (known) {
        reply_error(out, 405, "this cannot be done here");
    } else {
        reply_error(out, 404, "no such page");
    }
}
