/* The model options of `scdc fit`: words of the command line handed to the library's one parser. */
#ifndef SCDC_CLI_FIT_OPTIONS_H
#define SCDC_CLI_FIT_OPTIONS_H

#include "options.h"

#include <jansson.h>
#include <scdc/scdc.h>

/* Keys with an option of their own; every key can be given by --set. */
enum { FIT_NAMED = 16, FIT_OPTIONS = FIT_NAMED + 2 };

typedef struct fit_options {
    const char *preset;
    const char *named[FIT_NAMED]; /* what was given, or NULL */
    text_list set;                /* key=value */
    char defaults[FIT_NAMED][32]; /* for help */
} fit_options;

/* The lines of the option table: --preset, the named keys, --set. */
void fit_options_table(option out[FIT_OPTIONS], fit_options *f);
/* Preset first, then the named options, then --set in order. Returns an exit code. */
int fit_options_build(scdc_options *out, const fit_options *f);
/* For --resume: whatever was asked for must be what the fit has, except what may change between
 * two parts of a fit (epochs, threads, checkpoint). Returns an exit code. */
int fit_options_agree(const fit_options *f, const scdc_options *asked, const scdc_options *kept);
/* Was the key given by its own option or by --set? */
bool fit_options_given(const fit_options *f, const char *key);
/* The options that run.json tells of a fit, with what may change taken from what is asked now. */
void fit_options_recall(scdc_options *out, const fit_options *f, const scdc_options *asked,
                        const json_t *record);
/* The help section that lists the keys of --set. */
void fit_options_help(void);

#endif
