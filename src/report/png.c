/* PNG through libpng, whose errors come back as a status. */
#include "report/png.h"

#include "base/status.h"

#include <png.h>
#include <scdc/scdc.h>

static void keep_error(png_structp png, png_const_charp message)
{
    fail_with(SCDC_ERR_OUTPUT, "png: %s", message);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

static void put_bytes(png_structp png, png_bytep bytes, size_t count)
{
    /* A short write leaves its mark on the stream. */
    (void)!fwrite(bytes, 1, count, png_get_io_ptr(png));
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static int write_image(png_structp png, png_infop info, const uint8_t *pixels, size_t channels,
                       size_t height, size_t width)
{
    if (setjmp(png_jmpbuf(png))) return SCDC_ERR_OUTPUT;
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8,
                 channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (size_t y = 0; y < height; y++) png_write_row(png, pixels + y * width * channels);
    png_write_end(png, info);
    return SCDC_OK;
}

int png_encode(FILE *stream, const uint8_t *pixels, size_t channels, size_t height, size_t width)
{
    if (channels != 1 && channels != 3) {
        return fail_with(SCDC_ERR_ARGUMENT, "a picture has 1 or 3 channels, not %zu", channels);
    }
    if (height < 1 || width < 1 || height > PNG_UINT_31_MAX || width > PNG_UINT_31_MAX / channels) {
        return fail_with(SCDC_ERR_ARGUMENT, "a picture of %zu x %zu pixels cannot be a PNG", width,
                         height);
    }
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, keep_error, ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int status;
    if (info) {
        png_set_write_fn(png, stream, put_bytes, flush_nothing);
        status = write_image(png, info, pixels, channels, height, width);
    } else {
        status = fail_memory(width * channels, "a picture");
    }
    png_destroy_write_struct(&png, &info);
    return status;
}
