/* Composes .npy and IDX files in memory for tests and fuzz seeds. */
#ifndef SCDC_TESTS_NPY_H
#define SCDC_TESTS_NPY_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Bytes of `size` each, this machine's numbers, with low bytes first or high ones. */
static inline void order_bytes(unsigned char *b, size_t bytes, size_t size, int high_first)
{
    if (high_first == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) return;
    for (size_t i = 0; i + size <= bytes; i += size, b += size) {
        for (size_t j = 0; j < size / 2; j++) {
            unsigned char t = b[j];
            b[j] = b[size - 1 - j];
            b[size - 1 - j] = t;
        }
    }
}

/* Version 1.0 file of this machine's numbers into out (large enough); returns its size. The order
 * of bytes is that of `descr`, such as "<f4"; shape as text: "(3, 4)". */
static inline size_t compose_npy(unsigned char *out, const char *descr, int fortran,
                                 const char *shape, const void *values, size_t bytes)
{
    int length = sprintf((char *)out + 10, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
                         descr, fortran ? "True" : "False", shape);
    memcpy(out, "\x93NUMPY\1", 8);
    out[8] = (unsigned char)(length & 255);
    out[9] = (unsigned char)(length >> 8);
    memcpy(out + 10 + length, values, bytes);
    order_bytes(out + 10 + length, bytes, (size_t)(descr[2] - '0'), descr[0] == '>');
    return 10 + (size_t)length + bytes;
}

/* High bytes first, always. */
static inline size_t compose_idx(unsigned char *out, int type, size_t ndim, const uint32_t *shape,
                                 const void *values, size_t bytes)
{
    out[0] = out[1] = 0;
    out[2] = (unsigned char)type;
    out[3] = (unsigned char)ndim;
    for (size_t i = 0; i < ndim * 4; i++) {
        out[4 + i] = (unsigned char)(shape[i / 4] >> (24 - i % 4 * 8));
    }
    memcpy(out + 4 + 4 * ndim, values, bytes);
    order_bytes(out + 4 + 4 * ndim, bytes, type < 11 ? 1 : type == 14 ? 8 : 4, 1);
    return 4 + 4 * ndim + bytes;
}

#endif
