/* What `scdc fit` prints on stdout when it is done. */
#ifndef SCDC_CLI_FIT_SUMMARY_H
#define SCDC_CLI_FIT_SUMMARY_H

#include "options.h"
#include "run_record.h"

typedef struct fit_summary {
    const char *run, *status;
    const fit_inputs *in;
    const fit_outcome *outcome;
    const scdc_model *model;
    double seconds; /* of all parts of the fit */
} fit_summary;

/* Returns an exit code. */
int fit_summary_print(const fit_summary *s, const common_options *common);

#endif
