/* Comparing before a fit begins: what differs would end in sums of things that do not belong
 * together. */
#include "model/train/same_fit.h"
#include "base/ranks.h"
#include "base/status.h"
#include "data/data.h"
#include "io/npy.h"
#include "model/model.h"
#include "model/options.h"

#include <string.h>
#include <zlib.h>

/* Items that are compared: few, because looking at one keeps its surroundings in memory. */
enum { COMPARED = 256 };

/* Products of other processors round differently. */
static int same_programs(void)
{
    static const char *const needed[] = {"scdc", "instructions", "blas kernels"};
    const char *name, *value;
    for (size_t i = 0; (name = scdc_about(i, &value)); i++) {
        for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
            if (strcmp(name, needed[k]) == 0) SCDC_TRY(scdc_ranks_same(name, value));
        }
    }
    return SCDC_OK;
}

/* Threads and saving are every process's own affair. */
static int same_options(const scdc_options *options)
{
    const char *key;
    for (size_t i = 0; (key = scdc_options_key(i, NULL)); i++) {
        char value[200], what[80];
        if (strcmp(key, "threads") == 0 || strcmp(key, "checkpoint") == 0) continue;
        SCDC_TRY(options_get(value, sizeof value, options, key));
        snprintf(what, sizeof what, "option %s", key);
        SCDC_TRY(scdc_ranks_same(what, value));
    }
    return SCDC_OK;
}

static int same_items(const scdc_data *data)
{
    size_t rows = data->rows < COMPARED ? data->rows : COMPARED;
    size_t bytes = data->cols * dtype_size(data->dtype);
    uLong crc = crc32_z(0, NULL, 0);
    char text[200];
    for (size_t i = 0; i < rows; i++)
        crc = crc32_z(crc, data_row(data, i * data->rows / rows), bytes);
    snprintf(text, sizeof text, "%zu of %zu values (%zu bytes each) with checksum %08lx",
             data->rows, data->cols, dtype_size(data->dtype), (unsigned long)crc);
    return scdc_ranks_same("items", text);
}

static int same_answers(const scdc_crowd *crowd)
{
    size_t count = 0;
    char text[200];
    if (crowd) scdc_crowd_answers(crowd, &count);
    snprintf(text, sizeof text, "%zu with checksum %08x", count,
             (unsigned)scdc_crowd_checksum(crowd));
    return scdc_ranks_same("answers", text);
}

int same_fit(const scdc_data *data, const scdc_crowd *crowd, const scdc_options *options)
{
    if (scdc_ranks_count() == 1) return SCDC_OK;
    SCDC_TRY(same_programs());
    SCDC_TRY(same_options(options));
    SCDC_TRY(same_items(data));
    return same_answers(crowd);
}

int same_state(const scdc_model *model)
{
    tensor_ref tensors[CORE_MAX_TENSORS];
    scdc_model *own;
    uLong crc = crc32_z(0, NULL, 0);
    char text[200];
    if (scdc_ranks_count() == 1) return SCDC_OK;
    memcpy(&own, &model, sizeof own); /* tensors are lent to be written as well */
    size_t count = model_tensors(tensors, own);
    for (size_t i = 0; i < count; i++)
        crc = crc32_z(crc, tensors[i].values, tensor_bytes(&tensors[i]));
    snprintf(text, sizeof text, "one after %zu epochs and %zu minibatches with checksum %08lx",
             model->epoch, model->batch, (unsigned long)crc);
    return scdc_ranks_same("model", text);
}
