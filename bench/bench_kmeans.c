/* Seconds of k-means on a file of items: bench_kmeans DATA [K [STARTS [ITERATIONS [THREADS]]]], by
 * default 50 clusters, 1 start, 100 iterations, all cores. Values are divided by 255 when bytes,
 * and it runs until no label changes or the iterations are used up, as bench/peers/kmeans.py makes
 * scikit-learn do on the same file. One JSON object; seconds of the processor with one thread, of
 * the wall with more. */
#include "base/memory.h"
#include "base/parallel.h"
#include "kmeans/kmeans.h"
#include "bench.h"

#include <scdc/scdc.h>

static size_t argument(int argc, char **argv, int index, size_t usual)
{
    return argc > index ? strtoul(argv[index], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
    scdc_data *data = NULL;
    scdc_data_info info;
    float *x = NULL;
    uint32_t *labels = NULL;
    kmeans_report report;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_kmeans DATA [K [STARTS [ITERATIONS [THREADS]]]]\n");
        return 2;
    }
    kmeans_options o = {.k = argument(argc, argv, 2, 50),
                        .starts = argument(argc, argv, 3, 1),
                        .max_iterations = argument(argc, argv, 4, 100)};
    parallel_set_threads((int)argument(argc, argv, 5, 0));
    if (scdc_data_open(&data, argv[1]) || scdc_data_get_info(&info, data) ||
        mem_zeroed(&x, info.rows * info.cols, sizeof *x, "items") ||
        mem_zeroed(&labels, info.rows, sizeof *labels, "labels") ||
        scdc_data_rows(x, data, 0, info.rows)) {
        fprintf(stderr, "bench_kmeans: %s\n", scdc_last_error());
        return 1;
    }
    for (size_t j = 0; info.dtype == SCDC_U8 && j < info.rows * info.cols; j++) x[j] /= 255;
    double begin = bench_now(parallel_threads());
    if (kmeans_fit(labels, NULL, &report, x, info.rows, info.cols, &o)) {
        fprintf(stderr, "bench_kmeans: %s\n", scdc_last_error());
        return 1;
    }
    printf("{\"bench\":\"kmeans\",\"items\":%zu,\"values\":%zu,\"k\":%zu,\"starts\":%zu,"
           "\"iterations\":%zu,\"threads\":%d,\"inertia\":%.6g,\"seconds\":%.3f}\n",
           info.rows, info.cols, o.k, o.starts, report.iterations, parallel_threads(),
           report.inertia, bench_now(parallel_threads()) - begin);
    mem_free(x);
    mem_free(labels);
    scdc_data_free(data);
    return 0;
}
