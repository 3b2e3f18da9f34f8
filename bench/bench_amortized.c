/* One training step of the amortised model at MNIST size (784 values, nets 500-500, d 8, K 50,
 * batch 128) beside its bare matrix products: the same shapes in the same order, through our gemm
 * and through the BLAS library with its own threads. Then the threshold and top sums beside the
 * exact one, on a model whose posterior has sharpened. Arguments: rounds (5), threads (all). */
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "kernels/gemm.h"
#include "model/amortized.h"

#include "bench.h"

#include <cblas.h>
#include <string.h>

extern void openblas_set_num_threads(int threads) __attribute__((weak));

enum { BATCH = 128, DIMS = 784, HIDDEN = 500, LATENT = 8, COMPONENTS = 50, ITEMS = 60000 };
enum { BATCHES = 16, PATTERNS = 10, SHARPEN_STEPS = 160 };

typedef struct setting {
    core *core;
    real *o; /* [BATCHES * BATCH][DIMS] */
    uint32_t item[BATCHES * BATCH];
    double weight[BATCH];
    uint32_t step;
    bound_terms terms;
} setting;

static core_spec spec_of_mnist(void)
{
    return (core_spec){.items = ITEMS,
                       .channels = 1,
                       .height = 28,
                       .width = 28,
                       .latent = LATENT,
                       .components = COMPONENTS,
                       .max_rows = BATCH,
                       .likelihood = SCDC_LIKELIHOOD_BERNOULLI,
                       .options = {.size = sizeof(scdc_options),
                                   .components = COMPONENTS,
                                   .latent = LATENT,
                                   .hidden = {HIDDEN, HIDDEN},
                                   .n_hidden = 2,
                                   .batch = BATCH,
                                   .optimizer = SCDC_OPTIMIZER_ADAM,
                                   .covariance = SCDC_COVARIANCE_DIAGONAL,
                                   .sum = SCDC_SUM_EXACT,
                                   .sum_threshold = 1e-3,
                                   .sum_top = 3,
                                   .start_spread = 3}};
}

/* Noisy copies of a few random patterns, about as bright as handwritten digits. */
static int setting_create(setting *s)
{
    core_spec spec = spec_of_mnist();
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    SCDC_TRY(amortized_create(&s->core, &spec));
    SCDC_TRY(s->core->ops->start(s->core, 1));
    SCDC_TRY(mem_zeroed(&s->o, BATCHES * BATCH * DIMS, sizeof *s->o, "items"));
    static float pattern[PATTERNS][DIMS];
    for (size_t i = 0; i < PATTERNS * DIMS; i++) {
        pattern[i / DIMS][i % DIMS] = rng_uniform(&r) < 0.2 ? 0.85f : 0.03f;
    }
    for (uint32_t i = 0; i < BATCHES * BATCH; i++) {
        const float *p = pattern[rng_below(&r, PATTERNS)];
        s->item[i] = i;
        s->weight[i % BATCH] = (double)ITEMS / BATCH;
        for (size_t c = 0; c < DIMS; c++) s->o[i * DIMS + c] = rng_uniform(&r) < (double)p[c];
    }
    return SCDC_OK;
}

static minibatch batch_of(const setting *s, uint32_t number)
{
    size_t first = number % BATCHES * BATCH;
    return (minibatch){.rows = BATCH,
                       .plain = BATCH,
                       .item = s->item + first,
                       .weight = s->weight,
                       .o = s->o + first * DIMS,
                       .seed = 1,
                       .epoch = number / BATCHES};
}

static void run_step(void *context)
{
    setting *s = context;
    minibatch b = batch_of(s, s->step++);
    step_rates rates = {.learning_rate = 1e-3};
    if (s->core->ops->step(&s->terms, NULL, s->core, &b, &rates) != SCDC_OK) {
        fprintf(stderr, "bench_amortized: %s\n", scdc_last_error());
        exit(EXIT_FAILURE);
    }
}

/* ---- the bare products of a step ---- */

typedef void (*product_fn)(gemm_op, gemm_op, size_t, size_t, size_t, real, const real *,
                           const real *, real, real *);
typedef struct products {
    product_fn product;
    size_t pairs, chunk; /* of the step that is imitated */
    real *a, *b, *c;     /* large enough for any operand */
} products;

static void library_product(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                            const real *a, const real *b, real beta, real *c)
{
    bool ta = op_a == GEMM_TRANSPOSED, tb = op_b == GEMM_TRANSPOSED;
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                (int)m, (int)n, (int)k, alpha, a, (int)(ta ? m : k), b, (int)(tb ? k : n), beta, c,
                (int)n);
}

static void forward(const products *p, size_t rows, size_t inputs, size_t outputs)
{
    p->product(GEMM_NONE, GEMM_NONE, rows, outputs, inputs, 1, p->a, p->b, 0, p->c);
}
static void backward(const products *p, size_t rows, size_t inputs, size_t outputs, bool below)
{
    p->product(GEMM_TRANSPOSED, GEMM_NONE, inputs, outputs, rows, 1, p->a, p->b, 0, p->c);
    if (below)
        p->product(GEMM_NONE, GEMM_TRANSPOSED, rows, inputs, outputs, 1, p->a, p->b, 0, p->c);
}

static void run_products(void *context)
{
    const products *p = context;
    forward(p, BATCH, DIMS, HIDDEN);
    forward(p, BATCH, HIDDEN, HIDDEN);
    forward(p, BATCH, HIDDEN, COMPONENTS);
    forward(p, BATCH, DIMS, HIDDEN);
    for (size_t done = 0; done < p->pairs; done += p->chunk) {
        size_t rows = p->pairs - done < p->chunk ? p->pairs - done : p->chunk;
        forward(p, rows, HIDDEN, HIDDEN);
        forward(p, rows, HIDDEN, 2 * LATENT);
        forward(p, rows, LATENT, HIDDEN);
        forward(p, rows, HIDDEN, HIDDEN);
        forward(p, rows, HIDDEN, DIMS);
        backward(p, rows, HIDDEN, DIMS, true);
        backward(p, rows, HIDDEN, HIDDEN, true);
        backward(p, rows, LATENT, HIDDEN, true);
        backward(p, rows, HIDDEN, 2 * LATENT, true);
        backward(p, rows, HIDDEN, HIDDEN, true);
    }
    backward(p, BATCH, DIMS, HIDDEN, false);
    backward(p, BATCH, HIDDEN, COMPONENTS, true);
    backward(p, BATCH, HIDDEN, HIDDEN, true);
    backward(p, BATCH, DIMS, HIDDEN, false);
}

static void report_step(const char *name, setting *s, products ours, int rounds)
{
    amortized *a = (amortized *)(void *)s->core;
    products library = ours;
    ours.product = gemm;
    library.product = library_product;
    run_step(s);
    ours.pairs = library.pairs = a->pairs.count;
    ours.chunk = library.chunk = a->chunk.capacity;
    const bench_body bodies[] = {run_step, run_products, run_products};
    void *contexts[] = {s, &ours, &library};
    double least[3];
    bench_compare(least, bodies, contexts, 3, rounds, a->pairs.count > 2000 ? 1 : 4,
                  parallel_threads());
    double batches = (double)ITEMS / BATCH;
    printf("{\"name\": \"%s\", \"threads\": %d, \"pairs\": %zu, \"step_ms\": %.2f, "
           "\"products_ms\": %.2f, \"library_products_ms\": %.2f, \"ratio\": %.3f, "
           "\"ratio_to_library\": %.3f, \"epoch_s\": %.1f}\n",
           name, parallel_threads(), a->pairs.count, 1e3 * least[0], 1e3 * least[1], 1e3 * least[2],
           least[0] / least[1], least[0] / least[2], batches * least[0]);
    fflush(stdout);
}

static double mean_bound(setting *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < BATCHES; i++) {
        minibatch b = batch_of(s, i);
        bound_terms t;
        if (s->core->ops->bound(&t, NULL, s->core, &b) != SCDC_OK) exit(EXIT_FAILURE);
        sum += (t.reconstruction - t.kl_z - t.kl_x) / ITEMS / BATCHES;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static setting s;
    products p = {0};
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    parallel_set_threads(argc > 2 ? atoi(argv[2]) : 0);
    size_t most = 2048 * DIMS;
    if (setting_create(&s) || mem_zeroed(&p.a, most, sizeof *p.a, "operands") ||
        mem_zeroed(&p.b, most, sizeof *p.b, "operands") ||
        mem_zeroed(&p.c, most, sizeof *p.c, "operands")) {
        fprintf(stderr, "bench_amortized: %s\n", scdc_last_error());
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < most; i++) p.a[i] = p.b[i] = (real)(i % 17) / 17;
    if (openblas_set_num_threads) openblas_set_num_threads(parallel_threads());
    scdc_options *options = &s.core->spec.options;
    report_step("amortized, exact sum", &s, p, rounds);

    options->sum = SCDC_SUM_THRESHOLD;
    for (int i = 0; i < SHARPEN_STEPS; i++) run_step(&s);
    options->sum = SCDC_SUM_EXACT;
    double exact = mean_bound(&s);
    options->sum = SCDC_SUM_THRESHOLD;
    double threshold = mean_bound(&s);
    printf("{\"name\": \"amortized, bound per item after %d steps\", \"exact\": %.4f, "
           "\"threshold\": %.4f, \"difference\": %.2e}\n",
           SHARPEN_STEPS, exact, threshold, fabs(threshold / exact - 1));
    report_step("amortized, threshold 1e-3", &s, p, rounds);
    options->sum = SCDC_SUM_TOP;
    report_step("amortized, top 3 and one drawn", &s, p, rounds);
    mem_free(p.a), mem_free(p.b), mem_free(p.c), mem_free(s.o);
    s.core->ops->free(s.core);
    return EXIT_SUCCESS;
}
