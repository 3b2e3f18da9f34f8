/* io/writer: complete or absent, whatever goes wrong. */
#include "io/csv.h"
#include "io/file.h"
#include "io/writer.h"
#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void assert_content(const char *path, const char *expected)
{
    file_bytes file;
    assert_ok(file_open(&file, path));
    assert_int_equal(file.size, strlen(expected));
    assert_memory_equal(file.bytes, expected, file.size);
    file_close(&file);
}

static void files_appear_whole(void **state)
{
    (void)state;
    int before = scratch_entries();
    const char *path = scratch_path("out.txt");
    writer w;
    assert_ok(writer_open(&w, path));
    fputs("first", w.stream);
    fflush(w.stream);
    assert_int_equal(access(path, F_OK), -1); /* not before commit */
    assert_ok(writer_commit(&w));
    assert_content(path, "first");
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);

    assert_ok(writer_open(&w, path));
    fputs("second", w.stream);
    writer_abandon(&w);
    writer_abandon(&w); /* harmless */
    assert_content(path, "first");

    assert_ok(writer_open(&w, path));
    fputs("third", w.stream);
    assert_ok(writer_commit(&w));
    assert_content(path, "third");
    assert_int_equal(scratch_entries(), before + 1);
    assert_fails(writer_commit(&w), SCDC_ERR_INTERNAL, "without an open file");
}

static void links_stay_links(void **state)
{
    (void)state;
    const char *real = scratch_text("real.txt", "old"), *name = scratch_path("link.txt");
    assert_int_equal(symlink(real, name), 0);
    writer w;
    assert_ok(writer_open(&w, name));
    fputs("new", w.stream);
    assert_ok(writer_commit(&w));
    assert_content(real, "new");
    struct stat st;
    assert_int_equal(lstat(name, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static void bad_targets_are_named(void **state)
{
    (void)state;
    writer w;
    assert_fails(writer_open(&w, scratch_dir), SCDC_ERR_OUTPUT, "Is a directory");
    assert_fails(writer_open(&w, ""), SCDC_ERR_OUTPUT, "empty name");
    assert_fails(writer_open(&w, scratch_path("no/such/dir.txt")), SCDC_ERR_OUTPUT,
                 "no/such/dir.txt: cannot create: No such file");
}

static void a_full_device_is_an_error(void **state)
{
    (void)state;
    const char *full = full_device();
    if (!full) {
        skip();
        return;
    }
    for (int large = 0; large < 2; large++) {
        writer w;
        assert_ok(writer_open(&w, full));
        for (int i = 0; i < (large ? 100000 : 1); i++) fputs("value\n", w.stream);
        assert_fails(writer_commit(&w), SCDC_ERR_OUTPUT, "full: cannot write: ");
        if (!large) assert_non_null(strstr(scdc_last_error(), "No space left"));
    }
    struct stat st;
    assert_int_equal(stat(full, &st), 0);
    assert_true(S_ISCHR(st.st_mode)); /* still the device */
}

/* A limit on file size stands in for a full disk: writes fail part of the way. With `recovers`
 * there is room again when the file is finished, but a part in the middle is lost. */
static void write_with_limit(bool recovers, const char *expected)
{
    int before = scratch_entries();
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 10000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    writer w;
    int opened = writer_open(&w, scratch_path("big.txt"));
    for (int i = 0; i < 100000; i++) fputs("value\n", w.stream);
    if (recovers) setrlimit(RLIMIT_FSIZE, &old);
    int committed = writer_commit(&w);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(opened, SCDC_OK);
    assert_fails(committed, SCDC_ERR_OUTPUT, expected);
    assert_int_equal(scratch_entries(), before);
}

static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    write_with_limit(false, "big.txt: cannot write: File too large");
    write_with_limit(true, "big.txt: cannot write: ");
}

static void csv_fields_survive(void **state)
{
    (void)state;
    static const char *const fields[] = {"plain",      "a,b",        "say \"hi\"", " padded ",
                                         "two\nlines", "semi;colon", "",           "tab\there"};
    enum { COUNT = sizeof fields / sizeof *fields };
    const char *path = scratch_path("fields.csv");
    writer w;
    assert_ok(writer_open(&w, path));
    for (int i = 0; i < COUNT; i++) {
        if (i) putc(',', w.stream);
        writer_csv_field(&w, fields[i]);
    }
    assert_ok(writer_commit(&w));
    file_bytes file;
    csv_reader r;
    bool more;
    assert_ok(file_open(&file, path));
    assert_ok(csv_open(&r, &file));
    assert_ok(csv_next(&more, &r));
    assert_true(more);
    assert_int_equal(r.n_fields, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(r.fields[i].length, strlen(fields[i]));
        assert_memory_equal(r.fields[i].text, fields[i], r.fields[i].length);
    }
    csv_close(&r);
    file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_appear_whole),         cmocka_unit_test(links_stay_links),
        cmocka_unit_test(bad_targets_are_named),      cmocka_unit_test(a_full_device_is_an_error),
        cmocka_unit_test(a_full_disk_leaves_nothing), cmocka_unit_test(csv_fields_survive),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
