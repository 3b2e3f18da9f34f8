/* C part of the Python package: the progress of a fit, seen from Python now and then only.
 *
 * The library calls after every minibatch, thousands of times a second for small data. Going into
 * Python that often would cost more than the minibatch, so Python is called a few times a second
 * (which is also when it notices Ctrl-C), and whenever an epoch is complete and somebody watches.

 * python:begin
typedef struct watch {
    double every;
    double last;
    int epochs;
    void *owner;
    ...;
} watch;
int watch_progress(const scdc_progress *progress, void *user);
extern "Python" int watch_tell(const scdc_progress *progress, void *user);
python:end */
#include <time.h>

typedef struct watch {
    double every; /* seconds between two calls of Python */
    double last;
    int epochs;  /* 1: also at the end of every epoch */
    void *owner; /* a Python object */
} watch;

static int watch_tell(const scdc_progress *progress, void *user);

static int watch_progress(const scdc_progress *progress, void *user)
{
    watch *w = (watch *)user;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (now - w->last < w->every && !(w->epochs && progress->done)) return 0;
    w->last = now;
    return watch_tell(progress, user);
}
