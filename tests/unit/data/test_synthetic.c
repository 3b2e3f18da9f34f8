/* data/synthetic: geometry against golden points, moments, order, and refused options. */
#include "data/synthetic.h"
#include "golden/data.h"
#include "support/check.h"

static void points_match_the_golden_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_pinwheel / sizeof *golden_pinwheel; i++) {
        const double *g = golden_pinwheel[i];
        double point[2];
        pinwheel_point(point, g[0], g[1], g[2], g[3]);
        assert_close(point[0], g[4], 1e-12);
        assert_close(point[1], g[5], 1e-12);
    }
}

static void read_all(float *out, const scdc_data *data, size_t rows)
{
    assert_ok(scdc_data_rows(out, data, 0, rows));
}

/* Without bending, every item turns back to its two features, whose moments are known. */
static void pinwheel_has_its_moments(void **state)
{
    (void)state;
    scdc_pinwheel o;
    scdc_pinwheel_init(&o);
    assert_int_equal(o.arms * o.per_arm, 500);
    o.per_arm = 4000;
    o.rate = 0;
    o.seed = 5;
    scdc_data *data;
    scdc_labels *labels;
    assert_ok(scdc_make_pinwheel(&data, &labels, &o));
    enum { N = 20000 };
    float *x = malloc(N * 2 * sizeof *x);
    read_all(x, data, N);
    assert_int_equal(scdc_labels_count(labels), N);
    const int64_t *arm = scdc_labels_values(labels);
    double sums[4] = {0};
    size_t counts[5] = {0}, runs = 0;
    for (size_t i = 0; i < N; i++) {
        double a = 2 * M_PI * (double)arm[i] / 5, c = cos(a), s = sin(a);
        double along = (x[2 * i] * c - x[2 * i + 1] * s) / 10;
        double across = (x[2 * i] * s + x[2 * i + 1] * c) / 10;
        sums[0] += along, sums[1] += across;
        sums[2] += (along - 1) * (along - 1), sums[3] += across * across;
        counts[arm[i]]++;
        runs += i > 0 && arm[i] != arm[i - 1];
    }
    double root = sqrt(N);
    assert_close(sums[0] / N, 1, 5 * 0.3 / root);
    assert_close(sums[1] / N, 0, 5 * 0.05 / root);
    assert_close(sums[2] / N, 0.09, 5 * 0.09 * sqrt(2) / root);
    assert_close(sums[3] / N, 0.0025, 5 * 0.0025 * sqrt(2) / root);
    for (int k = 0; k < 5; k++) assert_int_equal(counts[k], 4000);
    assert_close((double)runs, N * 0.8, 5 * sqrt(N * 0.16)); /* shuffled */
    scdc_data_info info;
    assert_ok(scdc_data_get_info(&info, data));
    assert_int_equal(info.cols, 2);
    free(x);
    scdc_data_free(data);
    scdc_labels_free(labels);
}

static void seeds_decide(void **state)
{
    (void)state;
    scdc_pinwheel o;
    scdc_pinwheel_init(&o);
    float x[3][1000];
    for (int i = 0; i < 3; i++) {
        scdc_data *data;
        o.seed = i < 2 ? 7 : 8;
        assert_ok(scdc_make_pinwheel(&data, NULL, &o));
        read_all(x[i], data, 500);
        scdc_data_free(data);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_not_equal(x[0], x[2], sizeof x[0]);
}

static void blobs_have_their_moments(void **state)
{
    (void)state;
    scdc_blobs o;
    scdc_blobs_init(&o);
    o.clusters = 7;
    o.items = 70003;
    o.dims = 3;
    o.spread = 0.5;
    o.separation = 20;
    scdc_data *data;
    scdc_labels *labels;
    assert_ok(scdc_make_blobs(&data, &labels, &o));
    float *x = malloc(o.items * 3 * sizeof *x);
    read_all(x, data, o.items);
    const int64_t *label = scdc_labels_values(labels);
    double mean[7][3] = {{0}}, square = 0, spread = 0;
    size_t counts[7] = {0};
    for (size_t i = 0; i < o.items; i++) {
        counts[label[i]]++;
        for (int d = 0; d < 3; d++) mean[label[i]][d] += x[i * 3 + (size_t)d];
    }
    for (int k = 0; k < 7; k++) {
        assert_int_equal(counts[k], 10000 + (k < 3)); /* the first ones take the rest */
        for (int d = 0; d < 3; d++) {
            mean[k][d] /= (double)counts[k];
            square += mean[k][d] * mean[k][d] / 21;
        }
    }
    for (size_t i = 0; i < o.items * 3; i++) {
        double difference = x[i] - mean[label[i / 3]][i % 3];
        spread += difference * difference / ((double)o.items * 3);
    }
    assert_close(spread, 0.25, 5 * 0.25 * sqrt(2.0 / (70003 * 3)));
    assert_close(square, 400, 5 * 400 * sqrt(2.0 / 21));
    free(x);
    scdc_data_free(data);
    scdc_labels_free(labels);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    scdc_data *data = NULL;
    scdc_pinwheel p = {0};
    scdc_blobs b = {0};
    assert_fails(scdc_make_pinwheel(NULL, NULL, &p), SCDC_ERR_ARGUMENT, "out is NULL");
    assert_fails(scdc_make_pinwheel(&data, NULL, NULL), SCDC_ERR_ARGUMENT, "options is NULL");
    assert_fails(scdc_make_blobs(NULL, NULL, &b), SCDC_ERR_ARGUMENT, "out is NULL");
    assert_fails(scdc_make_blobs(&data, NULL, NULL), SCDC_ERR_ARGUMENT, "options is NULL");
#define BAD_PINWHEEL(field, value, text)                                                           \
    do {                                                                                           \
        scdc_pinwheel_init(&p);                                                                    \
        p.field = value;                                                                           \
        assert_fails(scdc_make_pinwheel(&data, NULL, &p), SCDC_ERR_ARGUMENT, text);                \
    } while (0)
    BAD_PINWHEEL(size, 3, "scdc_pinwheel_init");
    BAD_PINWHEEL(arms, 0, "not 0 and 100");
    BAD_PINWHEEL(per_arm, 0, "not 5 and 0");
    BAD_PINWHEEL(per_arm, SIZE_MAX / 2, "too many");
    BAD_PINWHEEL(arms, 1u << 30, "too many");
    BAD_PINWHEEL(radial, -1, "radial must be a finite number of 0 or more, not -1");
    BAD_PINWHEEL(radial, NAN, "radial");
    BAD_PINWHEEL(tangential, INFINITY, "tangential");
    BAD_PINWHEEL(rate, NAN, "rate");
    BAD_PINWHEEL(radial, 1e6, "the options make an item that is no number: row");
#define BAD_BLOBS(field, value, text)                                                              \
    do {                                                                                           \
        scdc_blobs_init(&b);                                                                       \
        b.field = value;                                                                           \
        assert_fails(scdc_make_blobs(&data, NULL, &b), SCDC_ERR_ARGUMENT, text);                   \
    } while (0)
    BAD_BLOBS(size, 0, "scdc_blobs_init");
    BAD_BLOBS(clusters, 0, "not 0, 2 and 500 items");
    BAD_BLOBS(dims, 0, "not 5, 0");
    BAD_BLOBS(items, 4, "and 4 items");
    BAD_BLOBS(items, SIZE_MAX, "too many");
    BAD_BLOBS(dims, SIZE_MAX / 8, "too many");
    BAD_BLOBS(spread, -0.1, "spread");
    BAD_BLOBS(separation, NAN, "separation");
    assert_null(data);
    scdc_pinwheel_init(NULL);
    scdc_blobs_init(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_match_the_golden_ones),
        cmocka_unit_test(pinwheel_has_its_moments),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(blobs_have_their_moments),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
