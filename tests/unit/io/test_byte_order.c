/* Files have the same bytes on every machine, whatever the order of bytes in its memory. */
#include "crowd/crowd.h"
#include "data/data.h"
#include "io/byte_order.h"
#include "io/safetensors.h"
#include "support/check.h"
#include "support/files.h"

#include <stdlib.h>

/* The last `size` bytes of a file. */
static void assert_ends_in(const char *path, const unsigned char *bytes, size_t size)
{
    unsigned char found[64];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, -(long)size, SEEK_END), 0);
    assert_int_equal(fread(found, 1, size, file), size);
    fclose(file);
    assert_memory_equal(found, bytes, size);
}

static void items_are_written_low_bytes_first(void **state)
{
    (void)state;
    static const float values[] = {1, -2.5f};
    static const unsigned char bytes[] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0};
    static const int64_t wide[] = {258};
    static const unsigned char of_wide[] = {2, 1, 0, 0, 0, 0, 0, 0};
    scdc_data *data, *again;
    const char *path = scratch_path("a.npy");
    assert_ok(scdc_data_from_memory(&data, values, SCDC_F32, 1, 2, 0));
    assert_ok(scdc_data_write_npy(data, path));
    assert_ends_in(path, bytes, sizeof bytes);
    assert_int_equal(scdc_data_checksum(data), 0x560302f4);
    assert_ok(scdc_data_open(&again, path));
    assert_int_equal(scdc_data_checksum(again), scdc_data_checksum(data));
    assert_true(data_value(again, 0, 1) == -2.5);
    scdc_data_free(again);
    scdc_data_free(data);
    assert_ok(scdc_data_from_memory(&data, wide, SCDC_I64, 1, 1, 0));
    assert_ok(scdc_data_write_npy(data, path));
    assert_ends_in(path, of_wide, sizeof of_wide);
    scdc_data_free(data);
}

static void tensors_are_written_low_bytes_first(void **state)
{
    (void)state;
    static const double values[] = {1, 0.1};
    static const int32_t counts[] = {-2};
    static const unsigned char text[] = {7, 8};
    static const unsigned char bytes[] = {0,    0,    0,    0,    0,    0,    0xf0, 0x3f,
                                          0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0x3f,
                                          0xfe, 0xff, 0xff, 0xff, 7,    8};
    const tensor_view tensors[] = {
        {.name = "a", .dtype = SCDC_F64, .ndim = 1, .shape = {2}, .values = values, .bytes = 16},
        {.name = "b", .dtype = SCDC_I32, .ndim = 1, .shape = {1}, .values = counts, .bytes = 4},
        {.name = "c", .dtype = SCDC_U8, .ndim = 1, .shape = {2}, .values = text, .bytes = 2},
    };
    const char *path = scratch_path("a.safetensors");
    safetensors_file st;
    assert_ok(safetensors_write(path, tensors, 3, NULL));
    assert_ends_in(path, bytes, sizeof bytes);
    assert_ok(safetensors_open(&st, path));
    for (size_t i = 0; i < 3; i++) {
        const tensor_view *t = safetensors_find(&st, tensors[i].name);
        assert_non_null(t);
        assert_memory_equal(t->values, tensors[i].values, tensors[i].bytes);
    }
    safetensors_close(&st);
}

static void checksums_are_those_of_the_files(void **state)
{
    (void)state;
    static const scdc_answer answers[] = {{.left = 1, .right = 2, .task = SCDC_NO_TASK, .same = 1}};
    static const uint32_t numbers[] = {0x01020304, 5};
    scdc_crowd *crowd;
    assert_ok(scdc_crowd_from_memory(&crowd, answers, 1));
    assert_int_equal(scdc_crowd_checksum(crowd), 0xcf73c25b);
    scdc_crowd_free(crowd);
    assert_int_equal(checksum_values(0, numbers, 2, 4), 0x97f6b387);
    assert_int_equal(checksum_values(0, "123456789", 9, 1), 0xcbf43926);
    assert_int_equal(checksum_values(17, NULL, 0, 8), 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_written_low_bytes_first),
        cmocka_unit_test(tensors_are_written_low_bytes_first),
        cmocka_unit_test(checksums_are_those_of_the_files),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
