/* Items from .npy: one to four dimensions, the first counts items. */
#include "data/readers.h"

#include "base/status.h"
#include "io/npy.h"

/* The rest of the dimensions: a value, a vector, a grey image, an image with channels. */
static void set_image_shape(scdc_data *data, const size_t *shape, size_t ndim)
{
    if (ndim < 3) return;
    data->channels = ndim == 4 ? shape[1] : 1;
    data->height = shape[ndim - 2];
    data->width = shape[ndim - 1];
}

int read_npy_items(scdc_data **out, file_bytes *file)
{
    npy_header h;
    SCDC_TRY(npy_parse(&h, file));
    if (h.ndim < 1 || h.ndim > 4) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: an array of %zu dimensions, expected 1 to 4: items, items x values, "
                         "items x height x width or items x channels x height x width",
                         file->path, h.ndim);
    }
    scdc_data *data;
    size_t cols = 1;
    for (size_t i = 1; i < h.ndim; i++) cols *= h.shape[i]; /* npy_parse checked the product */
    SCDC_TRY(data_new(&data, file->path, "npy", h.dtype, h.shape[0], cols));
    set_image_shape(data, h.shape, h.ndim);
    int status =
        take_values(data, file, h.data_offset, h.shape, h.ndim, h.fortran_order, h.big_endian);
    return data_hand_over(out, data, data->file.path ? data->file.path : file->path, status);
}
