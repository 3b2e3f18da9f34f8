/* What the readers of all tools share. A reader tells one thing a worker said after the other, in
 * the fields of in->entry; importer_take makes answers of it: it finds out which fields are items,
 * whether the question was about two items or one, and what the answer means. */
#ifndef SCDC_EXCHANGE_IMPORTER_H
#define SCDC_EXCHANGE_IMPORTER_H

#include "exchange/fields.h"
#include "exchange/rows.h"
#include "io/file.h"

#include <scdc/exchange.h>

typedef struct entry {
    fields input;   /* what the worker was shown */
    fields said;    /* what the worker said; a text of JSON that begins with { or [ is a grouping */
    fields about;   /* worker, task, time, seconds, gold */
    bool skipped;   /* shown, but not answered */
    bool many;      /* several answers where one is meant */
    bool by_answer; /* one worker's answer to one of several questions: the others follow */
} entry;

typedef struct importer {
    const scdc_import_options *options;
    const file_bytes *file;
    const char *unit; /* where the reader is, for messages: "line" 17 */
    size_t number;
    const char *default_worker; /* of files that name none; NULL: they must */
    bool sides_known;           /* the input is left and right, whatever the options say */
    entry entry;
    rows rows;
    uint32_t question; /* number of the text that names the answers taken so far */
    size_t rejected, dropped;
} importer;

/* Takes the entry and clears it. */
int importer_take(importer *in);
void importer_clear(importer *in);
/* SCDC_ERR_INPUT with the place before the message. */
int importer_fail(const importer *in, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* Work of this status (approved, rejected, returned, ...) is left out, and counted. */
bool importer_leaves_out(importer *in, const char *status);

/* grouping.c: rows of a said text that is a grouping; *is = false when it is none. */
int importer_take_grouping(bool *is, importer *in, const char *text, row base);
/* The item as it will be called, from what the file says. */
int importer_item(uint32_t *out, importer *in, const char *text);

/* Readers: a file each, or a table of columns in tables.c. */
int read_label_studio(importer *in);
int read_prodigy(importer *in);
int read_argilla(importer *in);
int read_potato(importer *in);
int read_dedupe(importer *in);
int read_mustlink(importer *in);
int read_mturk(importer *in);
int read_toloka(importer *in);
int read_prolific(importer *in);
int read_splink(importer *in);
int read_crowd_kit(importer *in);
int read_plain(importer *in);

#endif
