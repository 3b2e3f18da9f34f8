/* The thread that empties SQLite's log. */
#include "checkpoint.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

enum { MANY_PAGES = 2000, BUSY_MS = 2000 };

struct checkpointer {
    sqlite3 *db;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work;
    bool due, stopping;
};

/* Twice without holding up anybody: the second time little is left. The third waits for a moment
 * without writers, so that the log begins at its start again instead of growing. */
static void empty_log(checkpointer *c)
{
    static const int ways[] = {SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_PASSIVE,
                               SQLITE_CHECKPOINT_RESTART};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        /* A failure (a full disk) leaves the log as it is: nothing is lost, the next time helps. */
        if (sqlite3_wal_checkpoint_v2(c->db, NULL, ways[i], NULL, NULL) != SQLITE_OK) return;
    }
}

static void *run(void *argument)
{
    checkpointer *c = argument;
    pthread_mutex_lock(&c->lock);
    while (!c->stopping) {
        if (!c->due) {
            pthread_cond_wait(&c->work, &c->lock);
            continue;
        }
        c->due = false;
        pthread_mutex_unlock(&c->lock);
        empty_log(c);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

checkpointer *checkpointer_start(const char *path)
{
    checkpointer *c = need_zeroed(1, sizeof *c);
    if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK) {
        sqlite3_close(c->db);
        free(c);
        return NULL;
    }
    sqlite3_busy_timeout(c->db, BUSY_MS);
    sqlite3_exec(c->db, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    if (pthread_create(&c->thread, NULL, run, c) == 0) return c;
    sqlite3_close(c->db);
    free(c);
    return NULL;
}

void checkpointer_tell(checkpointer *c, int pages)
{
    if (pages < MANY_PAGES) return;
    pthread_mutex_lock(&c->lock);
    c->due = true;
    pthread_cond_signal(&c->work);
    pthread_mutex_unlock(&c->lock);
}

void checkpointer_stop(checkpointer *c)
{
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->stopping = true;
    pthread_cond_signal(&c->work);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    sqlite3_close(c->db);
    pthread_cond_destroy(&c->work);
    pthread_mutex_destroy(&c->lock);
    free(c);
}
