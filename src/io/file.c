/* Opening files: mapping regular ones, reading the rest. Inflating is in gzip.c. */
#include "io/file.h"

#include "base/memory.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char no_bytes[1];

size_t file_limit(void)
{
    const uint64_t most = (uint64_t)64 << 30;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return (size_t)most;
    uint64_t memory = (uint64_t)pages * (uint64_t)page / 4 * 3;
    return (size_t)(memory < most ? memory : most);
}

static int fail_errno(const char *path, const char *doing, int reason)
{
    return fail_with(SCDC_ERR_INPUT, "%s: cannot %s: %s", path, doing, strerror(reason));
}

/* A terminal ends when its user says so; of other devices a file's worth is enough to see that they
 * do not (/dev/zero). */
enum { MOST_OF_DEVICE = 1 << 20 };

static size_t limit_of(int fd, const struct stat *st)
{
    return S_ISCHR(st->st_mode) && !isatty(fd) ? MOST_OF_DEVICE : file_limit();
}

/* Pipes, terminals, and files that do not tell their size. */
static int read_all(file_bytes *file, int fd, size_t limit)
{
    size_t capacity = 0;
    for (;;) {
        if (file->size == limit && limit == MOST_OF_DEVICE) {
            return fail_with(SCDC_ERR_INPUT, "%s: is a device that does not end", file->path);
        }
        if (file->size == limit) {
            return fail_with(SCDC_ERR_INPUT, "%s: more than %zu bytes, the limit on this machine",
                             file->path, limit);
        }
        size_t need = file->size + 65536;
        SCDC_TRY(mem_reserve(&file->content, &capacity, need, 1, file->path));
        file->bytes = file->content;
        size_t room = capacity - file->size;
        if (room > limit - file->size) room = limit - file->size;
        ssize_t got = read(fd, (unsigned char *)file->content + file->size, room);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno(file->path, "read", errno);
        if (got == 0) return SCDC_OK;
        file->size += (size_t)got;
    }
}

static int load(file_bytes *file, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return fail_errno(file->path, "open", errno);
    if (S_ISDIR(st.st_mode)) {
        return fail_with(SCDC_ERR_INPUT, "%s: is a directory, expected a file", file->path);
    }
    /* A regular file of size 0 may still have content (/proc): it is read, not mapped. Standard
     * input may be part of the way through its file: it is read too. */
    if (S_ISREG(st.st_mode) && st.st_size > 0 && fd != STDIN_FILENO) {
        if ((uintmax_t)st.st_size > SIZE_MAX) return fail_errno(file->path, "map", EFBIG);
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            file->bytes = map;
            file->size = (size_t)st.st_size;
            file->mapped = true;
            return SCDC_OK;
        }
    }
    return read_all(file, fd, limit_of(fd, &st));
}

int file_open(file_bytes *out, const char *path)
{
    file_bytes file = {.bytes = no_bytes};
    bool standard_input = strcmp(path, "-") == 0;
    file.path_copy = strdup(standard_input ? "standard input" : path);
    if (!file.path_copy) return fail_memory(strlen(path) + 1, "a path");
    file.path = file.path_copy;
    int status;
    int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        status = fail_errno(path, "open", errno);
    } else {
        status = load(&file, fd);
        if (!standard_input) close(fd);
    }
    if (status == SCDC_OK) status = file_inflate(&file);
    if (status != SCDC_OK) {
        file_close(&file);
        return status;
    }
    *out = file;
    return SCDC_OK;
}

void file_from_memory(file_bytes *out, const void *bytes, size_t size, const char *name)
{
    *out = (file_bytes){.bytes = size ? bytes : no_bytes, .size = size, .path = name};
}

void file_close(file_bytes *file)
{
    if (file->mapped) {
        union {
            const unsigned char *constant;
            void *plain;
        } map = {.constant = file->bytes};
        munmap(map.plain, file->size);
    }
    free(file->content);
    free(file->path_copy);
    *file = (file_bytes){.bytes = no_bytes};
}
