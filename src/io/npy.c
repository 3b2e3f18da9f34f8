/* The .npy header. The dictionary is parsed by a small strict reader: it must be exactly what the
 * format description allows, so that a damaged file cannot pass as data. */
#include "io/npy.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdint.h>
#include <string.h>

enum { MAGIC_SIZE = 6, MAX_DIMS = 8 };
static const char magic[] = "\x93NUMPY";

size_t dtype_size(scdc_dtype dtype)
{
    switch (dtype) {
    case SCDC_U8: return 1;
    case SCDC_I32:
    case SCDC_F32: return 4;
    case SCDC_I64:
    case SCDC_F64: return 8;
    }
    return 0;
}

const char *dtype_name(scdc_dtype dtype)
{
    switch (dtype) {
    case SCDC_U8: return "uint8";
    case SCDC_I32: return "int32";
    case SCDC_I64: return "int64";
    case SCDC_F32: return "float32";
    case SCDC_F64: return "float64";
    }
    return "unknown type";
}

bool npy_has_magic(const file_bytes *file)
{
    return file->size >= MAGIC_SIZE && memcmp(file->bytes, magic, MAGIC_SIZE) == 0;
}

/* The header text and where we are in it. */
typedef struct cursor {
    const file_bytes *file;
    size_t at, end; /* byte offsets in the file */
} cursor;

static int fail_at(const cursor *c, size_t at, const char *expected)
{
    size_t left = c->end - at;
    return fail_with(SCDC_ERR_INPUT, "%s: npy header, byte %zu: expected %s, found \"%.*s\"",
                     c->file->path, at, expected, (int)(left < 20 ? left : 20),
                     (const char *)c->file->bytes + at);
}

static void skip_spaces(cursor *c)
{
    while (c->at < c->end && c->file->bytes[c->at] == ' ') c->at++;
}

static bool take(cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_spaces(c);
    if (c->end - c->at < length || memcmp(c->file->bytes + c->at, word, length) != 0) return false;
    c->at += length;
    return true;
}

static int expect(cursor *c, const char *word, const char *expected)
{
    return take(c, word) ? SCDC_OK : fail_at(c, c->at, expected);
}

/* A quoted word into text[size]. */
static int take_quoted(char *text, size_t size, cursor *c, const char *expected)
{
    skip_spaces(c);
    size_t start = c->at;
    if (c->at == c->end || (c->file->bytes[c->at] != '\'' && c->file->bytes[c->at] != '"')) {
        return fail_at(c, start, expected);
    }
    unsigned char quote = c->file->bytes[c->at++];
    size_t length = 0;
    while (c->at < c->end && c->file->bytes[c->at] != quote) {
        if (length + 1 == size) return fail_at(c, start, expected);
        text[length++] = (char)c->file->bytes[c->at++];
    }
    if (c->at == c->end) return fail_at(c, start, expected);
    c->at++;
    text[length] = '\0';
    return SCDC_OK;
}

static int parse_descr(npy_header *out, cursor *c)
{
    char text[16];
    skip_spaces(c);
    if (c->at < c->end && c->file->bytes[c->at] == '[') {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: npy holds records with named fields, expected a "
                         "plain array of numbers",
                         c->file->path);
    }
    SCDC_TRY(take_quoted(text, sizeof text, c, "a type such as '<f4'"));
    static const struct {
        const char *code;
        scdc_dtype dtype;
    } types[] = {{"u1", SCDC_U8},  {"b1", SCDC_U8},  {"i4", SCDC_I32},
                 {"i8", SCDC_I64}, {"f4", SCDC_F32}, {"f8", SCDC_F64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!text[0] || strcmp(text + 1, types[i].code) != 0) continue;
        if (!strchr(dtype_size(types[i].dtype) == 1 ? "|<>" : "<>", text[0])) continue;
        out->dtype = types[i].dtype;
        out->big_endian = text[0] == '>' && dtype_size(out->dtype) > 1;
        return SCDC_OK;
    }
    return fail_with(SCDC_ERR_INPUT,
                     "%s: npy type '%s' is not supported, expected one of u1, b1, "
                     "i4, i8, f4, f8 (for instance save array.astype('float32'))",
                     c->file->path, text);
}

static int parse_dimension(size_t *out, cursor *c)
{
    skip_spaces(c);
    size_t start = c->at, value = 0;
    for (; c->at < c->end && c->file->bytes[c->at] >= '0' && c->file->bytes[c->at] <= '9';
         c->at++) {
        if (!size_mul(&value, value, 10) ||
            !size_add(&value, value, (size_t)(c->file->bytes[c->at] - '0'))) {
            return fail_at(c, start, "a size that fits this machine");
        }
    }
    if (c->at == start) return fail_at(c, start, "a size of 0 or more");
    take(c, "L"); /* Python 2 wrote long integers so */
    *out = value;
    return SCDC_OK;
}

static int parse_shape(npy_header *out, cursor *c)
{
    SCDC_TRY(expect(c, "(", "a shape such as (60000, 784)"));
    out->ndim = 0;
    while (!take(c, ")")) {
        if (out->ndim == MAX_DIMS) return fail_at(c, c->at, "at most 8 dimensions");
        SCDC_TRY(parse_dimension(&out->shape[out->ndim++], c));
        if (take(c, ",")) continue;
        if (out->ndim == 1) return fail_at(c, c->at, "a comma after a single dimension");
        SCDC_TRY(expect(c, ")", "a comma or ) in the shape"));
        break;
    }
    return SCDC_OK;
}

static int parse_entry(npy_header *out, unsigned *seen, cursor *c)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char key[16];
    size_t start = c->at;
    SCDC_TRY(take_quoted(key, sizeof key, c, "a key: 'descr', 'fortran_order' or 'shape'"));
    unsigned i = 0;
    while (i < 3 && strcmp(key, keys[i]) != 0) i++;
    if (i == 3) return fail_at(c, start, "a key: 'descr', 'fortran_order' or 'shape'");
    if (*seen & 1u << i) return fail_at(c, start, "each key once");
    *seen |= 1u << i;
    SCDC_TRY(expect(c, ":", "a colon"));
    if (i == 0) return parse_descr(out, c);
    if (i == 2) return parse_shape(out, c);
    out->fortran_order = take(c, "True");
    if (!out->fortran_order) SCDC_TRY(expect(c, "False", "True or False"));
    return SCDC_OK;
}

static int parse_dictionary(npy_header *out, cursor *c)
{
    unsigned seen = 0;
    SCDC_TRY(expect(c, "{", "a dictionary {...}"));
    while (!take(c, "}")) {
        SCDC_TRY(parse_entry(out, &seen, c));
        if (take(c, ",")) continue;
        SCDC_TRY(expect(c, "}", "a comma or }"));
        break;
    }
    if (seen != 7) return fail_at(c, c->at, "all of 'descr', 'fortran_order' and 'shape'");
    take(c, "\n");
    skip_spaces(c);
    return c->at == c->end ? SCDC_OK : fail_at(c, c->at, "nothing but spaces after the dictionary");
}

/* Version and header length; leaves the cursor around the dictionary. */
static int parse_preamble(cursor *c)
{
    const file_bytes *file = c->file;
    if (!npy_has_magic(file)) {
        return fail_with(SCDC_ERR_INPUT, "%s: does not begin with the npy magic bytes", file->path);
    }
    if (file->size < 10) {
        return fail_with(SCDC_ERR_INPUT, "%s: npy header: the file ends at byte %zu", file->path,
                         file->size);
    }
    const unsigned char *b = file->bytes;
    if (b[6] < 1 || b[6] > 3 || b[7] != 0) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: npy header, byte 6: version %u.%u, expected 1.0 to "
                         "3.0",
                         file->path, b[6], b[7]);
    }
    size_t length = b[8] | (size_t)b[9] << 8;
    c->at = 10;
    if (b[6] > 1) {
        c->at = 12;
        if (file->size >= 12) length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    if (file->size < c->at || file->size - c->at < length) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: npy header, byte 8: header of %zu bytes, but the file "
                         "has only %zu",
                         file->path, length, file->size);
    }
    c->end = c->at + length;
    return SCDC_OK;
}

/* "60000 x 28 x 28", for messages. */
typedef struct shape_text {
    char text[256];
} shape_text;

static shape_text shape_of(const npy_header *h)
{
    shape_text out = {"()"};
    for (size_t i = 0, at = 0; i < h->ndim && at < sizeof out.text; i++) {
        at += (size_t)snprintf(out.text + at, sizeof out.text - at, "%s%zu", i ? " x " : "",
                               h->shape[i]);
    }
    return out;
}

/* The product of the shape. */
static int count_values(npy_header *h, const file_bytes *file)
{
    size_t nonzero = 1, bytes = 0;
    bool fits = true, empty = false;
    for (size_t i = 0; i < h->ndim; i++) {
        if (h->shape[i] > 0) fits = fits && size_mul(&nonzero, nonzero, h->shape[i]);
        else empty = true;
    }
    if (!fits || !size_mul(&bytes, nonzero, dtype_size(h->dtype))) {
        return fail_with(SCDC_ERR_INPUT, "%s: npy header: shape %s of %s is larger than any memory",
                         file->path, shape_of(h).text, dtype_name(h->dtype));
    }
    h->count = empty ? 0 : nonzero;
    return SCDC_OK;
}

int npy_parse_head(npy_header *out, const file_bytes *file)
{
    npy_header header = {0};
    cursor c = {.file = file};
    SCDC_TRY(parse_preamble(&c));
    SCDC_TRY(parse_dictionary(&header, &c));
    header.data_offset = c.end;
    SCDC_TRY(count_values(&header, file));
    *out = header;
    return SCDC_OK;
}

int npy_parse(npy_header *out, const file_bytes *file)
{
    npy_header h;
    SCDC_TRY(npy_parse_head(&h, file));
    size_t need = h.count * dtype_size(h.dtype), there = file->size - h.data_offset;
    if (need != there) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: npy: shape %s of %s needs %zu bytes after byte %zu, but "
                         "%zu follow: the file is %s",
                         file->path, shape_of(&h).text, dtype_name(h.dtype), need, h.data_offset,
                         there, there < need ? "truncated" : "longer than it says");
    }
    *out = h;
    return SCDC_OK;
}

int npy_write_header(FILE *stream, scdc_dtype dtype, const size_t *shape, size_t ndim)
{
    static const char *const codes[] = {[SCDC_U8] = "|u1",
                                        [SCDC_I32] = "<i4",
                                        [SCDC_I64] = "<i8",
                                        [SCDC_F32] = "<f4",
                                        [SCDC_F64] = "<f8"};
    if (!dtype_size(dtype) || ndim > MAX_DIMS) {
        return fail_with(SCDC_ERR_INTERNAL, "npy_write_header: type %d, %zu dimensions", (int)dtype,
                         ndim);
    }
    char text[512];
    int at = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                      codes[dtype]);
    for (size_t i = 0; i < ndim; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%zu%s", i ? " " : "", shape[i],
                       i + 1 < ndim || ndim == 1 ? "," : "");
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "), }");
    size_t total = (10 + (size_t)at + 1 + 63) / 64 * 64, length = total - 10;
    fwrite(magic, 1, MAGIC_SIZE, stream);
    putc(1, stream);
    putc(0, stream);
    putc((int)(length & 255), stream);
    putc((int)(length >> 8), stream);
    fprintf(stream, "%-*s\n", (int)length - 1, text);
    return SCDC_OK;
}
