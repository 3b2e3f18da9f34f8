/* The readers of item files. Each takes the whole content of a file and makes an item matrix. A
 * reader that keeps the bytes (mapped values) moves *file into the matrix and zeroes it; the caller
 * closes *file in any case. Formats are told apart in open.c. */
#ifndef SCDC_DATA_READERS_H
#define SCDC_DATA_READERS_H

#include "data/data.h"
#include "io/file.h"

#include <scdc/scdc.h>
#include <stdbool.h>

/* Tells the format by content and reads. The name matters only for CIFAR-10 (.bin). */
int data_read(scdc_data **out, file_bytes *file);

/* That a file, or the beginning of one, is text; else what it is instead and what to do. */
int check_text(const file_bytes *file, bool whole);

int read_npy_items(scdc_data **out, file_bytes *file);
int read_csv_items(scdc_data **out, file_bytes *file);
int read_idx_items(scdc_data **out, file_bytes *file);
int read_cifar_items(scdc_data **out, file_bytes *file);
int read_image_directory(scdc_data **out, const char *path);

/* Files whose names fit a pattern ("items-*.npy"; a file of that very name goes first) as one
 * matrix, in the order of their names. Items with names stay in one file. */
bool is_pattern(const char *path);
int open_pattern(scdc_data **out, const char *pattern,
                 int (*open_one)(scdc_data **out, const char *path));

/* A CIFAR-10 record: the label byte, then 3 planes of 32 x 32. */
enum { CIFAR_PIXELS = 3072, CIFAR_RECORD = 3073 };
/* Named .bin (or standard input), whole records, labels 0 to 9. */
bool is_cifar(const file_bytes *file);
/* The same of a file of which only the beginning is there: labels 0 to 9 where they should be. */
bool looks_like_cifar(const file_bytes *beginning);

/* IDX: two zero bytes, type, number of dimensions, sizes in big endian. */
typedef struct idx_header {
    scdc_dtype dtype;
    size_t ndim, shape[4];
    size_t count, data_offset;
    size_t bytes; /* of all values */
} idx_header;
bool idx_has_magic(const file_bytes *file);
/* SCDC_ERR_INPUT naming byte and value when the header lies or the type is not supported. */
int idx_parse(idx_header *out, const file_bytes *file);
/* The same of a file of which only the beginning is there. */
int idx_parse_head(idx_header *out, const file_bytes *beginning);

/* Makes data's own values [rows][cols] in native order from `from`, whose values of this shape
 * (shape[0] = rows) are in C or Fortran order and maybe in the other byte order. Moves nothing when
 * the bytes can be used where they are: then the matrix keeps the file. */
int take_values(scdc_data *data, file_bytes *file, size_t offset, const size_t *shape, size_t ndim,
                bool fortran_order, bool big_endian);

/* The end of a reader: data becomes *out when all went well so far and its values are finite;
 * otherwise it is freed. */
int data_hand_over(scdc_data **out, scdc_data *data, const char *source, int status);

#endif
