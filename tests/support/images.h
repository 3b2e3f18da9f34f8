/* Images encoded in memory for tests and fuzz seeds. Not fast, not general. */
#ifndef SCDC_TESTS_IMAGES_H
#define SCDC_TESTS_IMAGES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>
/* jpeglib.h needs size_t and FILE before it. */
#include <jpeglib.h>

typedef struct encoded {
    unsigned char bytes[1 << 16];
    size_t size;
} encoded;

static void encoded_append(png_structp png, png_bytep from, size_t size)
{
    encoded *out = png_get_io_ptr(png);
    if (sizeof out->bytes - out->size < size) png_error(png, "too large for a test");
    memcpy(out->bytes + out->size, from, size);
    out->size += size;
}
static void encoded_flush(png_structp png)
{
    (void)png;
}

/* rows: the raw PNG rows, row_bytes each. palette: up to 256 RGB entries or NULL. transparent: a
 * tRNS chunk (palette alphas) or NULL. */
static inline void encode_png(encoded *out, uint32_t width, uint32_t height, int depth, int colour,
                              int interlace, const unsigned char *rows, size_t row_bytes,
                              const png_color *palette, int n_palette,
                              const unsigned char *transparent)
{
    out->size = 0;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, out, encoded_append, encoded_flush);
    png_set_IHDR(png, info, width, height, depth, colour,
                 interlace ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    if (palette) png_set_PLTE(png, info, palette, n_palette);
    if (transparent) png_set_tRNS(png, info, transparent, n_palette, NULL);
    png_bytepp pointers = malloc(height * sizeof *pointers);
    unsigned char *copy = malloc(height * row_bytes);
    memcpy(copy, rows, height * row_bytes);
    for (uint32_t y = 0; y < height; y++) pointers[y] = copy + y * row_bytes;
    png_set_rows(png, info, pointers);
    png_write_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    png_destroy_write_struct(&png, &info);
    free(pointers);
    free(copy);
}

/* samples: interleaved, 1 (grey) or 3 (RGB) per pixel. */
static inline void encode_jpeg(encoded *out, uint32_t width, uint32_t height, int channels,
                               int progressive, const unsigned char *samples)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *buffer = NULL;
    unsigned long size = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &buffer, &size);
    jpeg.image_width = width;
    jpeg.image_height = height;
    jpeg.input_components = channels;
    jpeg.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    if (progressive) jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    unsigned char *row = malloc((size_t)width * (size_t)channels);
    while (jpeg.next_scanline < height) {
        memcpy(row, samples + jpeg.next_scanline * width * (size_t)channels,
               (size_t)width * (size_t)channels);
        JSAMPROW rows[] = {row};
        jpeg_write_scanlines(&jpeg, rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    out->size = size < sizeof out->bytes ? size : 0;
    memcpy(out->bytes, buffer, out->size);
    free(buffer);
    free(row);
}

#endif
