/* PGM, PNG and JPEG from memory. */
#include "data/image.h"
#include "fuzz/fuzz.h"
#include "support/images.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    file_bytes file;
    image_info info = {0};
    file_from_memory(&file, bytes, size, "fuzz.img");
    int status = image_read_info(&info, &file);
    if (status == SCDC_OK) {
        PROMISE(info.width && info.height && (info.channels == 1 || info.channels == 3));
        size_t pixels = info.width * info.height;
        PROMISE(pixels / 10000 <= size); /* no claim that so few bytes cannot back */
        if (pixels > 1 << 22) return 0;  /* honest perhaps, but slow under the sanitizer */
        uint8_t *out = malloc(pixels * info.channels);
        PROMISE(out);
        status = image_decode(out, &info, &file);
        free(out);
    }
    PROMISE(status == SCDC_OK || (status == SCDC_ERR_INPUT && scdc_last_error()[0]));
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static encoded image;
    static unsigned char rows[32 * 32 * 4];
    static const png_color palette[] = {{1, 2, 3}, {50, 60, 70}, {255, 254, 253}, {9, 8, 7}};
    for (size_t i = 0; i < sizeof rows; i++) rows[i] = (unsigned char)(i * i / 64);
    image.size = 0;
    switch (number) {
    case 0: return fuzz_text(out, "P2\n# plain\n3 2\n100\n1 2 3 40 50 100\n");
    case 1: return fuzz_text(out, "P5 3 2 255\nabcdef");
    case 2: return fuzz_text(out, "P5 2 1 1000\n\1\2\3\4");
    case 3: encode_png(&image, 9, 7, 8, PNG_COLOR_TYPE_GRAY, 0, rows, 9, NULL, 0, NULL); break;
    case 4: encode_png(&image, 9, 7, 16, PNG_COLOR_TYPE_RGB, 1, rows, 54, NULL, 0, NULL); break;
    case 5: encode_png(&image, 9, 7, 8, PNG_COLOR_TYPE_RGBA, 0, rows, 36, NULL, 0, NULL); break;
    case 6:
        encode_png(&image, 8, 7, 2, PNG_COLOR_TYPE_PALETTE, 0, rows, 2, palette, 4, rows);
        break;
    case 7: encode_jpeg(&image, 17, 9, 1, 0, rows); break;
    case 8: encode_jpeg(&image, 16, 16, 3, 1, rows); break;
    case 9: encode_jpeg(&image, 20, 10, 3, 0, rows); break;
    default: break;
    }
    memcpy(out, image.bytes, image.size);
    return image.size;
}
