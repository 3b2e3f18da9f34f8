/* A checksum of the values, to tell whether two files hold the same items. */
#include "data/data.h"
#include "io/npy.h"

#include <zlib.h>

uint32_t scdc_data_checksum(const scdc_data *data)
{
    uLong crc = crc32_z(0, NULL, 0);
    size_t bytes = data ? data->cols * dtype_size(data->dtype) : 0;
    for (size_t row = 0; data && row < data->rows; row++) {
        crc = crc32_z(crc, data_row(data, row), bytes);
    }
    return (uint32_t)crc;
}
