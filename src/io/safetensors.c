/* Reading and writing safetensors files. */
#include "io/safetensors.h"
#include "base/memory.h"
#include "base/status.h"
#include "io/byte_order.h"
#include "io/npy.h"
#include "io/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 100 * 1000 * 1000 }; /* the format's own limit */

static const struct {
    const char *name;
    scdc_dtype dtype;
} type_names[] = {
    {"U8", SCDC_U8}, {"I32", SCDC_I32}, {"I64", SCDC_I64}, {"F32", SCDC_F32}, {"F64", SCDC_F64}};
enum { TYPES = sizeof type_names / sizeof *type_names };

static const char *type_name(scdc_dtype dtype)
{
    for (size_t i = 0; i < TYPES; i++) {
        if (type_names[i].dtype == dtype) return type_names[i].name;
    }
    return "U8";
}

/* CRC-32 of the header as text, in the order of its keys; it must not hold the checksums yet. ""
 * when memory runs out. */
static void header_checksum(char out[16], const json_t *header)
{
    char *text = json_dumps(header, JSON_COMPACT | JSON_SORT_KEYS);
    if (text) snprintf(out, 16, "%08" PRIx32, checksum_values(0, text, strlen(text), 1));
    free(text);
}

/* ---- writing ---- */

static json_t *header_of(const tensor_view *tensors, size_t count, const json_t *metadata)
{
    json_t *header = json_object(),
           *meta = metadata ? json_copy((json_t *)(uintptr_t)metadata) : json_object();
    uint32_t crc = 0;
    size_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        const tensor_view *t = &tensors[i];
        json_t *shape = json_array();
        for (size_t a = 0; a < t->ndim; a++)
            json_array_append_new(shape, json_integer((json_int_t)t->shape[a]));
        json_object_set_new(header, t->name,
                            json_pack("{s:s, s:o, s:[I, I]}", "dtype", type_name(t->dtype), "shape",
                                      shape, "data_offsets", (json_int_t)offset,
                                      (json_int_t)(offset + t->bytes)));
        offset += t->bytes;
        crc =
            checksum_values(crc, t->values, t->bytes / dtype_size(t->dtype), dtype_size(t->dtype));
    }
    json_object_set_new(header, "__metadata__", meta);
    char of_header[16] = "";
    header_checksum(of_header, header);
    json_object_set_new(meta, "header_crc32", json_string(of_header));
    json_object_set_new(meta, "crc32", json_sprintf("%08lx", (unsigned long)crc));
    return header;
}

int safetensors_write(const char *path, const tensor_view *tensors, size_t count,
                      const json_t *metadata)
{
    json_t *header = header_of(tensors, count, metadata);
    char *text = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    if (!text) return fail_memory(1 << 20, "the header of a model file");
    /* Padded with blanks so that the tensors start at a multiple of 8. */
    uint64_t length = strlen(text), padded = (length + 7) / 8 * 8;
    writer w;
    int status = writer_open(&w, path);
    if (status == SCDC_OK) {
        write_values(w.stream, &padded, 1, sizeof padded);
        fprintf(w.stream, "%s%*s", text, (int)(padded - length), "");
        for (size_t i = 0; i < count; i++) {
            size_t size = dtype_size(tensors[i].dtype);
            if (tensors[i].bytes)
                write_values(w.stream, tensors[i].values, tensors[i].bytes / size, size);
        }
        status = writer_commit(&w);
    }
    free(text);
    return status;
}

/* ---- reading ---- */

static int bad(const safetensors_file *st, const char *what)
{
    return fail_with(SCDC_ERR_INPUT, "%s: not a usable safetensors file: %s", st->file.path, what);
}

static int parse_shape(tensor_view *t, const json_t *shape, const safetensors_file *st)
{
    size_t count = 1, index;
    json_t *value;
    t->ndim = json_array_size(shape);
    if (!json_is_array(shape) || t->ndim > 4) return bad(st, "a tensor has more than 4 dimensions");
    json_array_foreach(shape, index, value)
    {
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            !size_mul(&count, count, (size_t)json_integer_value(value))) {
            return bad(st, "a tensor's shape is not a list of sizes");
        }
        t->shape[index] = (size_t)json_integer_value(value);
    }
    if (!size_mul(&t->bytes, count, dtype_size(t->dtype))) return bad(st, "a tensor is too large");
    return SCDC_OK;
}

static int parse_tensor(tensor_view *t, const char *name, const json_t *entry,
                        const safetensors_file *st, size_t data_start)
{
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    if (!type || strlen(name) >= sizeof t->name)
        return bad(st, "a tensor has no type or too long a name");
    strcpy(t->name, name);
    t->dtype = 0;
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(type_names[i].name, type) == 0) t->dtype = type_names[i].dtype;
    }
    if (!t->dtype)
        return fail_with(SCDC_ERR_INPUT, "%s: tensor %s has type %s, which is not supported",
                         st->file.path, name, type);
    SCDC_TRY(parse_shape(t, json_object_get(entry, "shape"), st));
    json_int_t begin = json_integer_value(json_array_get(offsets, 0));
    json_int_t end = json_integer_value(json_array_get(offsets, 1));
    size_t room = st->file.size - data_start;
    if (json_array_size(offsets) != 2 || begin < 0 || end < begin || (size_t)end > room ||
        (size_t)(end - begin) != t->bytes) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: tensor %s should be bytes %" PRId64 " to %" PRId64
                         " of the data, but the file holds %zu: it is cut off or damaged",
                         st->file.path, name, (int64_t)begin, (int64_t)end, room);
    }
    t->values = st->file.bytes + data_start + begin;
    return SCDC_OK;
}

static int compare_crc(const safetensors_file *st, const char *of, const char *text,
                       const json_t *stored)
{
    const char *expected = json_string_value(stored);
    /* Files of other programs have none. */
    if (!stored || (expected && strcmp(text, expected) == 0)) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: checksum %s of the %s does not match the stored %s: the file is damaged",
                     st->file.path, text, of, expected ? expected : "one");
}

/* Takes both checksums out of the metadata. */
static int check_crc(safetensors_file *st, const json_t *header, size_t data_start)
{
    json_t *of_header = json_incref(json_object_get(st->metadata, "header_crc32"));
    json_t *of_values = json_incref(json_object_get(st->metadata, "crc32"));
    json_object_del(st->metadata, "header_crc32");
    json_object_del(st->metadata, "crc32");
    char text[16] = "";
    header_checksum(text, header);
    int status = compare_crc(st, "header", text, of_header);
    if (status == SCDC_OK) {
        uint32_t crc =
            checksum_values(0, st->file.bytes + data_start, st->file.size - data_start, 1);
        snprintf(text, sizeof text, "%08" PRIx32, crc);
        status = compare_crc(st, "values", text, of_values);
    }
    json_decref(of_header);
    json_decref(of_values);
    return status;
}

static int parse_header(safetensors_file *st, json_t *header, size_t data_start)
{
    const char *name;
    json_t *entry;
    st->metadata = json_incref(json_object_get(header, "__metadata__"));
    if (!st->metadata) st->metadata = json_object();
    if (!json_is_object(st->metadata)) return bad(st, "its metadata is not an object");
    SCDC_TRY(
        mem_zeroed(&st->tensors, json_object_size(header), sizeof *st->tensors, "a tensor list"));
    json_object_foreach(header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        SCDC_TRY(parse_tensor(&st->tensors[st->count], name, entry, st, data_start));
        st->count++;
    }
    return check_crc(st, header, data_start);
}

/* On machines with high bytes first tensors are copies that are turned round. */
static int turn_values(safetensors_file *st, size_t data_start)
{
    if (!needs_swap(false, sizeof(uint64_t))) return SCDC_OK;
    size_t size = st->file.size - data_start;
    unsigned char *turned;
    SCDC_TRY(mem_zeroed(&turned, size, 1, "tensors"));
    memcpy(turned, st->file.bytes + data_start, size);
    st->turned = turned;
    for (size_t i = 0; i < st->count; i++) {
        tensor_view *t = &st->tensors[i];
        size_t each = dtype_size(t->dtype);
        unsigned char *values =
            turned + ((const unsigned char *)t->values - st->file.bytes - data_start);
        if (needs_swap(false, each)) swap_values(values, t->bytes / each, each);
        t->values = values;
    }
    return SCDC_OK;
}

int safetensors_parse(safetensors_file *out, file_bytes file)
{
    safetensors_file st = {.file = file};
    json_t *header = NULL;
    uint64_t length = 0;
    int status;
    if (file.size >= sizeof length) memcpy(&length, file.bytes, sizeof length);
    if (needs_swap(false, sizeof length)) swap_values(&length, 1, sizeof length);
    if (length < 2 || length > MAX_HEADER || length > file.size - sizeof length) {
        status = bad(&st, "the length of its header does not fit the file");
        goto error;
    }
    json_error_t problem;
    header = json_loadb((const char *)file.bytes + sizeof length, length, JSON_REJECT_DUPLICATES,
                        &problem);
    if (!json_is_object(header)) {
        status = bad(&st, "its header is not a JSON object");
        goto error;
    }
    SCDC_TRY_OR(error, status, parse_header(&st, header, sizeof length + length));
    SCDC_TRY_OR(error, status, turn_values(&st, sizeof length + length));
    json_decref(header);
    *out = st;
    return SCDC_OK;
error:
    json_decref(header);
    safetensors_close(&st);
    return status;
}

int safetensors_open(safetensors_file *out, const char *path)
{
    file_bytes file;
    SCDC_TRY(file_open(&file, path));
    return safetensors_parse(out, file);
}

void safetensors_close(safetensors_file *st)
{
    if (!st) return;
    json_decref(st->metadata);
    mem_free(st->tensors);
    mem_free(st->turned);
    file_close(&st->file);
    *st = (safetensors_file){0};
}

const tensor_view *safetensors_find(const safetensors_file *st, const char *name)
{
    for (size_t i = 0; i < st->count; i++) {
        if (strcmp(st->tensors[i].name, name) == 0) return &st->tensors[i];
    }
    return NULL;
}

const char *safetensors_meta(const safetensors_file *st, const char *key)
{
    return json_string_value(json_object_get(st->metadata, key));
}
