/* Items from IDX, the format of MNIST. */
#include "data/readers.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/npy.h"

#include <stdint.h>
#include <string.h>

static const struct {
    unsigned char code;
    scdc_dtype dtype; /* 0: not supported */
    const char *name;
} types[] = {
    {0x08, SCDC_U8, "unsigned byte"}, {0x09, 0, "signed byte"},  {0x0B, 0, "short"},
    {0x0C, SCDC_I32, "int"},          {0x0D, SCDC_F32, "float"}, {0x0E, SCDC_F64, "double"}};
enum { TYPES = sizeof types / sizeof *types };

static int type_of(unsigned char code)
{
    for (int i = 0; i < TYPES; i++) {
        if (types[i].code == code) return i;
    }
    return -1;
}

bool idx_has_magic(const file_bytes *file)
{
    return file->size >= 4 && file->bytes[0] == 0 && file->bytes[1] == 0 &&
           type_of(file->bytes[2]) >= 0 && file->bytes[3] > 0;
}

static size_t big_endian_32(const unsigned char *b)
{
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

int idx_parse_head(idx_header *out, const file_bytes *file)
{
    const unsigned char *b = file->bytes;
    if (!idx_has_magic(file)) {
        return fail_with(SCDC_ERR_INPUT, "%s: does not begin with the IDX magic bytes", file->path);
    }
    int type = type_of(b[2]);
    idx_header h = {.dtype = types[type].dtype, .ndim = b[3], .count = 1};
    if (!h.dtype) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: IDX byte 2: type 0x%02X (%s) is not supported, expected 0x08 "
                         "(unsigned byte), 0x0C (int), 0x0D (float) or 0x0E (double)",
                         file->path, b[2], types[type].name);
    }
    if (h.ndim > 4) {
        return fail_with(SCDC_ERR_INPUT, "%s: IDX byte 3: %zu dimensions, expected 1 to 4",
                         file->path, h.ndim);
    }
    h.data_offset = 4 + 4 * h.ndim;
    if (file->size < h.data_offset) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: IDX header of %zu bytes, but the file ends at byte "
                         "%zu",
                         file->path, h.data_offset, file->size);
    }
    bool fits = true;
    for (size_t i = 0; i < h.ndim; i++) {
        h.shape[i] = big_endian_32(b + 4 + 4 * i);
        fits = fits && size_mul(&h.count, h.count, h.shape[i]);
    }
    fits = fits && size_mul(&h.bytes, h.count, dtype_size(h.dtype));
    if (!fits) h.bytes = SIZE_MAX; /* more than any file has */
    *out = h;
    return SCDC_OK;
}

int idx_parse(idx_header *out, const file_bytes *file)
{
    idx_header h;
    SCDC_TRY(idx_parse_head(&h, file));
    size_t there = file->size - h.data_offset;
    if (h.bytes != there) {
        char shape[64];
        size_t at = 0;
        for (size_t i = 0; i < h.ndim; i++) {
            at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%zu", i ? " x " : "",
                                   h.shape[i]);
        }
        return fail_with(SCDC_ERR_INPUT,
                         "%s: IDX: shape %s of %s does not match the %zu bytes after "
                         "byte %zu: the file is %s",
                         file->path, shape, dtype_name(h.dtype), there, h.data_offset,
                         h.bytes < there ? "longer than it says" : "truncated");
    }
    *out = h;
    return SCDC_OK;
}

int read_idx_items(scdc_data **out, file_bytes *file)
{
    idx_header h;
    SCDC_TRY(idx_parse(&h, file));
    size_t cols = 1;
    for (size_t i = 1; i < h.ndim; i++) cols *= h.shape[i]; /* idx_parse checked the product */
    scdc_data *data;
    SCDC_TRY(data_new(&data, file->path, "idx", h.dtype, h.shape[0], cols));
    if (h.ndim >= 3) {
        data->channels = h.ndim == 4 ? h.shape[1] : 1;
        data->height = h.shape[h.ndim - 2];
        data->width = h.shape[h.ndim - 1];
    }
    bool swapped = dtype_size(h.dtype) > 1;
    int status = take_values(data, file, h.data_offset, h.shape, h.ndim, false, swapped);
    return data_hand_over(out, data, data->file.path ? data->file.path : file->path, status);
}
