/* The watcher of a thread's calls. */
#include "base/watch.h"
#include "base/status.h"

#include <stdbool.h>

static _Thread_local watcher current;
static _Thread_local bool asking; /* a watcher may make calls of its own, which nobody watches */

watcher watch_by(watcher next)
{
    watcher before = current;
    current = next;
    return before;
}

void scdc_watch(scdc_watch_fn watch, void *user)
{
    watch_by((watcher){watch, user});
}

int watch_tick(const char *what, size_t done, size_t total)
{
    if (!current.watch || asking) return SCDC_OK;
    scdc_work work = {.what = what, .done = done, .total = total};
    asking = true;
    int stop = current.watch(&work, current.user);
    asking = false;
    if (!stop) return SCDC_OK;
    return fail_with(SCDC_ERR_STOPPED, "stopped while %s, %zu of %zu done", what, done, total);
}
