/* RUN/changes.csv: which items the last update moved, as texts for the report. */
#ifndef SCDC_CLI_RUN_CHANGES_H
#define SCDC_CLI_RUN_CHANGES_H

#include <stddef.h>

typedef struct run_changes {
    char *text;        /* the file, its fields ended in place */
    const char **rows; /* item, from, to, because of each */
    size_t count;
} run_changes;

/* Empty when there is no such file. */
void run_changes_read(run_changes *out, const char *run);
void run_changes_free(run_changes *c);

#endif
