/* Whole files as bytes: memory-mapped when possible, inflated when gzipped, "-" for standard input.
 * Knows nothing of what the bytes mean. */
#ifndef SCDC_IO_FILE_H
#define SCDC_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct file_bytes {
    const unsigned char *bytes; /* never NULL after a successful open, also for size 0 */
    size_t size;
    char *path; /* as given; "standard input" for "-" */
    bool mapped;
    bool gzipped; /* the file was gzipped; bytes are the inflated content */
} file_bytes;

/* SCDC_ERR_INPUT with the path and the reason (errno text) on failure; a directory is refused.
 * Gzip is told by its magic bytes; several members are joined; a truncated or corrupt stream is an
 * error naming the byte offset. Memory grows with the real content, never with what a header says.
 */
int file_open(file_bytes *out, const char *path);
/* The same over bytes in memory (tests, fuzzing): borrowed, nothing freed. */
void file_from_memory(file_bytes *out, const void *bytes, size_t size, const char *name);
void file_close(file_bytes *file);
/* Takes the mapping over: the caller frees it by file_close on the copy it made. */

#endif
