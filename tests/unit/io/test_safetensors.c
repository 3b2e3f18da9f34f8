/* Safetensors: what is written is read back; anything cut, bent or foreign is refused. */
#include "io/byte_order.h"
#include "io/safetensors.h"
#include "support/files.h"

static const char *path(void)
{
    return scratch_path("example.safetensors");
}

static void write_example(void)
{
    static const float weights[6] = {1, 2, 3, 4, 5, 6};
    static const double values[2] = {0.5, -0.5};
    tensor_view t[2] = {{.name = "weights",
                         .dtype = SCDC_F32,
                         .ndim = 2,
                         .shape = {2, 3},
                         .values = weights,
                         .bytes = 24},
                        {.name = "values",
                         .dtype = SCDC_F64,
                         .ndim = 1,
                         .shape = {2},
                         .values = values,
                         .bytes = 16}};
    json_t *meta = json_pack("{s:s}", "hello", "world \"quoted\"");
    assert_ok(safetensors_write(path(), t, 2, meta));
    json_decref(meta);
}

static size_t slurp(unsigned char *out, size_t size)
{
    FILE *file = fopen(path(), "rb");
    assert_non_null(file);
    size_t got = fread(out, 1, size, file);
    fclose(file);
    return got;
}

static int parse_bytes(const unsigned char *bytes, size_t size)
{
    file_bytes file;
    safetensors_file st;
    file_from_memory(&file, bytes, size, "test");
    int status = safetensors_parse(&st, file);
    if (status == SCDC_OK) safetensors_close(&st);
    return status;
}

static void round_trip(void **state)
{
    (void)state;
    safetensors_file st;
    write_example();
    assert_ok(safetensors_open(&st, path()));
    assert_int_equal(st.count, 2);
    assert_string_equal(safetensors_meta(&st, "hello"), "world \"quoted\"");
    assert_null(safetensors_meta(&st, "none"));
    assert_null(safetensors_find(&st, "none"));
    const tensor_view *t = safetensors_find(&st, "weights");
    assert_non_null(t);
    assert_int_equal(t->shape[1], 3);
    float six;
    memcpy(&six, (const char *)t->values + 20, 4);
    assert_true(six == 6);
    safetensors_close(&st);
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[4096];
    write_example();
    size_t size = slurp(bytes, sizeof bytes);
    assert_ok(parse_bytes(bytes, size));
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc(cut ? cut : 1); /* a heap block: sanitizers see overreads */
        memcpy(part, bytes, cut);
        assert_int_equal(parse_bytes(part, cut), SCDC_ERR_INPUT);
        free(part);
    }
}

static void damaged_values_fail_the_checksum(void **state)
{
    (void)state;
    unsigned char bytes[4096];
    write_example();
    size_t size = slurp(bytes, sizeof bytes);
    bytes[size - 3] ^= 1;
    assert_fails(parse_bytes(bytes, size), SCDC_ERR_INPUT, "checksum");
}

/* One wrong bit in the header, wherever it is, is noticed: an option of a model is a few digits of
 * text. Only the name of the checksum itself may go. */
static void damaged_headers_are_noticed(void **state)
{
    (void)state;
    unsigned char bytes[4096];
    write_example();
    size_t size = slurp(bytes, sizeof bytes);
    uint64_t length;
    memcpy(&length, bytes, sizeof length);
    if (needs_swap(false, sizeof length)) swap_values(&length, 1, sizeof length);
    size_t end = 8 + (size_t)length, unseen = 0;
    for (size_t at = 8; at < end; at++) {
        if (bytes[at] == ' ') continue; /* the padding */
        bytes[at] ^= 1;
        unseen += parse_bytes(bytes, size) == SCDC_OK;
        bytes[at] ^= 1;
    }
    assert_true(unseen <= strlen("header_crc32") + strlen("crc32"));
    assert_ok(parse_bytes(bytes, size));
}

static void lying_headers_are_refused(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "[]",
        "{\"a\":1}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,400]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,8]}}",
        "{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,2],\"data_offsets\":[0,8]}}",
        "{\"__metadata__\":3}",
        "{\"a\":",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        unsigned char bytes[512] = {0};
        uint64_t length = strlen(headers[i]);
        bytes[0] = (unsigned char)length;
        memcpy(bytes + 8, headers[i], length);
        assert_int_equal(parse_bytes(bytes, 8 + length + 8), SCDC_ERR_INPUT);
    }
    unsigned char huge[16];
    memset(huge, 255, sizeof huge);
    assert_fails(parse_bytes(huge, 16), SCDC_ERR_INPUT, "header");
    assert_fails(parse_bytes(huge, 0), SCDC_ERR_INPUT, "header");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(damaged_values_fail_the_checksum),
        cmocka_unit_test(damaged_headers_are_noticed),
        cmocka_unit_test(lying_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
