/* The items and answers of a RUN, read again from where its fit found them. */
#ifndef SCDC_CLI_RUN_INPUTS_H
#define SCDC_CLI_RUN_INPUTS_H

#include "options.h"

#include <scdc/scdc.h>

typedef struct run_inputs {
    const char *data_path; /* given: where the items are now; NULL: as recorded */
    text_list annotations; /* given: the answers; none: as recorded */
    scdc_model *model;
    scdc_data *data;
    scdc_crowd *crowd; /* NULL: the fit had none */
    char **owned;      /* paths */
    size_t n_owned;
} run_inputs;

/* Opens model, items and answers of `run`; `run` NULL: the items and answers given, no model.
 * Returns an exit code, having printed what is wrong. */
int run_inputs_open(run_inputs *in, const char *run);
void run_inputs_free(run_inputs *in);

#endif
