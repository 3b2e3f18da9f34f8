/* Inflating a gzipped file (zlib). Only the real content makes memory grow. */
#include "io/file.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in may point at constant bytes */
#include <zlib.h>

typedef struct inflation {
    const file_bytes *file;
    z_stream zip;
    size_t eaten; /* bytes of the file given to zlib so far, for messages and the next piece */
    unsigned char *content;
    size_t size, capacity, limit;
} inflation;

static bool has_magic(const file_bytes *file, size_t offset)
{
    return file->size - offset >= 2 && file->bytes[offset] == 0x1f &&
           file->bytes[offset + 1] == 0x8b;
}

static int make_room(inflation *in)
{
    if (in->size == in->limit) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: gzip: inflates to more than %zu bytes, the limit on this machine",
                         in->file->path, in->limit);
    }
    SCDC_TRY(mem_reserve(&in->content, &in->capacity, in->size + 65536, 1, in->file->path));
    size_t room = in->capacity - in->size;
    if (room > in->limit - in->size) room = in->limit - in->size;
    if (room > UINT32_MAX / 2) room = UINT32_MAX / 2; /* zlib counts in 32 bits */
    in->zip.next_out = in->content + in->size;
    in->zip.avail_out = (uInt)room;
    return SCDC_OK;
}

static void give_input(inflation *in)
{
    size_t left = in->file->size - in->eaten;
    in->zip.next_in = in->file->bytes + in->eaten;
    in->zip.avail_in = (uInt)(left < UINT32_MAX / 2 ? left : UINT32_MAX / 2);
}

/* One member, from in->eaten to its end. */
static int inflate_member(inflation *in)
{
    for (;;) {
        SCDC_TRY(make_room(in));
        give_input(in);
        uInt given = in->zip.avail_in, room = in->zip.avail_out;
        int code = inflate(&in->zip, Z_NO_FLUSH);
        in->eaten += given - in->zip.avail_in;
        in->size += room - in->zip.avail_out;
        if (code == Z_STREAM_END) return SCDC_OK;
        if (code == Z_MEM_ERROR) return fail_memory(1 << 16, "inflating");
        if (code == Z_BUF_ERROR || (code == Z_OK && in->eaten == in->file->size)) {
            /* No progress is possible, or input ended while output still had room. */
            if (in->zip.avail_out > 0) {
                return fail_with(SCDC_ERR_INPUT, "%s: gzip: truncated, data ends at byte %zu",
                                 in->file->path, in->file->size);
            }
        } else if (code != Z_OK) {
            return fail_with(SCDC_ERR_INPUT, "%s: gzip: corrupt near byte %zu: %s", in->file->path,
                             in->eaten, in->zip.msg ? in->zip.msg : "unexpected stream");
        }
    }
}

static int inflate_all(inflation *in)
{
    const file_bytes *file = in->file;
    while (in->eaten < file->size) {
        if (!has_magic(file, in->eaten)) {
            /* Zero bytes after the last member are padding (tapes); anything else is damage. */
            for (size_t i = in->eaten; i < file->size; i++) {
                if (file->bytes[i] == 0) continue;
                return fail_with(SCDC_ERR_INPUT, "%s: gzip: byte %zu follows the compressed data",
                                 file->path, i);
            }
            return SCDC_OK;
        }
        if (inflateReset(&in->zip) != Z_OK) return fail_memory(1 << 16, "inflating");
        SCDC_TRY(inflate_member(in));
    }
    return SCDC_OK;
}

int file_inflate(file_bytes *file)
{
    if (!has_magic(file, 0)) return SCDC_OK;
    inflation in = {.file = file, .limit = file_limit()};
    if (inflateInit2(&in.zip, 15 + 16) != Z_OK) return fail_memory(1 << 16, "inflating");
    int status = inflate_all(&in);
    inflateEnd(&in.zip);
    if (status != SCDC_OK) {
        free(in.content);
        return status;
    }
    file_bytes inflated = {.bytes = in.content,
                           .size = in.size,
                           .path = file->path,
                           .gzipped = true,
                           .content = in.content,
                           .path_copy = file->path_copy};
    file->path_copy = NULL; /* handed on */
    file_close(file);
    *file = inflated;
    return SCDC_OK;
}
