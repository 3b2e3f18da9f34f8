/* Files for readers that want a path: in memory, rewritten for every input. */
#ifndef SCDC_TESTS_FUZZ_SCRATCH_H
#define SCDC_TESTS_FUZZ_SCRATCH_H

#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* A folder of its own, made once; emptied at the end of the process by whoever put files there. */
static inline const char *scratch_folder(void)
{
    static char folder[64];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/scdc-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : P_tmpdir);
        PROMISE(mkdtemp(folder));
    }
    return folder;
}

/* The path of a file in it; lives until the next call. */
static inline const char *scratch_path(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", scratch_folder(), name);
    return path;
}

static inline const char *scratch_file(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    PROMISE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
    return path;
}

#endif
