/* io/npy: headers of every version and type, and every lie they can tell. */
#include "io/npy.h"
#include "io/writer.h"
#include "support/files.h"

/* A file with this version, header text and number of data bytes (all zero). */
static size_t compose(unsigned char *out, int version, const char *header, size_t data)
{
    size_t length = strlen(header), at = 0;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)version;
    out[7] = 0;
    for (at = 8; at < (version == 1 ? 10u : 12u); at++) {
        out[at] = (unsigned char)(length >> 8 * (at - 8));
    }
    memcpy(out + at, header, length);
    memset(out + at + length, 0, data);
    return at + length + data;
}

static void good_headers(void **state)
{
    (void)state;
    static const struct {
        int version;
        const char *header;
        size_t data;
        npy_header want;
    } cases[] = {
        {1,
         "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n",
         96,
         {SCDC_F64, false, false, 2, {3, 4}, 12, 0}},
        {2,
         "{'descr': '>f4', 'fortran_order': True, 'shape': (5,), }\n",
         20,
         {SCDC_F32, true, true, 1, {5}, 5, 0}},
        {3,
         "{\"shape\": (2L, 2L, 2L), \"descr\": \"|u1\", \"fortran_order\": False}",
         8,
         {SCDC_U8, false, false, 3, {2, 2, 2}, 8, 0}},
        {1,
         "{'descr':'|b1','fortran_order':False,'shape':()}\n",
         1,
         {SCDC_U8, false, false, 0, {0}, 1, 0}},
        {1,
         "{'descr': '>i8', 'fortran_order': False, 'shape': (0, 7)}\n",
         0,
         {SCDC_I64, true, false, 2, {0, 7}, 0, 0}},
        {1,
         "{'descr': '<i4', 'fortran_order': False, 'shape': (1,2,3,4,5,6,7,8)}\n",
         161280,
         {SCDC_I32, false, false, 8, {1, 2, 3, 4, 5, 6, 7, 8}, 40320, 0}},
    };
    unsigned char *bytes = malloc(200000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file_bytes file;
        npy_header h;
        size_t size = compose(bytes, cases[i].version, cases[i].header, cases[i].data);
        file_from_memory(&file, bytes, size, "t.npy");
        assert_true(npy_has_magic(&file));
        assert_ok(npy_parse(&h, &file));
        assert_int_equal(h.dtype, cases[i].want.dtype);
        assert_int_equal(h.big_endian, cases[i].want.big_endian);
        assert_int_equal(h.fortran_order, cases[i].want.fortran_order);
        assert_int_equal(h.ndim, cases[i].want.ndim);
        for (size_t d = 0; d < h.ndim; d++) assert_int_equal(h.shape[d], cases[i].want.shape[d]);
        assert_int_equal(h.count, cases[i].want.count);
        assert_int_equal(h.data_offset, size - cases[i].data);
        /* No shorter file passes for it. */
        for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 4999) {
            unsigned char *exact = malloc(cut + 1);
            memcpy(exact, bytes, cut);
            unsigned char *fitted = realloc(exact, cut ? cut : 1);
            file_from_memory(&file, fitted, cut, "t.npy");
            assert_int_equal(npy_parse(&h, &file), SCDC_ERR_INPUT);
            free(fitted);
        }
    }
    free(bytes);
}

static void assert_refused(int version, const char *header, size_t data, const char *expected)
{
    unsigned char bytes[1024];
    file_bytes file;
    npy_header h = {.count = 77};
    file_from_memory(&file, bytes, compose(bytes, version, header, data), "t.npy");
    assert_fails(npy_parse(&h, &file), SCDC_ERR_INPUT, expected);
    assert_non_null(strstr(scdc_last_error(), "t.npy"));
    assert_int_equal(h.count, 77);
}

static void lying_headers(void **state)
{
    (void)state;
#define HEAD(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }\n"
    assert_refused(1, HEAD("<f8", "(3, 4)"), 95, "needs 96 bytes after byte 70, but 95 follow");
    assert_refused(1, HEAD("<f8", "(3, 4)"), 97, "longer than it says");
    assert_refused(1, HEAD("<f8", "(-3, 4)"), 96,
                   "byte 61: expected a size of 0 or more, found \"-3");
    assert_refused(1, HEAD("<f8", "(99999999999999999999, 4)"), 8, "a size that fits this machine");
    assert_refused(1, HEAD("<f8", "(4294967296, 4294967296)"), 8, "larger than any memory");
    assert_refused(1, HEAD("<f8", "(4294967296, 4294967296, 0)"), 0, "larger than any memory");
    assert_refused(1, HEAD("<f8", "(2305843009213693952,)"), 0, "larger than any memory");
    assert_refused(1, HEAD("<f8", "(1, 2 3)"), 48, "a comma or )");
    assert_refused(1, HEAD("<f8", "(3)"), 24, "a comma after a single dimension");
    assert_refused(1, HEAD("<f8", "3"), 24, "a shape such as");
    assert_refused(1, HEAD("<f8", "(1,1,1,1,1,1,1,1,1)"), 8, "at most 8 dimensions");
    assert_refused(1, HEAD("<f2", "(3,)"), 6, "type '<f2' is not supported");
    assert_refused(1, HEAD("|O", "(3,)"), 6, "type '|O' is not supported");
    assert_refused(1, HEAD("<U12", "(3,)"), 6, "type '<U12' is not supported");
    assert_refused(1, HEAD("|f4", "(3,)"), 12, "type '|f4' is not supported");
    assert_refused(1, HEAD("", "(3,)"), 12, "type '' is not supported");
    assert_refused(1, HEAD("<f4xxxxxxxxxxxxxxxxxxxxx", "(3,)"), 12, "a type such as");
    assert_refused(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4,
                   "records with named fields");
    assert_refused(1, "{'descr': '<f4', 'shape': (1,)}", 4, "all of");
    assert_refused(1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4,
                   "each key once");
    assert_refused(1, "{'descr': '<f4', 'other': 1}", 4, "a key");
    assert_refused(1, "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", 4,
                   "True or False");
    assert_refused(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4,
                   "nothing but spaces");
    assert_refused(1, "{'descr': '<f4", 0, "a type such as");
    assert_refused(1, "", 4, "a dictionary");
    assert_refused(4, HEAD("<f4", "(1,)"), 4, "version 4.0");

    file_bytes file;
    npy_header h;
    file_from_memory(&file, "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14, "t.npy");
    assert_fails(npy_parse(&h, &file), SCDC_ERR_INPUT, "header of 4294967295 bytes");
    file_from_memory(&file, "NUMPY", 5, "t.npy");
    assert_false(npy_has_magic(&file));
    assert_fails(npy_parse(&h, &file), SCDC_ERR_INPUT, "magic");
}

static void written_headers_are_read(void **state)
{
    (void)state;
    static const scdc_dtype types[] = {SCDC_U8, SCDC_I32, SCDC_I64, SCDC_F32, SCDC_F64};
    static const size_t shape[] = {2, 3, 1, 2, 1, 1, 1, 1};
    const char *path = scratch_path("w.npy");
    for (size_t t = 0; t < 5; t++) {
        for (size_t ndim = 0; ndim <= 8; ndim++) {
            writer w;
            assert_ok(writer_open(&w, path));
            assert_ok(npy_write_header(w.stream, types[t], shape, ndim));
            size_t count = 1;
            for (size_t d = 0; d < ndim; d++) count *= shape[d];
            for (size_t i = 0; i < count * dtype_size(types[t]); i++) putc(0, w.stream);
            assert_ok(writer_commit(&w));
            file_bytes file;
            npy_header h;
            assert_ok(file_open(&file, path));
            assert_ok(npy_parse(&h, &file));
            assert_int_equal(h.dtype, types[t]);
            assert_int_equal(h.ndim, ndim);
            assert_int_equal(h.count, count);
            assert_int_equal(h.data_offset % 64, 0);
            assert_int_equal(file.bytes[h.data_offset - 1], '\n');
            file_close(&file);
        }
    }
    assert_int_equal(npy_write_header(stdout, SCDC_F32, shape, 9), SCDC_ERR_INTERNAL);
    assert_int_equal(npy_write_header(stdout, (scdc_dtype)9, shape, 1), SCDC_ERR_INTERNAL);
    assert_string_equal(dtype_name(SCDC_F32), "float32");
    assert_int_equal(dtype_size((scdc_dtype)0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_headers),
        cmocka_unit_test(lying_headers),
        cmocka_unit_test(written_headers_are_read),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
