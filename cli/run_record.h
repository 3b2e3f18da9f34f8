/* What a fit leaves in its RUN directory: model, record of epochs, labels, workers, run.json. */
#ifndef SCDC_CLI_RUN_RECORD_H
#define SCDC_CLI_RUN_RECORD_H

#include "fit_inputs.h"
#include "run_dir.h"

#include <time.h>
#include <scdc/calibration.h>

/* What became of the items. */
typedef struct fit_outcome {
    scdc_model_info info;
    double bound; /* of the last complete epoch; NaN before the first */
    /* Per item; NULL before they were placed, as sizes. */
    int64_t *labels, *component;
    double *probability;
    size_t *sizes;    /* items per cluster */
    int64_t *numbers; /* of the clusters, increasing */
    bool scored;
    scdc_scores scores;
    scdc_calibration calibration;
} fit_outcome;

/* What the model tells by itself. Returns an exit code. */
int fit_outcome_begin(fit_outcome *out, const scdc_model *model);
/* Places the items and counts them; scores them when there is truth. Returns an exit code. */
int fit_outcome_place(fit_outcome *out, const scdc_model *model, const fit_inputs *in);
/* The part that processes beside the first have in it. */
int fit_outcome_help(const scdc_model *model, const fit_inputs *in);
/* The position of the cluster with this number; info.clusters: none has it. */
size_t fit_outcome_cluster(const fit_outcome *o, int64_t number);
void fit_outcome_free(fit_outcome *o);
/* Epochs, bound, clusters with sizes, components, scores. */
json_t *fit_outcome_json(const fit_outcome *o, const scdc_model *model);

typedef struct run_record {
    const run_dir *dir;
    const fit_inputs *in;
    const char *command; /* "fit" or "demo" */
    int argc;            /* words after it */
    char **argv;
    json_t *restarts;      /* what each of several starts came to; NULL with one start */
    time_t started;        /* of the first part */
    double begun, earlier; /* clock at the start of this part; seconds of the parts before */
    bool timings;          /* the stages of this part are to be told */
    size_t processes;      /* that shared it; 0 or 1: none did */
    uint64_t sent;         /* bytes that this one gave to the others */
} run_record;

void run_record_begin(run_record *r, const run_dir *dir, const fit_inputs *in, const char *name,
                      int argc, char **argv);
/* Told of every complete epoch: keeps the last one of each start. */
void run_record_epoch(run_record *r, const scdc_progress *progress);
void run_record_free(run_record *r);
double run_record_seconds(const run_record *r);
/* run.json. `outcome` is NULL while the fit runs. Returns an exit code. */
int run_record_save(const run_record *r, const char *status, const scdc_options *options,
                    const fit_outcome *outcome, const scdc_model *model);

/* The files beside it. Each returns an exit code. */
int run_save_model(const run_dir *dir, const scdc_model *model);
int run_save_workers(const run_dir *dir, const scdc_model *model, size_t count);
/* Places the items on the way. */
int run_save_labels(fit_outcome *outcome, const run_dir *dir, const scdc_model *model,
                    const fit_inputs *in);
/* All answers, for updates; none: no file. */
int run_save_answers(const run_dir *dir, const fit_inputs *in);
/* What is known of many items, for updates; of few, updates begin components anew: no file. */
enum { ITEMS_WORTH_KEEPING = 10000 };
int run_save_items(const run_dir *dir, const scdc_model *model, const fit_inputs *in);

/* What an update added. */
typedef struct run_update {
    const json_t *from; /* run.json before */
    const fit_inputs *in;
    text_list annotations;
    json_t *fingerprints;   /* of these files */
    const scdc_crowd *news; /* or NULL */
    const char *more_path;  /* or NULL */
    const scdc_data *more;
    size_t epochs;
    int argc;
    char **argv;
} run_update;
/* run.json after it. Returns an exit code. */
int run_record_update(const run_dir *dir, const run_update *u, const fit_outcome *outcome,
                      const scdc_model *model, size_t changed);

#endif
