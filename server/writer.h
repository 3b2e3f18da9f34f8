/* The one thread that writes: takes everything that waits, commits it at once, puts it on the
 * board, and only then tells those who wait. */
#ifndef SCDC_SERVER_WRITER_H
#define SCDC_SERVER_WRITER_H

#include "board.h"
#include "store.h"

typedef struct writer writer;

typedef struct write_job {
    record *records; /* belong to the job, cleared when it is done */
    size_t count;
    /* Called from the writer's thread: SCDC_OK when all records are on disk, else none is. */
    void (*done)(struct write_job *job, int status);
    void *user;
    struct write_job *next; /* the writer's */
} write_job;

writer *writer_start(store *s, board *b);
/* The job must live until `done`. False when the writer is closed: then `done` is not called. */
bool writer_submit(writer *w, write_job *job);
/* Waits for its own commit. Frees nothing but clears the records. */
int writer_write(writer *w, record *records, size_t count);
/* Finishes what waits and takes nothing more. */
void writer_close(writer *w);
void writer_free(writer *w);
/* Commits so far, and the last failure ("" when writing works). */
size_t writer_commits(writer *w);
void writer_trouble(writer *w, char *out, size_t size);

#endif
