/* Answers as rows of four integers (i, j, worker, same) in a .npy file. */
#include "base/status.h"
#include "crowd/read.h"
#include "io/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 4 };

static int check_header(const npy_header *h, const file_bytes *file)
{
    if (h->ndim != 2 || h->shape[1] != COLUMNS) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: answers must be rows of 4 integers (item, item, worker, same), but "
                         "the array has %zu dimensions%s",
                         file->path, h->ndim, h->ndim == 2 ? " and another number of columns" : "");
    }
    if (h->dtype == SCDC_F32 || h->dtype == SCDC_F64) {
        return fail_with(SCDC_ERR_INPUT, "%s: answers must be integers, but the array is %s",
                         file->path, dtype_name(h->dtype));
    }
    if (h->shape[0] == 0) return fail_with(SCDC_ERR_INPUT, "%s: holds no answers", file->path);
    return SCDC_OK;
}

/* The integer at (row, column), whatever its type, byte order and layout. */
static int64_t value_at(const npy_header *h, const file_bytes *file, size_t row, size_t column)
{
    size_t index = h->fortran_order ? column * h->shape[0] + row : row * COLUMNS + column;
    size_t size = dtype_size(h->dtype);
    const unsigned char *bytes = file->bytes + h->data_offset + index * size;
    uint64_t bits = 0;
    for (size_t b = 0; b < size; b++) bits = bits << 8 | bytes[h->big_endian ? b : size - 1 - b];
    if (h->dtype == SCDC_I32) {
        uint32_t low = (uint32_t)bits;
        int32_t value;
        memcpy(&value, &low, sizeof value);
        return value;
    }
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int read_row(crowd_reader *r, const int64_t value[COLUMNS], place at)
{
    scdc_answer a = {.task = SCDC_NO_TASK, .same = value[3] == 1};
    char text[32];
    size_t worker;
    SCDC_TRY(resolve_number(&a.left, &r->items, value[0], at));
    SCDC_TRY(resolve_number(&a.right, &r->items, value[1], at));
    if (a.left == a.right) {
        return fail_with(SCDC_ERR_INPUT, "%s: row %zu: item %" PRId64 " is compared with itself",
                         at.file, at.number, value[0]);
    }
    if (value[2] < 0) {
        return fail_with(SCDC_ERR_INPUT, "%s: row %zu: worker %" PRId64 " is negative", at.file,
                         at.number, value[2]);
    }
    if (value[3] != 0 && value[3] != 1) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: row %zu: the answer must be 1 (same) or 0 (different), not %" PRId64,
                         at.file, at.number, value[3]);
    }
    int length = snprintf(text, sizeof text, "%" PRId64, value[2]);
    SCDC_TRY(names_add(&worker, NULL, &r->crowd->workers, text, (size_t)length));
    a.worker = (uint32_t)worker;
    return crowd_append(r->crowd, a);
}

int crowd_read_npy(crowd_reader *r, const file_bytes *file)
{
    npy_header header;
    SCDC_TRY(npy_parse(&header, file));
    SCDC_TRY(check_header(&header, file));
    for (size_t row = 0; row < header.shape[0]; row++) {
        int64_t value[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++) value[c] = value_at(&header, file, row, c);
        SCDC_TRY(read_row(r, value, (place){file->path, "row", row}));
    }
    return SCDC_OK;
}
