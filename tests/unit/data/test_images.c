/* data/image and data/directory: decoding of every kind, damage, and directories of images. */
#include "data/image.h"
#include "support/files.h"
#include "support/images.h"

#include <zlib.h>

static void decode(uint8_t *out, image_info *info, const void *bytes, size_t size)
{
    file_bytes file;
    file_from_memory(&file, bytes, size, "t.img");
    assert_ok(image_read_info(info, &file));
    assert_ok(image_decode(out, info, &file));
}

static void assert_damaged(const void *bytes, size_t size, const char *expected)
{
    /* An exact copy, so that reading over the end shows under the sanitizer. */
    unsigned char *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    file_bytes file;
    image_info info = {0};
    file_from_memory(&file, exact, size, "t.img");
    int status = image_read_info(&info, &file);
    if (status == SCDC_OK) {
        assert_true(info.channels * info.height * info.width < 1 << 20);
        uint8_t *out = malloc(info.channels * info.height * info.width);
        status = image_decode(out, &info, &file);
        free(out);
    }
    assert_fails(status, SCDC_ERR_INPUT, expected);
    free(exact);
}

static void pgm_is_scaled(void **state)
{
    (void)state;
    uint8_t out[16];
    image_info info;
    static const char raw[] = "P5\n# a comment\n3 2\n119\n\0\1\73\74\166\167";
    decode(out, &info, raw, sizeof raw - 1);
    assert_int_equal(info.width, 3);
    assert_int_equal(info.height, 2);
    assert_int_equal(info.channels, 1);
    static const uint8_t expected[] = {0, 2, 126, 129, 253, 255}; /* round(255 v / 119) */
    assert_memory_equal(out, expected, 6);

    static const char plain[] = "P2 # why not\n2 2 1000\n0 500\n# between\n999 1000";
    decode(out, &info, plain, sizeof plain - 1);
    static const uint8_t expected_plain[] = {0, 128, 255, 255};
    assert_memory_equal(out, expected_plain, 4);

    static const char wide[] = "P5 2 1 65535\n\x80\x00\xff\xff";
    decode(out, &info, wide, sizeof wide - 1);
    assert_int_equal(out[0], 128);
    assert_int_equal(out[1], 255);

    static const char newline[] = "P5 1 1 255\n\x07\n";
    decode(out, &info, newline, sizeof newline - 1);
    assert_int_equal(out[0], 7);
}

static void damaged_pgm(void **state)
{
    (void)state;
#define DAMAGED(text, expected) assert_damaged(text, sizeof text - 1, expected)
    DAMAGED("P5 3 2 255\n12345", "3 x 2 pixels need 6 bytes after byte 11, but 5 follow");
    DAMAGED("P5 3 2 255\n1234567", "1 bytes follow the image at byte 17");
    DAMAGED("P5 3 2 100\n12345z", "byte 16: value 122 is above the maximum 100");
    DAMAGED("P5 3 2 0\n123456", "maximum value is 0");
    DAMAGED("P5 3 2 65536\n123456", "the maximum value is more than 65535");
    DAMAGED("P5 99999999999999999999 2 255\n1", "the width is more than");
    DAMAGED("P5 -3 2 255\n123456", "byte 3: expected the width");
    DAMAGED("P5 0 2 255\n", "0 x 2 pixels");
    DAMAGED("P5 16777216 16777216 65535\n", "truncated");
    DAMAGED("P5 3 2", "expected the maximum value, a number, but the file ends");
    DAMAGED("P5 1 1 255", "expected white space");
    DAMAGED("P5 ", "the file ends");
    DAMAGED("P5 # only a comment", "the file ends");
    DAMAGED("P2 2 2 9 1 2 3 ", "expected a value, a number, but the file ends");
    DAMAGED("P2 2 2 9 1 2 3 10 ", "a value is more than 9");
    DAMAGED("P2 2 2 9 1 2 3 x", "expected a value");
    DAMAGED("P6 1 1 255\nabc", "not a PGM");
    DAMAGED("", "not a PGM");
}

/* Pixel (x, y) of channel c of the test pictures. */
static uint8_t pixel(size_t x, size_t y, size_t c)
{
    return (uint8_t)(x * 13 + y * 29 + c * 71);
}
enum { W = 11, H = 7 };

static void assert_planes(const uint8_t *out, const image_info *info, size_t channels, int slack)
{
    assert_int_equal(info->width, W);
    assert_int_equal(info->height, H);
    assert_int_equal(info->channels, channels);
    for (size_t c = 0; c < channels; c++) {
        for (size_t i = 0; i < W * H; i++) {
            int got = out[c * W * H + i], want = pixel(i % W, i / W, c);
            if (abs(got - want) > slack)
                fail_msg("plane %zu pixel %zu: %d not %d", c, i, got, want);
        }
    }
}

static void png_of_every_kind(void **state)
{
    (void)state;
    static encoded png;
    static unsigned char rows[W * H * 8];
    uint8_t out[3 * W * H];
    image_info info;
    for (int interlace = 0; interlace < 2; interlace++) {
        static const int colours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                      PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
        static const size_t samples[] = {1, 2, 3, 4};
        for (int k = 0; k < 4; k++) {
            size_t plain = k < 2 ? 1 : 3;
            for (size_t bytes = 1; bytes <= 2; bytes++) { /* 8 and 16 bits */
                for (size_t i = 0; i < W * H; i++) {
                    for (size_t s = 0; s < samples[k]; s++) {
                        uint8_t v = s < plain ? pixel(i % W, i / W, s) : 255;
                        memset(rows + (i * samples[k] + s) * bytes, v, bytes);
                    }
                }
                encode_png(&png, W, H, (int)bytes * 8, colours[k], interlace, rows,
                           W * samples[k] * bytes, NULL, 0, NULL);
                decode(out, &info, png.bytes, png.size);
                assert_planes(out, &info, plain, 0);
            }
        }
    }
    /* Half transparent: over black. */
    static const unsigned char half[] = {200, 128, 200, 0};
    encode_png(&png, 2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, 0, half, 4, NULL, 0, NULL);
    decode(out, &info, png.bytes, png.size);
    assert_int_equal(out[0], 100);
    assert_int_equal(out[1], 0);
    /* A palette, with and without transparency; two bits per pixel. */
    static const png_color palette[] = {{1, 2, 3}, {50, 60, 70}, {255, 254, 253}, {9, 8, 7}};
    static const unsigned char packed[] = {0x1b}, alphas[] = {255, 255, 0, 255};
    encode_png(&png, 4, 1, 2, PNG_COLOR_TYPE_PALETTE, 0, packed, 1, palette, 4, NULL);
    decode(out, &info, png.bytes, png.size);
    assert_int_equal(info.channels, 3);
    static const uint8_t planes[] = {1, 50, 255, 9, 2, 60, 254, 8, 3, 70, 253, 7};
    assert_memory_equal(out, planes, 12);
    encode_png(&png, 4, 1, 2, PNG_COLOR_TYPE_PALETTE, 0, packed, 1, palette, 4, alphas);
    decode(out, &info, png.bytes, png.size);
    assert_int_equal(out[2] + out[6] + out[10], 0);
    assert_int_equal(out[0], 1);
    /* One bit of grey. */
    static const unsigned char bits[] = {0xa0};
    encode_png(&png, 4, 1, 1, PNG_COLOR_TYPE_GRAY, 0, bits, 1, NULL, 0, NULL);
    decode(out, &info, png.bytes, png.size);
    static const uint8_t grey[] = {255, 0, 255, 0};
    assert_memory_equal(out, grey, 4);
}

static void damaged_png(void **state)
{
    (void)state;
    static encoded png;
    static unsigned char rows[W * H];
    for (size_t i = 0; i < W * H; i++) rows[i] = pixel(i % W, i / W, 0);
    encode_png(&png, W, H, 8, PNG_COLOR_TYPE_GRAY, 0, rows, W, NULL, 0, NULL);
    for (size_t cut = 8; cut < png.size; cut++) assert_damaged(png.bytes, cut, "truncated");
    assert_damaged(png.bytes, 7, "not a PGM");
    for (size_t at = 8; at < 33; at++) { /* any byte of the header: its checksum tells */
        png.bytes[at] ^= 0x10;
        assert_damaged(png.bytes, png.size, "t.img: PNG near byte");
        png.bytes[at] ^= 0x10;
    }
    /* 60000 x 60000 with a right checksum: refused before anything is allocated for it. */
    static unsigned char bomb[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\0\0\0\0....";
    uint32_t crc = (uint32_t)crc32(0, bomb + 12, 17);
    for (int i = 0; i < 4; i++) bomb[29 + i] = (unsigned char)(crc >> (24 - 8 * i));
    unsigned char whole[sizeof bomb + 4096];
    memcpy(whole, bomb, 33);
    memcpy(whole + 33, png.bytes + 33, png.size - 33);
    assert_damaged(whole, png.size, "claims 60000 x 60000 pixels");
}

static void jpeg_of_every_kind(void **state)
{
    (void)state;
    static encoded jpeg;
    static unsigned char samples[64 * 64 * 3];
    static uint8_t out[64 * 64 * 3];
    image_info info;
    for (int progressive = 0; progressive < 2; progressive++) {
        for (size_t channels = 1; channels <= 3; channels += 2) {
            /* Smooth, so that the loss stays small. */
            for (size_t i = 0; i < 64 * 64; i++) {
                for (size_t c = 0; c < channels; c++) {
                    samples[i * channels + c] = (unsigned char)(i % 64 * 2 + i / 64 + 20 * c);
                }
            }
            encode_jpeg(&jpeg, 64, 64, (int)channels, progressive, samples);
            decode(out, &info, jpeg.bytes, jpeg.size);
            assert_int_equal(info.channels, channels);
            assert_int_equal(info.width, 64);
            for (size_t c = 0; c < channels; c++) {
                for (size_t i = 0; i < 64 * 64; i++) {
                    int got = out[c * 64 * 64 + i], want = samples[i * channels + c];
                    if (abs(got - want) > 4) fail_msg("plane %zu at %zu: %d, %d", c, i, got, want);
                }
            }
            for (size_t cut = 3; cut < jpeg.size - 2; cut += 1 + jpeg.size / 50) {
                assert_damaged(jpeg.bytes, cut, "t.img: JPEG");
            }
        }
    }
    encode_jpeg(&jpeg, 16, 16, 4, 0, samples);
    assert_damaged(jpeg.bytes, jpeg.size, "4 components");
    /* The height and width in the frame header are raised to 65000. */
    encode_jpeg(&jpeg, 16, 16, 1, 0, samples);
    for (size_t i = 0; i + 9 < jpeg.size; i++) {
        if (jpeg.bytes[i] != 0xff || jpeg.bytes[i + 1] != 0xc0) continue;
        for (size_t j = 5; j < 9; j += 2) jpeg.bytes[i + j] = 0xfd, jpeg.bytes[i + j + 1] = 0xe8;
        break;
    }
    assert_damaged(jpeg.bytes, jpeg.size, "claims 65000 x 65000 pixels");
}

static void directories_are_read_in_order(void **state)
{
    (void)state;
    assert_int_equal(mkdir(scratch_path("dir"), 0777), 0);
    assert_int_equal(mkdir(scratch_path("dir/folder"), 0777), 0);
    scdc_data *data = NULL;
    assert_fails(scdc_data_open(&data, scratch_path("dir")), SCDC_ERR_INPUT, "no PGM, PNG or JPEG");
    scratch_text("dir/notes.txt", "not an image");
    scratch_text("dir/.hidden.pgm", "P5 1 1 255\n1");
    scratch_text("dir/empty", "");
    assert_fails(scdc_data_open(&data, scratch_path("dir")), SCDC_ERR_INPUT, "no PGM, PNG or JPEG");
    scratch_text("dir/b.pgm", "P5 2 1 200\n\x64\xc8");
    scratch_text("dir/c.pgm", "P2 2 1 2\n1 2");
    static encoded png;
    encode_png(&png, 2, 1, 8, PNG_COLOR_TYPE_GRAY, 0, (const unsigned char *)"\x01\x02", 2, NULL, 0,
               NULL);
    scratch_write("dir/a.png", png.bytes, png.size);
    assert_ok(scdc_data_open(&data, scratch_path("dir")));
    scdc_data_info info;
    assert_ok(scdc_data_get_info(&info, data));
    assert_int_equal(info.rows, 3);
    assert_int_equal(info.cols, 2);
    assert_int_equal(info.width, 2);
    assert_int_equal(info.channels, 1);
    assert_string_equal(info.format, "images");
    assert_int_equal(info.named, 1);
    assert_int_equal(info.mapped, 0);
    assert_string_equal(scdc_data_name(data, 0), "a.png");
    assert_string_equal(scdc_data_name(data, 1), "b.pgm");
    assert_string_equal(scdc_data_name(data, 2), "c.pgm");
    assert_null(scdc_data_name(data, 3));
    float x[6];
    assert_ok(scdc_data_rows(x, data, 0, 3));
    static const float expected[] = {1, 2, 128, 255, 128, 255};
    assert_memory_equal(x, expected, sizeof x);
    scdc_data_free(data);
    data = NULL;

    /* Both files and both sizes are named. */
    scratch_text("dir/d.pgm", "P5 1 2 255\nab");
    assert_fails(scdc_data_open(&data, scratch_path("dir")), SCDC_ERR_INPUT,
                 "a.png is 2 x 1 grey and d.pgm is 1 x 2 grey");
    encode_png(&png, 2, 1, 8, PNG_COLOR_TYPE_RGB, 0, (const unsigned char *)"abcdef", 6, NULL, 0,
               NULL);
    scratch_write("dir/d.pgm", png.bytes, png.size);
    assert_fails(scdc_data_open(&data, scratch_path("dir")), SCDC_ERR_INPUT,
                 "a.png is 2 x 1 grey and d.pgm is 2 x 1 RGB");
    /* Of several that fail in their pixels, the first is named. */
    scratch_text("dir/d.pgm", "P2 2 1 9\n1 x ");
    scratch_text("dir/e.pgm", "P2 2 1 9\n1 y ");
    assert_fails(scdc_data_open(&data, scratch_path("dir")), SCDC_ERR_INPUT, "d.pgm: PGM byte 11");
    assert_fails(scdc_data_open(&data, scratch_path("dir/b.pgm")), SCDC_ERR_INPUT,
                 "a single image, give the directory");
    assert_null(data);
}

static void faces(void **state)
{
    (void)state;
    if (!shared_path("cmu_faces/index.csv")) skip();
    char path[4096];
    snprintf(path, sizeof path, "%s", shared_path("cmu_faces/index.csv"));
    strcpy(strstr(path, "index.csv"), "faces_4");
    scdc_data *data;
    scdc_data_info info;
    assert_ok(scdc_data_open(&data, path));
    assert_ok(scdc_data_get_info(&info, data));
    assert_int_equal(info.rows, 624);
    assert_int_equal(info.width, 32);
    assert_int_equal(info.height, 30);
    assert_int_equal(info.cols, 960);
    assert_int_equal(info.named, 1);
    assert_true(info.min == 0 && info.max == 252); /* no file reaches its own maximum */
    assert_close(info.mean, 69.83295439369658, 1e-10);
    assert_string_equal(scdc_data_name(data, 0), "an2i_left_angry_open_4.pgm");
    scdc_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pgm_is_scaled),
        cmocka_unit_test(damaged_pgm),
        cmocka_unit_test(png_of_every_kind),
        cmocka_unit_test(damaged_png),
        cmocka_unit_test(jpeg_of_every_kind),
        cmocka_unit_test(directories_are_read_in_order),
        cmocka_unit_test(faces),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
