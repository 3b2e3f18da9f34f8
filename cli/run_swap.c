/* Making a RUN beside another. */
#include "run_swap.h"

#include "commands.h"
#include "output.h"
#include "run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".update-" /* between the name of a RUN and the process that makes the next one */

static void remove_tree(const char *path)
{
    DIR *stream = opendir(path);
    for (struct dirent *e; stream && (e = readdir(stream));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char *inside = run_path(path, e->d_name);
        if (unlink(inside) != 0) remove_tree(inside);
        free(inside);
    }
    if (stream) closedir(stream);
    rmdir(path);
}

/* Files of `from` that `to` does not have, as further names of the same files. */
static int link_tree(const char *from, const char *to)
{
    DIR *stream = opendir(from);
    if (!stream) return refuse(EXIT_FAILED, "%s: %s", from, strerror(errno));
    int code = EXIT_GOOD;
    for (struct dirent *e; code == EXIT_GOOD && (e = readdir(stream));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char *old = run_path(from, e->d_name), *new = run_path(to, e->d_name);
        struct stat st;
        if (lstat(old, &st) == 0 && S_ISDIR(st.st_mode)) {
            if (mkdir(new, st.st_mode & 07777) != 0 && errno != EEXIST)
                code = refuse(EXIT_FAILED, "%s: %s", new, strerror(errno));
            else code = link_tree(old, new);
        } else if (linkat(AT_FDCWD, old, AT_FDCWD, new, 0) != 0 && errno != EEXIST) {
            code = refuse(EXIT_FAILED, "%s: %s", new, strerror(errno));
        }
        free(old);
        free(new);
    }
    closedir(stream);
    return code;
}

/* ---- beginning ---- */

static int lock(run_swap *s)
{
    s->lock = open(s->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->lock < 0) return refuse(EXIT_FAILED, "%s: %s", s->target, strerror(errno));
    if (flock(s->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return EXIT_GOOD;
    int code = refuse(EXIT_FAILED, "%s: another command is writing there", s->target);
    hint("wait for it, or use another -o");
    return code;
}

/* What an update that was killed left beside the target: TARGET.update-NUMBER, of a process that is
 * no more. */
static void remove_remains(const char *target)
{
    const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
    char *folder = slash ? strndup(target, (size_t)(slash - target) + 1) : strdup(".");
    DIR *stream = folder ? opendir(folder) : NULL;
    size_t length = strlen(base), mark = strlen(MARK);
    for (struct dirent *e; stream && (e = readdir(stream));) {
        if (strncmp(e->d_name, base, length) != 0 || strncmp(e->d_name + length, MARK, mark) != 0)
            continue;
        char *end;
        long process = strtol(e->d_name + length + mark, &end, 10);
        if (process <= 0 || *end || kill((pid_t)process, 0) == 0 || errno != ESRCH) continue;
        char *path = run_path(folder, e->d_name);
        struct stat st;
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) remove_tree(path);
        free(path);
    }
    if (stream) closedir(stream);
    free(folder);
}

/* The folder for results: new, or empty. */
static int check_output(run_swap *s, const char *output)
{
    struct stat st;
    s->target = strdup(output);
    size_t length = strlen(s->target);
    while (length > 1 && s->target[length - 1] == '/') s->target[--length] = '\0';
    if (stat(s->target, &st) != 0) return EXIT_GOOD;
    if (S_ISDIR(st.st_mode) && rmdir(s->target) == 0) return EXIT_GOOD;
    int code = refuse(EXIT_USAGE, "%s: exists already", output);
    hint("-o names a new directory; without it the run itself is updated");
    return code;
}

int run_swap_begin(run_swap *out, const char *run, const char *output)
{
    *out = (run_swap){.lock = -1, .replaces = !output};
    int code = EXIT_GOOD;
    if (output) {
        code = check_output(out, output);
    } else {
        out->target = realpath(run, NULL);
        if (!out->target) code = refuse(EXIT_INPUT, "%s: %s", run, strerror(errno));
        else code = lock(out);
    }
    if (code != EXIT_GOOD) return code;
    remove_remains(out->target);
    size_t size = strlen(out->target) + 32;
    out->made = must_resize(NULL, size, 1);
    snprintf(out->made, size, "%s" MARK "%ld", out->target, (long)getpid());
    if (mkdir(out->made, 0777) == 0) return EXIT_GOOD;
    code = refuse(EXIT_FAILED, "%s: cannot make the directory: %s", out->made, strerror(errno));
    free(out->made);
    out->made = NULL;
    return code;
}

/* ---- ending ---- */

/* Both names at once where the system can; otherwise there is an instant without either. */
static int exchange(const char *made, const char *target)
{
#ifdef RENAME_EXCHANGE
    if (renameat2(AT_FDCWD, made, AT_FDCWD, target, RENAME_EXCHANGE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
#endif
    char *aside = run_path(made, ".before");
    int failed = rename(target, aside);
    if (!failed && (failed = rename(made, target))) {
        int reason = errno;
        if (rename(aside, target) != 0) errno = reason;
    }
    free(aside);
    return failed;
}

static void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

int run_swap_end(run_swap *s)
{
    int code = s->replaces ? link_tree(s->target, s->made) : EXIT_GOOD;
    if (code != EXIT_GOOD) return code;
    sync_folder(s->made);
    int failed = s->replaces ? exchange(s->made, s->target) : rename(s->made, s->target);
    if (failed)
        return refuse(EXIT_FAILED, "%s: cannot be replaced: %s", s->target, strerror(errno));
    if (!s->replaces) {
        free(s->made);
        s->made = NULL;
    }
    return EXIT_GOOD;
}

void run_swap_free(run_swap *s)
{
    if (s->made) remove_tree(s->made);
    if (s->lock >= 0) close(s->lock);
    free(s->made);
    free(s->target);
    *s = (run_swap){.lock = -1};
}
