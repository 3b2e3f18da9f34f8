/* A project in the scratch folder, and requests to it without a network. */
#ifndef SCDC_TESTS_SERVER_HARNESS_H
#define SCDC_TESTS_SERVER_HARNESS_H

#include "places.h"

#include "../../server/api.h"

typedef struct harness {
    char folder[1024];
    project *project;
    writer *writer;
    app app;
    char owner[TOKEN_LENGTH + 1], join[TOKEN_LENGTH + 1];
} harness;

/* `items` items of three values in items.csv of the scratch folder. */
static inline const char *harness_items(size_t items)
{
    const char *path = scratch_path("items.csv");
    FILE *f = fopen(path, "w");
    fputs("id,a,b,c\n", f);
    for (size_t i = 0; i < items; i++)
        fprintf(f, "item-%zu,%zu,%zu,%zu\n", i, i % 7, i % 3, (i * 5) % 11);
    fclose(f);
    return path;
}

/* `name` is the project's folder, and the schema of the database where there is one. */
static inline void harness_open(harness *h, const char *name, const collect_options *o)
{
    collect_options options = *o;
    memset(h, 0, sizeof *h);
    snprintf(h->folder, sizeof h->folder, "%s", scratch_path(name));
    options.project = h->folder;
    if (test_database() && !options.store) options.store = schema_place(name);
    if (!options.data) options.data = harness_items(30);
    if (project_open(&h->project, &options) != SCDC_OK) fail_msg("%s", server_error());
    assert_int_equal(project_add_token(h->project, h->owner, ROLE_OWNER), SCDC_OK);
    assert_int_equal(project_add_token(h->project, h->join, ROLE_JOIN), SCDC_OK);
    h->writer = writer_start(h->project->store, h->project->board);
    assert_non_null(h->writer);
    app_init(&h->app, h->project, h->writer, NULL);
}

static inline void harness_close(harness *h)
{
    app_free(&h->app);
    writer_free(h->writer);
    project_close(h->project);
}

/* Sends a request and commits what it brings. The reply's JSON (freed by the caller), or NULL. */
static inline json_t *harness_send(harness *h, int *status, const char *method, const char *path,
                                   const char *token, const char *body)
{
    request r = {.method = method,
                 .path = path,
                 .token = token,
                 .body = body ? body : "",
                 .size = body ? strlen(body) : 0,
                 .address = 7};
    reply out;
    app_ask(&out, &h->app, &r);
    if (status) *status = out.status;
    json_t *json = json_loadb(out.body ? out.body : "", out.size, 0, NULL);
    reply_free(&out);
    return json;
}

/* Adds a task about two items. */
static inline void harness_task(harness *h, unsigned left, unsigned right, const char *truth)
{
    record r = {.kind = RECORD_TASK, .time = 1};
    r.task.number = (uint32_t)h->project->board->n_tasks;
    r.task.items = text_format("%u %u", left, right);
    r.task.truth = text_copy(truth);
    r.task.reason = text_copy("test");
    assert_int_equal(writer_write(h->writer, &r, 1), SCDC_OK);
}

static inline void harness_join(harness *h, char token[TOKEN_LENGTH + 1], const char *name)
{
    int status;
    char body[200];
    snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
    json_t *said = harness_send(h, &status, "POST", "/api/join", h->join, body);
    assert_int_equal(status, 200);
    snprintf(token, TOKEN_LENGTH + 1, "%s", json_string_value(json_object_get(said, "token")));
    json_decref(said);
}

#endif
