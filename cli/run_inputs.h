/* What questions and plans are made from: a RUN with its items and answers, or items alone. */
#ifndef SCDC_CLI_RUN_INPUTS_H
#define SCDC_CLI_RUN_INPUTS_H

#include "options.h"
#include "run_source.h"

typedef struct run_inputs {
    const char *data_path; /* given: where the items are now; NULL: as recorded */
    text_list annotations; /* given: the answers; none: those of the RUN */
    run_source source;     /* model, items, answers */
} run_inputs;

/* Opens what there is of `run`; `run` NULL: the items and answers given, no model. Returns an exit
 * code, having printed what is wrong. */
int run_inputs_open(run_inputs *in, const char *run);
void run_inputs_free(run_inputs *in);

#endif
