/* A checksum of the values, to tell whether two files hold the same items. */
#include "data/data.h"
#include "io/byte_order.h"
#include "io/npy.h"

uint32_t scdc_data_checksum(const scdc_data *data)
{
    uint32_t crc = 0;
    for (size_t row = 0; data && row < data->rows; row++)
        crc = checksum_values(crc, data_row(data, row), data->cols, dtype_size(data->dtype));
    return crc;
}
