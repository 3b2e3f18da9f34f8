/* k-means: known partitions, bounds against plain Lloyd, threads, empty clusters, refusals. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "kmeans/kmeans.h"
#include "support/check.h"

/* n items around `centres` true centres far apart on a grid, moved by `offset`. */
static float *blobs(size_t n, size_t dims, size_t centres, double spread, float offset)
{
    float *x = NULL;
    assert_ok(mem_zeroed(&x, n * dims, sizeof *x, "blobs"));
    for (size_t i = 0; i < n; i++) {
        rng r;
        rng_init(&r, 11, RNG_TEST, 0, i);
        size_t c = i % centres;
        for (size_t d = 0; d < dims; d++) {
            double centre = 10.0 * (double)((c >> (d % 4)) & 1);
            x[i * dims + d] = offset + (float)(centre + spread * rng_normal(&r));
        }
    }
    return x;
}

static void finds_separated_groups_far_from_the_origin(void **state)
{
    (void)state;
    float *x = blobs(800, 8, 16, .3, 1e4f);
    uint32_t labels[800];
    float centres[16 * 8];
    kmeans_report report;
    kmeans_options o = KMEANS_DEFAULTS;
    o.k = 16;
    assert_ok(kmeans_fit(labels, centres, &report, x, 800, 8, &o));
    for (size_t i = 16; i < 800; i++) assert_int_equal(labels[i], labels[i % 16]);
    for (size_t i = 0; i < 16; i++) {
        for (size_t j = 0; j < i; j++) assert_int_not_equal(labels[i], labels[j]);
    }
    assert_true(report.converged);
    /* 800 items, 8 columns, variance .09, one degree of freedom lost per cluster and column */
    assert_near(report.inertia, .09 * (800 - 16) * 8, .05);
    mem_free(x);
}

/* Lloyd without any bound, from the same starts. */
static double plain_lloyd(uint32_t *labels, const float *x, size_t n, size_t dims, size_t k,
                          uint64_t seed)
{
    float *centres = NULL, *scratch = NULL;
    assert_ok(mem_zeroed(&centres, k * dims, sizeof *centres, "centres"));
    assert_ok(mem_zeroed(&scratch, n * (1 + kmeans_candidates(k)), sizeof *scratch, "scratch"));
    kmeans_plus_plus(centres, scratch, scratch + n, x, n, dims, k, seed, 0);
    double inertia = 0;
    for (size_t i = 0; i < n; i++) labels[i] = UINT32_MAX;
    for (int changed = 1; changed;) {
        changed = 0;
        inertia = 0;
        for (size_t i = 0; i < n; i++) {
            uint32_t best = 0;
            double least = INFINITY;
            for (size_t c = 0; c < k; c++) {
                double distance = 0;
                for (size_t d = 0; d < dims; d++) {
                    double v = (double)x[i * dims + d] - centres[c * dims + d];
                    distance += v * v;
                }
                if (distance < least) {
                    least = distance;
                    best = (uint32_t)c;
                }
            }
            changed |= labels[i] != best;
            labels[i] = best;
            inertia += least;
        }
        for (size_t c = 0; c < k; c++) {
            for (size_t d = 0; d < dims; d++) {
                double sum = 0, count = 0;
                for (size_t i = 0; i < n; i++) {
                    if (labels[i] != c) continue;
                    sum += x[i * dims + d];
                    count++;
                }
                centres[c * dims + d] = (float)(sum / count);
            }
        }
    }
    mem_free(centres);
    mem_free(scratch);
    return inertia;
}

static void bounds_change_nothing(void **state)
{
    (void)state;
    enum { N = 600, D = 6 };
    float *x = blobs(N, D, 7, 4, 0); /* groups that overlap: many iterations */
    static uint32_t labels[N], plain[N];
    size_t ks[] = {1, 2, 9, 66};
    for (size_t t = 0; t < 4; t++) {
        kmeans_options o = {.k = ks[t], .starts = 1, .max_iterations = 1000, .seed = t};
        kmeans_report report;
        assert_ok(kmeans_fit(labels, NULL, &report, x, N, D, &o));
        double inertia = plain_lloyd(plain, x, N, D, ks[t], t);
        assert_true(report.converged);
        assert_near(report.inertia, inertia, 1e-5);
        assert_memory_equal(labels, plain, sizeof plain);
    }
    mem_free(x);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    enum { N = 5000, D = 33, K = 20 };
    float *x = blobs(N, D, 9, 5, 3);
    static uint32_t labels[N], first[N];
    static float centres[K * D], first_centres[K * D];
    kmeans_options o = {.k = K, .starts = 2, .max_iterations = 60, .tolerance = 1e-4, .seed = 5};
    for (int threads = 1; threads <= 4; threads *= 2) {
        parallel_set_threads(threads);
        assert_ok(kmeans_fit(labels, centres, NULL, x, N, D, &o));
        if (threads == 1) {
            memcpy(first, labels, sizeof first);
            memcpy(first_centres, centres, sizeof centres);
        }
        assert_memory_equal(first, labels, sizeof first);
        assert_memory_equal(first_centres, centres, sizeof centres);
    }
    parallel_set_threads(0);
    mem_free(x);
}

static void more_clusters_than_distinct_items_is_fine(void **state)
{
    (void)state;
    float x[40];
    for (size_t i = 0; i < 40; i++) x[i] = (float)(i % 3);
    uint32_t labels[40];
    kmeans_report report;
    kmeans_options o = {.k = 5, .starts = 3, .max_iterations = 50};
    assert_ok(kmeans_fit(labels, NULL, &report, x, 40, 1, &o));
    assert_close(report.inertia, 0, 1e-12);
    for (size_t i = 0; i < 40; i++) assert_int_equal(labels[i], labels[i % 3]);
}

static void the_best_start_wins(void **state)
{
    (void)state;
    float *x = blobs(300, 2, 4, 2.5, 0);
    uint32_t labels[300];
    kmeans_report report;
    kmeans_options o = {.k = 15, .starts = 1, .max_iterations = 100};
    /* Starts are numbered streams of one seed: the first of ten is the only one of one. */
    assert_ok(kmeans_fit(labels, NULL, &report, x, 300, 2, &o));
    double least = report.inertia;
    o.starts = 10;
    assert_ok(kmeans_fit(labels, NULL, &report, x, 300, 2, &o));
    assert_true(report.inertia < least);
    mem_free(x);
}

static void far_items_are_drawn_as_centres(void **state)
{
    (void)state;
    /* 100 items at 0, one at 10, the last at 1: squared distances 100 to 1. */
    float x[102] = {0};
    x[50] = 10;
    x[101] = 1;
    uint32_t labels[102];
    size_t far = 0;
    kmeans_report report;
    for (uint64_t seed = 0; seed < 20; seed++) {
        kmeans_options o = {.k = 2, .starts = 1, .max_iterations = 0, .seed = seed};
        assert_ok(kmeans_fit(labels, NULL, &report, x, 102, 1, &o));
        far += labels[50] != labels[0] && labels[101] == labels[0];
    }
    assert_true(far >= 19);
}

static void refuses_what_it_cannot_do(void **state)
{
    (void)state;
    float x[6] = {0, 1, 2, 3, 4, 5};
    uint32_t labels[6];
    kmeans_options o = KMEANS_DEFAULTS;
    o.k = 7;
    assert_fails(kmeans_fit(labels, NULL, NULL, x, 6, 1, &o), SCDC_ERR_ARGUMENT, "6 items");
    o.k = 0;
    assert_fails(kmeans_fit(labels, NULL, NULL, x, 6, 1, &o), SCDC_ERR_ARGUMENT, "k must be");
    o.k = 2;
    o.starts = 0;
    assert_fails(kmeans_fit(labels, NULL, NULL, x, 6, 1, &o), SCDC_ERR_ARGUMENT, "starts");
    o.starts = 1;
    x[3] = NAN;
    assert_fails(kmeans_fit(labels, NULL, NULL, x, 6, 1, &o), SCDC_ERR_INPUT, "finite");
    x[3] = 1e30f;
    assert_fails(kmeans_fit(labels, NULL, NULL, x, 6, 1, &o), SCDC_ERR_INPUT, "finite");
}

static void the_public_door_reads_any_type(void **state)
{
    (void)state;
    uint8_t x[8] = {0, 1, 250, 2, 251, 255, 3, 252};
    scdc_data *data = NULL;
    assert_ok(scdc_data_from_memory(&data, x, SCDC_U8, 8, 1, 0));
    scdc_kmeans_options o;
    scdc_kmeans_options_init(&o);
    o.k = 2;
    o.threads = 2;
    int64_t labels[8];
    double inertia;
    assert_ok(scdc_kmeans(labels, &inertia, data, &o));
    for (size_t i = 0; i < 8; i++) assert_int_equal(labels[i] == labels[0], x[i] < 100);
    assert_close(inertia, 5 + 14, 1e-4);
    o.k = 9;
    assert_fails(scdc_kmeans(labels, NULL, data, &o), SCDC_ERR_ARGUMENT, "8 items");
    assert_fails(scdc_kmeans(NULL, NULL, data, &o), SCDC_ERR_ARGUMENT, "labels");
    scdc_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_separated_groups_far_from_the_origin),
        cmocka_unit_test(bounds_change_nothing),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(more_clusters_than_distinct_items_is_fine),
        cmocka_unit_test(the_best_start_wins),
        cmocka_unit_test(far_items_are_drawn_as_centres),
        cmocka_unit_test(refuses_what_it_cannot_do),
        cmocka_unit_test(the_public_door_reads_any_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
