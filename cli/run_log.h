/* RUN/log.jsonl: a line for every epoch, written when the epoch is complete. The only file that
 * tells how long each took. */
#ifndef SCDC_CLI_RUN_LOG_H
#define SCDC_CLI_RUN_LOG_H

#include "run_dir.h"

#include <stdio.h>

typedef struct run_log {
    const char *run;
    FILE *stream;    /* open from the first epoch on */
    double *seconds; /* of the epochs of earlier parts */
    size_t earlier;  /* epochs of earlier parts */
    long begun;      /* bytes of their lines */
    size_t restart;  /* which start the lines are about */
    bool failed;     /* a line could not be written: no more until the end */
} run_log;

/* `model` is what a resumed fit goes on with, or NULL: the log then keeps the lines of its epochs
 * and of no others. Returns an exit code. */
int run_log_begin(run_log *log, const char *run, const scdc_model *model);
/* Adds a line for an epoch that is complete (progress->done); a new start begins anew. False, with
 * errno set, the first time that this fails. */
bool run_log_epoch(run_log *log, const scdc_progress *progress);
/* The whole log of the model that was kept, in place of what was written on the way. Returns an
 * exit code. */
int run_log_end(run_log *log, const scdc_model *model);
/* After a fit whose model was not saved: only earlier parts stay. */
void run_log_undo(run_log *log);
void run_log_free(run_log *log);

/* Seconds of each of `epochs` epochs, NaN where RUN/log.jsonl does not tell; freed by the caller.
 */
double *run_log_seconds(const char *run, size_t epochs);

#endif
