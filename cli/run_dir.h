/* The RUN directory of a fit: whose it is, its lock, and where its files are. What the files hold
 * is told by run_record.h. */
#ifndef SCDC_CLI_RUN_DIR_H
#define SCDC_CLI_RUN_DIR_H

#include <jansson.h>
#include <scdc/scdc.h>
#include <stdbool.h>
#include <stdio.h>

#define RUN_MODEL "model.safetensors"
#define RUN_LABELS "labels.csv"
#define RUN_WORKERS "workers.csv"
#define RUN_LOG "log.jsonl"
#define RUN_JSON "run.json"
#define RUN_REPORT "report.html"
#define RUN_ANSWERS "answers.csv"
#define RUN_CHANGES "changes.csv"
#define RUN_KNOWN "worker-prior.csv"
#define RUN_ITEMS "items.safetensors"

typedef struct run_dir {
    const char *path;
    json_t *earlier; /* run.json of an earlier fit, or NULL */
    bool has_model;
    bool existed;
    int lock; /* descriptor of the directory, -1 before it is claimed */
} run_dir;

/* Whether a fit may start (or resume) in `path`; touches nothing. Returns an exit code. */
int run_dir_look(run_dir *out, const char *path, bool resume);
/* Was a fit killed there before it saved a model? */
bool run_dir_begins_anew(const run_dir *dir);
/* Makes the directory where it is missing and keeps other fits out. Returns an exit code. */
int run_dir_claim(run_dir *dir, bool resume);
/* For a command whose runs may be replaced by its next one: makes `path` ours unless it holds
 * anything else. Returns an exit code. */
int run_dir_replace(run_dir *out, const char *path, const char *made_by);
/* For a command that goes on with what it finds: makes `path` ours when it is missing, empty, or
 * holds a file `mark`. Returns an exit code. */
int run_dir_share(run_dir *out, const char *path, const char *mark, const char *maker);
/* After a fit that left nothing: takes back what claiming made. */
void run_dir_undo(run_dir *dir);
/* Lets go of the directory. Safe on a zeroed struct. */
void run_dir_free(run_dir *dir);

/* RUN/name; freed by the caller. */
char *run_path(const char *run, const char *name);
/* RUN/name for reading; NULL when it is missing or no ordinary file (a device may not end). */
FILE *run_open(const char *run, const char *name);
/* The model of a RUN directory, or a model file itself. Returns an exit code. */
int open_model(scdc_model **out, const char *run);

#endif
