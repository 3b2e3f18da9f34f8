/* Group commit, and keeping up with others. */
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_RECORDS = 4096, /* of one commit, or little more */
    LOOK_MS = 250        /* between two looks at what others wrote */
};

struct writer {
    store *store;
    board *board;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work;
    write_job *first, *last;
    bool stopping, leads;
    bool shared;
    int64_t looked, asked; /* when the board last knew all that others wrote; when it was last asked
                              who leads */
    size_t commits;
    char trouble[256];
    record *batch; /* borrowed from the jobs while they are written */
};

/* ---- one commit ----------------------------------------------------------------------------- */

/* From the store to the board. */
static int take_others(const record *r, void *user)
{
    writer *w = user;
    pthread_mutex_lock(&w->board->lock);
    int status = board_apply(w->board, r);
    pthread_mutex_unlock(&w->board->lock);
    return status;
}

static void note(writer *w, int status, bool committed)
{
    pthread_mutex_lock(&w->lock);
    w->commits += committed && status == SCDC_OK;
    snprintf(w->trouble, sizeof w->trouble, "%s", status == SCDC_OK ? "" : server_error());
    if (status != SCDC_OK && w->shared) w->leads = false;
    pthread_mutex_unlock(&w->lock);
}

/* Numbers and names of new workers are free again when their records were not kept. */
static void forget_workers(writer *w, const write_job *job)
{
    pthread_mutex_lock(&w->board->lock);
    for (size_t i = 0; i < job->count; i++) {
        if (job->records[i].kind == RECORD_WORKER) board_forget_worker(w->board, &job->records[i]);
    }
    pthread_mutex_unlock(&w->board->lock);
}

static void finish(writer *w, write_job *job, int status)
{
    if (status != SCDC_OK) forget_workers(w, job);
    for (size_t i = 0; i < job->count; i++) record_clear(&job->records[i]);
    job->done(job, status); /* the job may be gone now */
}

/* The records of the jobs from `first` to `end` (not included) side by side; how many. */
static size_t gather(writer *w, write_job *first, const write_job *end)
{
    size_t count = 0;
    for (const write_job *job = first; job != end; job = job->next) count += job->count;
    w->batch = need_resize(w->batch, count, sizeof *w->batch);
    count = 0;
    for (const write_job *job = first; job != end; job = job->next) {
        if (job->count) memcpy(w->batch + count, job->records, job->count * sizeof *w->batch);
        count += job->count;
    }
    return count;
}

static int apply_own(writer *w, size_t count)
{
    int status = SCDC_OK;
    pthread_mutex_lock(&w->board->lock);
    for (size_t i = 0; i < count; i++) {
        int applied = board_apply(w->board, &w->batch[i]);
        if (status == SCDC_OK) status = applied;
    }
    pthread_mutex_unlock(&w->board->lock);
    return status;
}

static int commit(writer *w, write_job *first, const write_job *end)
{
    size_t count = 0;
    int status = store_begin(w->store, take_others, w);
    if (status == SCDC_OK) {
        for (write_job *job = first; job != end; job = job->next) {
            if (!job->prepare) continue;
            forget_workers(w, job); /* of a first try */
            job->prepare(job);
        }
        count = gather(w, first, end);
        status = store_commit(w->store, w->batch, count);
    }
    if (status == SCDC_OK) status = apply_own(w, count);
    note(w, status, count > 0);
    w->looked = clock_steady();
    return status;
}

/* What nobody has to write for: the board is to know what others wrote. */
static int look(writer *w)
{
    int status = store_follow(w->store, take_others, w);
    note(w, status, false);
    w->looked = clock_steady();
    return status;
}

/* Jobs from `first` to `end` (not included) as one commit, or one by one when a record of some job
 * is refused: it must not take the others with it. */
static void write_jobs(writer *w, write_job *first, const write_job *end)
{
    bool writes = false;
    for (const write_job *job = first; job != end; job = job->next)
        writes = writes || job->count || job->prepare;
    int status = writes ? commit(w, first, end) : look(w);
    bool singly = status == SCDC_ERR_ARGUMENT && first->next != end;
    for (write_job *job = first, *next; job != end; job = next) {
        next = job->next;
        finish(w, job, singly ? commit(w, job, next) : status);
    }
}

/* ---- the thread ----------------------------------------------------------------------------- */

static void wait_for_work(writer *w)
{
    struct timespec until;
    if (!w->shared) {
        pthread_cond_wait(&w->work, &w->lock);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&w->work, &w->lock, &until);
}

/* All jobs that wait; none when it is time to look what others do, or to end. */
static write_job *take_all(writer *w, bool *ending)
{
    pthread_mutex_lock(&w->lock);
    if (!w->first && !w->stopping) wait_for_work(w);
    write_job *jobs = w->first;
    w->first = w->last = NULL;
    *ending = !jobs && w->stopping;
    pthread_mutex_unlock(&w->lock);
    return jobs;
}

static void keep_up(writer *w)
{
    int64_t now = clock_steady();
    if (!w->shared) return;
    if (now - w->looked >= LOOK_MS && look(w) != SCDC_OK) return;
    if (now - w->asked < LOOK_MS) return;
    w->asked = now;
    bool leads = store_lead(w->store);
    pthread_mutex_lock(&w->lock);
    w->leads = leads;
    pthread_mutex_unlock(&w->lock);
}

static void *run(void *argument)
{
    writer *w = argument;
    bool ending = false;
    while (!ending) {
        write_job *jobs = take_all(w, &ending);
        while (jobs) {
            write_job *end = jobs, *begin = jobs;
            size_t records = 0;
            for (; end && records < MOST_RECORDS; end = end->next) records += end->count + 1;
            jobs = end;
            write_jobs(w, begin, end);
        }
        if (!ending) keep_up(w);
    }
    return NULL;
}

writer *writer_start(store *s, board *b)
{
    writer *w = need_zeroed(1, sizeof *w);
    w->store = s;
    w->board = b;
    w->shared = store_is_shared(s);
    w->leads = !w->shared;
    w->looked = w->asked = clock_steady() - LOOK_MS;
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
    waiter *me = job->waiter;
    pthread_mutex_lock(&me->lock);
    me->status = status;
    me->done = true;
    pthread_cond_signal(&me->ready);
    pthread_mutex_unlock(&me->lock);
}

int writer_run(writer *w, write_job *job)
{
    waiter me = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};
    job->done = wake;
    job->waiter = &me;
    if (!writer_submit(w, job)) return server_fail(SCDC_ERR_OUTPUT, "the server is stopping");
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

int writer_write(writer *w, record *records, size_t count)
{
    write_job job = {.records = records, .count = count};
    int status = writer_run(w, &job);
    for (size_t i = 0; i < count; i++) record_clear(&records[i]);
    return status;
}

bool writer_leads(writer *w)
{
    pthread_mutex_lock(&w->lock);
    bool leads = w->leads;
    pthread_mutex_unlock(&w->lock);
    return leads;
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
