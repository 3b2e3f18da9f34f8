/* Row-wise kernels, likelihoods and optimisers: each fast kernel against its plain twin, for sizes
 * around the block lengths, and bitwise the same for any number of threads. */
#include "kernels/activation.h"
#include "kernels/likelihood.h"
#include "kernels/loop.h"
#include "kernels/optimiser.h"
#include "kernels/reference.h"
#include "support/values.h"

static const struct {
    size_t rows, cols;
} shapes[] = {{1, 1}, {1, 17}, {3, 64}, {65, 63}, {200, 130}, {1000, 8}, {2, 20000}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void activations_match(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        size_t rows = shapes[s].rows, cols = shapes[s].cols, n = rows * cols;
        real *x = random_values(n, 2, 1), *bias = random_values(cols, 1, 2);
        real *a = copy_values(x, n), *b = copy_values(x, n);
        real *sa = random_values(cols, 1, 3), *sb = copy_values(sa, cols);
        bias_add(a, bias, rows, cols);
        reference_bias_add(b, bias, rows, cols);
        assert_memory_equal(a, b, n * sizeof *a);
        bias_relu(a, bias, rows, cols);
        reference_bias_relu(b, bias, rows, cols);
        assert_memory_equal(a, b, n * sizeof *a);
        real *d = random_values(n, 1, 4), *e = copy_values(d, n);
        for (int add = 0; add < 2; add++) {
            column_sums(sa, add, x, rows, cols);
            reference_column_sums(sb, add, x, rows, cols);
            assert_values_near(sa, sb, cols, 2e-5);
            relu_backward(d, sa, add, a, rows, cols);
            reference_relu_backward(e, sb, add, a, rows, cols);
            assert_values_near(sa, sb, cols, 2e-5);
            assert_memory_equal(d, e, n * sizeof *d);
        }
        mem_free(x), mem_free(bias), mem_free(a), mem_free(b), mem_free(sa), mem_free(sb);
        mem_free(d), mem_free(e);
    }
    real y[2] = {NAN, 1}, zero[2] = {0, 0};
    bias_relu(y, zero, 1, 2);
    assert_true(isnan(y[0]) && y[1] == 1);
}

static void soft_maps_match(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        size_t rows = shapes[s].rows, cols = shapes[s].cols, n = rows * cols;
        real *x = random_values(n, 20, 1), *a = copy_values(x, n), *b = copy_values(x, n);
        softplus_values(a, a, n);
        reference_softplus_values(b, x, n);
        assert_values_near(a, b, n, 1e-6);
        memcpy(a, x, n * sizeof *a);
        softmax_rows(a, a, rows, cols);
        reference_softmax_rows(b, x, rows, cols);
        assert_values_near(a, b, n, 1e-5);
        log_softmax_rows(a, x, rows, cols);
        reference_log_softmax_rows(b, x, rows, cols);
        assert_values_near(a, b, n, 1e-5);
        log_sum_exp_rows(a, x, rows, cols);
        reference_log_sum_exp_rows(b, x, rows, cols);
        assert_values_near(a, b, rows, 1e-5);
        mem_free(x), mem_free(a), mem_free(b);
    }
    real far[3] = {1e4f, 1e4f, -1e4f}, p[3];
    softmax_rows(p, far, 1, 3);
    assert_true(p[0] == 0.5f && p[2] == 0);
    real none[2] = {-INFINITY, -INFINITY}, total;
    log_sum_exp_rows(&total, none, 1, 2);
    assert_true(total == -INFINITY);
}

typedef void (*value_fn)(double *, const real *, const real *, const uint32_t *, size_t, size_t);
typedef void (*gradient_fn)(double *, real *, const real *, const real *, const uint32_t *, size_t,
                            size_t);
typedef void (*reference_fn)(double *, real *, const real *, const real *, const real *,
                             const uint32_t *, size_t, size_t);

static void check_likelihood(value_fn value, gradient_fn gradient, reference_fn reference,
                             size_t outputs_per_column, double tolerance)
{
    for (size_t s = 0; s < SHAPES; s++) {
        size_t rows = shapes[s].rows, cols = shapes[s].cols, width = cols * outputs_per_column;
        size_t n = rows * width;
        real *outputs = random_values(n, 3, 1), *o = random_values(rows * cols, 1, 2);
        real *weight = random_values(rows, 1, 3), *expected = random_values(n, 1, 4);
        real *d = copy_values(outputs, n);
        for (size_t i = 0; i < rows * cols; i += 2) o[i] = o[i] > 0;
        uint32_t *of;
        double *got, *want;
        assert_ok(mem_zeroed(&of, rows, sizeof *of, "rows"));
        assert_ok(mem_zeroed(&got, rows, sizeof *got, "values"));
        assert_ok(mem_zeroed(&want, rows, sizeof *want, "values"));
        for (size_t r = 0; r < rows; r++) of[r] = (uint32_t)(r * 7 % rows);
        reference(want, NULL, outputs, NULL, o, NULL, rows, cols);
        value(got, outputs, o, NULL, rows, cols);
        for (size_t r = 0; r < rows; r++) assert_near(got[r], want[r], 2e-6);
        reference(want, expected, outputs, weight, o, of, rows, cols);
        value(got, outputs, o, of, rows, cols);
        for (size_t r = 0; r < rows; r++) assert_near(got[r], want[r], 2e-6);
        gradient(got, d, weight, o, of, rows, cols);
        for (size_t r = 0; r < rows; r++) assert_near(got[r], want[r], 2e-6);
        assert_values_near(d, expected, n, tolerance);
        mem_free(outputs), mem_free(o), mem_free(weight), mem_free(expected), mem_free(d);
        mem_free(of), mem_free(got), mem_free(want);
    }
}

static void likelihoods_match(void **state)
{
    (void)state;
    check_likelihood(bernoulli_rows, bernoulli_rows_gradient, reference_bernoulli, 1, 1e-5);
    check_likelihood(gaussian_rows, gaussian_rows_gradient, reference_gaussian, 2, 1e-5);
    /* Slopes of a step in units of its width, a thousandth at least: that much of a float is lost.
     */
    check_likelihood(logistic_rows, logistic_rows_gradient, reference_logistic, 2, 1e-3);
    /* Hopeless and perfect logits stay finite. */
    real logits[4] = {1e4f, -1e4f, 1e4f, -1e4f}, o[4] = {1, 0, 0, 1};
    double value[2];
    bernoulli_rows(value, logits, o, NULL, 2, 2);
    assert_true(value[0] == 0 && value[1] == -2e4);
}

static void optimisers_match(void **state)
{
    (void)state;
    size_t n = 40001;
    real *p = random_values(n, 1, 1), *g = random_values(n, 1, 2), *q = copy_values(p, n);
    real *m = random_values(n, 0, 3), *v = random_values(n, 0, 4), *m2 = copy_values(m, n),
         *v2 = copy_values(v, n);
    for (int64_t t = 1; t <= 5; t++) {
        adam_step(p, m, v, g, n, 0.01, t);
        reference_adam_step(q, m2, v2, g, n, 0.01, t);
        for (size_t i = 0; i < n; i++) g[i] *= REAL(-0.7);
    }
    assert_values_near(p, q, n, 1e-6);
    for (int t = 0; t < 5; t++) {
        momentum_step(p, m, g, n, 0.01, 0.9);
        reference_momentum_step(q, m2, g, n, 0.01, 0.9);
    }
    assert_values_near(p, q, n, 1e-6);
    assert_values_near(m, m2, n, 1e-6);
    mem_free(p), mem_free(g), mem_free(q), mem_free(m), mem_free(v), mem_free(m2), mem_free(v2);
}

/* The first Adam step moves every parameter by the rate, along the gradient's sign. */
static void adam_climbs(void **state)
{
    (void)state;
    real p[2] = {0, 0}, m[2] = {0}, v[2] = {0}, g[2] = {3, REAL(-0.001)};
    adam_step(p, m, v, g, 2, 0.1, 1);
    assert_close((double)p[0], 0.1, 1e-6);
    assert_close((double)p[1], -0.1, 1e-5);
}

struct bits {
    real sums[130], d[26000], logits[26000], p[26000];
    double value[200];
};
static void all_kernels(struct bits *out)
{
    enum { ROWS = 200, COLS = 130, N = ROWS * COLS };
    real *x = random_values(N, 2, 1), *y = random_values(N, 2, 2), *v = random_values(N, 0, 3);
    memset(out, 0, sizeof *out);
    memcpy(out->d, x, sizeof out->d);
    memcpy(out->logits, x, sizeof out->logits);
    bias_relu(y, x, ROWS, COLS);
    relu_backward(out->d, out->sums, false, y, ROWS, COLS);
    bernoulli_rows_gradient(out->value, out->logits, NULL, y, NULL, ROWS, COLS);
    softmax_rows(out->p, x, ROWS, COLS);
    adam_step(out->p, y, v, x, N, 0.1, 1);
    mem_free(x), mem_free(y), mem_free(v);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    static struct bits first, other;
    parallel_set_threads(1);
    all_kernels(&first);
    for (int threads = 2; threads <= 4; threads++) {
        parallel_set_threads(threads);
        all_kernels(&other);
        assert_memory_equal(&first, &other, sizeof first);
    }
    parallel_set_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_match), cmocka_unit_test(soft_maps_match),
        cmocka_unit_test(likelihoods_match), cmocka_unit_test(optimisers_match),
        cmocka_unit_test(adam_climbs),       cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
