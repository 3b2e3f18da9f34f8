/* Whole files as bytes: memory-mapped when possible, inflated when gzipped, "-" for standard input.
 * Knows nothing of what the bytes mean. */
#ifndef SCDC_IO_FILE_H
#define SCDC_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct file_bytes {
    const unsigned char *bytes; /* never NULL after a successful open, also for size 0 */
    size_t size;
    const char *path; /* as given; "standard input" for "-" */
    bool mapped;
    bool gzipped;    /* the file was gzipped; bytes are the inflated content */
    void *content;   /* the block bytes lie in when they were read, not mapped; NULL otherwise */
    char *path_copy; /* what path points to when it is owned */
} file_bytes;

/* SCDC_ERR_INPUT with the path and the reason (errno text) on failure; a directory is refused.
 * Gzip is told by its magic bytes; several members are joined; a truncated or corrupt stream is an
 * error naming the byte offset. Memory grows with the real content, never with what a header says,
 * and stops at file_limit(). */
int file_open(file_bytes *out, const char *path);
/* The same over bytes in memory (tests, fuzzing): borrowed (name too), nothing inflated. */
void file_from_memory(file_bytes *out, const void *bytes, size_t size, const char *name);
/* Replaces gzipped content by what it inflates to; leaves anything else as it is. */
int file_inflate(file_bytes *file);
/* Safe on a zeroed struct. To keep the bytes, copy the struct and close the copy instead. */
void file_close(file_bytes *file);
/* Most bytes a pipe or a gzipped file may bring into memory: three quarters of the machine's
 * memory, at most 64 GiB. */
size_t file_limit(void);

#endif
