/* Group commit. */
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 4096 }; /* of one commit */

struct writer {
    store *store;
    board *board;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work;
    write_job *first, *last;
    bool stopping;
    size_t commits;
    char trouble[256];
    record *batch; /* borrowed from the jobs while they are written */
};

/* ---- one commit ----------------------------------------------------------------------------- */

static void finish(write_job *job, int status)
{
    for (size_t i = 0; i < job->count; i++) record_clear(&job->records[i]);
    job->done(job, status); /* the job may be gone now */
}

static int commit(writer *w, size_t count)
{
    int status = store_write(w->store, w->batch, count);
    if (status == SCDC_OK) {
        pthread_mutex_lock(&w->board->lock);
        for (size_t i = 0; i < count; i++) {
            int applied = board_apply(w->board, &w->batch[i]);
            if (status == SCDC_OK) status = applied;
        }
        pthread_mutex_unlock(&w->board->lock);
    }
    pthread_mutex_lock(&w->lock);
    w->commits += status == SCDC_OK;
    snprintf(w->trouble, sizeof w->trouble, "%s", status == SCDC_OK ? "" : server_error());
    pthread_mutex_unlock(&w->lock);
    return status;
}

static size_t gather(writer *w, const write_job *job, size_t count)
{
    memcpy(w->batch + count, job->records, job->count * sizeof *w->batch);
    return count + job->count;
}

/* Jobs from `first` to `end` (not included) as one commit, or one by one when a record of some job
 * is refused: it must not take the others with it. */
static void write_jobs(writer *w, write_job *first, write_job *end, size_t records)
{
    size_t count = 0;
    w->batch = need_resize(w->batch, records, sizeof *w->batch);
    for (write_job *job = first; job != end; job = job->next) count = gather(w, job, count);
    int status = commit(w, count);
    bool singly = status == SCDC_ERR_ARGUMENT && first->next != end;
    for (write_job *job = first, *next; job != end; job = next) {
        next = job->next;
        finish(job, singly ? commit(w, gather(w, job, 0)) : status);
    }
}

/* ---- the thread ----------------------------------------------------------------------------- */

static write_job *take_all(writer *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->first && !w->stopping) pthread_cond_wait(&w->work, &w->lock);
    write_job *jobs = w->first;
    w->first = w->last = NULL;
    pthread_mutex_unlock(&w->lock);
    return jobs;
}

static void *run(void *argument)
{
    writer *w = argument;
    for (write_job *jobs; (jobs = take_all(w));) {
        while (jobs) {
            write_job *end = jobs;
            size_t records = 0;
            for (; end && (records == 0 || records + end->count <= MOST_RECORDS); end = end->next)
                records += end->count;
            write_job *begin = jobs;
            jobs = end;
            write_jobs(w, begin, end, records);
        }
    }
    return NULL;
}

writer *writer_start(store *s, board *b)
{
    writer *w = need_zeroed(1, sizeof *w);
    w->store = s;
    w->board = b;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->work, NULL);
    if (pthread_create(&w->thread, NULL, run, w) != 0) {
        free(w);
        return NULL;
    }
    return w;
}

bool writer_submit(writer *w, write_job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&w->lock);
    bool open = !w->stopping;
    if (open) {
        *(w->last ? &w->last->next : &w->first) = job;
        w->last = job;
        pthread_cond_signal(&w->work);
    }
    pthread_mutex_unlock(&w->lock);
    return open;
}

void writer_close(writer *w)
{
    if (!w || w->stopping) return;
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
}

void writer_free(writer *w)
{
    if (!w) return;
    writer_close(w);
    pthread_cond_destroy(&w->work);
    pthread_mutex_destroy(&w->lock);
    free(w->batch);
    free(w);
}

/* ---- waiting -------------------------------------------------------------------------------- */

typedef struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    bool done;
    int status;
} waiter;

static void wake(write_job *job, int status)
{
    waiter *me = job->user;
    pthread_mutex_lock(&me->lock);
    me->status = status;
    me->done = true;
    pthread_cond_signal(&me->ready);
    pthread_mutex_unlock(&me->lock);
}

int writer_write(writer *w, record *records, size_t count)
{
    waiter me = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};
    write_job job = {.records = records, .count = count, .done = wake, .user = &me};
    if (!writer_submit(w, &job)) {
        for (size_t i = 0; i < count; i++) record_clear(&records[i]);
        return server_fail(SCDC_ERR_OUTPUT, "the server is stopping");
    }
    pthread_mutex_lock(&me.lock);
    while (!me.done) pthread_cond_wait(&me.ready, &me.lock);
    pthread_mutex_unlock(&me.lock);
    pthread_cond_destroy(&me.ready);
    pthread_mutex_destroy(&me.lock);
    if (me.status != SCDC_OK) {
        char text[256];
        writer_trouble(w, text, sizeof text);
        return server_fail(me.status, "%s", text);
    }
    return SCDC_OK;
}

size_t writer_commits(writer *w)
{
    pthread_mutex_lock(&w->lock);
    size_t commits = w->commits;
    pthread_mutex_unlock(&w->lock);
    return commits;
}

void writer_trouble(writer *w, char *out, size_t size)
{
    pthread_mutex_lock(&w->lock);
    snprintf(out, size, "%s", w->trouble);
    pthread_mutex_unlock(&w->lock);
}
