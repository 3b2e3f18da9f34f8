/* The watcher of a thread's calls. */
#include "base/watch.h"
#include "base/status.h"

static _Thread_local watcher current;

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
    if (!current.watch) return SCDC_OK;
    scdc_work work = {.what = what, .done = done, .total = total};
    if (current.watch(&work, current.user) == 0) return SCDC_OK;
    return fail_with(SCDC_ERR_STOPPED, "stopped while %s, %zu of %zu done", what, done, total);
}
