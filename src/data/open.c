/* Opening items: what a path holds is told by its content, and one reader is called. */
#include "data/readers.h"

#include "base/ranks.h"
#include "base/status.h"
#include "data/image.h"
#include "io/npy.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool begins_with(const file_bytes *file, const char *magic, size_t size)
{
    return file->size >= size && memcmp(file->bytes, magic, size) == 0;
}

/* Formats we know by sight but do not read, with what to do instead; NULL for anything else. */
static const char *known_but_not_read(const file_bytes *file)
{
    if (begins_with(file, "PK\3\4", 4)) return "a zip or .npz archive, save the array as .npy";
    if (begins_with(file, "\x89HDF\r\n", 6)) return "an HDF5 file, save the array as .npy";
    if (begins_with(file, "PAR1", 4)) return "a Parquet file, save the table as .csv";
    if (image_tell(file) != IMAGE_NONE) return "a single image, give the directory of all images";
    return NULL;
}

static bool idx_is_whole(const file_bytes *file)
{
    idx_header h;
    return idx_has_magic(file) && idx_parse(&h, file) == SCDC_OK;
}

int data_read(scdc_data **out, file_bytes *file)
{
    if (npy_has_magic(file)) return read_npy_items(out, file);
    /* A CIFAR-10 file may begin like IDX by chance, but then its size does not fit IDX. */
    if (is_cifar(file) && !idx_is_whole(file)) return read_cifar_items(out, file);
    if (idx_has_magic(file)) return read_idx_items(out, file);
    SCDC_TRY(check_text(file, true));
    return read_csv_items(out, file);
}

int check_text(const file_bytes *file, bool whole)
{
    const char *known = known_but_not_read(file);
    if (file->size == 0) return fail_with(SCDC_ERR_INPUT, "%s: the file is empty", file->path);
    if (known) return fail_with(SCDC_ERR_INPUT, "%s: is %s", file->path, known);
    size_t looked = file->size < 4096 ? file->size : 4096;
    if (memchr(file->bytes, 0, looked) && !begins_with(file, "\xff\xfe", 2) &&
        !begins_with(file, "\xfe\xff", 2)) {
        char size[48] = "";
        if (whole) snprintf(size, sizeof size, "; this one has %zu bytes", file->size);
        return fail_with(SCDC_ERR_INPUT,
                         "%s: neither .npy, IDX, text (csv) nor CIFAR-10 (a .bin file of %d-byte "
                         "records with labels 0 to 9%s)",
                         file->path, CIFAR_RECORD, size);
    }
    return SCDC_OK;
}

static int open_one(scdc_data **out, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        return read_image_directory(out, path);
    }
    file_bytes file;
    SCDC_TRY(file_open(&file, path));
    int status = data_read(out, &file);
    file_close(&file);
    return status;
}

int scdc_data_open(scdc_data **out, const char *path)
{
    scdc_data *data = NULL;
    if (!out || !path) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_data_open: %s is NULL", out ? "path" : "out");
    }
    int status = is_pattern(path) ? open_pattern(&data, path, open_one) : open_one(&data, path);
    if (scdc_ranks_count() > 1) {
        status = ranks_settle(status);
        if (status == SCDC_OK) status = data_look_together(data, path);
        if (status != SCDC_OK) scdc_data_free(data);
    }
    if (status == SCDC_OK) *out = data;
    return status;
}
