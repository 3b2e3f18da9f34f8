/* What an experiment found, as result.json and, made from the same object, result.md: tables whose
 * cells carry mean, standard deviation and number of runs, figures, remarks. */
#ifndef SCDC_REPRODUCE_RESULT_H
#define SCDC_REPRODUCE_RESULT_H

#include "reproduce/stats.h"

#include <jansson.h>
#include <stddef.h>

typedef struct result {
    json_t *json;
    json_t *table, *row; /* the last ones, borrowed */
} result;

/* `title` heads the page; `command` may be NULL. Running out of memory is told by result_write. */
void result_begin(result *r, const char *experiment, const char *title, const char *command);
void result_free(result *r);

void result_table(result *r, const char *title, const char *const *columns, size_t count);
/* Begins a row with its first cell. */
void result_row(result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result_text(result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result_stats(result *r, const stats *s, int decimals);
/* A file beside result.md. */
void result_figure(result *r, const char *file, const char *title);
void result_note(result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* result.json and result.md. */
int result_write(const result *r, const char *folder);

#endif
