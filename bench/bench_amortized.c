/* One training step of the amortised model at MNIST size (784 values, nets 500-500, d 8, K 50,
 * batch 128) beside its bare matrix products: the same shapes in the same order, through our gemm
 * and through the BLAS library with its own threads. Then the threshold and top sums beside the
 * exact one, on a model whose posterior has sharpened, and one thread beside all. */
#include "bare.h"
#include "bench.h"
#include "model/amortized/amortized.h"
#include "setting.h"

#include <scdc/scdc.h>

enum { COMPONENTS = 50, BATCHES = 16, SHARPEN_STEPS = 160, LARGEST_CHUNK = 2048 };

typedef struct products {
    bare_net z, x_first, x_rest, decoder;
    bare_product product;
    size_t pairs, chunk; /* of the step that is imitated */
} products;

static void create_products(products *p, arena *a)
{
    const size_t z[] = {DIMS, HIDDEN, HIDDEN, COMPONENTS};
    const size_t x[] = {DIMS, HIDDEN, HIDDEN, 2 * LATENT};
    const size_t decode[] = {LATENT, HIDDEN, HIDDEN, DIMS};
    bench_need(bare_create(&p->z, a, z, 3, BATCH));
    bench_need(bare_create(&p->x_first, a, x, 1, BATCH));
    bench_need(bare_create(&p->x_rest, a, x + 1, 2, LARGEST_CHUNK));
    bench_need(bare_create(&p->decoder, a, decode, 3, LARGEST_CHUNK));
}

static void run_products(void *context)
{
    const products *p = context;
    bare_forward(&p->z, p->product, BATCH);
    bare_forward(&p->x_first, p->product, BATCH);
    for (size_t done = 0; done < p->pairs; done += p->chunk) {
        size_t rows = p->pairs - done < p->chunk ? p->pairs - done : p->chunk;
        bare_forward(&p->x_rest, p->product, rows);
        bare_forward(&p->decoder, p->product, rows);
        bare_backward(&p->decoder, p->product, rows, true, done > 0);
        bare_backward(&p->x_rest, p->product, rows, true, done > 0);
    }
    bare_backward(&p->x_first, p->product, BATCH, false, false);
    bare_backward(&p->z, p->product, BATCH, false, false);
}

static void report_step(const char *name, setting *s, products ours, const bench_options *o)
{
    const amortized *a = (const amortized *)(const void *)s->core;
    setting_step(s);
    ours.pairs = a->pairs.count;
    ours.chunk = a->chunk.capacity < LARGEST_CHUNK ? a->chunk.capacity : LARGEST_CHUNK;
    ours.product = gemm;
    products library = ours;
    library.product = bare_library;
    const setting_rivals rivals = {run_products, &ours, &library, "pairs", ours.pairs};
    setting_report_step(name, s, &rivals, o->quick || ours.pairs > 2000 ? 1 : 4, o);
}

static double mean_bound(setting *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->batches; i++) {
        bound_terms t;
        bench_need(s->core->ops->bound(&t, NULL, s->core, &s->batch[i]));
        sum += (t.reconstruction - t.kl_z - t.kl_x) / ITEMS / (double)s->batches;
    }
    return sum;
}

/* What skipping unlikely components loses of the bound. */
static void report_bound(setting *s, int steps)
{
    scdc_options *options = &s->core->spec.options;
    options->sum = SCDC_SUM_EXACT;
    double exact = mean_bound(s);
    options->sum = SCDC_SUM_THRESHOLD;
    double threshold = mean_bound(s);
    bench_figure("amortized, bound per item after %d steps", steps);
    bench_put("exact", "%.4f", exact);
    bench_put("threshold", "%.4f", threshold);
    bench_put("difference", "%.2e", fabs(threshold / exact - 1));
    bench_end();
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, 15);
    arena memory = {0};
    products p;
    core_spec spec = setting_spec(SCDC_MODEL_AMORTIZED, o.quick ? 5 : COMPONENTS, false);
    setting *s = setting_create(&spec, o.quick ? 2 : BATCHES);
    scdc_options *options = &s->core->spec.options;
    int steps = o.quick ? 2 : SHARPEN_STEPS;
    create_products(&p, &memory);
    bare_library_threads(o.threads);
    report_step("amortized, exact sum", s, p, &o);
    options->sum = SCDC_SUM_THRESHOLD;
    for (int i = 0; i < steps; i++) setting_step(s);
    report_bound(s, steps);
    options->sum = SCDC_SUM_THRESHOLD;
    report_step("amortized, threshold 1e-3", s, p, &o);
    options->sum = SCDC_SUM_TOP;
    report_step("amortized, top 3 and one drawn", s, p, &o);
    setting_free(s);
    setting_compare_threads("amortized, exact sum", &spec, o.rounds, 1);
    arena_free(&memory);
    return EXIT_SUCCESS;
}
