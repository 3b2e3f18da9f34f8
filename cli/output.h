/* What the program prints: results to stdout; messages, hints and errors to stderr. */
#ifndef SCDC_CLI_OUTPUT_H
#define SCDC_CLI_OUTPUT_H

#include <jansson.h>
#include <scdc/scdc.h>
#include <stdbool.h>
#include <stdio.h>
#include <scdc/calibration.h>

/* Prints `scdc: message`, one line whatever the message holds, and returns `code`, so that a
 * command ends in `return refuse(EXIT_USAGE, ...)`. */
int refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line that says what to do about it. */
void hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The library's last error, and the exit code that belongs to its status. */
int report_failure(int status);
/* A message of progress; the caller leaves it out with --quiet. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on messages, hints and errors are kept; and told, each line after `prefix`. */
void keep_messages(void);
void tell_kept(const char *prefix);

/* Ends the program without what libraries do at exit: OpenBLAS waits there for threads that, under
 * a limit of address space, never got their memory and never end. */
void end_program(int code) __attribute__((noreturn));

/* Flushes stdout: `code`, or EXIT_FAILED with a message when something could not be written. */
int finish_output(int code);

/* Text from a file or a command line, without what a terminal would obey. */
void put_text(FILE *stream, const char *text);
/* A word of a command as a shell reads it. */
void put_shell_word(FILE *stream, const char *word);
/* Terminal escapes, or "" when the stream is no terminal or NO_COLOR is set. */
const char *bold(FILE *stream);
const char *plain(FILE *stream);

/* A JSON string of any bytes (what is not UTF-8 becomes U+FFFD), and a number (NaN: null). */
json_t *json_text(const char *text);
json_t *json_number(double value);
json_t *scores_json(const scdc_scores *scores, const scdc_calibration *calibration);
/* Prints the value on one line of stdout and frees it. Returns an exit code. */
int print_json(json_t *value);

/* Rows of cells, printed aligned. A heading that begins with '>' makes a column flush right. */
typedef struct text_table {
    size_t columns;
    char **cells; /* headings first */
    size_t count, capacity;
    bool bare; /* no headings */
} text_table;

/* `headings` may be NULL. */
void table_start(text_table *t, size_t columns, const char *const *headings);
void table_cell(text_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints with two blanks of margin, and frees the cells. */
void table_print(text_table *t, FILE *stream);

/* Allocation that ends the program with a message when memory is out. */
void *must_resize(void *block, size_t count, size_t size);

#endif
