/* Writing a file that is complete or absent: a temporary name beside the target, flushed, synced,
 * renamed. Nothing is left behind when writing fails (full disk) or is abandoned. */
#ifndef SCDC_IO_WRITER_H
#define SCDC_IO_WRITER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct writer {
    FILE *stream; /* write to it freely; errors are collected and reported by writer_commit */
    char *path, *temporary;
    int reason; /* errno of the first failure that writer_failed saw */
} writer;

/* path "-" writes to standard output (no temporary, commit only flushes).
 * Devices and pipes are written directly too. A symbolic link is followed: what it names is
 * replaced. */
int writer_open(writer *out, const char *path);
/* Has writing failed already? Asked in a long loop it ends the loop early and keeps the reason. */
bool writer_failed(writer *w);
/* Flush, fsync, rename. On any error removes the temporary and returns SCDC_ERR_OUTPUT. */
int writer_commit(writer *w);
/* Removes the temporary. Safe after commit and on a zeroed writer. */
void writer_abandon(writer *w);
/* For tests: step number `number` of all writers from now on (creating, writing, syncing and
 * renaming a file are a step each) fails as on a full disk; 0 = none. Tells how many steps there
 * were since the last call. */
size_t writer_fail_at(size_t number);

/* A csv field, quoted when it has to be. */
void writer_csv_field(writer *w, const char *text);

#endif
