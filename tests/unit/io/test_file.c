/* io/file: mapping, pipes, standard input, gzip with every kind of damage. */
#include "io/file.h"
#include "support/files.h"

#include <fcntl.h>
#include <zlib.h>

/* size bytes, gzipped, appended to out at *used. */
static void add_member(unsigned char *out, size_t *used, size_t room, const void *bytes,
                       size_t size)
{
    z_stream zip = {0};
    assert_int_equal(deflateInit2(&zip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    unsigned char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    zip.next_in = copy;
    zip.avail_in = (uInt)size;
    zip.next_out = out + *used;
    zip.avail_out = (uInt)(room - *used);
    assert_int_equal(deflate(&zip, Z_FINISH), Z_STREAM_END);
    *used += zip.total_out;
    deflateEnd(&zip);
    free(copy);
}

static void regular_files_are_mapped(void **state)
{
    (void)state;
    file_bytes file;
    assert_ok(file_open(&file, scratch_text("plain", "some bytes")));
    assert_true(file.mapped && !file.gzipped);
    assert_int_equal(file.size, 10);
    assert_memory_equal(file.bytes, "some bytes", 10);
    assert_string_equal(file.path, scratch_path("plain"));
    file_close(&file);
    file_close(&file); /* harmless */

    assert_ok(file_open(&file, scratch_text("empty", "")));
    assert_int_equal(file.size, 0);
    assert_non_null(file.bytes);
    file_close(&file);
}

static void what_cannot_be_opened_is_named(void **state)
{
    (void)state;
    file_bytes file = {.size = 77};
    assert_fails(file_open(&file, scratch_path("nothing")), SCDC_ERR_INPUT, "nothing: cannot open");
    assert_non_null(strstr(scdc_last_error(), "No such file"));
    assert_fails(file_open(&file, scratch_dir), SCDC_ERR_INPUT, "is a directory");
    assert_fails(file_open(&file, ""), SCDC_ERR_INPUT, "No such file");
    assert_int_equal(file.size, 77); /* untouched on failure */
}

/* Opens what a child process writes into a pipe, by the name of the pipe. */
static void open_pipe(file_bytes *file, const void *bytes, size_t size, const char *name)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        const char *left = bytes;
        while (size > 0) {
            ssize_t wrote = write(ends[1], left, size < 1000 ? size : 1000);
            if (wrote < 0) _exit(1);
            left += wrote;
            size -= (size_t)wrote;
        }
        _exit(0);
    }
    close(ends[1]);
    int saved = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_ok(file_open(file, name));
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void pipes_are_read(void **state)
{
    (void)state;
    enum { SIZE = 300000 };
    unsigned char *bytes = malloc(SIZE), *zipped = malloc(SIZE * 2);
    for (unsigned i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(i * i >> 3);
    file_bytes file;
    open_pipe(&file, bytes, SIZE, "-");
    assert_string_equal(file.path, "standard input");
    assert_false(file.mapped);
    assert_int_equal(file.size, SIZE);
    assert_memory_equal(file.bytes, bytes, SIZE);
    file_close(&file);

    size_t used = 0;
    add_member(zipped, &used, SIZE * 2, bytes, SIZE);
    open_pipe(&file, zipped, used, "/dev/stdin");
    assert_true(file.gzipped);
    assert_int_equal(file.size, SIZE);
    assert_memory_equal(file.bytes, bytes, SIZE);
    file_close(&file);
    free(bytes);
    free(zipped);
}

/* A shell may have read the first lines of the file that is our standard input. */
static void standard_input_begins_where_it_is(void **state)
{
    (void)state;
    int saved = dup(STDIN_FILENO), fd = open(scratch_text("lines", "first\nsecond"), O_RDONLY);
    assert_int_equal(lseek(fd, 6, SEEK_SET), 6);
    dup2(fd, STDIN_FILENO);
    close(fd);
    file_bytes file;
    assert_ok(file_open(&file, "-"));
    dup2(saved, STDIN_FILENO);
    close(saved);
    assert_int_equal(file.size, 6);
    assert_memory_equal(file.bytes, "second", 6);
    file_close(&file);
}

static void gzip_members_are_joined(void **state)
{
    (void)state;
    unsigned char zipped[4096];
    size_t used = 0;
    add_member(zipped, &used, sizeof zipped, "first ", 6);
    add_member(zipped, &used, sizeof zipped, "", 0);
    add_member(zipped, &used, sizeof zipped, "second", 6);
    file_bytes file;
    assert_ok(file_open(&file, scratch_write("two.gz", zipped, used)));
    assert_true(file.gzipped && !file.mapped);
    assert_int_equal(file.size, 12);
    assert_memory_equal(file.bytes, "first second", 12);
    file_close(&file);

    memset(zipped + used, 0, 100); /* padding */
    assert_ok(file_open(&file, scratch_write("padded.gz", zipped, used + 100)));
    assert_int_equal(file.size, 12);
    file_close(&file);

    zipped[used + 50] = 'x';
    char expected[64];
    snprintf(expected, sizeof expected, "byte %zu follows", used + 50);
    assert_fails(file_open(&file, scratch_write("tail.gz", zipped, used + 100)), SCDC_ERR_INPUT,
                 expected);

    used = 0;
    add_member(zipped, &used, sizeof zipped, "", 0);
    assert_ok(file_open(&file, scratch_write("none.gz", zipped, used)));
    assert_int_equal(file.size, 0);
    assert_non_null(file.bytes);
    file_close(&file);
}

static void damaged_gzip_is_refused(void **state)
{
    (void)state;
    enum { SIZE = 5000 };
    unsigned char bytes[SIZE], zipped[SIZE * 2];
    for (int i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(i * 7919 >> 5);
    size_t used = 0;
    add_member(zipped, &used, sizeof zipped, bytes, SIZE);
    /* Every truncation is noticed, at any byte. */
    for (size_t cut = 2; cut < used; cut += cut < 40 || cut + 40 > used ? 1 : 97) {
        file_bytes file;
        file_from_memory(&file, zipped, cut, "cut.gz");
        char expected[64];
        snprintf(expected, sizeof expected, "truncated, data ends at byte %zu", cut);
        assert_fails(file_inflate(&file), SCDC_ERR_INPUT, expected);
        assert_int_equal(file.size, cut); /* untouched */
    }
    for (size_t at = used - 8; at < used; at++) { /* checksum and length */
        zipped[at] ^= 1;
        file_bytes file;
        file_from_memory(&file, zipped, used, "bad.gz");
        assert_fails(file_inflate(&file), SCDC_ERR_INPUT, "bad.gz: gzip: corrupt near byte");
        zipped[at] ^= 1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_files_are_mapped),
        cmocka_unit_test(what_cannot_be_opened_is_named),
        cmocka_unit_test(pipes_are_read),
        cmocka_unit_test(standard_input_begins_where_it_is),
        cmocka_unit_test(gzip_members_are_joined),
        cmocka_unit_test(damaged_gzip_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
