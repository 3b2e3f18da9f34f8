/* Long calls tell the thread that called how far they are, and it can stop them. */
#ifndef SCDC_BASE_WATCH_H
#define SCDC_BASE_WATCH_H

#include <scdc/scdc.h>

typedef struct watcher {
    scdc_watch_fn watch; /* NULL: nobody */
    void *user;
} watcher;

/* Who watches this thread's calls from now on; returns who did before. */
watcher watch_by(watcher next);

/* Whatever may take long says so often, on the thread that called: `done` of `total` parts (0: not
 * known) of `what`. SCDC_ERR_STOPPED when the watcher wants to stop. */
int watch_tick(const char *what, size_t done, size_t total);

#endif
