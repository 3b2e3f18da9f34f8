/* Several files as one matrix of items: rows stay where they are. */
#include "data/readers.h"

#include "base/memory.h"
#include "base/status.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool is_pattern(const char *path)
{
    struct stat st;
    return strpbrk(path, "*?[") && stat(path, &st) != 0;
}

/* Whether a file may follow the first one. */
static int check_alike(const scdc_data *first, const scdc_data *part, const char *first_path,
                       const char *path)
{
    if (part->names.count) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: items with names cannot be spread over files: put them into one",
                         path);
    }
    if (part->cols == first->cols && part->height == first->height && part->width == first->width &&
        part->dtype == first->dtype)
        return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: items of %zu values (%zu x %zu x %zu, type %d), but those of %s have %zu "
                     "(%zu x %zu x %zu, type %d)",
                     path, part->cols, part->channels, part->height, part->width, (int)part->dtype,
                     first_path, first->cols, first->channels, first->height, first->width,
                     (int)first->dtype);
}

static int open_parts(data_parts *p, const glob_t *found,
                      int (*open_one)(scdc_data **out, const char *path))
{
    SCDC_TRY(mem_zeroed(&p->part, found->gl_pathc, sizeof *p->part, "files of items"));
    SCDC_TRY(mem_zeroed(&p->begin, found->gl_pathc + 1, sizeof *p->begin, "files of items"));
    for (size_t i = 0; i < found->gl_pathc; i++) {
        SCDC_TRY(open_one(&p->part[i], found->gl_pathv[i]));
        p->count++;
        SCDC_TRY(check_alike(p->part[0], p->part[i], found->gl_pathv[0], found->gl_pathv[i]));
        p->begin[i + 1] = p->begin[i] + p->part[i]->rows;
    }
    return SCDC_OK;
}

static int join_parts(scdc_data **out, data_parts *p, const char *pattern)
{
    const scdc_data *first = p->part[0];
    SCDC_TRY(data_new(out, pattern, first->format, first->dtype, p->begin[p->count], first->cols));
    (*out)->channels = first->channels;
    (*out)->height = first->height;
    (*out)->width = first->width;
    (*out)->parts = *p;
    *p = (data_parts){0};
    return SCDC_OK;
}

/* The same order in every language. */
static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int open_pattern(scdc_data **out, const char *pattern,
                 int (*open_one)(scdc_data **out, const char *path))
{
    glob_t found;
    data_parts parts = {0};
    int result = glob(pattern, GLOB_NOSORT, NULL, &found), status;
    if (result == GLOB_NOSPACE) return fail_memory(strlen(pattern), "names of files");
    if (result != 0) return fail_with(SCDC_ERR_INPUT, "%s: no file has such a name", pattern);
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_bytes);
    SCDC_TRY_OR(done, status, open_parts(&parts, &found, open_one));
    status = join_parts(out, &parts, pattern);
done:
    for (size_t i = 0; i < parts.count; i++) scdc_data_free(parts.part[i]);
    mem_free(parts.part);
    mem_free(parts.begin);
    globfree(&found);
    return status;
}
