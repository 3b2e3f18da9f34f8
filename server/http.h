/* HTTP by libmicrohttpd: connections, limits, headers, and waiting for commits without holding a
 * thread. */
#ifndef SCDC_SERVER_HTTP_H
#define SCDC_SERVER_HTTP_H

#include "api.h"

typedef struct http http;

typedef struct http_setup {
    app *app;
    const char *listen;     /* ADDRESS:PORT; port 0 takes a free one */
    const char *cert, *key; /* PEM files, or NULL */
    size_t connections, per_address, threads;
    bool proxied;
} http_setup;

/* Takes the address, then answers: in between the address is known. */
int http_bind(http **out, const http_setup *setup);
int http_serve(http *h);
unsigned http_port(const http *h);
/* "127.0.0.1" or "[::1]": as it stands in an address. */
const char *http_host(const http *h);
/* No new connections; those at work are finished by `http_stop`, after the writer has stopped. */
void http_quiesce(http *h);
void http_stop(http *h);

#endif
