/* Which tool a file seems to come from, told by its first record or its header line. */
#ifndef SCDC_EXCHANGE_DETECT_H
#define SCDC_EXCHANGE_DETECT_H

#include "io/file.h"

#include <scdc/exchange.h>

/* A name of the table of tools, or NULL. Fails only when memory is out. */
int detect_tool(const char **out, const file_bytes *file);
/* Answers in our own form already? */
typedef enum own_form { OWN_NONE, OWN_PAIRS, OWN_GROUPINGS } own_form;
int detect_own(own_form *out, const file_bytes *file);

/* import.c: what scdc_import does once the file is open. */
int exchange_import(scdc_import_info *info, const file_bytes *file, const char *output,
                    const scdc_import_options *options);

#endif
