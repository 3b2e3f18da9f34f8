/* Progress of a fit on stderr: one line redrawn in place on a terminal, else a line per epoch. */
#ifndef SCDC_CLI_PROGRESS_H
#define SCDC_CLI_PROGRESS_H

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct progress_line {
    bool quiet, live;
    size_t items; /* bounds are shown per item */
    bool drawn;   /* a live line stands on the terminal */
    double last_drawn;
    bool has_epoch;
    scdc_epoch epoch; /* the last complete one */
    /* Where the current stage was entered, for the time left. */
    const char *stage;
    size_t restart, first_step;
    double first_seconds;
    /* The epoch that was drawn last, and when it was first. */
    size_t drawn_epoch;
    double epoch_began;
} progress_line;

void progress_begin(progress_line *line, bool quiet, size_t items);
void progress_show(progress_line *line, const scdc_progress *p);
/* For other things that take long: whether the live line is to be drawn again, and drawing it. */
bool progress_due(const progress_line *line);
void progress_text(progress_line *line, const char *text);
/* From here to the end, long calls of the library (placing items, neighbours, baselines, reports)
 * show on a terminal how far they are, once a second has passed since the first. Nothing else is
 * printed between. */
void progress_watch_begin(bool quiet);
void progress_watch_end(void);
/* Takes the live line off the terminal, so that something else can be printed. */
void progress_clear(progress_line *line);

/* Seconds of a clock that only goes forward. */
double seconds_now(void);
/* "12 s", "3 min 05 s", "2 h 10 min". */
void format_duration(char *out, size_t size, double seconds);

#endif
