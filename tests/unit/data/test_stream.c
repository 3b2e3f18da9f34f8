/* data/stream: items part by part are the items as a whole, whatever the format and the parts. */
#include "data/data.h"
#include "io/byte_order.h"
#include "support/files.h"

#include <scdc/stream.h>
#include <zlib.h>

/* Every way to cut the file into parts gives what scdc_data_open gives. */
static void assert_same_as_whole(const char *path)
{
    scdc_data *whole;
    assert_ok(scdc_data_open(&whole, path));
    for (size_t most = 1; most <= whole->rows + 1; most += most < 4 ? 1 : whole->rows / 3 + 1) {
        scdc_stream *stream;
        scdc_data *part;
        size_t done = 0;
        assert_ok(scdc_stream_open(&stream, path));
        for (;;) {
            assert_ok(scdc_stream_next(&part, stream, most));
            if (!part) break;
            assert_in_range(part->rows, 1, most);
            assert_int_equal(part->first, done);
            assert_int_equal(part->cols, whole->cols);
            assert_int_equal(part->channels, whole->channels);
            assert_int_equal(part->height, whole->height);
            assert_int_equal(part->dtype, whole->dtype);
            assert_string_equal(part->format, whole->format);
            for (size_t i = 0; i < part->rows; i++, done++) {
                for (size_t c = 0; c < part->cols; c++) {
                    assert_true(data_value(part, i, c) == data_value(whole, done, c));
                }
                const char *name = scdc_data_name(whole, done);
                if (name) assert_string_equal(scdc_data_name(part, i), name);
                else assert_null(scdc_data_name(part, i));
            }
            scdc_data_free(part);
        }
        assert_int_equal(done, whole->rows);
        size_t told = scdc_stream_rows(stream);
        assert_true(told == 0 || told == whole->rows);
        /* The end stays the end. */
        assert_ok(scdc_stream_next(&part, stream, most));
        assert_null(part);
        scdc_stream_free(stream);
    }
    scdc_data_free(whole);
}

static void tables_come_in_parts(void **state)
{
    (void)state;
    assert_same_as_whole(scratch_text("a.csv", "x,y\n1,2\n3,4\n5,6\n7,8\n9,10"));
    assert_same_as_whole(scratch_text("b.csv", "1;2\r\n3;4\r\n5;6\r\n\r\n"));
    assert_same_as_whole(
        scratch_text("c.csv", "id,x\n\"a \"\"q\"\", b\",1\n\"two\nlines\",2\nc,3\n"));
    assert_same_as_whole(scratch_text("d.csv", "item,x\n0,5\n1,6\n2,7\n"));
}

/* Rows beyond the piece that is read at once, one of them longer than a piece. */
static void tables_longer_than_a_piece(void **state)
{
    (void)state;
    const char *path = scratch_path("long.csv");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("name,x,y\n", file);
    for (int i = 0; i < 90000; i++) {
        if (i == 40000) {
            fputc('"', file);
            for (int c = 0; c < 3 << 20; c++) fputc(c % 80 ? 'a' : '\n', file);
            fputs("\",1,2\n", file);
        }
        fprintf(file, "item %d,%d.25,-%d\n", i, i, i);
    }
    assert_int_equal(fclose(file), 0);
    assert_same_as_whole(path);
}

static void write_npy(const char *path, const char *type, const char *order, const char *shape,
                      const void *values, size_t size)
{
    char header[128];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': %s, 'shape': %s}", type, order, shape);
    fwrite("\x93NUMPY\1\0", 1, 8, file);
    fputc(length + 1, file);
    fputc(0, file);
    fprintf(file, "%s\n", header);
    /* Numbers of this machine, or bytes that have the order already. */
    size_t each = (size_t)(type[2] - '0'), whole = type[0] == '<' ? size / each : 0;
    write_values(file, values, whole, each);
    fwrite((const char *)values + whole * each, 1, size - whole * each, file);
    assert_int_equal(fclose(file), 0);
}

static void arrays_come_in_parts(void **state)
{
    (void)state;
    static const float values[12] = {1, -2, 3.5f, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const unsigned char big[] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe, 0, 0, 1, 0};
    static const unsigned char idx[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0,
                                        1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
    static unsigned char cifar[5 * 3073];
    const char *path = scratch_path("a.npy");
    write_npy(path, "<f4", "False", "(4, 3)", values, sizeof values);
    assert_same_as_whole(path);
    write_npy(path, "<f4", "False", "(3, 2, 2)", values, sizeof values);
    assert_same_as_whole(path);
    write_npy(path, "<f4", "True", "(4, 3)", values, sizeof values);
    assert_same_as_whole(path);
    write_npy(path, ">i4", "False", "(3,)", big, sizeof big);
    assert_same_as_whole(path);
    assert_same_as_whole(scratch_write("i.idx", idx, sizeof idx));
    for (size_t i = 0; i < sizeof cifar; i++) cifar[i] = (unsigned char)(i % 3073 ? i : i / 3073);
    assert_same_as_whole(scratch_write("batch.bin", cifar, sizeof cifar));
}

static void gzipped_files_are_inflated_on_the_way(void **state)
{
    (void)state;
    const char *path = scratch_path("z.csv.gz");
    gzFile zip = gzopen(path, "wb");
    for (int i = 0; i < 30000; i++) gzprintf(zip, "%d,%d\n", i, i * 7 % 13);
    gzclose(zip);
    assert_same_as_whole(path);
    /* Cut off: what is there may come, but never a quiet end. */
    assert_int_equal(truncate(path, 5000), 0);
    scdc_stream *stream;
    scdc_data *part = NULL;
    int status = scdc_stream_open(&stream, path);
    if (status == SCDC_OK) {
        do {
            scdc_data_free(part);
            part = NULL;
            status = scdc_stream_next(&part, stream, 100);
        } while (status == SCDC_OK && part);
        scdc_stream_free(stream);
    }
    assert_int_equal(status, SCDC_ERR_INPUT);
    assert_non_null(strstr(scdc_last_error(), "truncated"));
}

/* Reads to the end in parts of two; the error that ends it, or SCDC_OK. */
static int read_through(const char *path)
{
    scdc_stream *stream;
    scdc_data *part;
    int status = scdc_stream_open(&stream, path);
    if (status != SCDC_OK) return status;
    for (;;) {
        status = scdc_stream_next(&part, stream, 2);
        if (status != SCDC_OK || !part) break;
        scdc_data_free(part);
    }
    scdc_stream_free(stream);
    return status;
}

static void mistakes_are_told_with_their_place_in_the_file(void **state)
{
    (void)state;
    static const double bad[4] = {1, 2, 3, 1e300};
    const char *path = scratch_path("bad.npy");
    assert_fails(read_through(scratch_text("a.csv", "x\n1\n2\n3\nfour\n")), SCDC_ERR_INPUT,
                 "line 5");
    assert_fails(read_through(scratch_text("b.csv", "1\n2\n3\n\n\n4\n")), SCDC_ERR_INPUT,
                 "line 4: is blank, but more rows follow");
    assert_fails(read_through(scratch_text("c.csv", "")), SCDC_ERR_INPUT, "empty");
    assert_fails(read_through(scratch_text("d.csv", "id,x\na,1\nb,2\nc,1\nc,2\n")), SCDC_ERR_INPUT,
                 "also that of row 3");
    write_npy(path, "<f8", "False", "(4, 1)", bad, sizeof bad);
    assert_fails(read_through(path), SCDC_ERR_INPUT, "row 3, column 0");
    write_npy(path, "<f8", "False", "(4, 1)", bad, 20);
    assert_fails(read_through(path), SCDC_ERR_INPUT, "4 bytes into row 2 of 4");
    write_npy(path, "<f8", "False", "(2, 1)", bad, sizeof bad);
    assert_fails(read_through(path), SCDC_ERR_INPUT, "more bytes follow the last of 2 rows");
    write_npy(path, "<f8", "False", "(0, 1)", bad, 0);
    assert_fails(read_through(path), SCDC_ERR_INPUT, "0 rows");
    assert_fails(read_through(scratch_path("absent")), SCDC_ERR_INPUT, "cannot open");
}

/* No memory is asked for before the values come. */
static void headers_that_claim_too_much_are_truncated_files(void **state)
{
    (void)state;
    static const double few[2] = {1, 2};
    static const unsigned char idx[] = {0, 0, 12, 4, 0, 0, 0, 1, 0, 0, 255, 255,
                                        0, 1, 0,  0, 0, 9, 0, 0, 0, 0, 0,   7};
    unsigned char wraps[sizeof idx];
    const char *path = scratch_path("lie.npy");
    write_npy(path, "<f8", "False", "(3, 1000000000000)", few, sizeof few);
    assert_fails(read_through(path), SCDC_ERR_INPUT, "truncated");
    write_npy(path, "<f8", "False", "(4000000000, 3)", few, sizeof few);
    assert_fails(read_through(path), SCDC_ERR_INPUT, "truncated");
    assert_fails(read_through(scratch_write("lie.idx", idx, sizeof idx)), SCDC_ERR_INPUT,
                 "truncated");
    memset(wraps, 255, sizeof wraps);
    memcpy(wraps, idx, 4);
    assert_fails(read_through(scratch_write("wraps.idx", wraps, sizeof wraps)), SCDC_ERR_INPUT,
                 "more values than any file has");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_come_in_parts),
        cmocka_unit_test(tables_longer_than_a_piece),
        cmocka_unit_test(arrays_come_in_parts),
        cmocka_unit_test(gzipped_files_are_inflated_on_the_way),
        cmocka_unit_test(mistakes_are_told_with_their_place_in_the_file),
        cmocka_unit_test(headers_that_claim_too_much_are_truncated_files),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
