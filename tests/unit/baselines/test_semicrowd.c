/* Completion of planted block matrices, spectral clustering of short vectors, and SemiCrowd. */
#include "base/parallel.h"
#include "baselines/completion.h"
#include "baselines/spectral.h"
#include "golden/baselines.h"
#include "kernels/blas.h"
#include "planted.h"

enum { SIZE = 100, BLOCKS = 4 };

static bool block_truth(size_t i, size_t j)
{
    return i % BLOCKS == j % BLOCKS;
}

/* A share `seen` of the entries of the block matrix, a share `wrong` of them flipped. */
static size_t block_entries(known_entry *known, double seen, double wrong)
{
    size_t count = 0;
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (uint32_t i = 0; i < SIZE; i++) {
        for (uint32_t j = i; j < SIZE; j++) {
            bool take = rng_uniform(&r) < seen, flip = rng_uniform(&r) < wrong;
            if (i == j) known[count++] = (known_entry){i, j, 1};
            else if (take) known[count++] = (known_entry){i, j, block_truth(i, j) != flip};
        }
    }
    return count;
}

static void completion_recovers_a_block_matrix(void **state)
{
    (void)state;
    static known_entry known[SIZE * SIZE];
    double shares[][2] = {{1, 0}, {.6, 0}, {.7, .03}};
    for (size_t t = 0; t < 3; t++) {
        size_t count = block_entries(known, shares[t][0], shares[t][1]);
        completion c;
        completion_options o = {.max_iterations = 200, .tolerance = 1e-5, .most_rank = 20};
        assert_ok(completion_fit(&c, known, count, SIZE, &o));
        assert_true(c.converged);
        assert_int_equal(c.rank, BLOCKS);
        double worst = 0;
        for (size_t i = 0; i < SIZE; i++) {
            for (size_t j = 0; j < SIZE; j++) {
                double value = 0;
                for (size_t q = 0; q < c.rank; q++) {
                    value += c.factor[i * c.rank + q] * c.factor[j * c.rank + q];
                }
                worst = fmax(worst, fabs(value - block_truth(i, j)));
            }
        }
        if (worst > .02)
            fail_msg("seen %g, wrong %g: off by %g", shares[t][0], shares[t][1], worst);
        /* all errors found: trace SIZE plus lambda for every flipped entry, twice */
        double flips = 0, lambda = 1 / sqrt(2 * (double)count / SIZE);
        for (size_t e = 0; e < count; e++) {
            flips += known[e].value != block_truth(known[e].row, known[e].col);
        }
        assert_near(c.objective, SIZE + 2 * lambda * flips, .01);
        completion_free(&c);
    }
}

static void completion_finds_the_optimum(void **state)
{
    (void)state;
    known_entry known[18 * 19 / 2];
    size_t count = 0;
    for (uint32_t i = 0; i < 18; i++) {
        for (uint32_t j = i; j < 18; j++) {
            bool flip = (i == 0 && j == 1) || (i == 4 && j == 7) || (i == 9 && j == 14);
            if (i != j && !flip && (7 * i + 7 * j + i * j) % 5 >= 3) continue;
            known[count++] = (known_entry){i, j, (i % 3 == j % 3) != flip};
        }
    }
    completion c;
    completion_options o = {.max_iterations = 1000, .tolerance = 1e-7, .most_rank = 18};
    assert_ok(completion_fit(&c, known, count, 18, &o));
    assert_true(c.converged);
    /* never below the optimum, and not far above: the penalty grows while it searches */
    assert_true(c.objective > golden_completion * (1 - 1e-4));
    assert_true(c.objective < golden_completion * 1.01);
    completion_free(&c);
}

static void spectral_clustering_is_that_of_the_whole_matrix(void **state)
{
    (void)state;
    double y[90 * 4];
    for (size_t i = 0; i < 90; i++) { /* lengths vary a lot, directions hardly */
        double length = 1 + 5 * fabs(cos(7.0 * (double)i));
        for (size_t c = 0; c < 4; c++) {
            double noise = .15 * sin(1.7 * (double)i + 2.1 * (double)c);
            y[4 * i + c] = length * ((i % 3 == c) + noise);
        }
    }
    int64_t labels[90];
    baseline_result r = {.labels = labels};
    kmeans_options o = {.k = 3, .starts = 10, .max_iterations = 100};
    blas_serial_begin();
    assert_ok(spectral_cluster(&r, y, 90, 4, &o));
    blas_serial_end();
    assert_close(planted_nmi(labels, 90, 3), 1, 1e-9);
    assert_near(r.objective, golden_spectral_inertia, 1e-5);
}

static void finds_groups_that_features_show_faintly(void **state)
{
    (void)state;
    enum { N = 300 };
    /* Three loud columns that mean nothing, two faint ones that tell the four groups. */
    float *faint = planted_items(N, 2, 4, 4, 1), *x = planted_items(N, 5, 1, 0, 15);
    for (size_t i = 0; i < N; i++) {
        x[5 * i + 3] = faint[2 * i];
        x[5 * i + 4] = faint[2 * i + 1];
    }
    double quality[3] = {.95, .9, .85};
    scdc_answer *answers = planted_answers(N / 2, 4, quality, 3, 1500, 4); /* half the items */
    baseline_input in = {
        .x = x, .n = N, .dims = 5, .answers = answers, .n_answers = 4500, .n_workers = 3};
    baseline_result first = result_for(&in, 4), other = result_for(&in, 4);
    scdc_baseline_options o = options_with_k(4);
    assert_ok(baseline_run(&first, baseline_find("kmeans"), &in, &o));
    assert_true(planted_nmi(first.labels, N, 4) < .3);
    for (int threads = 1; threads <= 4; threads *= 2) {
        parallel_set_threads(threads);
        baseline_result *r = threads == 1 ? &first : &other;
        assert_ok(baseline_run(r, baseline_find("semicrowd"), &in, &o));
        assert_memory_equal(r->labels, first.labels, N * sizeof *r->labels);
        assert_true(r->objective == first.objective);
    }
    parallel_set_threads(0);
    assert_true(first.converged);
    assert_true(planted_nmi(first.labels, N, 4) > .8);
    result_free(&first);
    result_free(&other);
    mem_free(answers);
    mem_free(faint);
    mem_free(x);
}

static void refuses_answers_that_say_nothing(void **state)
{
    (void)state;
    float x[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    scdc_answer a[] = {{.left = 0, .right = 1, .same = 1}, {.left = 0, .right = 1, .same = 0}};
    baseline_input in = {.x = x, .n = 6, .dims = 2, .answers = a, .n_answers = 2, .n_workers = 1};
    baseline_result r = result_for(&in, 2);
    scdc_baseline_options o = options_with_k(2);
    assert_fails(baseline_run(&r, baseline_find("semicrowd"), &in, &o), SCDC_ERR_INPUT, "certain");
    in.n_answers = 1;
    int status = baseline_run(&r, baseline_find("semicrowd"), &in, &o);
    assert_true(status == SCDC_OK || status == SCDC_ERR_INPUT);
    result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completion_recovers_a_block_matrix),
        cmocka_unit_test(completion_finds_the_optimum),
        cmocka_unit_test(spectral_clustering_is_that_of_the_whole_matrix),
        cmocka_unit_test(finds_groups_that_features_show_faintly),
        cmocka_unit_test(refuses_answers_that_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
