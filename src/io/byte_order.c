/* Values turned round a buffer at a time. */
#include "io/byte_order.h"

#include <string.h>
#include <zlib.h>

enum { BUFFER = 4096 };

static void swap_value(unsigned char *at, size_t size)
{
    uint32_t narrow;
    uint64_t wide;
    if (size == 4) {
        memcpy(&narrow, at, 4);
        narrow = __builtin_bswap32(narrow);
        memcpy(at, &narrow, 4);
    } else {
        memcpy(&wide, at, 8);
        wide = __builtin_bswap64(wide);
        memcpy(at, &wide, 8);
    }
}

void swap_values(void *values, size_t count, size_t size)
{
    unsigned char *at = values;
    for (size_t i = 0; i < count; i++, at += size) swap_value(at, size);
}

/* Hands values on as a file has them, all at once where memory has them so. */
typedef void (*take_bytes)(void *user, const unsigned char *bytes, size_t size);

static void each_part(const void *values, size_t count, size_t size, take_bytes take, void *user)
{
    const unsigned char *from = values;
    unsigned char turned[BUFFER];
    if (!needs_swap(false, size)) {
        take(user, from, count * size);
        return;
    }
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < BUFFER / size ? count - done : BUFFER / size;
        memcpy(turned, from + done * size, some * size);
        swap_values(turned, some, size);
        take(user, turned, some * size);
    }
}

static void take_to_write(void *user, const unsigned char *bytes, size_t size)
{
    fwrite(bytes, 1, size, user);
}

void write_values(FILE *stream, const void *values, size_t count, size_t size)
{
    each_part(values, count, size, take_to_write, stream);
}

static void take_to_check(void *user, const unsigned char *bytes, size_t size)
{
    uint32_t *crc = user;
    *crc = (uint32_t)crc32_z(*crc, bytes, size);
}

uint32_t checksum_values(uint32_t crc, const void *values, size_t count, size_t size)
{
    if (count) each_part(values, count, size, take_to_check, &crc);
    return crc;
}
