/* Connecting, waiting, and failing with a text. */
#include "postgres_link.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECT_SECONDS = 5,
    ANSWER_MS = 20000, /* longer than any of the limits below */
    PAUSE_MS = 250     /* between two tries to connect */
};

/* A server that hangs in the middle of a write loses its turn, one that hangs for longer no longer
 * leads, and those who wait for it are told to try later instead of waiting for ever. (Servers that
 * live look several times a second.) An answer is acknowledged when it is on disk, whatever the
 * database is set to. */
static const char session[] =
    "SET client_encoding = 'UTF8'; SET synchronous_commit = on; SET lock_timeout = '8s';"
    "SET statement_timeout = '15s'; SET idle_in_transaction_session_timeout = '5s';"
    "SET idle_session_timeout = '15s';"
    "SET bytea_output = 'hex'; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;"
    "SET tcp_keepalives_count = 3; SET client_min_messages = error;";

/* ---- failures ------------------------------------------------------------------------------- */

/* What libpq says, on one line. It does not repeat passwords once it has understood an address. */
static int fail_text(const postgres_link *l, int status, const char *doing, const char *text)
{
    char line[256];
    size_t length = 0;
    for (; *text && length < sizeof line - 1; text++) line[length++] = *text == '\n' ? ' ' : *text;
    while (length && line[length - 1] == ' ') length--;
    line[length] = '\0';
    return server_fail(status, "%s: %s: %s", l->shown, doing, length ? line : "no answer");
}

static void hang_up(postgres_link *l)
{
    pq.finish(l->db);
    l->db = NULL;
    l->not_before = clock_steady() + PAUSE_MS;
}

static int fail_connection(postgres_link *l, const char *doing)
{
    int status = fail_text(l, SCDC_ERR_OUTPUT, doing, pq.errorMessage(l->db));
    hang_up(l);
    return status;
}

/* ---- addresses ------------------------------------------------------------------------------ */

static const char *option_of(const PQconninfoOption *list, const char *name)
{
    for (; list->keyword; list++) {
        if (strcmp(list->keyword, name) == 0) return list->val ? list->val : "";
    }
    return "";
}

static void put_escaped(FILE *to, const char *text)
{
    for (; *text; text++) {
        bool plain = strchr("-._~,", *text) || (*text >= '0' && *text <= '9') ||
                     (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
        fprintf(to, plain ? "%c" : "%%%02X", (unsigned char)*text);
    }
}

/* Everything but what libpq itself would not show. */
static void put_options(FILE *to, const PQconninfoOption *list, bool hosts)
{
    char before = '?';
    for (; list->keyword; list++) {
        bool host = strcmp(list->keyword, "host") == 0 || strcmp(list->keyword, "port") == 0;
        if (!list->val || *list->dispchar == '*' || (host && !hosts) ||
            strcmp(list->keyword, "user") == 0 || strcmp(list->keyword, "dbname") == 0)
            continue;
        fprintf(to, "%c%s=", before, list->keyword);
        put_escaped(to, list->val);
        before = '&';
    }
}

int postgres_shown(char **out, const char *address)
{
    size_t size;
    SERVER_TRY(libpq_load());
    PQconninfoOption *list = pq.conninfoParse(address, NULL);
    /* libpq's own text would repeat the address. */
    if (!list)
        return server_fail(SCDC_ERR_ARGUMENT, "no address of a database such as "
                                              "postgresql://user@host/database (see "
                                              "\"Connection URIs\" in PostgreSQL's manual)");
    FILE *to = open_memstream(out, &size);
    if (!to) need_resize(NULL, SIZE_MAX, 1);
    const char *user = option_of(list, "user"), *host = option_of(list, "host"),
               *port = option_of(list, "port");
    bool many = strchr(host, ',') || strchr(port, ',');
    fputs("postgresql://", to);
    put_escaped(to, user);
    if (*user) fputc('@', to);
    if (!many) put_escaped(to, host);
    if (!many && *port) fprintf(to, ":%s", port);
    fputc('/', to);
    put_escaped(to, option_of(list, "dbname"));
    put_options(to, list, many);
    fclose(to);
    pq.conninfoFree(list);
    return SCDC_OK;
}

/* ---- connecting ----------------------------------------------------------------------------- */

/* What the address does not say. */
static PGconn *dial(const char *address)
{
    static const char seconds[] = "5"; /* CONNECT_SECONDS */
    const char *names[] = {"connect_timeout", "keepalives_idle",           "tcp_user_timeout",
                           "dbname",          "fallback_application_name", NULL};
    /* Later ones win; the address comes after what it may override. */
    const char *values[] = {seconds, "10", "15000", address, "scdc collect", NULL};
    return pq.connectdbParams(names, values, 1);
}

static int run_plain(postgres_link *l, const char *sql, const char *doing)
{
    PGresult *r = pq.exec(l->db, sql);
    ExecStatusType code = pq.resultStatus(r);
    pq.clear(r);
    return code == PGRES_COMMAND_OK || code == PGRES_TUPLES_OK ? SCDC_OK
                                                               : fail_connection(l, doing);
}

static int prepare_all(postgres_link *l)
{
    for (size_t i = 0; i < l->n_statements; i++) {
        char name[24];
        snprintf(name, sizeof name, "s%zu", i);
        PGresult *r = pq.prepare(l->db, name, l->statements[i], 0, NULL);
        const char *code = pq.resultErrorField(r, PG_DIAG_SQLSTATE);
        bool missing = code && strcmp(code, "42P01") == 0;
        bool good = pq.resultStatus(r) == PGRES_COMMAND_OK;
        pq.clear(r);
        if (missing) {
            hang_up(l);
            return server_fail(SCDC_ERR_INPUT, "%s: holds no project of scdc collect", l->shown);
        }
        if (!good) return fail_connection(l, "preparing");
    }
    return SCDC_OK;
}

static int connect_now(postgres_link *l)
{
    l->db = dial(l->address);
    if (!l->db) return server_fail(SCDC_ERR_MEMORY, "out of memory");
    if (pq.status(l->db) != CONNECTION_OK) return fail_connection(l, "connecting");
    const char *encoding = pq.parameterStatus(l->db, "server_encoding");
    if (!encoding || strcmp(encoding, "UTF8") != 0) {
        hang_up(l);
        return server_fail(SCDC_ERR_INPUT,
                           "%s: its encoding is not UTF8: make the database with "
                           "createdb --encoding=UTF8 --template=template0",
                           l->shown);
    }
    SERVER_TRY(run_plain(l, session, "connecting"));
    if (l->schema) SERVER_TRY(run_plain(l, l->schema, "making the tables"));
    SERVER_TRY(prepare_all(l));
    pq.setnonblocking(l->db, 1); /* a long row must not wait for results nobody takes */
    if (!pq.enterPipelineMode(l->db)) return fail_connection(l, "connecting");
    l->schema = NULL;
    l->connects++;
    return SCDC_OK;
}

int postgres_ready(postgres_link *l)
{
    if (l->db && pq.status(l->db) == CONNECTION_OK) return SCDC_OK;
    if (l->db) hang_up(l);
    if (l->connects && clock_steady() < l->not_before)
        return server_fail(SCDC_ERR_OUTPUT, "%s: cannot be reached just now", l->shown);
    return connect_now(l);
}

int postgres_open(postgres_link *l, const char *address, const char *const *statements,
                  size_t count, const char *schema)
{
    *l = (postgres_link){.statements = statements, .n_statements = count, .schema = schema};
    SERVER_TRY(postgres_shown(&l->shown, address));
    l->address = text_copy(address);
    return connect_now(l);
}

void postgres_close(postgres_link *l)
{
    if (l->db) pq.finish(l->db);
    free(l->address);
    free(l->shown);
    *l = (postgres_link){0};
}

/* ---- a row of statements -------------------------------------------------------------------- */

bool postgres_send(postgres_link *l, size_t statement, const char *const *values, int count)
{
    char name[24];
    if (!l->db) return false;
    snprintf(name, sizeof name, "s%zu", statement);
    return pq.sendQueryPrepared(l->db, name, count, values, NULL, NULL, 0) == 1;
}

/* Until a result can be taken without waiting. */
static bool wait_ready(postgres_link *l, int64_t until)
{
    for (;;) {
        int more = pq.flush(l->db);
        if (more < 0) return false;
        if (!pq.isBusy(l->db)) return true;
        int64_t left = until - clock_steady();
        struct pollfd p = {.fd = pq.socket(l->db),
                           .events = (short)(more ? POLLIN | POLLOUT : POLLIN)};
        if (left <= 0 || poll(&p, 1, (int)left) < 0) return false;
        if (p.revents & ~POLLOUT && !pq.consumeInput(l->db)) return false;
    }
}

/* The first failure of a row is what is told; what follows it was not run. */
typedef struct row {
    postgres_result_fn each;
    void *user;
    size_t which;
    int status;
} row;

static void take_result(postgres_link *l, row *r, const PGresult *result, const char *doing)
{
    ExecStatusType code = pq.resultStatus(result);
    size_t which = r->which++;
    if (r->status != SCDC_OK || code == PGRES_PIPELINE_ABORTED) return;
    if (code == PGRES_COMMAND_OK || code == PGRES_TUPLES_OK) {
        if (r->each) r->status = r->each(result, which, r->user);
        return;
    }
    const char *state = pq.resultErrorField(result, PG_DIAG_SQLSTATE);
    bool constraint = state && strncmp(state, "23", 2) == 0;
    const char *text = pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    r->status = fail_text(l, constraint ? SCDC_ERR_ARGUMENT : SCDC_ERR_OUTPUT, doing,
                          text ? text : pq.resultErrorMessage(result));
}

/* Until the end of the row; false when the connection does not live to see it. */
static bool take_all(postgres_link *l, row *r, const char *doing)
{
    int64_t until = clock_steady() + ANSWER_MS;
    for (;;) {
        if (!wait_ready(l, until)) return false;
        PGresult *result = pq.getResult(l->db);
        if (pq.status(l->db) != CONNECTION_OK) {
            pq.clear(result);
            return false;
        }
        if (!result) continue; /* between two statements */
        bool end = pq.resultStatus(result) == PGRES_PIPELINE_SYNC;
        if (!end) take_result(l, r, result, doing);
        pq.clear(result);
        if (end) return true;
    }
}

int postgres_take(postgres_link *l, postgres_result_fn each, void *user, const char *doing)
{
    row r = {.each = each, .user = user};
    if (!l->db) return server_fail(SCDC_ERR_OUTPUT, "%s: cannot be reached just now", l->shown);
    if (!pq.pipelineSync(l->db) || !take_all(l, &r, doing)) return fail_connection(l, doing);
    if (r.status == SCDC_OK || pq.transactionStatus(l->db) == PQTRANS_IDLE) return r.status;
    /* The transaction has to end before anything else. */
    char *why = text_copy(server_error());
    row end = {0};
    if (!pq.sendQueryParams(l->db, "ROLLBACK", 0, NULL, NULL, NULL, NULL, 0) ||
        !pq.pipelineSync(l->db) || !take_all(l, &end, doing) || end.status != SCDC_OK)
        hang_up(l);
    server_fail(r.status, "%s", why);
    free(why);
    return r.status;
}
