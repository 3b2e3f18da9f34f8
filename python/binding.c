/* C part of the Python package: long calls, seen from Python now and then only.
 *
 * The library calls back after every minibatch, thousands of times a second for small data. Going
 * into Python that often would cost more than the minibatch, so Python is called a few times a
 * second (which is also when it notices Ctrl-C), and whenever an epoch is complete and somebody
 * watches.

 * python:begin
typedef struct watch {
    double every;
    double last;
    int epochs;
    void *owner;
    ...;
} watch;
int watch_progress(const scdc_progress *progress, void *user);
int watch_work(const scdc_work *work, void *user);
extern "Python" int watch_tell(const scdc_progress *progress, void *user);
extern "Python" int watch_look(const scdc_work *work, void *user);
python:end */
#include <time.h>

typedef struct watch {
    double every; /* seconds between two calls of Python */
    double last;
    int epochs;  /* 1: also at the end of every epoch */
    void *owner; /* a Python object */
} watch;

static int watch_tell(const scdc_progress *progress, void *user);
static int watch_look(const scdc_work *work, void *user);

/* Is it time to call Python? */
static int watch_due(watch *w)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (now - w->last < w->every) return 0;
    w->last = now;
    return 1;
}

static int watch_progress(const scdc_progress *progress, void *user)
{
    watch *w = (watch *)user;
    int due = watch_due(w) || (w->epochs && progress->done);
    return due ? watch_tell(progress, user) : 0;
}

static int watch_work(const scdc_work *work, void *user)
{
    return watch_due((watch *)user) ? watch_look(work, user) : 0;
}
