/* The finished runs of an experiment: a row each in runs.csv, appended and synced, so that whatever
 * happens later only the run at hand is lost. Knows nothing of what is run. */
#ifndef SCDC_REPRODUCE_RUNS_H
#define SCDC_REPRODUCE_RUNS_H

#include "reproduce/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNS_FILE "runs.csv"
enum { RUN_TEXT = 24, RUN_MOST_WEIGHTS = 8 };

/* What is measured of a run. NaN: not measured. */
typedef enum run_field {
    RUN_ACC,
    RUN_NMI,
    RUN_AMI,
    RUN_ARI,
    RUN_CLUSTERS,
    RUN_LARGE_CLUSTERS, /* of 5 items or more */
    RUN_EPOCHS,
    RUN_SECONDS,
    RUN_SECONDS_PER_EPOCH,
    RUN_HELD_OUT_ACC,
    RUN_HELD_OUT_NMI,
    RUN_FIELDS
} run_field;

/* Names a run. */
typedef struct run_key {
    char method[RUN_TEXT], recipe[RUN_TEXT], setting[RUN_TEXT];
    uint64_t seed;
    size_t epochs; /* that make it another run; 0: any number */
} run_key;

typedef struct run_row {
    run_key key;
    double value[RUN_FIELDS];
    size_t n_weights; /* of workers */
    double weight[RUN_MOST_WEIGHTS];
} run_row;

typedef struct runs {
    char *path;
    char experiment[RUN_TEXT];
    run_row *rows;
    size_t count, capacity;
} runs;

run_key run_key_of(const char *method, const char *recipe, const char *setting, uint64_t seed,
                   size_t epochs);
/* "bayes, default, answers, seed 3" */
void run_key_text(char *out, size_t size, const run_key *key);
/* A row of this run with nothing measured yet. */
run_row run_row_of(const run_key *key);

/* Reads folder/runs.csv, or makes it. A last row that was cut off is dropped; a row that cannot be
 * read and a row of another experiment are refused. */
int runs_open(runs *out, const char *folder, const char *experiment);
void runs_close(runs *runs);
/* Keeps a row: in the file and synced, or an error and the file as it was. */
int runs_append(runs *runs, const run_row *row);

/* NULL when there is no such run. */
const run_row *runs_find(const runs *runs, const run_key *key);
/* Is this row one of the runs that `key` names, whatever their seed? */
bool runs_alike(const run_row *row, const run_key *key);
/* Over all seeds. */
stats runs_stats(const runs *runs, const run_key *key, run_field field);

#endif
