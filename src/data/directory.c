/* A directory of images as items, sorted by file name. */
#include "data/readers.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "data/image.h"
#include "data/listing.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE_IMAGES = 8 };

/* *is_file false: a folder, a device; skipped. */
static int open_entry(file_bytes *file, bool *is_file, const char *dir, const char *name)
{
    char *path;
    struct stat st;
    if (asprintf(&path, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name) < 0) {
        return fail_memory(strlen(dir) + strlen(name) + 2, "a path");
    }
    *is_file = stat(path, &st) != 0 || S_ISREG(st.st_mode);
    int status = *is_file ? file_open(file, path) : SCDC_OK;
    free(path);
    return status;
}

static const char *colours(const image_info *info)
{
    return info->channels == 1 ? "grey" : "RGB";
}

/* Keeps the images of the listing in `names`; all must look like the first. */
static int survey(names *images, image_info *info, const listing *l)
{
    for (size_t i = 0; i < l->count; i++) {
        file_bytes file;
        bool is_file, is_image;
        image_info found;
        size_t number;
        SCDC_TRY(open_entry(&file, &is_file, l->path, l->name[i]));
        if (!is_file) continue;
        is_image = image_tell(&file) != IMAGE_NONE;
        int status = is_image ? image_read_info(&found, &file) : SCDC_OK;
        file_close(&file);
        SCDC_TRY(status);
        if (!is_image) continue;
        if (images->count == 0) *info = found;
        if (found.width != info->width || found.height != info->height ||
            found.channels != info->channels) {
            return fail_with(SCDC_ERR_INPUT,
                             "%s: all images must be alike, but %s is %zu x %zu %s "
                             "and %s is %zu x %zu %s",
                             l->path, names_at(images, 0), info->width, info->height, colours(info),
                             l->name[i], found.width, found.height, colours(&found));
        }
        SCDC_TRY(names_add(&number, NULL, images, l->name[i], strlen(l->name[i])));
    }
    if (images->count == 0) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: no PGM, PNG or JPEG image in this directory (%zu "
                         "other files)",
                         l->path, l->count);
    }
    return SCDC_OK;
}

typedef struct decoding {
    const char *path;
    const names *images;
    const image_info *info;
    uint8_t *pixels;
    size_t cols;
    atomic_size_t failed; /* the first image that could not be decoded */
} decoding;

static int decode_one(const decoding *job, size_t i)
{
    file_bytes file;
    bool is_file;
    SCDC_TRY(open_entry(&file, &is_file, job->path, names_at(job->images, i)));
    if (!is_file) {
        return fail_with(SCDC_ERR_INPUT, "%s: %s changed while it was read", job->path,
                         names_at(job->images, i));
    }
    int status = image_decode(job->pixels + i * job->cols, job->info, &file);
    file_close(&file);
    return status;
}

static void decode_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    decoding *job = context;
    for (size_t i = begin; i < end; i++) {
        if (decode_one(job, i) == SCDC_OK) continue;
        size_t first = atomic_load(&job->failed);
        while (i < first && !atomic_compare_exchange_weak(&job->failed, &first, i)) {
        }
    }
}

static int decode_all(decoding *job)
{
    atomic_init(&job->failed, SIZE_MAX);
    parallel_for(job->images->count, PIECE_IMAGES, decode_piece, job);
    size_t failed = atomic_load(&job->failed);
    if (failed == SIZE_MAX) return SCDC_OK;
    /* The message stayed with the thread that failed: fail again here. */
    SCDC_TRY(decode_one(job, failed));
    return fail_with(SCDC_ERR_INPUT, "%s: %s changed while it was read", job->path,
                     names_at(job->images, failed));
}

int read_image_directory(scdc_data **out, const char *path)
{
    listing l = {0};
    names images = {0};
    image_info info = {0};
    scdc_data *data = NULL;
    uint8_t *pixels;
    size_t cols;
    int status;
    SCDC_TRY_OR(done, status, listing_read(&l, path));
    SCDC_TRY_OR(done, status, survey(&images, &info, &l));
    if (!size_mul(&cols, info.width * info.height, info.channels)) cols = SIZE_MAX;
    SCDC_TRY_OR(done, status, data_new(&data, path, "images", SCDC_U8, images.count, cols));
    SCDC_TRY_OR(done, status, data_own_values(&pixels, data));
    data->channels = info.channels;
    data->height = info.height;
    data->width = info.width;
    decoding job = {.path = path, .images = &images, .info = &info, .pixels = pixels, .cols = cols};
    SCDC_TRY_OR(done, status, decode_all(&job));
    data->names = images;
    images = (names){0};
done:
    listing_free(&l);
    names_free(&images);
    if (status != SCDC_OK) {
        scdc_data_free(data);
        return status;
    }
    *out = data;
    return SCDC_OK;
}
