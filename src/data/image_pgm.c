/* PGM, plain (P2) and raw (P5), any maximum up to 65535, scaled to 0..255. */
#include "data/image.h"

#include "base/status.h"

#include <stdbool.h>
#include <string.h>

typedef struct pgm {
    const file_bytes *file;
    size_t at;
    bool plain;
    size_t width, height, maxval;
} pgm;

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* White space and comments, which run from # to the end of their line. */
static void skip_space(pgm *p)
{
    const file_bytes *f = p->file;
    while (p->at < f->size && (is_space(f->bytes[p->at]) || f->bytes[p->at] == '#')) {
        if (f->bytes[p->at] == '#') {
            while (p->at < f->size && f->bytes[p->at] != '\n') p->at++;
        } else {
            p->at++;
        }
    }
}

static int take_number(size_t *out, pgm *p, size_t most, const char *what)
{
    skip_space(p);
    size_t start = p->at, value = 0;
    for (; p->at < p->file->size; p->at++) {
        unsigned char c = p->file->bytes[p->at];
        if (c < '0' || c > '9') break;
        value = value * 10 + (size_t)(c - '0');
        if (value > most) {
            return fail_with(SCDC_ERR_INPUT, "%s: PGM byte %zu: %s is more than %zu", p->file->path,
                             start, what, most);
        }
    }
    if (p->at == start) {
        return fail_with(SCDC_ERR_INPUT, "%s: PGM byte %zu: expected %s, a number%s", p->file->path,
                         start, what, start == p->file->size ? ", but the file ends" : "");
    }
    *out = value;
    return SCDC_OK;
}

static int read_header(pgm *p)
{
    p->plain = p->file->bytes[1] == '2';
    p->at = 2;
    SCDC_TRY(take_number(&p->width, p, 1 << 24, "the width"));
    SCDC_TRY(take_number(&p->height, p, 1 << 24, "the height"));
    SCDC_TRY(take_number(&p->maxval, p, 65535, "the maximum value"));
    if (p->maxval == 0) {
        return fail_with(SCDC_ERR_INPUT, "%s: PGM: the maximum value is 0, expected 1 to 65535",
                         p->file->path);
    }
    if (p->at == p->file->size || !is_space(p->file->bytes[p->at])) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: PGM byte %zu: expected white space after the maximum "
                         "value",
                         p->file->path, p->at);
    }
    p->at++;
    /* A plain value takes a byte at least. */
    size_t need = p->width * p->height * (!p->plain && p->maxval > 255 ? 2 : 1);
    if (p->file->size - p->at < need) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: PGM: %zu x %zu pixels need %zu bytes after byte %zu, "
                         "but %zu follow: the file is truncated",
                         p->file->path, p->width, p->height, need, p->at, p->file->size - p->at);
    }
    return SCDC_OK;
}

static int read_value(size_t *out, pgm *p)
{
    const unsigned char *b = p->file->bytes;
    if (p->plain) return take_number(out, p, p->maxval, "a value");
    size_t start = p->at, value = b[p->at++];
    if (p->maxval > 255) value = value << 8 | b[p->at++];
    if (value > p->maxval) {
        return fail_with(SCDC_ERR_INPUT, "%s: PGM byte %zu: value %zu is above the maximum %zu",
                         p->file->path, start, value, p->maxval);
    }
    *out = value;
    return SCDC_OK;
}

int pgm_decode(uint8_t *pixels, image_info *info, const file_bytes *file)
{
    pgm p = {.file = file};
    SCDC_TRY(read_header(&p));
    image_info found = {.channels = 1, .height = p.height, .width = p.width};
    SCDC_TRY(image_settle(info, &found, pixels, file));
    if (!pixels) return SCDC_OK;
    for (size_t i = 0; i < p.width * p.height; i++) {
        size_t value = 0;
        SCDC_TRY(read_value(&value, &p));
        pixels[i] = (uint8_t)((2 * 255 * value + p.maxval) / (2 * p.maxval));
    }
    skip_space(&p);
    if (p.at < file->size) {
        return fail_with(SCDC_ERR_INPUT, "%s: PGM: %zu bytes follow the image at byte %zu",
                         file->path, file->size - p.at, p.at);
    }
    return SCDC_OK;
}
