/* The names of a folder's files. */
#ifndef SCDC_DATA_LISTING_H
#define SCDC_DATA_LISTING_H

#include <stddef.h>

typedef struct listing {
    const char *path; /* borrowed */
    char **name;      /* [count], sorted by strcmp */
    size_t count, capacity;
} listing;

/* All names but hidden ones. Freed also after a failure. */
int listing_read(listing *out, const char *path);
void listing_free(listing *l);

#endif
