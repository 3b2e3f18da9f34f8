/* The .npy header (format versions 1.0, 2.0, 3.0): parsed from bytes, and written. */
#ifndef SCDC_IO_NPY_H
#define SCDC_IO_NPY_H

#include "io/file.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct npy_header {
    scdc_dtype dtype;
    bool big_endian;
    bool fortran_order;
    size_t ndim;
    size_t shape[8];
    size_t count;       /* product of shape, checked for overflow */
    size_t data_offset; /* bytes before the values */
} npy_header;

bool npy_has_magic(const file_bytes *file);
/* SCDC_ERR_INPUT naming file, byte and value when the header lies or a type is not one of
 * u1 (also b1), i4, i8, f4, f8, or when the values after it are not as many as it says. */
int npy_parse(npy_header *out, const file_bytes *file);
/* The same of a file of which only the beginning is there: what follows the header is not looked
 * at. */
int npy_parse_head(npy_header *out, const file_bytes *beginning);
/* Version 1.0 header, little endian, C order, padded so that values start at a multiple of 64. */
int npy_write_header(FILE *stream, scdc_dtype dtype, const size_t *shape, size_t ndim);
size_t dtype_size(scdc_dtype dtype);
const char *dtype_name(scdc_dtype dtype); /* "uint8", "float32", ... */

#endif
