/* The files of the page, put into the program when it is built (tools/embed). */
#ifndef SCDC_SERVER_ASSETS_H
#define SCDC_SERVER_ASSETS_H

#include <stddef.h>

typedef struct asset {
    const char *name; /* "worker.html" */
    const char *type;
    const char *etag;
    const unsigned char *bytes;
    size_t size;
} asset;

extern const asset assets[];
extern const size_t n_assets;

#endif
