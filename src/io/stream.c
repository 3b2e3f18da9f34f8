/* Bytes one after another, by zlib's own reader. */
#include "io/stream.h"

#include "base/memory.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
#ifdef SCDC_FUZZED
    BUFFER = 1 << 8, /* small, so that inputs cross its end */
#else
    BUFFER = 1 << 18,
#endif
    MOST_AT_ONCE = 1 << 30,  /* zlib counts in 32 bits */
    MOST_OF_DEVICE = 1 << 20 /* enough to see that /dev/zero does not end */
};

static int fail_errno(const byte_stream *s, const char *doing, int reason)
{
    return fail_with(SCDC_ERR_INPUT, "%s: cannot %s: %s", s->path, doing, strerror(reason));
}

static int open_source(byte_stream *s, const char *path, bool standard_input)
{
    struct stat st;
    int fd = standard_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail_errno(s, "open", errno);
    int status = SCDC_OK;
    if (fstat(fd, &st) != 0) {
        status = fail_errno(s, "open", errno);
    } else if (S_ISDIR(st.st_mode)) {
        status = fail_with(SCDC_ERR_INPUT, "%s: is a directory, expected a file", s->path);
    } else {
        s->device = S_ISCHR(st.st_mode) && !isatty(fd);
        s->source = gzdopen(fd, "rb");
        if (!s->source) status = fail_memory(BUFFER, "a file's buffer");
        else gzbuffer(s->source, BUFFER);
    }
    if (!s->source) close(fd);
    return status;
}

int byte_stream_open(byte_stream *out, const char *path)
{
    byte_stream s = {0};
    bool standard_input = strcmp(path, "-") == 0;
    s.path_copy = strdup(standard_input ? "standard input" : path);
    if (!s.path_copy) return fail_memory(strlen(path) + 1, "a path");
    s.path = s.path_copy;
    int status = open_source(&s, path, standard_input);
    if (status != SCDC_OK) {
        byte_stream_close(&s);
        return status;
    }
    *out = s;
    return SCDC_OK;
}

void byte_stream_close(byte_stream *s)
{
    if (s->source) gzclose_r(s->source);
    mem_free(s->ahead);
    free(s->path_copy);
    *s = (byte_stream){0};
}

static int fail_reading(const byte_stream *s, size_t at)
{
    int code;
    const char *text = gzerror(s->source, &code);
    if (code == Z_ERRNO) return fail_errno(s, "read", errno);
    if (code == Z_MEM_ERROR) return fail_memory(BUFFER, "inflating");
    if (code == Z_BUF_ERROR) {
        return fail_with(SCDC_ERR_INPUT, "%s: gzip: truncated, it inflates to %zu bytes", s->path,
                         at);
    }
    return fail_with(SCDC_ERR_INPUT, "%s: gzip: corrupt after %zu inflated bytes: %s", s->path, at,
                     text);
}

/* From the source itself; `before` bytes of it are known already. */
static int fetch(size_t *got, byte_stream *s, unsigned char *to, size_t size, size_t before)
{
    size_t have = 0;
    while (have < size) {
        size_t left = size - have;
        int n = gzread(s->source, to + have, (unsigned)(left < MOST_AT_ONCE ? left : MOST_AT_ONCE));
        if (n < 0 && errno == EINTR) {
            gzclearerr(s->source);
            continue;
        }
        if (n < 0) return fail_reading(s, before + have);
        have += (size_t)n;
        if (n == 0) break;
        if (s->device && before + have > MOST_OF_DEVICE) {
            return fail_with(SCDC_ERR_INPUT, "%s: is a device that does not end", s->path);
        }
    }
    int code = Z_OK; /* a file that ends inside a member gives what it has, and then this */
    if (have < size) gzerror(s->source, &code);
    if (code != Z_OK && code != Z_STREAM_END) return fail_reading(s, before + have);
    *got = have;
    return SCDC_OK;
}

int byte_stream_peek(const unsigned char **bytes, size_t *got, byte_stream *s, size_t size)
{
    size_t more;
    unsigned char *grown = NULL;
    if (size > s->ahead_end) {
        SCDC_TRY(mem_zeroed(&grown, size, 1, "the beginning of a file"));
        if (s->ahead_end) memcpy(grown, s->ahead, s->ahead_end);
        mem_free(s->ahead);
        s->ahead = grown;
        SCDC_TRY(fetch(&more, s, grown + s->ahead_end, size - s->ahead_end, s->ahead_end));
        s->ahead_end += more;
    }
    *bytes = s->ahead;
    *got = s->ahead_end < size ? s->ahead_end : size;
    return SCDC_OK;
}

int byte_stream_read(size_t *got, byte_stream *s, void *to, size_t size)
{
    size_t known = s->ahead_end - s->ahead_at, more = 0;
    if (known > size) known = size;
    if (known) memcpy(to, s->ahead + s->ahead_at, known);
    s->ahead_at += known;
    if (known < size) {
        SCDC_TRY(fetch(&more, s, (unsigned char *)to + known, size - known, s->taken + known));
    }
    s->taken += known + more;
    *got = known + more;
    return SCDC_OK;
}

int byte_stream_skip(byte_stream *s, size_t size)
{
    size_t known = s->ahead_end - s->ahead_at;
    if (known > size) known = size;
    s->ahead_at += known;
    s->taken += size;
    for (size -= known; size > 0;) {
        size_t some = size < MOST_AT_ONCE ? size : MOST_AT_ONCE;
        if (gzseek(s->source, (z_off_t)some, SEEK_CUR) < 0) return fail_reading(s, s->taken);
        size -= some;
    }
    return SCDC_OK;
}
