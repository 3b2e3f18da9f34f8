/* Opening of operands, with a word for files that hold something else than what belongs there. */
#ifndef SCDC_CLI_INPUTS_H
#define SCDC_CLI_INPUTS_H

#include <scdc/scdc.h>
#include <stdbool.h>

/* Both return an exit code, having printed what is wrong. */
int open_items(scdc_data **out, const char *path);
int open_labels(scdc_labels **out, const char *path, const scdc_data *items /* may be NULL */);

/* Messages about what was read in doubt; nothing where there was none. */
void say_class_column(const char *path, const scdc_data *items);
void say_guess(const char *path, const scdc_labels *labels);

/* How the columns were scaled, and those that want a look; `asked`: as the user said. */
void say_scaling(const scdc_data *data, const scdc_model *model, bool asked);

/* Are items of this shape pictures? */
bool items_are_pictures(size_t channels, size_t height, size_t width);

/* Answers of files and of projects of 'scdc collect', which are exported first: one returns an exit
 * code, having printed what is wrong, the other a status and the reason. */
int open_crowd(scdc_crowd **out, const char *const *paths, size_t count, const scdc_data *items);
int read_crowd(scdc_crowd **out, const char **why, const char *const *paths, size_t count,
               const scdc_data *items);

/* What an earlier run found out about workers: `path` is its workers.csv, or NULL. Returns an exit
 * code. */
int know_workers(scdc_crowd *crowd, const char *path, bool quiet);
/* Keeps a copy of that file as RUN/worker-prior.csv. Returns an exit code. */
int keep_known_workers(const char *run, const char *path);

#endif
