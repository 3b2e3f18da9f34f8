/* Opening of items, labels and answers. A file of answers in their place often reads without an
 * error, and then gives nonsense: it is told apart first. */
#include "inputs.h"

#include "commands.h"
#include "output.h"
#include "run_dir.h"
#ifdef SCDC_HAVE_COLLECT
#include "../server/collect.h"
#endif

#include <scdc/exchange.h>
#include <scdc/update.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

/* False when it cannot be told. Looking into a gzipped file means to inflate it, and answers and
 * labels are small files. */
static bool holds(const char *path, scdc_kind wanted)
{
    scdc_kind kind;
    if (strcmp(path, "-") == 0 || ends_with(path, ".gz")) return false;
    return scdc_detect(&kind, path) == SCDC_OK && kind == wanted;
}

/* A failure, and a word about files of other tools. */
static int report_unreadable(int status, const char *const *paths, size_t count)
{
    int code = report_failure(status);
    for (size_t i = 0; status == SCDC_ERR_INPUT && i < count; i++) {
        const char *tool = NULL;
        if (strcmp(paths[i], "-") == 0 || scdc_import_detect(&tool, paths[i]) != SCDC_OK || !tool)
            continue;
        hint("%s looks like a file of %s: 'scdc import' turns it into answers", paths[i], tool);
        break;
    }
    return code;
}

/* Of a file that is called labels, and has nothing but them. */
static int check_no_labels(const char *path, const scdc_data *items)
{
    scdc_data_info info;
    if (scdc_data_get_info(&info, items) != SCDC_OK || info.cols != 1) return EXIT_GOOD;
    if (!holds(path, SCDC_KIND_LABELS)) return EXIT_GOOD;
    int code = refuse(EXIT_INPUT, "%s: holds one label per item, expected the items", path);
    hint("true classes are given by --truth; to cluster these numbers all the same, call their "
         "column otherwise or save them as floating-point numbers");
    return code;
}

int open_items(scdc_data **out, const char *path)
{
    /* Four columns of whole numbers may well be items; a csv that names its columns may not. */
    if (!ends_with(path, ".npy") && holds(path, SCDC_KIND_ANSWERS)) {
        int code = refuse(EXIT_INPUT, "%s: holds answers of workers, expected items", path);
        hint("answers are given by --annotations");
        return code;
    }
    int status = scdc_data_open(out, path);
    if (status != SCDC_OK) return report_unreadable(status, &path, 1);
    int code = check_no_labels(path, *out);
    if (code != EXIT_GOOD) {
        scdc_data_free(*out);
        *out = NULL;
    }
    return code;
}

bool items_are_pictures(size_t channels, size_t height, size_t width)
{
    return (height > 1 || width > 1) && (channels == 1 || channels == 3);
}

int open_labels(scdc_labels **out, const char *path, const scdc_data *items)
{
    if (holds(path, SCDC_KIND_ANSWERS)) {
        return refuse(EXIT_INPUT, "%s: holds answers of workers, expected one label per item",
                      path);
    }
    int status = scdc_labels_open(out, path, items);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

void say_class_column(const char *path, const scdc_data *items)
{
    const char *column = scdc_data_class_column(items);
    if (!column) return;
    say("%s: column '%s' looks like class numbers, and counts as a value of the items", path,
        column);
    hint("if it holds classes, leave it out of the items; FILE.csv:%s names it as true classes",
         column);
}

void say_guess(const char *path, const scdc_labels *labels)
{
    const char *column = scdc_labels_guess(labels);
    if (!column) return;
    say("%s: no column is called label or cluster: took the last one, '%s'", path, column);
    hint("FILE.csv:COLUMN picks another");
}

/* ---- answers -------------------------------------------------------------------------------- */

#ifdef SCDC_HAVE_COLLECT
/* The answers of a project in a file that is removed later; NULL when that fails. */
static char *export_project(const char *path)
{
    const char *root = getenv("TMPDIR");
    char *file = must_resize(NULL, 4096, 1);
    snprintf(file, 4096, "%s/scdc-answers-XXXXXX", root ? root : P_tmpdir);
    int descriptor = mkstemp(file);
    collect_counts counts;
    if (descriptor >= 0) {
        close(descriptor);
        if (collect_export(&counts, path, NULL, file, false) == SCDC_OK) return file;
        unlink(file);
    }
    free(file);
    return NULL;
}
#endif

int read_crowd(scdc_crowd **out, const char **why, const char *const *paths, size_t count,
               const scdc_data *items)
{
    const char **files = must_resize(NULL, count, sizeof *files);
    char **exported = must_resize(NULL, count, sizeof *exported);
    size_t n_exported = 0;
    int status = SCDC_OK;
    *why = NULL;
    for (size_t i = 0; i < count && status == SCDC_OK; i++) {
        files[i] = paths[i];
#ifdef SCDC_HAVE_COLLECT
        if (!collect_is_project(paths[i])) continue;
        char *file = export_project(paths[i]);
        if (file) {
            files[i] = exported[n_exported++] = file;
        } else {
            status = SCDC_ERR_INPUT;
            *why = collect_error();
        }
#endif
    }
    if (status == SCDC_OK) status = scdc_crowd_open(out, files, count, items);
    if (status != SCDC_OK && !*why) *why = scdc_last_error();
    for (size_t i = 0; i < n_exported; i++) {
        unlink(exported[i]);
        free(exported[i]);
    }
    free(exported);
    free(files);
    return status;
}

int open_crowd(scdc_crowd **out, const char *const *paths, size_t count, const scdc_data *items)
{
    const char *why;
    int status = read_crowd(out, &why, paths, count, items);
    if (status == SCDC_OK) return EXIT_GOOD;
    return why == scdc_last_error() ? report_unreadable(status, paths, count)
                                    : refuse(EXIT_INPUT, "%s", why);
}

/* ---- workers that are known already ---------------------------------------------------------- */

int know_workers(scdc_crowd *crowd, const char *path, bool quiet)
{
    size_t known = 0;
    if (!path) return EXIT_GOOD;
    if (!crowd) return refuse(EXIT_USAGE, "--worker-prior %s: there are no answers", path);
    int status = scdc_crowd_know_workers(crowd, &known, path);
    if (status != SCDC_OK) return report_failure(status);
    if (!quiet) say("%s: %zu of the workers are known", path, known);
    return EXIT_GOOD;
}

int keep_known_workers(const char *run, const char *path)
{
    if (!path) return EXIT_GOOD;
    char *text = NULL, *target = run_path(run, RUN_KNOWN);
    size_t size = 0, got;
    FILE *file = fopen(path, "rb");
    int code = EXIT_GOOD;
    do {
        text = must_resize(text, size + 65536, 1);
        got = file ? fread(text + size, 1, 65536, file) : 0;
        size += got;
    } while (got);
    if (!file || ferror(file)) code = refuse(EXIT_INPUT, "%s: cannot be read again", path);
    else if (scdc_write_file(target, text, size) != SCDC_OK) code = report_failure(SCDC_ERR_OUTPUT);
    if (file) fclose(file);
    free(text);
    free(target);
    return code;
}
