/* Looking for the files of data sets. */
#include "reproduce/places.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Other names of the same folder. */
static const char *const other_names[][2] = {
    {"faces", "cmu_faces"}, {"mnist-crowd", "mnist_crowd"}, {"cifar10-crowd", "cifar10_crowd"}};
enum { OTHER_NAMES = sizeof other_names / sizeof other_names[0] };

static const char *not_empty(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* As tools/get-data chooses it. */
static int default_folder(char **out)
{
    const char *own = not_empty("SCDC_DATA"), *cache = not_empty("XDG_CACHE_HOME"),
               *home = not_empty("HOME");
    int length = own     ? asprintf(out, "%s", own)
                 : cache ? asprintf(out, "%s/scdc", cache)
                         : asprintf(out, "%s/.cache/scdc", home ? home : ".");
    return length < 0 ? fail_memory(1, "a path") : SCDC_OK;
}

/* *out stays NULL when nothing is there. */
static int look(char **out, const char *folder, const char *set, const char *name)
{
    for (int gzipped = 0; gzipped < 2; gzipped++) {
        char *path;
        if (asprintf(&path, "%s/%s/%s%s", folder, set, name, gzipped ? ".gz" : "") < 0)
            return fail_memory(strlen(folder), "a path");
        if (access(path, R_OK) == 0) {
            *out = path;
            return SCDC_OK;
        }
        free(path);
    }
    return SCDC_OK;
}

int place_of(char **out, const char *folder, const char *set, const char *name)
{
    char *own = NULL, *found = NULL;
    if (!folder) SCDC_TRY(default_folder(&own));
    if (!folder) folder = own;
    int status = look(&found, folder, set, name);
    for (size_t i = 0; i < OTHER_NAMES && status == SCDC_OK && !found; i++) {
        if (strcmp(set, other_names[i][0]) == 0)
            status = look(&found, folder, other_names[i][1], name);
    }
    if (status == SCDC_OK && !found)
        status = fail_with(SCDC_ERR_INPUT, "%s/%s/%s: not found; fetch it with tools/get-data %s",
                           folder, set, name, set);
    free(own);
    if (status == SCDC_OK) *out = found;
    return status;
}
