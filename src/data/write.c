/* Items written as .npy. */
#include "data/data.h"

#include "base/status.h"
#include "io/byte_order.h"
#include "io/npy.h"
#include "io/writer.h"

int scdc_data_write_npy(const scdc_data *data, const char *path)
{
    if (!data || !path) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_data_write_npy: %s is NULL",
                         data ? "path" : "data");
    }
    /* Vectors as N x D, grey images as N x h x w, others as N x c x h x w. */
    size_t vector[] = {data->rows, data->cols};
    size_t grey[] = {data->rows, data->height, data->width};
    size_t image[] = {data->rows, data->channels, data->height, data->width};
    writer w;
    SCDC_TRY(writer_open(&w, path));
    int status;
    if (data->height == 1 && data->width == 1) {
        status = npy_write_header(w.stream, data->dtype, vector, 2);
    } else if (data->channels == 1) {
        status = npy_write_header(w.stream, data->dtype, grey, 3);
    } else {
        status = npy_write_header(w.stream, data->dtype, image, 4);
    }
    if (status != SCDC_OK) {
        writer_abandon(&w);
        return status;
    }
    for (size_t r = 0; r < data->rows && !writer_failed(&w); r++) {
        write_values(w.stream, data_row(data, r), data->cols, dtype_size(data->dtype));
    }
    return writer_commit(&w);
}
