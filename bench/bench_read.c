/* Times reading items, on one thread, beside a plain read(2) of the same file: MNIST, a .npy of 1
 * GiB, a csv. One JSON object per line. Files are generated in $TMPDIR and removed; MNIST is looked
 * for in $SCDC_SHARED/data (or ../shared/data). */
#include "base/parallel.h"
#include "bench.h"
#include "data/data.h"

#include <fcntl.h>
#include <scdc/scdc.h>
#include <string.h>
#include <unistd.h>

enum { REPEATS = 3, BATCH = 128, NPY_COLS = 1024, CSV_COLS = 16 };

/* One thread and its processor time: a busy machine does not disturb. */
static double now(void)
{
    return bench_now(1);
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_read: %s\n", what);
    exit(1);
}

/* Best seconds of a plain read of the whole file; *bytes is its size. */
static double time_plain(double *bytes, const char *path)
{
    static char buffer[1 << 20];
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double start = now();
        int fd = open(path, O_RDONLY);
        ssize_t got;
        if (fd < 0) fail(path);
        for (*bytes = 0; (got = read(fd, buffer, sizeof buffer)) > 0;) *bytes += (double)got;
        close(fd);
        best = fmin(best, now() - start);
    }
    return best;
}

static double time_open(const char *path)
{
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        scdc_data *data;
        double start = now();
        if (scdc_data_open(&data, path) != SCDC_OK) fail(scdc_last_error());
        best = fmin(best, now() - start);
        scdc_data_free(data);
    }
    return best;
}

/* Every value through minibatches, rows in order or scattered. */
static double time_gather(const char *path, bool scattered)
{
    scdc_data *data;
    if (scdc_data_open(&data, path) != SCDC_OK) fail(scdc_last_error());
    real *out = malloc(BATCH * data->cols * sizeof *out);
    uint32_t items[BATCH];
    double best = INFINITY;
    if (!out) fail("out of memory");
    for (int i = 0; i < REPEATS; i++) {
        double start = now();
        for (size_t first = 0; first < data->rows; first += BATCH) {
            size_t n = data->rows - first < BATCH ? data->rows - first : BATCH;
            for (size_t r = 0; r < n; r++) {
                /* An odd multiplier visits each row once when their number is a power of two. */
                size_t row = scattered ? (first + r) * 2654435761u % data->rows : first + r;
                items[r] = (uint32_t)row;
            }
            data_gather(out, data, items, n, 1 / 255.0, 0);
        }
        best = fmin(best, now() - start);
    }
    free(out);
    scdc_data_free(data);
    return best;
}

static void report(const char *name, double bytes, double seconds, double plain_rate)
{
    printf("{\"name\": \"%s\", \"bytes\": %.0f, \"seconds\": %.4f, \"bytes_per_second\": %.4g, "
           "\"plain_read_bytes_per_second\": %.4g}\n",
           name, bytes, seconds, bytes / seconds, plain_rate);
    fflush(stdout);
}

static void make_path(char *path, size_t room, const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, room, "%s/scdc-bench-%ld-%s", folder ? folder : P_tmpdir, (long)getpid(), name);
}

static void bench_npy(size_t rows)
{
    char path[4096];
    make_path(path, sizeof path, "items.npy");
    float *values = malloc(rows * NPY_COLS * sizeof *values);
    if (!values) fail("out of memory");
    for (size_t i = 0; i < rows * NPY_COLS; i++) values[i] = (float)(i % 1009);
    scdc_data *data;
    if (scdc_data_from_memory(&data, values, SCDC_F32, rows, NPY_COLS, 0) != SCDC_OK ||
        scdc_data_write_npy(data, path) != SCDC_OK) {
        fail(scdc_last_error());
    }
    scdc_data_free(data);
    free(values);
    double bytes, seconds = time_plain(&bytes, path), plain = bytes / seconds;
    report("npy open (maps, checks all values)", bytes, time_open(path), plain);
    report("npy gather in order", bytes, time_gather(path, false), plain);
    report("npy gather scattered", bytes, time_gather(path, true), plain);
    unlink(path);
}

/* digits: after the point; 17 are what a double needs, 4 are what people write. */
static void bench_csv(size_t rows, int digits)
{
    char path[4096], name[64];
    make_path(path, sizeof path, "items.csv");
    FILE *file = fopen(path, "w");
    if (!file) fail(path);
    for (size_t i = 0; i < rows * CSV_COLS; i++) {
        fprintf(file, "%.*g%c", digits, sin((double)i) * 100,
                i % CSV_COLS == CSV_COLS - 1 ? '\n' : ',');
    }
    if (fclose(file) != 0) fail(path);
    double bytes, seconds = time_plain(&bytes, path), plain = bytes / seconds;
    snprintf(name, sizeof name, "csv of %d digits", digits);
    report(name, bytes, time_open(path), plain);
    unlink(path);
}

static void bench_mnist(void)
{
    char path[4096];
    const char *root = getenv("SCDC_SHARED");
    snprintf(path, sizeof path, "%s/data/mnist/train-images-idx3-ubyte.gz",
             root ? root : "../shared");
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "bench_read: %s is not there, skipped\n", path);
        return;
    }
    double bytes, seconds = time_plain(&bytes, path), plain = bytes / seconds;
    report("mnist gzipped open (inflates)", bytes, time_open(path), plain);
    report("mnist gather scattered", 60000.0 * 784, time_gather(path, true), plain);
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, REPEATS);
    parallel_set_threads(1);
    if (!o.quick) bench_mnist();
    bench_csv(o.quick ? 2000 : 200000, 6);
    bench_csv(o.quick ? 1000 : 100000, 17);
    bench_npy(o.quick ? 1 << 10 : 1 << 18);
    return 0;
}
