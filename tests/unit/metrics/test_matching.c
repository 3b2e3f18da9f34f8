/* matching: the dense solver against all permutations, the sparse one against the dense one, both
 * proofs of optimality on sizes too large to enumerate. */
#include "base/rng.h"
#include "metrics/matching.h"
#include "support/check.h"

/* Least cost over all ways to match every row of a small matrix with rows <= cols. */
static double brute_force(const double *cost, size_t rows, size_t cols, size_t row, unsigned taken)
{
    if (row == rows) return 0;
    double best = INFINITY;
    for (size_t c = 0; c < cols; c++) {
        if (taken >> c & 1) continue;
        double total =
            cost[row * cols + c] + brute_force(cost, rows, cols, row + 1, taken | 1u << c);
        if (total < best) best = total;
    }
    return best;
}

/* Cost of a matching; checks that it is one-to-one with min(rows, cols) pairs. */
static double cost_of(const uint32_t *match, const double *cost, size_t rows, size_t cols)
{
    double total = 0;
    size_t pairs = 0;
    char *taken = calloc(cols + 1, 1);
    for (size_t r = 0; r < rows; r++) {
        if (match[r] == UNMATCHED) continue;
        assert_true(match[r] < cols && !taken[match[r]]);
        taken[match[r]] = 1;
        total += cost[r * cols + match[r]];
        pairs++;
    }
    free(taken);
    assert_int_equal(pairs, rows < cols ? rows : cols);
    return total;
}

static void hungarian_agrees_with_enumeration(void **state)
{
    (void)state;
    double cost[42], turned[42];
    uint32_t match[7];
    for (uint64_t trial = 0; trial < 3000; trial++) {
        rng r;
        rng_init(&r, 5, RNG_TEST, 0, trial);
        size_t rows = 1 + rng_below(&r, 6), cols = rows + rng_below(&r, 8 - rows);
        uint64_t kind = rng_below(&r, 3); /* real, few distinct values (ties), negative */
        for (size_t i = 0; i < rows * cols; i++) {
            cost[i] =
                kind == 0 ? rng_normal(&r) : (double)rng_below(&r, 4) - (kind == 2 ? 1000.0 : 0.0);
        }
        double best = brute_force(cost, rows, cols, 0, 0);
        assert_ok(hungarian(match, cost, rows, cols));
        assert_near(cost_of(match, cost, rows, cols), best, 1e-12);
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = 0; j < cols; j++) turned[j * rows + i] = cost[i * cols + j];
        }
        assert_ok(hungarian(match, turned, cols, rows));
        assert_near(cost_of(match, turned, cols, rows), best, 1e-12);
    }
}

/* A matrix whose best matching is planted: cost u_r + v_c + gap, gap 0 on the plan only. */
static void hungarian_finds_a_planted_matching(void **state)
{
    (void)state;
    enum { SIZE = 300 };
    double *cost = calloc(SIZE * SIZE, sizeof *cost), u[SIZE], v[SIZE];
    uint32_t plan[SIZE], match[SIZE];
    rng r;
    rng_init(&r, 6, RNG_TEST, 0, 0);
    rng_permutation(&r, plan, SIZE);
    for (int i = 0; i < SIZE; i++) {
        u[i] = rng_normal(&r);
        v[i] = rng_normal(&r);
    }
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            double gap = plan[i] == (uint32_t)j ? 0 : 0.001 + rng_uniform(&r);
            cost[i * SIZE + j] = u[i] + v[j] + gap;
        }
    }
    assert_ok(hungarian(match, cost, SIZE, SIZE));
    assert_memory_equal(match, plan, sizeof plan);
    free(cost);
}

static void hungarian_handles_extremes(void **state)
{
    (void)state;
    uint32_t match[2] = {7, 7};
    double cost[] = {1, 2, NAN, 4};
    assert_fails(hungarian(match, cost, 2, 2), SCDC_ERR_ARGUMENT, "finite");
    cost[2] = INFINITY;
    assert_fails(hungarian(match, cost, 2, 2), SCDC_ERR_ARGUMENT, "finite");
    assert_ok(hungarian(match, cost, 0, 2));
    assert_ok(hungarian(match, cost, 2, 0));
    assert_true(match[0] == UNMATCHED && match[1] == UNMATCHED);
    assert_fails(hungarian(match, cost, SIZE_MAX, 2), SCDC_ERR_ARGUMENT, "too large");
    double huge[] = {1e308, -1e308, -1e308, 1e308, 1e308, 1e308};
    int status = hungarian(match, huge, 2, 3); /* sums may overflow: an error or an answer */
    assert_true(status == SCDC_OK || status == SCDC_ERR_ARGUMENT);
}

static uint64_t agreement(const uint32_t *match, const contingency *t)
{
    uint64_t sum = 0;
    char *taken = calloc(t->cols, 1);
    for (size_t r = 0; r < t->rows; r++) {
        if (match[r] == UNMATCHED) continue;
        assert_true(match[r] < t->cols && !taken[match[r]]);
        taken[match[r]] = 1;
        for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
            if (t->col[cell] == match[r]) sum += t->count[cell];
        }
    }
    free(taken);
    return sum;
}

static uint64_t dense_agreement(const contingency *t)
{
    double *cost = calloc(t->rows * t->cols, sizeof *cost);
    uint32_t *match = calloc(t->rows, sizeof *match);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
            cost[r * t->cols + t->col[cell]] = -(double)t->count[cell];
        }
    }
    assert_ok(hungarian(match, cost, t->rows, t->cols));
    uint64_t agree = agreement(match, t);
    free(cost);
    free(match);
    return agree;
}

/* Independent and correlated partitions, then counts of many sizes: both halves of the sparse
 * solver come to bear. */
static void sparse_agrees_with_dense(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    int64_t a[MOST], b[MOST];
    uint32_t match[MOST];
    for (uint64_t trial = 0; trial < 600; trial++) {
        rng r;
        rng_init(&r, 7, RNG_TEST, 0, trial);
        size_t n = 1 + rng_below(&r, trial % 20 ? 200 : MOST);
        uint64_t rows = 1 + rng_below(&r, n < 300 ? n : 300);
        uint64_t cols = 1 + rng_below(&r, n < 300 ? n : 300);
        for (size_t i = 0; i < n; i++) {
            a[i] = (int64_t)rng_below(&r, rows);
            b[i] = trial % 2 && rng_uniform(&r) < 0.7 ? a[i] : (int64_t)rng_below(&r, cols);
        }
        contingency t;
        uint64_t agree, largest = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 4 : 1000;
        assert_ok(contingency_build(&t, a, b, n));
        if (largest > 1) {
            for (size_t cell = 0; cell < t.cells; cell++) {
                t.count[cell] = 1 + (uint32_t)rng_below(&r, largest);
            }
        }
        assert_ok(match_partitions(match, &agree, &t));
        assert_int_equal(agree, agreement(match, &t));
        assert_int_equal(agree, dense_agreement(&t));
        contingency_free(&t);
    }
}

/* The table itself: every item is counted once in the right cell, and values map back. */
static void contingency_counts_every_item(void **state)
{
    (void)state;
    int64_t a[] = {4, -9, 4, 4, 8, -9}, b[] = {1, 1, 2, 1, 1LL << 60, 2};
    contingency t;
    assert_ok(contingency_build(&t, a, b, 6));
    assert_int_equal(t.rows, 3);
    assert_int_equal(t.cols, 3);
    assert_int_equal(t.cells, 5);
    for (size_t r = 0; r < t.rows; r++) {
        uint32_t row_sum = 0;
        for (size_t cell = t.row_start[r]; cell < t.row_start[r + 1]; cell++) {
            uint32_t expected = 0;
            for (int i = 0; i < 6; i++) {
                expected += a[i] == t.row_value[r] && b[i] == t.col_value[t.col[cell]];
            }
            assert_int_equal(t.count[cell], expected);
            row_sum += expected;
        }
        assert_int_equal(row_sum, t.row_sum[r]);
    }
    assert_int_equal(t.col_sum[0] + t.col_sum[1] + t.col_sum[2], 6);
    contingency_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hungarian_agrees_with_enumeration),
        cmocka_unit_test(hungarian_finds_a_planted_matching),
        cmocka_unit_test(hungarian_handles_extremes),
        cmocka_unit_test(sparse_agrees_with_dense),
        cmocka_unit_test(contingency_counts_every_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
