/* The one thread that writes: takes everything that waits, commits it at once, puts it on the
 * board, and only then tells those who wait. Where servers share a store it also puts on the board
 * what the others wrote: before every commit of its own, and several times a second. */
#ifndef SCDC_SERVER_WRITER_H
#define SCDC_SERVER_WRITER_H

#include "board.h"
#include "store.h"

typedef struct writer writer;

typedef struct write_job {
    record *records; /* belong to the job, cleared when it is done */
    size_t count;
    /* May be NULL. Called from the writer's thread when the board knows everything that is in the
     * store and nobody else can write: sets `records` by what it finds. Called again when the job
     * has to be written again. */
    void (*prepare)(struct write_job *job);
    /* Called from the writer's thread: SCDC_OK when all records are on disk, else none is. */
    void (*done)(struct write_job *job, int status);
    void *user;
    void *waiter; /* the writer's, like what follows */
    struct write_job *next;
} write_job;

writer *writer_start(store *s, board *b);
/* The job must live until `done`. False when the writer is closed: then `done` is not called. A job
 * without records and `prepare` is done when the board knows what others wrote. */
bool writer_submit(writer *w, write_job *job);
/* Waits until the job is done, whose `done` is the writer's. */
int writer_run(writer *w, write_job *job);
/* Waits for its own commit. Frees nothing but clears the records. */
int writer_write(writer *w, record *records, size_t count);
/* Whether this server makes tasks and fits for all that share the store (store_lead). */
bool writer_leads(writer *w);
/* Finishes what waits and takes nothing more. */
void writer_close(writer *w);
void writer_free(writer *w);
/* Commits so far, and the last failure ("" when writing works). */
size_t writer_commits(writer *w);
void writer_trouble(writer *w, char *out, size_t size);

#endif
