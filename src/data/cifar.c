/* Items from the CIFAR-10 binary format: records of a label byte and 3 x 32 x 32 pixels, used where
 * they lie in the file. */
#include "data/readers.h"

#include "base/status.h"

#include <string.h>

enum { CLASSES = 10 };

static bool has_cifar_name(const file_bytes *file)
{
    if (strcmp(file->path, "standard input") == 0) return true;
    size_t length = strlen(file->path);
    if (length > 3 && strcmp(file->path + length - 3, ".gz") == 0) length -= 3;
    return length >= 4 && strncmp(file->path + length - 4, ".bin", 4) == 0;
}

bool looks_like_cifar(const file_bytes *file)
{
    if (file->size < CIFAR_RECORD || !has_cifar_name(file)) return false;
    for (size_t at = 0; at < file->size; at += CIFAR_RECORD) {
        if (file->bytes[at] >= CLASSES) return false;
    }
    return true;
}

bool is_cifar(const file_bytes *file)
{
    return file->size % CIFAR_RECORD == 0 && looks_like_cifar(file);
}

int read_cifar_items(scdc_data **out, file_bytes *file)
{
    scdc_data *data;
    size_t rows = file->size / CIFAR_RECORD;
    SCDC_TRY(data_new(&data, file->path, "cifar10", SCDC_U8, rows, CIFAR_PIXELS));
    data->channels = 3;
    data->height = data->width = 32;
    data->values = file->bytes + 1;
    data->row_stride = CIFAR_RECORD;
    data->file = *file;
    *file = (file_bytes){0};
    *out = data;
    return SCDC_OK;
}
