/* Opening labels: npy, IDX, CIFAR-10 and csv (in labels_csv.c), told by content. */
#include "data/labels.h"

#include "base/status.h"
#include "data/readers.h"
#include "io/byte_order.h"
#include "io/npy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* count integers of this type. */
static int from_integers(scdc_labels **out, const file_bytes *file, size_t offset, scdc_dtype dtype,
                         size_t count, bool big_endian)
{
    const unsigned char *from = file->bytes + offset;
    bool swapped = needs_swap(big_endian, dtype_size(dtype));
    if (dtype == SCDC_F32 || dtype == SCDC_F64) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: labels of type %s, expected integers (for instance "
                         "save array.astype('int64'))",
                         file->path, dtype_name(dtype));
    }
    if (count == 0 || count >= UINT32_MAX) {
        return fail_with(SCDC_ERR_INPUT, "%s: %zu labels, expected 1 to %u", file->path, count,
                         UINT32_MAX - 1);
    }
    scdc_labels *labels;
    SCDC_TRY(labels_new(&labels, count));
    for (size_t i = 0; i < count; i++) {
        uint32_t narrow;
        uint64_t wide;
        if (dtype == SCDC_U8) {
            labels->values[i] = from[i];
        } else if (dtype == SCDC_I32) {
            memcpy(&narrow, from + 4 * i, 4);
            labels->values[i] = (int32_t)(swapped ? __builtin_bswap32(narrow) : narrow);
        } else {
            memcpy(&wide, from + 8 * i, 8);
            labels->values[i] = (int64_t)(swapped ? __builtin_bswap64(wide) : wide);
        }
    }
    *out = labels;
    return SCDC_OK;
}

/* One label per item: every dimension but the first is 1. */
static int check_one_column(const file_bytes *file, const size_t *shape, size_t ndim)
{
    for (size_t i = 1; i < ndim; i++) {
        if (shape[i] == 1) continue;
        return fail_with(SCDC_ERR_INPUT,
                         "%s: an array of %zu dimensions, expected one label per "
                         "item (are these the items?)",
                         file->path, ndim);
    }
    if (ndim) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT, "%s: a single number, expected one label per item",
                     file->path);
}

static int read_npy_labels(scdc_labels **out, const file_bytes *file)
{
    npy_header h;
    SCDC_TRY(npy_parse(&h, file));
    SCDC_TRY(check_one_column(file, h.shape, h.ndim));
    return from_integers(out, file, h.data_offset, h.dtype, h.count, h.big_endian);
}

static int read_idx_labels(scdc_labels **out, const file_bytes *file)
{
    idx_header h;
    SCDC_TRY(idx_parse(&h, file));
    SCDC_TRY(check_one_column(file, h.shape, h.ndim));
    return from_integers(out, file, h.data_offset, h.dtype, h.count, true);
}

static int read_cifar_labels(scdc_labels **out, const file_bytes *file)
{
    scdc_labels *labels;
    SCDC_TRY(labels_new(&labels, file->size / CIFAR_RECORD));
    for (size_t i = 0; i < labels->count; i++) labels->values[i] = file->bytes[i * CIFAR_RECORD];
    *out = labels;
    return SCDC_OK;
}

static int read_array(scdc_labels **out, const file_bytes *file)
{
    if (npy_has_magic(file)) return read_npy_labels(out, file);
    if (is_cifar(file)) return read_cifar_labels(out, file);
    return read_idx_labels(out, file);
}

int labels_read(scdc_labels **out, const file_bytes *file, const char *column,
                const scdc_data *items)
{
    if (!npy_has_magic(file) && !is_cifar(file) && !idx_has_magic(file)) {
        return labels_read_csv(out, file, column, items);
    }
    if (column) {
        return fail_with(SCDC_ERR_INPUT, "%s: has no columns to pick '%s' from", file->path,
                         column);
    }
    scdc_labels *labels;
    SCDC_TRY(read_array(&labels, file));
    if (items && labels->count != items->rows) {
        int status = fail_with(SCDC_ERR_INPUT, "%s: %zu labels, but there are %zu items",
                               file->path, labels->count, items->rows);
        scdc_labels_free(labels);
        return status;
    }
    *out = labels;
    return SCDC_OK;
}

/* path:column, unless there is a file of the whole name. */
static const char *told_column(const char *path)
{
    struct stat st;
    const char *colon = strrchr(path, ':');
    return colon && colon > path && colon[1] && stat(path, &st) != 0 ? colon + 1 : NULL;
}

int scdc_labels_open(scdc_labels **out, const char *path, const scdc_data *items)
{
    if (!out || !path) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_labels_open: %s is NULL", out ? "path" : "out");
    }
    const char *column = told_column(path);
    size_t length = column ? (size_t)(column - 1 - path) : strlen(path);
    char *name = strndup(path, length);
    if (!name) return fail_memory(length + 1, "a path");
    file_bytes file;
    int status = file_open(&file, name);
    free(name);
    SCDC_TRY(status);
    status = labels_read(out, &file, column, items);
    file_close(&file);
    return status;
}
