/* Matrix products of the networks' shapes: ours (fixed pieces, any number of threads gives the same
 * bits) beside one call of the BLAS library with its own threads. */
#include "bare.h"
#include "bench.h"

typedef struct shape_case {
    bare_product product;
    gemm_op op_a, op_b;
    size_t m, n, k;
    real *a, *b, *c;
} shape_case;

static void run_product(void *context)
{
    const shape_case *s = context;
    s->product(s->op_a, s->op_b, s->m, s->n, s->k, 1, s->a, s->b, 0, s->c);
}

static void report_shape(shape_case ours, const bench_options *o)
{
    double flops = 2.0 * (double)ours.m * (double)ours.n * (double)ours.k;
    shape_case library = ours;
    library.product = bare_library;
    const bench_body bodies[] = {run_product, run_product};
    void *contexts[] = {&ours, &library};
    int repeats = flops > 1e9 || o->quick ? 1 : (int)(1e9 / flops);
    bench_time times[2];
    bench_compare(times, bodies, contexts, 2, o->rounds, repeats > 100 ? 100 : repeats, o->threads);
    bench_figure("gemm %c%c %zu x %zu x %zu", ours.op_a == GEMM_TRANSPOSED ? 'T' : 'N',
                 ours.op_b == GEMM_TRANSPOSED ? 'T' : 'N', ours.m, ours.n, ours.k);
    bench_put("threads", "%d", o->threads);
    bench_put("gflops", "%.1f", flops / times[0].best * 1e-9);
    bench_put("library_gflops", "%.1f", flops / times[1].best * 1e-9);
    bench_put("ratio", "%.3f", times[0].best / times[1].best);
    bench_put("rounds", "%d", o->rounds);
    bench_end();
}

int main(int argc, char **argv)
{
    enum { MOST = 6400 * 784 };
    const gemm_op N = GEMM_NONE, T = GEMM_TRANSPOSED;
    const shape_case shapes[] = {
        {gemm, N, N, 128, 500, 784, NULL, NULL, NULL},
        {gemm, N, N, 128, 500, 500, NULL, NULL, NULL},
        {gemm, N, N, 128, 784, 500, NULL, NULL, NULL},
        {gemm, N, N, 128, 16, 500, NULL, NULL, NULL},
        {gemm, N, N, 128, 500, 8, NULL, NULL, NULL},
        {gemm, T, N, 784, 500, 128, NULL, NULL, NULL},
        {gemm, T, N, 500, 500, 128, NULL, NULL, NULL},
        {gemm, T, N, 500, 784, 128, NULL, NULL, NULL},
        {gemm, N, T, 128, 500, 784, NULL, NULL, NULL},
        {gemm, N, T, 128, 500, 500, NULL, NULL, NULL},
        {gemm, N, N, 2048, 500, 500, NULL, NULL, NULL},
        {gemm, N, N, 2048, 784, 500, NULL, NULL, NULL},
        {gemm, T, N, 500, 784, 2048, NULL, NULL, NULL},
        {gemm, N, T, 2048, 500, 784, NULL, NULL, NULL},
        {gemm, N, N, 6400, 500, 500, NULL, NULL, NULL},
        {gemm, T, N, 500, 784, 6400, NULL, NULL, NULL},
    };
    bench_options o = bench_arguments(argc, argv, 15);
    arena memory = {0};
    shape_case s = {0};
    s.a = arena_new(&memory, MOST, sizeof *s.a, "a");
    s.b = arena_new(&memory, MOST, sizeof *s.b, "b");
    s.c = arena_new(&memory, MOST, sizeof *s.c, "c");
    bench_need(arena_status(&memory));
    for (size_t i = 0; i < MOST; i++) s.a[i] = s.b[i] = (real)(i % 17) / 17;
    bare_library_threads(o.threads);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape_case one = shapes[i];
        one.a = s.a, one.b = s.b, one.c = s.c;
        report_shape(one, &o);
    }
    arena_free(&memory);
    return EXIT_SUCCESS;
}
