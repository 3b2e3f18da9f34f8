/* Writing a file that is complete or absent: a temporary name beside the target, flushed, synced,
 * renamed. Nothing is left behind when writing fails (full disk) or is abandoned. */
#ifndef SCDC_IO_WRITER_H
#define SCDC_IO_WRITER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct writer {
    FILE *stream; /* write to it freely; errors are collected and reported by writer_commit */
    char *path, *temporary;
} writer;

/* path "-" writes to standard output (no temporary, commit only flushes).
 * Devices and pipes are written directly too. A symbolic link is followed: what it names is
 * replaced. */
int writer_open(writer *out, const char *path);
/* Flush, fsync, rename. On any error removes the temporary and returns SCDC_ERR_OUTPUT. */
int writer_commit(writer *w);
/* Removes the temporary. Safe after commit and on a zeroed writer. */
void writer_abandon(writer *w);
/* A csv field, quoted when it has to be. */
void writer_csv_field(writer *w, const char *text);

#endif
