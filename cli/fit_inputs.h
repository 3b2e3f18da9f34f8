/* What a fit reads: items, answers, and true classes for the scores at the end. */
#ifndef SCDC_CLI_FIT_INPUTS_H
#define SCDC_CLI_FIT_INPUTS_H

#include "options.h"

#include <jansson.h>
#include <scdc/scdc.h>

typedef struct fit_inputs {
    const char *data_path, *truth_path; /* truth_path may be NULL */
    text_list annotations;
    const char *known_path; /* workers.csv of an earlier run, or NULL */
    const char *show_path;  /* folder with pictures of the items, or NULL */
    scdc_data *data;
    scdc_crowd *crowd; /* NULL without annotations */
    scdc_labels *truth;
    scdc_data_info items;
    scdc_crowd_info answers; /* zeros without annotations */
} fit_inputs;

/* Opens what the paths name. Returns an exit code. */
int fit_inputs_open(fit_inputs *in);
void fit_inputs_free(fit_inputs *in);

/* Paths, sizes and checksums, for run.json. */
json_t *fit_inputs_json(const fit_inputs *in);
/* The same of some items; of all answers, which came from these paths (taken over). */
json_t *fit_data_json(const scdc_data *data, const char *path);
json_t *fit_answers_json(const fit_inputs *in, json_t *paths);
/* Whether the inputs are those an earlier run.json tells of. Returns an exit code. */
int fit_inputs_agree(const fit_inputs *in, const json_t *earlier);

#endif
