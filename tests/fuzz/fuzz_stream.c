/* Items part by part are the items as a whole. The first byte says how many rows a part has. */
#include "data/data.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <scdc/stream.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_part(const scdc_data *part, const scdc_data *whole, size_t first)
{
    PROMISE(part->rows && part->cols == whole->cols && first + part->rows <= whole->rows);
    PROMISE(part->height == whole->height && part->width == whole->width);
    for (size_t i = 0; i < part->rows; i++) {
        const char *name = scdc_data_name(part, i), *same = scdc_data_name(whole, first + i);
        for (size_t c = 0; c < part->cols; c++) {
            PROMISE(data_value(part, i, c) == data_value(whole, first + i, c));
        }
        PROMISE(!name || !same || strcmp(name, same) == 0);
    }
}

static int read_parts(size_t *rows, const char *path, const scdc_data *whole, size_t most)
{
    scdc_stream *stream = NULL;
    scdc_data *part = NULL;
    int status = scdc_stream_open(&stream, path);
    *rows = 0;
    while (status == SCDC_OK) {
        status = scdc_stream_next(&part, stream, most);
        if (status != SCDC_OK || !part) break;
        PROMISE(part->rows <= most);
        if (whole) check_part(part, whole, *rows);
        *rows += part->rows;
        scdc_data_free(part);
    }
    PROMISE(status == SCDC_OK || (status == SCDC_ERR_INPUT && scdc_last_error()[0]));
    scdc_stream_free(stream);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    scdc_data *whole = NULL;
    size_t rows;
    if (size < 2) return 0;
    int file = memfd_create("items", 0);
    PROMISE(file >= 0 && write(file, bytes + 1, size - 1) == (ssize_t)(size - 1));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int status = scdc_data_open(&whole, path);
    int parts = read_parts(&rows, path, whole, 1 + bytes[0] % 7);
    PROMISE(status != SCDC_OK || (parts == SCDC_OK && rows == whole->rows));
    scdc_data_free(whole);
    close(file);
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const char *const seeds[] = {
        "1x,y\n1,2\n3.5,-4e2\n5,6\n",
        "\2id;x;y\r\na;1;2\r\nb;3;0.30000000000000004\r\n\r\n",
        "\1name\tv\n\"q\"\"uoted\"\t7\n\"two\nlines\"\t8\n\n\n",
        "\3item,x\n0,1\n1,2\n2,3\nx,4\n",
    };
    static const char array[] = "\1\x93NUMPY\1\0\x46\0{'descr': '<i4', 'fortran_order': False, "
                                "'shape': (3, 1), }           \n\1\0\0\0\2\0\0\0\3\0\0\0";
    /* Found once: sizes that no memory holds. */
    static const char lie[] = "\1\0\0\x0c\4\x30\x30\x30\x30\0\0\0\1\0\0\xff\xff\0\1\0\0rest";
    size_t texts = sizeof seeds / sizeof *seeds;
    if (number < texts) return fuzz_text(out, seeds[number]);
    if (number > texts + 1) return 0;
    const char *from = number == texts ? array : lie;
    size_t size = (number == texts ? sizeof array : sizeof lie) - 1;
    memcpy(out, from, size);
    return size;
}
