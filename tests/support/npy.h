/* Composes .npy and IDX files in memory for tests and fuzz seeds. */
#ifndef SCDC_TESTS_NPY_H
#define SCDC_TESTS_NPY_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Version 1.0 file into out (large enough); returns its size. shape as text: "(3, 4)". */
static inline size_t compose_npy(unsigned char *out, const char *descr, int fortran,
                                 const char *shape, const void *values, size_t bytes)
{
    int length = sprintf((char *)out + 10, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
                         descr, fortran ? "True" : "False", shape);
    memcpy(out, "\x93NUMPY\1", 8);
    out[8] = (unsigned char)(length & 255);
    out[9] = (unsigned char)(length >> 8);
    memcpy(out + 10 + length, values, bytes);
    return 10 + (size_t)length + bytes;
}

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
    return 4 + 4 * ndim + bytes;
}

/* Reverses each value of `size` bytes. */
static inline void swap_bytes(void *values, size_t count, size_t size)
{
    unsigned char *b = values;
    for (size_t i = 0; i < count; i++, b += size) {
        for (size_t j = 0; j < size / 2; j++) {
            unsigned char t = b[j];
            b[j] = b[size - 1 - j];
            b[size - 1 - j] = t;
        }
    }
}

#endif
