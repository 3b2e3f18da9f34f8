/* Owning a RUN directory. A directory is ours when its run.json says so; anything else that is not
 * empty is left alone. */
#include "run_dir.h"

#include "commands.h"
#include "options.h"
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *run_path(const char *run, const char *name)
{
    size_t length = strlen(run), size = length + strlen(name) + 2;
    char *path = must_resize(NULL, size, 1);
    bool slash = length && run[length - 1] == '/';
    snprintf(path, size, "%s%s%s", run, slash ? "" : "/", name);
    return path;
}

FILE *run_open(const char *run, const char *name)
{
    char *path = run_path(run, name);
    struct stat st;
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rbe") : NULL;
    free(path);
    return file;
}

static bool file_exists(const char *run, const char *name)
{
    char *path = run_path(run, name);
    struct stat st;
    bool there = stat(path, &st) == 0;
    free(path);
    return there;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* What the library calls a file it is still writing; left by a program that was killed. */
static bool is_temporary(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, ".scdc-", 6) == 0 && length > 10 && strcmp(name + length - 4, ".tmp") == 0;
}

typedef void (*entry_fn)(const char *run, const char *name);

/* Counts the entries that are no temporaries; calls `each` (may be NULL) for those that are. */
static int scan(size_t *count, const char *run, entry_fn each)
{
    DIR *stream = opendir(run);
    if (!stream) return refuse(EXIT_FAILED, "%s: %s", run, strerror(errno));
    *count = 0;
    for (struct dirent *entry; (entry = readdir(stream));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (!is_temporary(name)) {
            ++*count;
        } else if (each) {
            each(run, name);
        }
    }
    closedir(stream);
    return EXIT_GOOD;
}

/* run.json when it is one of ours, else NULL. */
static json_t *read_run_json(const char *run)
{
    FILE *file = run_open(run, RUN_JSON);
    json_t *json = file ? json_loadf(file, 0, NULL) : NULL;
    if (file) fclose(file);
    if (json && json_is_string(json_object_get(json, "scdc"))) return json;
    json_decref(json);
    return NULL;
}

static int look_inside(run_dir *dir)
{
    size_t entries = 0;
    json_decref(dir->earlier);
    dir->earlier = read_run_json(dir->path);
    dir->has_model = file_exists(dir->path, RUN_MODEL);
    int code = scan(&entries, dir->path, NULL);
    if (code != EXIT_GOOD || dir->earlier || entries == 0) return code;
    code =
        refuse(EXIT_USAGE, "%s: the directory is not empty and not a RUN of 'scdc fit'", dir->path);
    hint("name a new directory with -o; nothing was touched");
    return code;
}

bool run_dir_begins_anew(const run_dir *dir)
{
    const char *status = json_string_value(json_object_get(dir->earlier, "status"));
    const json_t *words = json_object_get(dir->earlier, "command");
    const char *maker = json_string_value(json_array_get(words, 1));
    return !dir->has_model && status && strcmp(status, "running") == 0 && maker &&
           strcmp(maker, "fit") == 0;
}

static int check_resumable(const run_dir *dir, bool resume)
{
    if (resume && !(dir->earlier && (dir->has_model || run_dir_begins_anew(dir)))) {
        int code = refuse(EXIT_USAGE, "%s: there is no fit to resume%s", dir->path,
                          dir->earlier ? " (it ended before a model was saved)" : "");
        hint("start it without --resume");
        return code;
    }
    if (!resume && dir->has_model) {
        const char *status = json_string_value(json_object_get(dir->earlier, "status"));
        bool finished = status && strcmp(status, "finished") == 0;
        int code = refuse(EXIT_USAGE, "%s: there is already a fit%s", dir->path,
                          finished ? "" : " that was interrupted");
        hint(finished ? "use another -o, or --resume with more --epochs"
                      : "continue it with --resume, or use another -o");
        return code;
    }
    return EXIT_GOOD;
}

static int refuse_file(const char *path)
{
    int code = refuse(EXIT_USAGE, "%s: exists and is not a directory", path);
    hint("-o names the directory for the results");
    return code;
}

static int refuse_busy(const char *path)
{
    int code = refuse(EXIT_FAILED, "%s: another command is writing there", path);
    hint("wait for it, or use another -o");
    return code;
}

/* Is somebody at work in it? What it holds says nothing then. */
static bool is_locked(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) close(fd);
    return locked;
}

int run_dir_look(run_dir *out, const char *path, bool resume)
{
    struct stat st;
    *out = (run_dir){.path = path, .lock = -1};
    out->existed = stat(path, &st) == 0;
    if (!out->existed && errno != ENOENT)
        return refuse(EXIT_FAILED, "%s: %s", path, strerror(errno));
    if (out->existed && !S_ISDIR(st.st_mode)) return refuse_file(path);
    if (out->existed && is_locked(path)) return refuse_busy(path);
    int code = out->existed ? look_inside(out) : EXIT_GOOD;
    return code == EXIT_GOOD ? check_resumable(out, resume) : code;
}

/* ---- claiming ------------------------------------------------------------------------------- */

static int make_directories(const char *path)
{
    char *copy = run_path(path, "");
    int reason = 0;
    for (char *slash = strchr(copy + 1, '/'); slash && !reason; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) reason = errno;
        *slash = '/';
    }
    free(copy);
    return reason ? refuse(EXIT_FAILED, "%s: cannot make the directory: %s", path, strerror(reason))
                  : EXIT_GOOD;
}

static void remove_entry(const char *run, const char *name)
{
    char *path = run_path(run, name);
    unlink(path);
    free(path);
}

static int lock_directory(run_dir *dir)
{
    if (!dir->existed) {
        int code = make_directories(dir->path);
        if (code != EXIT_GOOD) return code;
    }
    dir->lock = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->lock < 0) return refuse(EXIT_FAILED, "%s: %s", dir->path, strerror(errno));
    /* A file system without locks is no reason not to work. */
    bool busy = flock(dir->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return busy ? refuse_busy(dir->path) : EXIT_GOOD;
}

int run_dir_claim(run_dir *dir, bool resume)
{
    int code = lock_directory(dir);
    /* Again: another fit may have come and gone since. */
    if (code == EXIT_GOOD) code = look_inside(dir);
    if (code == EXIT_GOOD) code = check_resumable(dir, resume);
    size_t entries;
    if (code == EXIT_GOOD) code = scan(&entries, dir->path, remove_entry);
    return code;
}

int run_dir_replace(run_dir *out, const char *path, const char *made_by)
{
    static const char *const results[] = {RUN_MODEL,   RUN_LABELS, RUN_WORKERS,
                                          RUN_LOG,     RUN_REPORT, RUN_ANSWERS,
                                          RUN_CHANGES, RUN_KNOWN,  RUN_ITEMS};
    struct stat st;
    *out = (run_dir){.path = path, .lock = -1};
    out->existed = stat(path, &st) == 0;
    if (out->existed && !S_ISDIR(st.st_mode)) return refuse_file(path);
    int code = lock_directory(out);
    if (code == EXIT_GOOD) code = look_inside(out);
    if (code != EXIT_GOOD || !out->earlier) return code;
    const json_t *words = json_object_get(out->earlier, "command");
    const char *maker = json_string_value(json_array_get(words, 1));
    if (!maker || strcmp(maker, made_by) != 0) {
        code = refuse(EXIT_USAGE, "%s: there is already a fit", path);
        hint("use another -o");
        return code;
    }
    /* Nothing of the earlier one is to be gone on with, or to be taken for this one's. */
    for (size_t i = 0; i < LENGTH_OF(results); i++) remove_entry(path, results[i]);
    json_decref(out->earlier);
    out->earlier = NULL;
    out->has_model = false;
    return EXIT_GOOD;
}

int run_dir_share(run_dir *out, const char *path, const char *mark, const char *maker)
{
    struct stat st;
    size_t entries = 0;
    *out = (run_dir){.path = path, .lock = -1};
    out->existed = stat(path, &st) == 0;
    if (out->existed && !S_ISDIR(st.st_mode)) return refuse_file(path);
    int code = lock_directory(out);
    if (code == EXIT_GOOD) code = scan(&entries, path, NULL);
    if (code == EXIT_GOOD && entries > 0 && !file_exists(path, mark)) {
        code = refuse(EXIT_USAGE, "%s: the directory is not empty and not one of 'scdc %s'", path,
                      maker);
        hint("name a new directory with -o; nothing was touched");
    }
    if (code == EXIT_GOOD) code = scan(&entries, path, remove_entry);
    return code;
}

void run_dir_undo(run_dir *dir)
{
    if (dir->lock < 0 || dir->earlier) return;
    remove_entry(dir->path, RUN_JSON);
    if (!dir->existed) rmdir(dir->path);
}

void run_dir_free(run_dir *dir)
{
    if (!dir->path) return;
    if (dir->lock >= 0) close(dir->lock);
    json_decref(dir->earlier);
    *dir = (run_dir){.lock = -1};
}

/* ---- models --------------------------------------------------------------------------------- */

int open_model(scdc_model **out, const char *run)
{
    struct stat st;
    bool folder = stat(run, &st) == 0 && S_ISDIR(st.st_mode);
    if (folder && !file_exists(run, RUN_MODEL)) {
        int code = refuse(EXIT_INPUT, "%s: there is no %s in this directory", run, RUN_MODEL);
        hint("RUN is what 'scdc fit ... -o RUN' made");
        return code;
    }
    char *path = folder ? run_path(run, RUN_MODEL) : NULL;
    int status = scdc_model_load(out, folder ? path : run);
    free(path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}
