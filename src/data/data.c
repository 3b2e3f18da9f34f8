/* The item matrix as an object: making, freeing, shape, names, rows. Values are read by gather.c
 * and scan.c; files by the readers. */
#include "data/data.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/npy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The part that a row is in. */
static size_t part_of(const data_parts *p, size_t row)
{
    size_t low = 0, high = p->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (p->begin[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

const void *data_row(const scdc_data *data, size_t row)
{
    if (data->parts.count) {
        size_t part = part_of(&data->parts, row);
        row -= data->parts.begin[part];
        data = data->parts.part[part];
    }
    return (const char *)data->values + row * data->row_stride * dtype_size(data->dtype);
}

size_t data_run(const scdc_data *data, size_t row)
{
    if (!data->parts.count) return data->rows - row;
    return data->parts.begin[part_of(&data->parts, row) + 1] - row;
}

int data_new(scdc_data **out, const char *source, const char *format, scdc_dtype dtype, size_t rows,
             size_t cols)
{
    size_t bytes;
    if (rows == 0 || cols == 0) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: %zu rows of %zu values, expected at least one of each", source, rows,
                         cols);
    }
    if (rows >= UINT32_MAX || !size_mul(&bytes, rows, cols) ||
        !size_mul(&bytes, bytes, dtype_size(dtype))) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: %zu rows of %zu values are too many (at most %u rows)", source, rows,
                         cols, UINT32_MAX - 1);
    }
    scdc_data *data;
    SCDC_TRY(mem_zeroed(&data, 1, sizeof *data, "an item matrix"));
    data->rows = rows;
    data->cols = data->channels = data->row_stride = cols;
    data->height = data->width = 1;
    data->dtype = dtype;
    data->format = format;
    *out = data;
    return SCDC_OK;
}

int data_own_values(void *out, scdc_data *data)
{
    SCDC_TRY(mem_zeroed(&data->block, data->rows * data->cols, dtype_size(data->dtype),
                        "the values of the items"));
    data->values = data->block;
    data->row_stride = data->cols;
    memcpy(out, &data->block, sizeof data->block);
    return SCDC_OK;
}

void scdc_data_free(scdc_data *data)
{
    if (!data) return;
    for (size_t i = 0; i < data->parts.count; i++) scdc_data_free(data->parts.part[i]);
    mem_free(data->parts.part);
    mem_free(data->parts.begin);
    names_free(&data->names);
    names_free(&data->columns);
    file_close(&data->file);
    mem_free(data->block);
    mem_free(data);
}

int scdc_data_from_memory(scdc_data **out, const void *values, scdc_dtype dtype, size_t rows,
                          size_t cols, int copy)
{
    size_t bytes, size = dtype_size(dtype);
    if (!out || !values || !size) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_data_from_memory: %s",
                         !out      ? "out is NULL"
                         : !values ? "values is NULL"
                                   : "dtype is not one of SCDC_U8, I32, I64, F32, F64");
    }
    if (rows == 0 || cols == 0 || rows >= UINT32_MAX || !size_mul(&bytes, rows, cols) ||
        !size_mul(&bytes, bytes, size)) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "scdc_data_from_memory: %zu rows of %zu values, expected 1 to %u rows and "
                         "1 value or more",
                         rows, cols, UINT32_MAX - 1);
    }
    if (!copy && (uintptr_t)values % size) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "scdc_data_from_memory: values are not aligned to their type, have them "
                         "copied");
    }
    scdc_data *data;
    SCDC_TRY(data_new(&data, "memory", "memory", dtype, rows, cols));
    int status = SCDC_OK;
    if (copy) {
        void *own;
        SCDC_TRY_OR(done, status, data_own_values(&own, data));
        memcpy(own, values, bytes);
    } else {
        data->values = values;
    }
    status = data_check_finite(data, "values");
    if (status == SCDC_ERR_INPUT) status = SCDC_ERR_ARGUMENT;
done:
    if (status != SCDC_OK) {
        scdc_data_free(data);
        return status;
    }
    *out = data;
    return SCDC_OK;
}

int scdc_data_set_shape(scdc_data *data, size_t channels, size_t height, size_t width)
{
    if (!data) return fail_with(SCDC_ERR_ARGUMENT, "scdc_data_set_shape: data is NULL");
    size_t product;
    if (!size_mul(&product, channels, height) || !size_mul(&product, product, width) ||
        product != data->cols) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "shape %zu x %zu x %zu does not hold the %zu values of "
                         "an item",
                         channels, height, width, data->cols);
    }
    data->channels = channels;
    data->height = height;
    data->width = width;
    return SCDC_OK;
}

const char *scdc_data_name(const scdc_data *data, size_t item)
{
    return data ? names_at(&data->names, item) : NULL;
}

const char *scdc_data_class_column(const scdc_data *data)
{
    return data && data->class_column[0] ? data->class_column : NULL;
}

bool data_find(size_t *item, const scdc_data *data, const char *name, size_t length)
{
    return names_find(item, &data->names, name, length);
}
