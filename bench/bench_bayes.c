/* One training step of BayesSCDC at MNIST size (784 values, nets 500-500, d 8, batch 128, T 4),
 * without answers and with 122 answers on 240 further rows, beside its bare network products: the
 * same shapes in the same order, through our gemm and through the BLAS library with its own
 * threads. Then what each stage takes, K 25 beside K 50, and one thread beside all. */
#include "bare.h"
#include "bench.h"
#include "setting.h"

#include <scdc/scdc.h>

typedef struct products {
    bare_net encoder, decoder;
    bare_product product;
    size_t rows;
} products;

static void create_products(products *p, arena *a)
{
    const size_t encoder[] = {DIMS, HIDDEN, HIDDEN, 2 * LATENT};
    const size_t decoder[] = {LATENT, HIDDEN, HIDDEN, DIMS};
    bench_need(bare_create(&p->encoder, a, encoder, 3, BATCH + TOUCHED));
    bench_need(bare_create(&p->decoder, a, decoder, 3, BATCH + TOUCHED));
}

static void run_products(void *context)
{
    const products *p = context;
    bare_forward(&p->encoder, p->product, p->rows);
    bare_forward(&p->decoder, p->product, p->rows);
    bare_backward(&p->decoder, p->product, p->rows, true, false);
    bare_backward(&p->encoder, p->product, p->rows, false, false);
}

/* Steps in one go: some 20 ms of them. Short, because on a shared machine a quiet moment is short.
 */
static int steps_in_a_row(size_t rows, const bench_options *o)
{
    return o->quick || rows > 200 ? 1 : 3;
}

static void report_step(const char *name, setting *s, products ours, const bench_options *o)
{
    ours.rows = s->core->spec.max_rows;
    ours.product = gemm;
    products library = ours;
    library.product = bare_library;
    const setting_rivals rivals = {run_products, &ours, &library, "rows", ours.rows};
    setting_step(s);
    setting_report_step(name, s, &rivals, steps_in_a_row(ours.rows, o), o);
}

static void report_components(setting *few, setting *many, const bench_options *o)
{
    const bench_body bodies[] = {setting_step, setting_step};
    void *contexts[] = {few, many};
    bench_time times[2];
    setting_step(few);
    bench_compare(times, bodies, contexts, 2, o->rounds,
                  steps_in_a_row(many->core->spec.max_rows, o), o->threads);
    bench_figure("bayes, K 50 beside K 25, %zu rows", many->core->spec.max_rows);
    bench_put("threads", "%d", o->threads);
    bench_put_time("k25", &times[0]);
    bench_put_time("k50", &times[1]);
    bench_put("growth", "%.3f", times[1].best / times[0].best);
    bench_put("rounds", "%d", o->rounds);
    bench_end();
}

static setting *create(size_t components, bool answers, scdc_natgrad natgrad)
{
    core_spec spec = setting_spec(SCDC_MODEL_BAYES, components, answers);
    spec.options.natgrad = natgrad;
    return setting_create(&spec, 2);
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, 61);
    arena memory = {0};
    products p;
    create_products(&p, &memory);
    bare_library_threads(o.threads);
    for (int answers = 0; answers < 2; answers++) {
        setting *few = create(25, answers, SCDC_NATGRAD_SVI);
        setting *many = create(50, answers, SCDC_NATGRAD_SVI);
        setting *full = create(50, answers, SCDC_NATGRAD_FULL);
        report_step(answers ? "bayes, with answers" : "bayes, no answers", many, p, &o);
        report_step(answers ? "bayes, with answers, full natural gradient"
                            : "bayes, no answers, full natural gradient",
                    full, p, &o);
        report_components(few, many, &o);
        setting_free(few);
        setting_free(many);
        setting_free(full);
        core_spec spec = setting_spec(SCDC_MODEL_BAYES, 50, answers);
        setting_compare_threads(answers ? "bayes, with answers" : "bayes, no answers", &spec,
                                o.rounds, steps_in_a_row(spec.max_rows, &o));
    }
    arena_free(&memory);
    return EXIT_SUCCESS;
}
