/* What RUN/run.json tells a reader of the report; whatever the file holds. */
#ifndef SCDC_CLI_RUN_FACTS_H
#define SCDC_CLI_RUN_FACTS_H

#include <jansson.h>
#include <scdc/report.h>
#include <stddef.h>
#include <stdint.h>

typedef struct run_facts {
    char **words; /* name, value, name, value, ... */
    size_t count; /* words */
    char *command;
    scdc_report_start *starts;
    size_t n_starts, updates;
    const char *source; /* what the items came from, by its last name; lives in the JSON or `run` */
    double stability;   /* NaN: not told */
} run_facts;

/* `kept` is the seed of the model. */
void run_facts_read(run_facts *out, const json_t *json, const char *run, uint64_t kept);
void run_facts_free(run_facts *f);

#endif
