/* One image file to 8-bit grey or RGB planes: PGM, PNG, JPEG, told by content. */
#ifndef SCDC_DATA_IMAGE_H
#define SCDC_DATA_IMAGE_H

#include "io/file.h"

#include <stddef.h>
#include <stdint.h>

typedef enum image_kind { IMAGE_NONE = 0, IMAGE_PGM, IMAGE_PNG, IMAGE_JPEG } image_kind;

typedef struct image_info {
    size_t channels; /* 1 grey, 3 RGB */
    size_t height, width;
} image_info;

image_kind image_tell(const file_bytes *file);
/* Size and channels from the header. SCDC_ERR_INPUT naming the file when it is damaged, or when it
 * claims more pixels than so many bytes can hold. */
int image_read_info(image_info *out, const file_bytes *file);
/* out: [channels][height][width] as image_read_info said; 0 is black, 255 is white whatever the
 * depth of the file. Transparent pixels are laid over black. */
int image_decode(uint8_t *out, const image_info *info, const file_bytes *file);

/* The three decoders. pixels NULL: only the header is read. Otherwise *info is what the caller
 * expects, and the file must agree. */
int pgm_decode(uint8_t *pixels, image_info *info, const file_bytes *file);
int png_decode(uint8_t *pixels, image_info *info, const file_bytes *file);
int jpeg_decode(uint8_t *pixels, image_info *info, const file_bytes *file);

/* For decoders: checks *info against what was found (pixels given), or sets it (pixels NULL). */
int image_settle(image_info *info, const image_info *found, const uint8_t *pixels,
                 const file_bytes *file);
/* For decoders: interleaved samples of one row to planes. samples per pixel: 1 grey, 2 grey and
 * alpha, 3 RGB, 4 RGB and alpha. */
void image_spread_row(uint8_t *pixels, const image_info *info, size_t y, const uint8_t *row,
                      int samples);

#endif
