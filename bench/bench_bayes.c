/* One training step of BayesSCDC at MNIST size (784 values, nets 500-500, d 8, batch 128, T 4),
 * without answers and with 122 answers on 240 further rows, beside its bare network products: the
 * same shapes in the same order, through our gemm and through the BLAS library with its own
 * threads. Then what each stage takes, and K 25 beside K 50.
 * Arguments: rounds (7), threads (all). */
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "kernels/gemm.h"
#include "model/bayes.h"

#include "bench.h"

#include <cblas.h>
#include <string.h>

extern void openblas_set_num_threads(int threads) __attribute__((weak));

enum { BATCH = 128, TOUCHED = 240, ANSWERS = 122, DIMS = 784, HIDDEN = 500, LATENT = 8 };
enum { ITEMS = 60000, ALL_ANSWERS = 57330, WORKERS = 48, PATTERNS = 10 };
enum { ROWS = BATCH + TOUCHED };

typedef struct setting {
    core *core;
    bayes *m;
    minibatch b, share; /* share: weights per item, as the stages of a step see them */
    double weight[ROWS], share_weight[ROWS];
    uint32_t item[ROWS];
    batch_answer answer[ANSWERS];
    real *o; /* [ROWS][DIMS] */
    const real *encoded;
    bound_terms terms;
} setting;

static void give_up(void)
{
    fprintf(stderr, "bench_bayes: %s\n", scdc_last_error());
    exit(EXIT_FAILURE);
}

static core_spec spec_of_mnist(size_t components, bool answers, scdc_natgrad natgrad)
{
    core_spec spec = {.items = ITEMS,
                      .channels = 1,
                      .height = 28,
                      .width = 28,
                      .latent = LATENT,
                      .components = components,
                      .workers = answers ? WORKERS : 0,
                      .answers = answers ? ALL_ANSWERS : 0,
                      .max_rows = answers ? ROWS : BATCH,
                      .max_answers = answers ? ANSWERS : 0,
                      .likelihood = SCDC_LIKELIHOOD_BERNOULLI};
    scdc_options_init(&spec.options);
    if (scdc_options_preset(&spec.options, "mnist") != SCDC_OK) give_up();
    spec.options.components = components;
    spec.options.prior_alpha = 1.05;
    spec.options.natgrad = natgrad;
    return spec;
}

/* Noisy copies of a few random patterns, about as bright as handwritten digits. */
static void fill_items(setting *s, rng *r)
{
    static float pattern[PATTERNS][DIMS];
    for (size_t i = 0; i < PATTERNS * DIMS; i++) {
        pattern[i / DIMS][i % DIMS] = rng_uniform(r) < 0.2 ? 0.85f : 0.03f;
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        const float *p = pattern[i % PATTERNS];
        s->item[i] = i;
        s->weight[i] = (double)ITEMS / ROWS;
        s->share_weight[i] = 1.0 / ROWS;
        for (size_t c = 0; c < DIMS; c++) s->o[i * DIMS + c] = rng_uniform(r) < (double)p[c];
    }
}

static setting *setting_create(size_t components, bool answers, scdc_natgrad natgrad)
{
    core_spec spec = spec_of_mnist(components, answers, natgrad);
    setting *s;
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    if (mem_zeroed(&s, 1, sizeof *s, "a setting") || bayes_create(&s->core, &spec) ||
        mem_zeroed(&s->o, (size_t)ROWS * DIMS, sizeof *s->o, "items") ||
        s->core->ops->start(s->core, 1)) {
        give_up();
    }
    s->m = bayes_of(s->core);
    fill_items(s, &r);
    for (size_t a = 0; a < ANSWERS; a++) {
        uint32_t left = BATCH + (uint32_t)(2 * a % TOUCHED),
                 right = BATCH + (uint32_t)((2 * a + 1) % TOUCHED);
        s->answer[a] = (batch_answer){left, right, (uint32_t)(a % WORKERS),
                                      left % PATTERNS == right % PATTERNS};
    }
    s->b = (minibatch){.rows = spec.max_rows,
                       .plain = BATCH,
                       .item = s->item,
                       .weight = s->weight,
                       .o = s->o,
                       .answers = spec.max_answers,
                       .answer = s->answer,
                       .answer_weight = (double)ALL_ANSWERS / ANSWERS,
                       .seed = 1};
    s->share = s->b;
    s->share.weight = s->share_weight;
    s->share.answer_weight /= ITEMS;
    return s;
}

static void setting_free(setting *s)
{
    s->core->ops->free(s->core);
    mem_free(s->o);
    mem_free(s);
}

static void run_step(void *context)
{
    setting *s = context;
    step_rates rates = {.learning_rate = 1e-3, .global_rate = 10.0 / ITEMS};
    s->b.epoch++;
    if (s->core->ops->step(&s->terms, NULL, s->core, &s->b, &rates) != SCDC_OK) give_up();
}

/* ---- the bare products of the networks ---- */

typedef void (*product_fn)(gemm_op, gemm_op, size_t, size_t, size_t, real, const real *,
                           const real *, real, real *);
typedef struct products {
    product_fn product;
    size_t rows;
    real *a, *b, *c; /* large enough for any operand */
} products;

static void library_product(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                            const real *a, const real *b, real beta, real *c)
{
    bool ta = op_a == GEMM_TRANSPOSED, tb = op_b == GEMM_TRANSPOSED;
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                (int)m, (int)n, (int)k, alpha, a, (int)(ta ? m : k), b, (int)(tb ? k : n), beta, c,
                (int)n);
}

static void forward(const products *p, size_t inputs, size_t outputs)
{
    p->product(GEMM_NONE, GEMM_NONE, p->rows, outputs, inputs, 1, p->a, p->b, 0, p->c);
}
static void backward(const products *p, size_t inputs, size_t outputs, bool below)
{
    p->product(GEMM_TRANSPOSED, GEMM_NONE, inputs, outputs, p->rows, 1, p->a, p->b, 0, p->c);
    if (below) {
        p->product(GEMM_NONE, GEMM_TRANSPOSED, p->rows, inputs, outputs, 1, p->a, p->b, 0, p->c);
    }
}

static void run_products(void *context)
{
    const products *p = context;
    forward(p, DIMS, HIDDEN);
    forward(p, HIDDEN, HIDDEN);
    forward(p, HIDDEN, 2 * LATENT);
    forward(p, LATENT, HIDDEN);
    forward(p, HIDDEN, HIDDEN);
    forward(p, HIDDEN, DIMS);
    backward(p, HIDDEN, DIMS, true);
    backward(p, HIDDEN, HIDDEN, true);
    backward(p, LATENT, HIDDEN, true);
    backward(p, HIDDEN, 2 * LATENT, true);
    backward(p, HIDDEN, HIDDEN, true);
    backward(p, DIMS, HIDDEN, false);
}

static int create_products(products *p)
{
    size_t most = (size_t)DIMS * HIDDEN > (size_t)ROWS * DIMS ? DIMS * HIDDEN : ROWS * DIMS;
    SCDC_TRY(mem_zeroed(&p->a, most, sizeof *p->a, "operands"));
    SCDC_TRY(mem_zeroed(&p->b, most, sizeof *p->b, "operands"));
    SCDC_TRY(mem_zeroed(&p->c, most, sizeof *p->c, "operands"));
    for (size_t i = 0; i < most; i++) p->a[i] = p->b[i] = (real)(i % 17) / 17;
    return SCDC_OK;
}

/* ---- stages of a step ---- */

static void run_encoder(void *context)
{
    setting *s = context;
    s->encoded = net_forward(&s->m->encoder, s->b.o, s->b.rows);
}
static void run_messages(void *context)
{
    setting *s = context;
    messages_forward(s->m->messages, &s->m->globals->mean, &s->share, s->encoded, START_RANDOM);
    messages_sample(s->m->x, s->m->messages, &s->share);
    messages_terms(&s->terms, s->m->messages, &s->m->globals->mean, &s->share);
}
static void run_decoder(void *context)
{
    setting *s = context;
    decoder_gradient(s->m->log_likelihood, s->m->gx, &s->m->decoder, s->m->x, s->m->row_weight,
                     s->b.o, NULL, s->b.rows, false);
}
static void run_messages_back(void *context)
{
    setting *s = context;
    bool full = s->core->spec.options.natgrad == SCDC_NATGRAD_FULL;
    if (!full) messages_statistics(&s->m->gradient, s->m->messages, &s->share);
    messages_backward(s->m->gencoded, full ? &s->m->gradient : NULL, s->m->messages,
                      &s->m->globals->mean, &s->share, s->m->gx);
}
static void run_encoder_back(void *context)
{
    setting *s = context;
    net_backward(&s->m->encoder, NULL, s->m->gencoded, s->b.o, s->b.rows, false);
}
static void run_optimiser(void *context)
{
    setting *s = context;
    param_block_step(&s->m->nets, s->core->spec.options.optimizer, 0, 0.9);
}
static void run_globals(void *context)
{
    setting *s = context;
    if (globals_step(s->m->globals, &s->m->gradient, 0, 0) != SCDC_OK) give_up();
    s->terms.kl_global = globals_kl_sum(s->m->globals);
}

static const struct {
    const char *name;
    bench_body body;
} stages[] = {{"encoder", run_encoder},
              {"messages", run_messages},
              {"decoder", run_decoder},
              {"messages_back", run_messages_back},
              {"encoder_back", run_encoder_back},
              {"optimiser", run_optimiser},
              {"globals", run_globals}};
enum { STAGES = sizeof stages / sizeof *stages };

/* ---- reports ---- */

static void report_step(const char *name, setting *s, products ours, int rounds)
{
    ours.rows = s->b.rows;
    ours.product = gemm;
    products library = ours;
    library.product = library_product;
    bench_body bodies[3 + STAGES] = {run_step, run_products, run_products};
    void *contexts[3 + STAGES] = {s, &ours, &library};
    double least[3 + STAGES], sum = 0;
    for (size_t i = 0; i < STAGES; i++) {
        bodies[3 + i] = stages[i].body;
        contexts[3 + i] = s;
    }
    run_step(s);
    bench_compare(least, bodies, contexts, 3 + STAGES, rounds, 8, parallel_threads());
    printf("{\"name\": \"%s\", \"threads\": %d, \"rows\": %zu, \"step_ms\": %.3f, "
           "\"products_ms\": %.3f, \"library_products_ms\": %.3f, \"ratio\": %.3f, "
           "\"ratio_to_library\": %.3f, \"epoch_s\": %.2f",
           name, parallel_threads(), s->b.rows, 1e3 * least[0], 1e3 * least[1], 1e3 * least[2],
           least[0] / least[1], least[0] / least[2], (double)ITEMS / BATCH * least[0]);
    for (size_t i = 0; i < STAGES; i++) sum += least[3 + i];
    for (size_t i = 0; i < STAGES; i++) {
        printf(", \"%s\": %.3f", stages[i].name, least[3 + i] / sum);
    }
    printf("}\n");
    fflush(stdout);
}

static void report_components(setting *few, setting *many, int rounds)
{
    const bench_body bodies[] = {run_step, run_step};
    void *contexts[] = {few, many};
    double least[2];
    run_step(few);
    bench_compare(least, bodies, contexts, 2, rounds, 8, parallel_threads());
    printf("{\"name\": \"bayes, K 50 beside K 25, %zu rows\", \"threads\": %d, \"k25_ms\": %.3f, "
           "\"k50_ms\": %.3f, \"growth\": %.3f}\n",
           many->b.rows, parallel_threads(), 1e3 * least[0], 1e3 * least[1], least[1] / least[0]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    products p = {0};
    int rounds = argc > 1 ? atoi(argv[1]) : 7;
    parallel_set_threads(argc > 2 ? atoi(argv[2]) : 0);
    if (create_products(&p) != SCDC_OK) give_up();
    if (openblas_set_num_threads) openblas_set_num_threads(parallel_threads());
    for (int answers = 0; answers < 2; answers++) {
        setting *few = setting_create(25, answers, SCDC_NATGRAD_SVI);
        setting *many = setting_create(50, answers, SCDC_NATGRAD_SVI);
        setting *full = setting_create(50, answers, SCDC_NATGRAD_FULL);
        report_step(answers ? "bayes, with answers" : "bayes, no answers", many, p, rounds);
        report_step(answers ? "bayes, with answers, full natural gradient"
                            : "bayes, no answers, full natural gradient",
                    full, p, rounds);
        report_components(few, many, rounds);
        setting_free(few);
        setting_free(many);
        setting_free(full);
    }
    mem_free(p.a);
    mem_free(p.b);
    mem_free(p.c);
    return EXIT_SUCCESS;
}
