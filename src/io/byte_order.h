/* The order of bytes in numbers. Files have low bytes first, unless they say otherwise, whatever
 * this machine has in memory. */
#ifndef SCDC_IO_BYTE_ORDER_H
#define SCDC_IO_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Must values of this size, stored with high bytes first or not, be turned round? */
static inline bool needs_swap(bool high_first, size_t size)
{
    return size > 1 && high_first != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Turns `count` values of 4 or 8 bytes round, in place. */
void swap_values(void *values, size_t count, size_t size);

/* Values of 1, 4 or 8 bytes as files have them, low bytes first: written, or added to a CRC-32. */
void write_values(FILE *stream, const void *values, size_t count, size_t size);
uint32_t checksum_values(uint32_t crc, const void *values, size_t count, size_t size);

#endif
