/* What a finished RUN was made from, as its run.json tells: the model, the items (of the fit, and
 * those that updates added), all answers so far, and the labels. */
#ifndef SCDC_CLI_RUN_SOURCE_H
#define SCDC_CLI_RUN_SOURCE_H

#include "run_record.h"

typedef struct run_source {
    const char *run;
    json_t *json; /* run.json */
    scdc_model *model;
    scdc_model_info info;
    scdc_data *data;
    scdc_crowd *crowd;  /* NULL: there were no answers */
    fit_outcome labels; /* labels.csv, when it was asked for */
    scdc_data *table;
} run_source;

/* Opens the model and what run.json tells of. The items must be those of the run. Returns an exit
 * code. */
int run_source_open(run_source *out, const char *run);
/* Also RUN/labels.csv. Returns an exit code. */
int run_source_labels(run_source *s);
void run_source_free(run_source *s);
/* The items alone, of `run` and `json`. Returns an exit code. */
int run_items_open(scdc_data **out, const run_source *s);

/* A path that run.json tells, from the directory that it was relative to; freed by the caller. */
char *run_recorded_path(const json_t *json, const json_t *path);
/* Whether RUN keeps its answers (RUN/answers.csv): runs of older versions do not. */
bool run_has_answers(const char *run);

#endif
