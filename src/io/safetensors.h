/* Safetensors files: a JSON header, then raw little-endian tensors. Generic; what the tensors mean
 * is the caller's business. CRC-32 sums of the tensor bytes and of the header travel
 * in the metadata. */
#ifndef SCDC_IO_SAFETENSORS_H
#define SCDC_IO_SAFETENSORS_H

#include "io/file.h"

#include <jansson.h>
#include <scdc/scdc.h>
#include <stddef.h>

typedef struct tensor_view {
    char name[64];
    scdc_dtype dtype;
    size_t ndim, shape[4];
    const void *values;
    size_t bytes;
} tensor_view;

/* Writes all or nothing. metadata: an object whose values are strings (borrowed). */
int safetensors_write(const char *path, const tensor_view *tensors, size_t count,
                      const json_t *metadata);

typedef struct safetensors_file {
    file_bytes file;
    tensor_view *tensors;
    size_t count;
    json_t *metadata; /* object of strings, never NULL after a successful open */
    void *turned; /* the values in this machine's order of bytes, where that is not the file's */
} safetensors_file;

/* Every offset, shape and the checksums (when present) are checked against the file. */
int safetensors_open(safetensors_file *out, const char *path);
/* The same over bytes already there; takes `file` over, also on failure. */
int safetensors_parse(safetensors_file *out, file_bytes file);
void safetensors_close(safetensors_file *st);
/* NULL when there is no such tensor. */
const tensor_view *safetensors_find(const safetensors_file *st, const char *name);
/* NULL when the metadata has no such key. */
const char *safetensors_meta(const safetensors_file *st, const char *key);

#endif
