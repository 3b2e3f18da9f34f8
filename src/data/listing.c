/* The names of a folder's files. */
#include "data/listing.h"

#include "base/memory.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int listing_read(listing *l, const char *path)
{
    *l = (listing){.path = path};
    DIR *dir = opendir(path);
    if (!dir) return fail_with(SCDC_ERR_INPUT, "%s: cannot open: %s", path, strerror(errno));
    int status = SCDC_OK;
    for (struct dirent *entry; status == SCDC_OK && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        status = mem_reserve(&l->name, &l->capacity, l->count + 1, sizeof *l->name, "file names");
        if (status != SCDC_OK) break;
        l->name[l->count] = strdup(entry->d_name);
        if (l->name[l->count]) {
            l->count++;
        } else {
            status = fail_memory(strlen(entry->d_name) + 1, "a file name");
        }
    }
    closedir(dir);
    if (l->count) qsort(l->name, l->count, sizeof *l->name, compare_names);
    return status;
}

void listing_free(listing *l)
{
    for (size_t i = 0; i < l->count; i++) free(l->name[i]);
    mem_free(l->name);
    *l = (listing){0};
}
