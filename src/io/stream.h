/* Bytes of a file one after another, in constant memory: for files larger than memory and for
 * pipes. Gzipped content is inflated on the way. Knows nothing of what the bytes mean. */
#ifndef SCDC_IO_STREAM_H
#define SCDC_IO_STREAM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct byte_stream {
    const char *path; /* as given; "standard input" for "-" */
    char *path_copy;
    void *source; /* zlib's reader, which also reads what is not gzipped */
    bool device;  /* something that may never end: only so much of it is read */
    unsigned char *ahead;
    size_t ahead_at, ahead_end; /* bytes looked at and not taken yet */
    size_t taken;
} byte_stream;

/* "-" is standard input. SCDC_ERR_INPUT with path and reason when it cannot be read. */
int byte_stream_open(byte_stream *out, const char *path);
/* The next bytes, which stay to be read: `size` of them, fewer when the file ends before. Valid
 * until the next call. Only before the first read. */
int byte_stream_peek(const unsigned char **bytes, size_t *got, byte_stream *s, size_t size);
/* Takes `size` bytes, fewer only at the end. */
int byte_stream_read(size_t *got, byte_stream *s, void *to, size_t size);
/* Leaves out `size` bytes; without reading them where the source is a plain file. What lies behind
 * its end is found by the next read. */
int byte_stream_skip(byte_stream *s, size_t size);
/* Safe on a zeroed struct. */
void byte_stream_close(byte_stream *s);

#endif
