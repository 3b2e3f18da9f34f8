/* Which files of answers a RUN has had, told by what they hold: a file that comes twice is noticed,
 * however its rows are ordered and whatever it is called. */
#ifndef SCDC_CLI_ANSWER_FILES_H
#define SCDC_CLI_ANSWER_FILES_H

#include "options.h"

#include <jansson.h>
#include <scdc/update.h>

/* A fingerprint of each file, in order; null for standard input. `all` holds the answers of all of
 * them. NULL when one cannot be read again. */
json_t *answer_files_json(const text_list *files, const scdc_crowd *all, const scdc_data *items);
/* Refuses files that are among the fingerprints of earlier ones (may be NULL), or twice among
 * these. Returns an exit code. */
int answer_files_check(const text_list *files, const json_t *now, const json_t *earlier);

#endif
