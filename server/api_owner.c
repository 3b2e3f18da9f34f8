/* What the owner's page asks for. */
#include "api.h"
#include "export.h"
#include "overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRESH_MS = 2000, MOST_LINKS = 500 };

/* ---- overview ------------------------------------------------------------------------------- */

void api_overview(call *c)
{
    app *a = c->app;
    int64_t now = clock_steady();
    pthread_mutex_lock(&a->overview_lock);
    if (!a->overview) a->overview = need_zeroed(1, sizeof *a->overview);
    if (!a->overview->json || now - a->overview->made >= FRESH_MS) {
        json_t *fresh = overview_json(a->project, a->planner, a->writer);
        free(a->overview->json);
        a->overview->json = json_dumps(fresh, JSON_COMPACT | JSON_REAL_PRECISION(5));
        a->overview->made = now;
        json_decref(fresh);
    }
    c->reply->body = text_copy(a->overview->json ? a->overview->json : "{}");
    pthread_mutex_unlock(&a->overview_lock);
    c->reply->status = 200;
    c->reply->type = "application/json";
    c->reply->size = strlen(c->reply->body);
    c->reply->owned = true;
}

/* ---- workers -------------------------------------------------------------------------------- */

static void add_link(call *c, json_t *links, const char *name)
{
    board *b = c->app->project->board;
    bool known;
    char *unique, token[TOKEN_LENGTH + 1];
    pthread_mutex_lock(&b->lock);
    uint32_t number = board_reserve_worker(b, &unique, &known, name, "link", "");
    pthread_mutex_unlock(&b->lock);
    token_make(token);
    json_array_append_new(links, json_pack("{s:s,s:s}", "name", unique, "token", token));
    record *r = reply_record(c->reply, RECORD_WORKER);
    r->worker.number = number;
    r->worker.name = unique;
    r->worker.source = text_copy("link");
    r->worker.outside = text_copy("");
    r = reply_record(c->reply, RECORD_TOKEN);
    r->token.role = ROLE_WORKER;
    r->token.worker = number;
    token_hash_of(&r->token.hash, token);
}

/* Personal links for the names of a list; told once, because only their hashes are kept. */
void api_links(call *c)
{
    const json_t *names = json_object_get(c->body, "names"), *name;
    json_t *links = json_array();
    size_t i;
    if (!json_is_array(names) || json_array_size(names) > MOST_LINKS) {
        json_decref(links);
        reply_error(c->reply, 400, "names is no list of up to 500");
        return;
    }
    json_array_foreach(names, i, name)
    {
        if (json_is_string(name)) add_link(c, links, json_string_value(name));
    }
    reply_json(c->reply, 200, json_pack("{s:o}", "links", links));
}

void api_standing(call *c)
{
    static const char *const words[] = {"good", "blocked", "forgiven"};
    board *b = c->app->project->board;
    const char *word = json_string_value(json_object_get(c->body, "standing"));
    json_int_t number = json_integer_value(json_object_get(c->body, "worker"));
    int wanted = -1;
    for (int i = 0; word && i < 3; i++) {
        if (strcmp(word, words[i]) == 0) wanted = i;
    }
    pthread_mutex_lock(&b->lock);
    bool there = number > 0 && number <= UINT32_MAX && board_worker_at(b, (uint32_t)number);
    pthread_mutex_unlock(&b->lock);
    if (wanted < 0 || !there) {
        reply_error(c->reply, 400, "worker or standing is none");
        return;
    }
    record *r = reply_record(c->reply, RECORD_STANDING);
    r->standing.worker = (uint32_t)number;
    r->standing.standing = (standing)wanted;
    pthread_mutex_lock(&c->app->overview_lock);
    if (c->app->overview) c->app->overview->made = -FRESH_MS; /* the owner wants to see it */
    pthread_mutex_unlock(&c->app->overview_lock);
    reply_json(c->reply, 200, json_object());
}

/* ---- files ---------------------------------------------------------------------------------- */

static const char *name_of(size_t item, const void *user)
{
    return items_name(user, item);
}

void api_answers_csv(call *c)
{
    board *b = c->app->project->board;
    collect_counts counts;
    pthread_mutex_lock(&b->lock);
    c->reply->body =
        export_csv(&c->reply->size, &counts, b, name_of, c->app->project->items, 0, false);
    pthread_mutex_unlock(&b->lock);
    c->reply->status = 200;
    c->reply->type = "text/csv; charset=utf-8";
    c->reply->owned = true;
    c->reply->filename = "answers.csv";
}

/* A file of the project as a reply; false when it cannot be read. */
static bool file_reply(reply *out, const char *path, const char *type, const char *name)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size < 0) {
        if (f) fclose(f);
        return false;
    }
    rewind(f);
    out->body = need_resize(NULL, (size_t)size, 1);
    out->size = fread(out->body, 1, (size_t)size, f);
    fclose(f);
    out->status = 200;
    out->type = type;
    out->owned = true;
    out->filename = name;
    return true;
}

void api_project_file(call *c)
{
    const project *p = c->app->project;
    char *copy =
        text_format("%s/" PROJECT_STORE ".copy-%lld", p->folder, (long long)clock_steady());
    store *s = NULL;
    int status = store_open(&s, p->place, STORE_READ);
    if (status == SCDC_OK) status = store_copy(s, copy);
    store_close(s);
    if (status != SCDC_OK || !file_reply(c->reply, copy, "application/octet-stream", "project.db"))
        reply_error(c->reply, 503, "the project cannot be copied just now");
    unlink(copy);
    free(copy);
}

void api_report(call *c)
{
    char *path = c->app->planner ? planner_report(c->app->planner) : NULL;
    if (!path || !file_reply(c->reply, path, "text/html; charset=utf-8", "report.html"))
        reply_error(c->reply, 404, "there is no report yet: it comes with the first fit");
    free(path);
}
