/* RUN/labels.csv: where the items of a fit ended up, and how they are called. */
#ifndef SCDC_CLI_RUN_LABELS_H
#define SCDC_CLI_RUN_LABELS_H

#include "run_record.h"

/* Fills labels, probability and component of an outcome that knows the number of items. The table
 * has the names of the items; it stays NULL when there is no such file (a fit that was interrupted
 * before items were placed). Returns an exit code. */
int run_labels_read(scdc_data **table, fit_outcome *o, const char *run);

#endif
