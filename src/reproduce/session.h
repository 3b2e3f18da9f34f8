/* An experiment at work: its jobs, what is finished, progress. One generic runner for all of them.
 *
 * An experiment is a table of functions: it opens its data, lists its jobs, runs one, and tells the
 * results from the rows. A job is one fit or one run of another method. */
#ifndef SCDC_REPRODUCE_SESSION_H
#define SCDC_REPRODUCE_SESSION_H

#include "reproduce/result.h"
#include "reproduce/runs.h"

#include <scdc/reproduce.h>

typedef struct session session;

typedef struct experiment {
    const char *name, *title;
    size_t seeds, quick_seeds; /* runs of each setting */
    bool epochs;               /* looks at the number of epochs asked for */
    int (*open)(session *s);   /* sets s->state; what it leaves there is closed on failure, too */
    void (*close)(session *s);
    int (*plan)(session *s, uint64_t seed);
    int (*run)(run_row *out, session *s); /* s->job */
    int (*tell)(result *out, session *s);
} experiment;

extern const experiment experiment_pinwheel, experiment_face, experiment_mnist, experiment_cifar10;

/* A planned run, and what finished runs say of its time. */
typedef struct session_job {
    run_key key;
    bool finished;
    stats alike;       /* seconds of runs that differ only in the seed */
    stats same_method; /* ... and in the setting */
} session_job;

struct session {
    const experiment *experiment;
    const scdc_reproduction *asked;
    void *state; /* of the experiment */
    runs runs;
    session_job *jobs;
    size_t n_jobs, capacity;
    bool *word_used; /* [asked->n_only] */
    /* The job at hand. */
    run_key job;
    scdc_reproduction_fn progress;
    void *user;
    size_t number;
    double begun;      /* when it began, seconds */
    double expected;   /* what it takes, or NaN */
    double left_after; /* what those after it take, or NaN */
};

/* For experiments: plans a job unless only others were asked for. */
int session_add(session *s, run_key job);
/* While a job runs: `share` of it is done. SCDC_ERR_STOPPED when the caller wants to stop. */
int session_progress(session *s, double share);
/* folder/name; freed by the caller. NULL: out of memory (set). */
char *session_path(const session *s, const char *name);

/* Runs what is not finished yet. SCDC_ERR_STOPPED when asked to stop; finished runs are kept. */
int session_run(session *s);

#endif
