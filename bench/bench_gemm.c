/* Matrix products of the networks' shapes: ours (fixed pieces, any number of threads gives the same
 * bits) beside one call of the BLAS library with its own threads. Argument: threads (all). */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/real.h"
#include "kernels/gemm.h"

#include "bench.h"

#include <cblas.h>

extern void openblas_set_num_threads(int threads) __attribute__((weak));

typedef struct shape_case {
    gemm_op op_a, op_b;
    size_t m, n, k;
    real *a, *b, *c;
} shape_case;

static void run_ours(void *context)
{
    const shape_case *s = context;
    gemm(s->op_a, s->op_b, s->m, s->n, s->k, 1, s->a, s->b, 0, s->c);
}

static void run_library(void *context)
{
    const shape_case *s = context;
    bool ta = s->op_a == GEMM_TRANSPOSED, tb = s->op_b == GEMM_TRANSPOSED;
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                (int)s->m, (int)s->n, (int)s->k, 1, s->a, (int)(ta ? s->m : s->k), s->b,
                (int)(tb ? s->k : s->n), 0, s->c, (int)s->n);
}

int main(int argc, char **argv)
{
    enum { MOST = 6400 * 784 };
    const gemm_op N = GEMM_NONE, T = GEMM_TRANSPOSED;
    const struct {
        gemm_op op_a, op_b;
        size_t m, n, k;
    } shapes[] = {
        {N, N, 128, 500, 784},  {N, N, 128, 500, 500},  {N, N, 128, 784, 500},
        {N, N, 128, 16, 500},   {N, N, 128, 500, 8},    {T, N, 784, 500, 128},
        {T, N, 500, 500, 128},  {T, N, 500, 784, 128},  {N, T, 128, 500, 784},
        {N, T, 128, 500, 500},  {N, N, 2048, 500, 500}, {N, N, 2048, 784, 500},
        {N, N, 2048, 16, 500},  {N, N, 2048, 500, 8},   {T, N, 500, 500, 2048},
        {T, N, 500, 784, 2048}, {T, N, 500, 16, 2048},  {T, N, 8, 500, 2048},
        {N, T, 2048, 500, 500}, {N, T, 2048, 500, 784}, {N, T, 2048, 500, 16},
        {N, T, 2048, 8, 500},   {N, N, 6400, 500, 500}, {T, N, 500, 784, 6400},
    };
    shape_case s = {.c = NULL};
    parallel_set_threads(argc > 1 ? atoi(argv[1]) : 0);
    if (mem_zeroed(&s.a, MOST, sizeof *s.a, "a") || mem_zeroed(&s.b, MOST, sizeof *s.b, "b") ||
        mem_zeroed(&s.c, MOST, sizeof *s.c, "c")) {
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < MOST; i++) s.a[i] = s.b[i] = (real)(i % 17) / 17;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape_case one = {
            shapes[i].op_a, shapes[i].op_b, shapes[i].m, shapes[i].n, shapes[i].k, s.a, s.b, s.c};
        double flops = 2.0 * (double)one.m * (double)one.n * (double)one.k, least[2];
        const bench_body bodies[] = {run_ours, run_library};
        void *contexts[] = {&one, &one};
        if (openblas_set_num_threads) openblas_set_num_threads(parallel_threads());
        int repeats = flops > 1e9 ? 1 : (int)(1e9 / flops);
        bench_compare(least, bodies, contexts, 2, 7, repeats > 100 ? 100 : repeats,
                      parallel_threads());
        printf("{\"name\": \"gemm %c%c %zu x %zu x %zu\", \"threads\": %d, \"gflops\": %.1f, "
               "\"library_gflops\": %.1f, \"ratio\": %.3f}\n",
               one.op_a == T ? 'T' : 'N', one.op_b == T ? 'T' : 'N', one.m, one.n, one.k,
               parallel_threads(), flops / least[0] * 1e-9, flops / least[1] * 1e-9,
               least[0] / least[1]);
        fflush(stdout);
    }
    mem_free(s.a), mem_free(s.b), mem_free(s.c);
    return EXIT_SUCCESS;
}
