/* RUN/report.html: what a run's files tell, handed to the library's report. */
#ifndef SCDC_CLI_RUN_REPORT_H
#define SCDC_CLI_RUN_REPORT_H

#include "run_record.h"

typedef struct run_report {
    const char *run;
    const char *output;  /* NULL: RUN/report.html */
    const char *figures; /* folder for the charts, made when missing; NULL: none */
    const scdc_model *model;
    const fit_inputs *in;       /* what is open of it is shown */
    const fit_outcome *outcome; /* labels, probabilities and components, when it has them */
    const scdc_data *names;     /* items that have the names, or NULL */
    text_list notes;            /* what is left out, and why */
    bool brief;                 /* what takes long is left to 'scdc report' */
} run_report;

/* Takes command, options, checksums and restarts from RUN/run.json. Returns an exit code. */
int run_report_write(const run_report *r);
/* RUN/run.json, or NULL when it cannot be read. */
json_t *run_json_load(const char *run);
/* Makes a folder unless it is there. Returns an exit code. */
int make_folder(const char *path);

#endif
