/* Reads items from fuzzed bytes and holds the library to its promises. */
#ifndef SCDC_TESTS_FUZZ_ITEMS_H
#define SCDC_TESTS_FUZZ_ITEMS_H

#include "data/readers.h"
#include "fuzz/fuzz.h"

#include <math.h>

static inline void fuzz_items(const uint8_t *bytes, size_t size, const char *name)
{
    file_bytes file;
    scdc_data *data = NULL;
    scdc_data_info info;
    file_from_memory(&file, bytes, size, name);
    int status = file_inflate(&file);
    if (status == SCDC_OK) status = data_read(&data, &file);
    file_close(&file);
    if (status != SCDC_OK) {
        PROMISE(status == SCDC_ERR_INPUT && !data && scdc_last_error()[0]);
        return;
    }
    PROMISE(data && data->rows && data->cols);
    PROMISE(data->channels * data->height * data->width == data->cols);
    PROMISE(scdc_data_get_info(&info, data) == SCDC_OK);
    PROMISE(isfinite(info.min) && isfinite(info.mean) && info.min <= info.max);
    float *row = malloc(data->cols * sizeof *row);
    PROMISE(row && scdc_data_rows(row, data, data->rows - 1, 1) == SCDC_OK);
    for (size_t i = 0; i < data->cols; i++) PROMISE(isfinite(row[i]));
    free(row);
    PROMISE(!info.named || scdc_data_name(data, data->rows - 1));
    scdc_data_free(data);
}

#endif
