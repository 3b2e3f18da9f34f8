/* A scratch folder for tests that need real files, and files written into it in one call. */
#ifndef SCDC_TESTS_FILES_H
#define SCDC_TESTS_FILES_H

#include "support/check.h"

#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif
#include <unistd.h>

static char scratch_dir[512];

static inline int scratch_remove_one(const char *path, const struct stat *st, int kind,
                                     struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

/* Group set-up and tear-down: cmocka_run_group_tests(tests, scratch_begin, scratch_end). */
static inline int scratch_begin(void **state)
{
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(scratch_dir, sizeof scratch_dir, "%s/scdc-test-XXXXXX", root ? root : P_tmpdir);
    return mkdtemp(scratch_dir) ? 0 : -1;
}
static inline int scratch_end(void **state)
{
    (void)state;
    return nftw(scratch_dir, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Path of a name in the scratch folder; one of eight rotating buffers. */
static inline const char *scratch_path(const char *name)
{
    static char paths[8][1024];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_dir, name);
    return path;
}

static inline const char *scratch_write(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}
static inline const char *scratch_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

/* The device on which every write fails, or NULL where there is none (then skip). For root it is
 * made in the scratch folder: a broken writer must not be able to replace the one of the system. */
static inline const char *full_device(void)
{
    static char path[1024];
    struct stat st;
    snprintf(path, sizeof path, "/dev/full");
#ifdef __linux__
    if (geteuid() == 0) {
        snprintf(path, sizeof path, "%s/full", scratch_dir);
        (void)!mknod(path, S_IFCHR | 0600, makedev(1, 7)); /* it may be there already */
    }
#endif
    if (stat(path, &st) != 0 || !S_ISCHR(st.st_mode)) return NULL;
    FILE *file = fopen(path, "r+");
    if (!file) return NULL; /* a folder without devices */
    fclose(file);
    return path;
}

/* Entries of the scratch folder, so that a test sees whether anything was left behind. */
static inline int scratch_entries(void)
{
    int count = 0;
    DIR *dir = opendir(scratch_dir);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                 strcmp(entry->d_name, "full") != 0; /* full_device's */
    }
    closedir(dir);
    return count;
}

#endif
