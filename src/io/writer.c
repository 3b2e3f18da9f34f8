/* Files that are complete or absent: a temporary beside the target, synced, then renamed. */
#include "io/writer.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_errno(const char *path, const char *doing, int reason)
{
    return fail_with(SCDC_ERR_OUTPUT, "%s: cannot %s: %s", path, doing, strerror(reason));
}

/* ---- failures on demand ---- */

static atomic_size_t steps, doomed;

size_t writer_fail_at(size_t number)
{
    atomic_store(&doomed, number);
    return atomic_exchange(&steps, 0);
}

static bool step_fails(void)
{
    bool fails = atomic_fetch_add(&steps, 1) + 1 == atomic_load(&doomed);
    if (fails) errno = ENOSPC;
    return fails;
}

/* dir/.scdc-PID-COUNT.tmp; O_EXCL and a fresh count keep two writers apart. */
static int open_temporary(writer *w, const char *target)
{
    static atomic_uint counter;
    const char *slash = strrchr(target, '/');
    size_t dir = slash ? (size_t)(slash - target) + 1 : 0;
    for (int attempt = 0; attempt < 100; attempt++) {
        free(w->temporary);
        if (asprintf(&w->temporary, "%.*s.scdc-%ld-%u.tmp", (int)dir, target, (long)getpid(),
                     atomic_fetch_add(&counter, 1)) < 0) {
            w->temporary = NULL;
            return fail_memory(strlen(target) + 32, "a path");
        }
        int fd =
            step_fails() ? -1 : open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST) continue;
        int reason = errno;
        if (fd >= 0) {
            w->stream = fdopen(fd, "wb");
            if (w->stream) return SCDC_OK;
            reason = errno;
            close(fd);
            unlink(w->temporary);
        }
        free(w->temporary);
        w->temporary = NULL;
        return fail_errno(w->path, "create", reason);
    }
    return fail_errno(w->path, "create", EEXIST);
}

/* Symbolic links are followed, so that the link stays and its target is replaced. Devices and
 * pipes cannot be replaced by a rename: they are written directly. */
static int open_target(writer *w)
{
    struct stat st;
    if (stat(w->path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) return fail_errno(w->path, "write", EISDIR);
        if (!S_ISREG(st.st_mode)) {
            w->stream = fopen(w->path, "wbe");
            return w->stream ? SCDC_OK : fail_errno(w->path, "write", errno);
        }
        char *real = realpath(w->path, NULL);
        if (!real) return fail_errno(w->path, "write", errno);
        free(w->path);
        w->path = real;
    }
    return open_temporary(w, w->path);
}

int writer_open(writer *out, const char *path)
{
    writer w = {0};
    w.path = strdup(path);
    if (!w.path) return fail_memory(strlen(path) + 1, "a path");
    int status = SCDC_OK;
    if (*path == '\0') {
        status = fail_with(SCDC_ERR_OUTPUT, "cannot write to a file with an empty name");
    } else if (strcmp(path, "-") == 0) {
        w.stream = stdout;
    } else {
        status = open_target(&w);
    }
    if (status != SCDC_OK) {
        free(w.temporary);
        free(w.path);
        return status;
    }
    *out = w;
    return SCDC_OK;
}

/* Makes the rename itself durable; not every file system can, so errors do not matter. */
static void sync_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    free(dir);
}

bool writer_failed(writer *w)
{
    if (!ferror(w->stream)) return false;
    if (!w->reason) w->reason = errno ? errno : EIO;
    return true;
}

/* 0, or the errno of what went wrong with the stream so far. */
static int flush(writer *w)
{
    if (w->reason) return w->reason;
    bool failed_before = ferror(w->stream) != 0;
    errno = 0;
    if (step_fails() || fflush(w->stream) != 0) return errno ? errno : EIO;
    if (!failed_before) return 0;
    /* The reason is long gone; one more write into the doomed temporary tells it again. */
    if (w->temporary && write(fileno(w->stream), " ", 1) < 0) return errno;
    return EIO;
}

int writer_commit(writer *w)
{
    if (!w->stream) return fail_with(SCDC_ERR_INTERNAL, "writer_commit without an open file");
    int reason = flush(w);
    if (reason && w->stream == stdout) clearerr(stdout); /* told below, not once more by others */
    const char *doing = "write";
    if (!reason && w->temporary && (step_fails() || fsync(fileno(w->stream)) != 0)) reason = errno;
    if (w->stream != stdout && fclose(w->stream) != 0 && !reason) reason = errno;
    w->stream = NULL;
    if (!reason && w->temporary) {
        if (!step_fails() && rename(w->temporary, w->path) == 0) {
            sync_directory(w->path);
            free(w->temporary);
            w->temporary = NULL;
        } else {
            reason = errno;
            doing = "rename the finished file to this name";
        }
    }
    const char *name = strcmp(w->path, "-") == 0 ? "standard output" : w->path;
    int status = reason ? fail_errno(name, doing, reason) : SCDC_OK;
    writer_abandon(w);
    return status;
}

void writer_abandon(writer *w)
{
    if (w->stream && w->stream != stdout) fclose(w->stream);
    if (w->temporary) unlink(w->temporary);
    free(w->temporary);
    free(w->path);
    *w = (writer){0};
}

void writer_csv_field(writer *w, const char *text)
{
    size_t length = strlen(text);
    bool blank_ends = length && (strchr(" \t", text[0]) || strchr(" \t", text[length - 1]));
    if (!blank_ends && !strpbrk(text, ",;\t\"\r\n")) {
        fputs(text, w->stream);
        return;
    }
    putc('"', w->stream);
    for (; *text; text++) {
        if (*text == '"') putc('"', w->stream);
        putc(*text, w->stream);
    }
    putc('"', w->stream);
}
