/* Starting and stopping all parts of the server. */
#include "collect.h"

#include "api.h"
#include "demo.h"
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct collect {
    project *project;
    writer *writer;
    planner *planner;
    http *http;
    demo *demo;
    app app;
    char *url, *owner_url, *worker_url;
};

void collect_options_init(collect_options *o)
{
    *o = (collect_options){.sets = -1,
                           .strategy = -1,
                           .listen = "127.0.0.1:0",
                           .per_address = 256,
                           .connections = 6000,
                           .threads = 2,
                           .refit = 60,
                           .fits = true,
                           .seed = SCDC_DEFAULT_SEED};
}

const char *collect_error(void)
{
    return server_error();
}

/* Room for all connections, as far as the system lets us. */
static void raise_limit(size_t connections)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    rlim_t wanted = connections + 256;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int make_urls(collect *c, const collect_options *o)
{
    char owner[TOKEN_LENGTH + 1], join[TOKEN_LENGTH + 1];
    SERVER_TRY(project_add_token(c->project, owner, ROLE_OWNER));
    SERVER_TRY(project_add_token(c->project, join, ROLE_JOIN));
    if (o->public_url) {
        size_t length = strlen(o->public_url);
        while (length && o->public_url[length - 1] == '/') length--;
        c->url = text_format("%.*s/", (int)length, o->public_url);
    } else {
        c->url = text_format("%s://%s:%u/", o->cert ? "https" : "http", http_host(c->http),
                             http_port(c->http));
    }
    c->owner_url = text_format("%sowner#%s", c->url, owner);
    c->worker_url = text_format("%s#join=%s", c->url, join);
    return SCDC_OK;
}

static int start(collect *c, const collect_options *o)
{
    SERVER_TRY(project_open(&c->project, o));
    raise_limit(o->connections);
    app_init(&c->app, c->project, NULL, NULL);
    http_setup setup = {.app = &c->app,
                        .listen = o->listen,
                        .cert = o->cert,
                        .key = o->key,
                        .connections = o->connections,
                        .per_address = o->per_address,
                        .threads = o->threads,
                        .proxied = o->proxied};
    SERVER_TRY(http_bind(&c->http, &setup));
    SERVER_TRY(make_urls(c, o));
    c->writer = c->app.writer = writer_start(c->project->store, c->project->board);
    if (!c->writer) return server_fail(SCDC_ERR_MEMORY, "no thread for writing");
    planner_setup plan = {.project = c->project,
                          .writer = c->writer,
                          .program = o->fits ? o->program : NULL,
                          .refit = o->refit,
                          .threads = 1,
                          .quick_fits = o->demo > 0};
    c->planner = c->app.planner = planner_start(&plan);
    if (!c->planner) return server_fail(SCDC_ERR_MEMORY, "no thread for planning");
    SERVER_TRY(http_serve(c->http));
    if (o->demo) SERVER_TRY(demo_start(&c->demo, &c->app, o->demo, o->demo_truth));
    return SCDC_OK;
}

int collect_start(collect **out, const collect_options *o)
{
    collect *c = need_zeroed(1, sizeof *c);
    int status = start(c, o);
    if (status != SCDC_OK) {
        char *why = text_copy(server_error());
        collect_stop(c);
        server_fail(status, "%s", why);
        free(why);
        return status;
    }
    *out = c;
    return SCDC_OK;
}

void collect_stop(collect *c)
{
    if (!c) return;
    demo_stop(c->demo);
    if (c->http) http_quiesce(c->http);
    planner_close(c->planner);
    writer_close(c->writer); /* what waits is committed, and its senders are told */
    http_stop(c->http);
    planner_free(c->planner);
    writer_free(c->writer);
    if (c->app.project) app_free(&c->app);
    project_close(c->project);
    free(c->url);
    free(c->owner_url);
    free(c->worker_url);
    free(c);
}

const char *collect_url(const collect *c)
{
    return c->url;
}

const char *collect_owner_url(const collect *c)
{
    return c->owner_url;
}

const char *collect_worker_url(const collect *c)
{
    return c->worker_url;
}
