/* Telling image formats apart, and what their decoders share. */
#include "data/image.h"

#include "base/status.h"

#include <string.h>

image_kind image_tell(const file_bytes *file)
{
    const unsigned char *b = file->bytes;
    if (file->size >= 3 && b[0] == 'P' && (b[1] == '2' || b[1] == '5') &&
        strchr(" \t\r\n#", b[2]) && b[2]) {
        return IMAGE_PGM;
    }
    if (file->size >= 8 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0) return IMAGE_PNG;
    if (file->size >= 3 && memcmp(b, "\xff\xd8\xff", 3) == 0) return IMAGE_JPEG;
    return IMAGE_NONE;
}

static int decode(uint8_t *pixels, image_info *info, const file_bytes *file)
{
    switch (image_tell(file)) {
    case IMAGE_PGM: return pgm_decode(pixels, info, file);
    case IMAGE_PNG: return png_decode(pixels, info, file);
    case IMAGE_JPEG: return jpeg_decode(pixels, info, file);
    case IMAGE_NONE: break;
    }
    return fail_with(SCDC_ERR_INPUT, "%s: not a PGM, PNG or JPEG image", file->path);
}

int image_read_info(image_info *out, const file_bytes *file)
{
    return decode(NULL, out, file);
}

int image_decode(uint8_t *out, const image_info *info, const file_bytes *file)
{
    image_info wanted = *info;
    return decode(out, &wanted, file);
}

int image_settle(image_info *info, const image_info *found, const uint8_t *pixels,
                 const file_bytes *file)
{
    if (found->width == 0 || found->height == 0) {
        return fail_with(SCDC_ERR_INPUT, "%s: an image of %zu x %zu pixels", file->path,
                         found->width, found->height);
    }
    if (!pixels) {
        *info = *found;
    } else if (info->width != found->width || info->height != found->height ||
               info->channels != found->channels) {
        return fail_with(SCDC_ERR_INPUT, "%s: the file changed while it was read", file->path);
    }
    return SCDC_OK;
}

void image_spread_row(uint8_t *pixels, const image_info *info, size_t y, const uint8_t *row,
                      int samples)
{
    size_t plane = info->height * info->width, colours = samples < 3 ? 1 : 3;
    for (size_t x = 0; x < info->width; x++, row += samples) {
        unsigned alpha = samples % 2 ? 255 : row[colours];
        for (size_t c = 0; c < colours; c++) {
            pixels[c * plane + y * info->width + x] = (uint8_t)((row[c] * alpha + 127) / 255);
        }
    }
}
