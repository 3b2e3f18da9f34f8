/* scdc fit --frames: a grid of made-up items after chosen epochs, in RUN/frames. */
#ifndef SCDC_CLI_FIT_FRAMES_H
#define SCDC_CLI_FIT_FRAMES_H

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct fit_frames {
    const char *asked; /* "1,5,20", "all", or NULL: none */
    bool all;
    size_t *epochs;
    size_t count;
} fit_frames;

/* Reads what was asked for. Returns an exit code. */
int fit_frames_parse(fit_frames *f);
/* Whether the items can be shown at all. Returns an exit code. */
int fit_frames_check(const fit_frames *f, const scdc_data_info *items);
/* After a complete epoch: writes RUN/frames/epoch-005.png if it is one of those (restart-2-...,
 * with several starts). Changes nothing in the fit. Returns an exit code. */
int fit_frames_keep(const fit_frames *f, const char *run, const scdc_progress *progress);
void fit_frames_free(fit_frames *f);

#endif
