/* Requests and replies, without anything of HTTP's mechanics: what the server does with a request
 * can be called from tests and fuzzers as it is. */
#ifndef SCDC_SERVER_API_H
#define SCDC_SERVER_API_H

#include "ration.h"
#include "planner.h"
#include "project.h"

#include <jansson.h>

typedef struct app {
    project *project;
    writer *writer;
    planner *planner; /* may be NULL in tests */
    address_limits limits;
    int64_t started;
    struct overview *overview; /* what the owner's page shows, made at most every few seconds */
    pthread_mutex_t overview_lock;
} app;

void app_init(app *a, project *p, writer *w, planner *pl);
void app_free(app *a);

/* Where servers share a store, this one may not know yet what another did. */
typedef enum request_stage {
    REQUEST_FIRST,  /* as it came */
    REQUEST_AGAIN,  /* after a look at what others wrote */
    REQUEST_WRITING /* by the writer: the board knows everything, and nobody else can write */
} request_stage;

typedef struct request {
    const char *method; /* "GET", "POST"; HEAD comes as GET */
    const char *path;   /* decoded, without the query */
    const char *token;  /* of the Authorization header, or NULL */
    const char *body;   /* size bytes and a zero behind them */
    size_t size;
    uint64_t address; /* of the caller, as a number */
    request_stage stage;
} request;

typedef struct reply {
    request_stage wanted; /* not REQUEST_FIRST: no reply yet; to be asked again at that stage */
    int status;
    const char *type;
    char *body; /* freed with the reply when owned */
    size_t size;
    bool owned;
    bool framed;          /* may be shown inside a frame of MTurk */
    const char *etag;     /* static */
    int max_age;          /* seconds a browser may keep it; 0: not at all */
    const char *filename; /* to save it as */
    int retry_after;      /* seconds */
    /* To be committed first; the reply is only sent when that worked. */
    record *records;
    size_t n_records;
    uint32_t worker; /* who asked; 0: nobody */
} reply;

/* Gives a whole reply, or says at which stage it wants to be asked again. */
void api_answer(reply *out, app *a, const request *r);
/* A request on its way, for the writer: errand_answer is the `prepare` of a job whose user is one.
 */
typedef struct errand {
    app *app;
    request request;
    reply reply;
} errand;
void errand_answer(write_job *job);
/* The whole way of a request, commit included. Waits for it. */
void app_ask(reply *out, app *a, const request *r);
/* What takes the place of a reply whose records could not be committed. */
void api_not_kept(reply *out);
void reply_free(reply *r);

/* ---- for the parts of the api --------------------------------------------------------------- */

void reply_json(reply *out, int status, json_t *value);
void reply_error(reply *out, int status, const char *text);
/* Room for one more record in the reply. */
record *reply_record(reply *out, record_kind kind);

typedef struct call {
    app *app;
    const request *request;
    json_t *body; /* a JSON object, for POST */
    uint32_t worker;
    reply *reply;
} call;

/* api_worker.c */
void api_me(call *c);
void api_tasks(call *c);
void api_answers(call *c);
void api_pause(call *c);
void api_project(call *c);
void api_join(call *c);
/* api_owner.c */
void api_overview(call *c);
void api_links(call *c);
void api_standing(call *c);
void api_answers_csv(call *c);
void api_project_file(call *c);
void api_report(call *c);
/* assets.c: false when the path is none of the page's. */
bool asset_reply(reply *out, const char *path);

#endif
