/* gemm: against the plain loops, and bitwise the same for any number of threads. */
#include "kernels/blas.h"
#include "kernels/gemm.h"
#include "kernels/loop.h"
#include "kernels/reference.h"
#include "support/values.h"

#include <pthread.h>

int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

static const struct {
    size_t m, n, k;
} shapes[] = {{1, 1, 1},     {3, 5, 7},      {64, 8, 500},   {130, 50, 33},  {500, 16, 129},
              {8, 500, 129}, {129, 201, 65}, {2500, 17, 40}, {40, 2500, 17}, {5, 3, 0}};

static void matches_the_reference(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t m = shapes[s].m, n = shapes[s].n, k = shapes[s].k;
        for (int ops = 0; ops < 4; ops++) {
            real *a = random_values(m * k, 1, 1), *b = random_values(k * n, 1, 2);
            real *c = random_values(m * n, 1, 3), *expected = copy_values(c, m * n);
            real beta = ops % 2 ? REAL(0.5) : 0;
            if (beta == 0) c[0] = NAN; /* overwritten whatever it held */
            gemm(ops & 1, ops >> 1, m, n, k, REAL(1.5), a, b, beta, c);
            reference_gemm(ops & 1, ops >> 1, m, n, k, REAL(1.5), a, b, beta, expected);
            assert_values_near(c, expected, m * n, 3e-7 * sqrt((double)k + 1) * 4);
            mem_free(a), mem_free(b), mem_free(c), mem_free(expected);
        }
    }
}

static void strides_leave_gaps_alone(void **state)
{
    (void)state;
    enum { ROWS = 70, COLS = 9, DEPTH = 11, LDA = 13, LDB = 12, LDC = 20 };
    real *a = random_values(ROWS * LDA, 1, 1), *b = random_values(DEPTH * LDB, 1, 2);
    real *c = random_values(ROWS * LDC, 1, 3), *before = copy_values(c, ROWS * LDC);
    gemm_strided(GEMM_NONE, GEMM_NONE, ROWS, COLS, DEPTH, 1, a, LDA, b, LDB, 0, c, LDC);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < LDC; j++) {
            double sum = 0;
            for (size_t l = 0; l < DEPTH; l++)
                sum += (double)a[i * LDA + l] * (double)b[l * LDB + j % LDB];
            if (j < COLS) assert_close((double)c[i * LDC + j], sum, 1e-5);
            else assert_true(c[i * LDC + j] == before[i * LDC + j]);
        }
    }
    mem_free(a), mem_free(b), mem_free(c), mem_free(before);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    size_t m = 700, n = 300, k = 257;
    real *a = random_values(m * k, 1, 1), *b = random_values(k * n, 1, 2);
    real *first = random_values(m * n, 1, 3), *c = copy_values(first, m * n);
    parallel_set_threads(1);
    gemm(GEMM_NONE, GEMM_NONE, m, n, k, 1, a, b, 0, first);
    for (int threads = 2; threads <= 5; threads++) {
        parallel_set_threads(threads);
        for (int repeat = 0; repeat < 20; repeat++) {
            memset(c, 0, m * n * sizeof *c);
            gemm(GEMM_NONE, GEMM_NONE, m, n, k, 1, a, b, 0, c);
            assert_memory_equal(c, first, m * n * sizeof *c);
        }
    }
    parallel_set_threads(0);
    mem_free(a), mem_free(b), mem_free(c), mem_free(first);
}

/* Two threads of the caller at once, each with threads of its own. */
enum { M = 260, N = 300, K = 200 };
struct caller {
    const real *a, *b;
    real *c;
};
static void *call_often(void *context)
{
    struct caller *w = context;
    parallel_set_threads(2);
    for (int i = 0; i < 30; i++) gemm(GEMM_NONE, GEMM_NONE, M, N, K, 1, w->a, w->b, 0, w->c);
    return NULL;
}

static void callers_do_not_disturb_each_other(void **state)
{
    (void)state;
    real *a = random_values(M * K, 1, 1), *b = random_values(K * N, 1, 2);
    real *expected = random_values(M * N, 1, 3);
    struct caller callers[2];
    pthread_t threads[2];
    gemm(GEMM_NONE, GEMM_NONE, M, N, K, 1, a, b, 0, expected);
    int before = openblas_get_num_threads();
    for (int i = 0; i < 2; i++) {
        callers[i] = (struct caller){a, b, random_values(M * N, 1, 4)};
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_memory_equal(callers[i].c, expected, M * N * sizeof *expected);
        mem_free(callers[i].c);
    }
    assert_int_equal(openblas_get_num_threads(), before);
    mem_free(a), mem_free(b), mem_free(expected);
}

static void blas_threads_are_put_back(void **state)
{
    (void)state;
    openblas_set_num_threads(3);
    blas_serial_begin();
    assert_int_equal(openblas_get_num_threads(), 1);
    blas_serial_begin();
    blas_serial_end();
    assert_int_equal(openblas_get_num_threads(), 1);
    blas_serial_end();
    assert_int_equal(openblas_get_num_threads(), 3);
}

static void record_denormal(void *context, size_t begin, size_t end, size_t piece)
{
    volatile float tiny = 1e-38f;
    (void)end, (void)piece;
    tiny = tiny * 0.01f;
    ((float *)context)[begin] = tiny;
}

static void pieces_run_with_denormals_flushed(void **state)
{
    (void)state;
    float seen[4] = {1, 1, 1, 1};
    parallel_for(4, 1, record_denormal, seen);
    for (int i = 0; i < 4; i++) assert_true(seen[i] > 0);
#ifdef __SSE2__
    kernel_for(4, 1, record_denormal, seen);
    for (int i = 0; i < 4; i++) assert_true(seen[i] == 0);
#endif
    parallel_for(4, 1, record_denormal, seen);
    for (int i = 0; i < 4; i++) assert_true(seen[i] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_reference),
        cmocka_unit_test(strides_leave_gaps_alone),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(callers_do_not_disturb_each_other),
        cmocka_unit_test(blas_threads_are_put_back),
        cmocka_unit_test(pieces_run_with_denormals_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
