/* The daemon, its connections and its headers. */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LARGEST_BODY = 256 * 1024,
    MOST_WASTED = 4 * LARGEST_BODY, /* of a body too large, read so that its sender sees why */
    IDLE_SECONDS = 75,              /* longer than the pause of a page between two looks */
    CONNECTION_MEMORY = 12 * 1024,
    BACKLOG = 1024
};

struct http {
    http_setup setup;
    struct MHD_Daemon *daemon;
    char *cert, *key;
    char host[INET6_ADDRSTRLEN + 2];
    unsigned port;
    int socket;
};

/* One request while it lasts. */
typedef struct exchange {
    errand errand; /* first: the writer hands it back */
    struct MHD_Connection *connection;
    http *http;
    char *body;
    size_t size, room;
    bool too_large;
    bool ready; /* the reply is made */
    bool waiting;
    write_job job;
} exchange;

/* ---- headers -------------------------------------------------------------------------------- */

#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "              \
    "connect-src 'self'; base-uri 'none'; "
#define TURK "https://www.mturk.com https://workersandbox.mturk.com https://worker.mturk.com"

static void add_header(struct MHD_Response *r, const char *name, const char *value)
{
    MHD_add_response_header(r, name, value);
}

static void add_headers(struct MHD_Response *r, const reply *out)
{
    char text[128];
    add_header(r, "Content-Type", out->type ? out->type : "text/plain");
    add_header(r, "X-Content-Type-Options", "nosniff");
    add_header(r, "Referrer-Policy", "no-referrer");
    add_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    if (out->framed) {
        add_header(r, "Content-Security-Policy",
                   POLICY "form-action 'self' " TURK "; frame-ancestors " TURK);
    } else {
        add_header(r, "Content-Security-Policy",
                   POLICY "form-action 'self'; frame-ancestors 'none'");
        add_header(r, "X-Frame-Options", "DENY");
    }
    if (out->max_age) {
        snprintf(text, sizeof text, "private, max-age=%d", out->max_age);
        add_header(r, "Cache-Control", text);
    } else {
        add_header(r, "Cache-Control", out->etag ? "no-cache" : "no-store");
    }
    if (out->etag) add_header(r, "ETag", out->etag);
    if (out->retry_after) {
        snprintf(text, sizeof text, "%d", out->retry_after);
        add_header(r, "Retry-After", text);
    }
    if (out->filename) {
        snprintf(text, sizeof text, "attachment; filename=\"%s\"", out->filename);
        add_header(r, "Content-Disposition", text);
    }
    if (out->status == 401) add_header(r, "WWW-Authenticate", "Bearer");
}

static enum MHD_Result send_reply(exchange *x)
{
    reply *out = &x->errand.reply;
    const char *have = MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "If-None-Match");
    if (out->etag && have && strcmp(have, out->etag) == 0 && out->status == 200) {
        out->status = 304;
        out->size = 0;
    }
    enum MHD_ResponseMemoryMode mode = out->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT;
    struct MHD_Response *r = MHD_create_response_from_buffer(out->size, out->body, mode);
    if (!r) return MHD_NO;
    out->owned = false; /* the response frees the body */
    add_headers(r, out);
    enum MHD_Result result = MHD_queue_response(x->connection, (unsigned)out->status, r);
    MHD_destroy_response(r);
    return result;
}

/* ---- requests ------------------------------------------------------------------------------- */

static uint64_t hash_bytes(const void *bytes, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return h;
}

static uint64_t address_of(const exchange *x)
{
    if (x->http->setup.proxied) {
        const char *list =
            MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "X-Forwarded-For");
        const char *last = list ? strrchr(list, ',') : NULL;
        last = last ? last + 1 : list; /* the one our own proxy wrote */
        if (last) return hash_bytes(last, strlen(last));
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info) return 0;
    if (info->client_addr->sa_family == AF_INET6) {
        const struct sockaddr_in6 *a = (const void *)info->client_addr;
        return hash_bytes(&a->sin6_addr, 8); /* a household is a /64 */
    }
    const struct sockaddr_in *a = (const void *)info->client_addr;
    return hash_bytes(&a->sin_addr, sizeof a->sin_addr);
}

static const char *bearer(struct MHD_Connection *connection)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    return value && strncmp(value, "Bearer ", 7) == 0 ? value + 7 : NULL;
}

/* From the writer's thread. */
static void committed(write_job *job, int status)
{
    exchange *x = job->user;
    if (status != SCDC_OK) api_not_kept(&x->errand.reply);
    x->waiting = false;
    MHD_resume_connection(x->connection);
}

/* From the writer's thread, when what others wrote is known. */
static void looked(write_job *job, int status)
{
    exchange *x = job->user;
    x->errand.request.stage = REQUEST_AGAIN;
    x->ready = status != SCDC_OK;
    committed(job, status);
}

/* The connection is suspended while the writer has it: its texts stay where they are. */
static enum MHD_Result answer(exchange *x)
{
    reply *out = &x->errand.reply;
    x->ready = true;
    api_answer(out, x->errand.app, &x->errand.request);
    if (out->wanted == REQUEST_FIRST && !out->n_records) return send_reply(x);
    x->job = (write_job){.records = out->records,
                         .count = out->n_records,
                         .prepare = out->wanted == REQUEST_WRITING ? errand_answer : NULL,
                         .done = out->wanted == REQUEST_AGAIN ? looked : committed,
                         .user = &x->errand};
    x->waiting = true;
    MHD_suspend_connection(x->connection);
    if (!writer_submit(x->http->setup.app->writer, &x->job)) committed(&x->job, SCDC_ERR_OUTPUT);
    return MHD_YES;
}

static enum MHD_Result process(exchange *x, const char *method, const char *path)
{
    if (x->too_large) {
        x->ready = true;
        reply_error(&x->errand.reply, 413, "too large");
        return send_reply(x);
    }
    if (x->errand.request.stage == REQUEST_FIRST)
        x->errand.request = (request){.method = strcmp(method, "HEAD") == 0 ? "GET" : method,
                                      .path = path,
                                      .token = bearer(x->connection),
                                      .body = x->body ? x->body : "",
                                      .size = x->size,
                                      .address = address_of(x)};
    return answer(x);
}

static void take_body(exchange *x, const char *bytes, size_t size)
{
    if (x->size + size > LARGEST_BODY) x->too_large = true;
    if (x->too_large) return;
    while (x->size + size + 1 > x->room)
        x->body = need_resize(x->body, x->room = x->room ? x->room * 2 : 1024, 1);
    memcpy(x->body + x->size, bytes, size);
    x->size += size;
    x->body[x->size] = '\0';
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    (void)version;
    exchange *x = *state;
    if (!x) {
        x = need_zeroed(1, sizeof *x);
        x->connection = connection;
        x->http = user;
        x->errand.app = x->http->setup.app;
        *state = x;
        return MHD_YES;
    }
    if (*upload_size) {
        if (x->too_large && (x->size += *upload_size) > MOST_WASTED) return MHD_NO;
        take_body(x, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    if (x->waiting) return MHD_YES;
    return x->ready ? send_reply(x) : process(x, method, url);
}

static void completed(void *user, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode why)
{
    (void)user;
    (void)connection;
    (void)why;
    exchange *x = *state;
    if (!x) return;
    reply_free(&x->errand.reply);
    free(x->body);
    free(x);
    *state = NULL;
}

/* ---- the socket ----------------------------------------------------------------------------- */

static int bad_address(const char *text)
{
    return server_fail(SCDC_ERR_ARGUMENT,
                       "--listen: '%s' is no ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080",
                       text);
}

static int parse_address(struct sockaddr_storage *out, socklen_t *size, const char *text)
{
    char host[64];
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof host) return bad_address(text);
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    char *end;
    unsigned long port = strtoul(colon + 1, &end, 10);
    if (colon[1] < '0' || colon[1] > '9' || *end || port > 65535) return bad_address(text);
    memset(out, 0, sizeof *out);
    size_t length = strlen(host);
    if (host[0] == '[' && host[length - 1] == ']') {
        struct sockaddr_in6 *a = (void *)out;
        host[length - 1] = '\0';
        a->sin6_family = AF_INET6;
        a->sin6_port = htons((uint16_t)port);
        *size = sizeof *a;
        return inet_pton(AF_INET6, host + 1, &a->sin6_addr) == 1 ? SCDC_OK : bad_address(text);
    }
    struct sockaddr_in *a = (void *)out;
    a->sin_family = AF_INET;
    a->sin_port = htons((uint16_t)port);
    *size = sizeof *a;
    if (strcmp(host, "localhost") == 0) snprintf(host, sizeof host, "127.0.0.1");
    return inet_pton(AF_INET, host, &a->sin_addr) == 1 ? SCDC_OK : bad_address(text);
}

static int open_socket(http *h)
{
    struct sockaddr_storage address;
    socklen_t size;
    const int on = 1;
    SERVER_TRY(parse_address(&address, &size, h->setup.listen));
    h->socket = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (h->socket < 0) return server_fail(SCDC_ERR_OUTPUT, "no socket: %s", strerror(errno));
    setsockopt(h->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(h->socket, (void *)&address, size) != 0 || listen(h->socket, BACKLOG) != 0 ||
        getsockname(h->socket, (void *)&address, &size) != 0)
        return server_fail(SCDC_ERR_OUTPUT, "--listen %s: %s", h->setup.listen, strerror(errno));
    char text[INET6_ADDRSTRLEN];
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *a = (const void *)&address;
        inet_ntop(AF_INET6, &a->sin6_addr, text, sizeof text);
        snprintf(h->host, sizeof h->host, "[%.45s]", text);
        h->port = ntohs(a->sin6_port);
    } else {
        const struct sockaddr_in *a = (const void *)&address;
        inet_ntop(AF_INET, &a->sin_addr, h->host, INET_ADDRSTRLEN);
        h->port = ntohs(a->sin_port);
    }
    return SCDC_OK;
}

/* ---- the daemon ----------------------------------------------------------------------------- */

static int read_pem(char **out, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return server_fail(SCDC_ERR_INPUT, "%s: %s", path, strerror(errno));
    enum { LARGEST = 1 << 20 };
    char *text = need_zeroed(LARGEST + 1, 1);
    size_t size = fread(text, 1, LARGEST, f);
    fclose(f);
    if (!strstr(text, "-----BEGIN")) {
        free(text);
        return server_fail(SCDC_ERR_INPUT, "%s: is no PEM file", path);
    }
    *out = need_resize(text, size + 1, 1);
    return SCDC_OK;
}

int http_serve(http *h)
{
    const http_setup *s = &h->setup;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem options[12];
    size_t n = 0;
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_LISTEN_SOCKET, h->socket, NULL};
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)s->threads, NULL};
    options[n++] =
        (struct MHD_OptionItem){MHD_OPTION_CONNECTION_LIMIT, (intptr_t)s->connections, NULL};
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, NULL};
    options[n++] =
        (struct MHD_OptionItem){MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, NULL};
    if (s->per_address)
        options[n++] = (struct MHD_OptionItem){MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                                               (intptr_t)s->per_address, NULL};
    if (h->cert) {
        flags |= MHD_USE_TLS;
        options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, h->cert};
        options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, h->key};
    }
    options[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    h->daemon = MHD_start_daemon(flags, 0, NULL, NULL, handle, h, MHD_OPTION_NOTIFY_COMPLETED,
                                 completed, NULL, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (h->daemon) return SCDC_OK;
    return server_fail(SCDC_ERR_OUTPUT, "the server does not start%s",
                       h->cert ? ": do --cert and --key belong together?" : "");
}

static int set_up(http *h)
{
    if (!h->setup.cert != !h->setup.key)
        return server_fail(SCDC_ERR_ARGUMENT, "--cert and --key need each other");
    if (h->setup.cert) {
        SERVER_TRY(read_pem(&h->cert, h->setup.cert));
        SERVER_TRY(read_pem(&h->key, h->setup.key));
    }
    return open_socket(h);
}

int http_bind(http **out, const http_setup *setup)
{
    http *h = need_zeroed(1, sizeof *h);
    h->setup = *setup;
    h->socket = -1;
    int status = set_up(h);
    if (status != SCDC_OK) {
        http_stop(h);
        return status;
    }
    *out = h;
    return SCDC_OK;
}

unsigned http_port(const http *h)
{
    return h->port;
}

const char *http_host(const http *h)
{
    return h->host;
}

void http_quiesce(http *h)
{
    if (!h->daemon) return;
    int listening = MHD_quiesce_daemon(h->daemon);
    if (listening >= 0) close(listening);
    h->socket = -1;
}

void http_stop(http *h)
{
    if (!h) return;
    if (h->daemon) MHD_stop_daemon(h->daemon); /* closes the socket unless quiesced */
    if (!h->daemon && h->socket >= 0) close(h->socket);
    free(h->cert);
    free(h->key);
    free(h);
}
