/* Whole epochs through scdc_fit at MNIST size, beside the bare matrix products of their networks:
 * BayesSCDC with the paper's settings without and with answers, the default recipe, and SCDC with
 * the exact sum (on fewer items). An epoch is everything from the end of one to the end of the
 * next. With more than one thread also on one: efficiency, and that the results are the same. */
#include "bare.h"
#include "base/parallel.h"
#include "bench.h"
#include "items.h"

#include <scdc/scdc.h>
#include <string.h>

enum { DIMS = 784, COMPONENTS = 50, CHUNK = 2048, FEW_ITEMS = 2560 };

static scdc_model *run_fit(bench_watch *w, const bench_items *items, bool answers,
                           const scdc_options *options, int threads, int clock_threads)
{
    scdc_options o = *options;
    scdc_model *model;
    o.threads = threads;
    *w = (bench_watch){.threads = clock_threads};
    bench_need(
        scdc_fit(&model, items->data, answers ? items->crowd : NULL, &o, bench_watch_progress, w));
    return model;
}

/* ---- the products of an epoch ---- */

typedef struct products {
    bare_net encoder, decoder, z, x_first, x_rest;
    size_t rows; /* of a minibatch, on average */
    bool amortized;
} products;

static void create_products(products *p, arena *a, const scdc_options *o, size_t rows)
{
    size_t d = o->latent, h0 = o->hidden[0], h1 = o->hidden[1];
    const size_t encode[] = {DIMS, h0, h1, 2 * d}, decode[] = {d, h1, h0, DIMS};
    const size_t z[] = {DIMS, h0, h1, o->components};
    p->amortized = o->model == SCDC_MODEL_AMORTIZED;
    p->rows = rows;
    bench_need(bare_create(&p->encoder, a, encode, 3, rows));
    bench_need(bare_create(&p->decoder, a, decode, 3, p->amortized ? CHUNK : rows));
    if (!p->amortized) return;
    bench_need(bare_create(&p->z, a, z, 3, rows));
    bench_need(bare_create(&p->x_first, a, encode, 1, rows));
    bench_need(bare_create(&p->x_rest, a, encode + 1, 2, CHUNK));
}

static void run_bayes(const products *p)
{
    bare_forward(&p->encoder, gemm, p->rows);
    bare_forward(&p->decoder, gemm, p->rows);
    bare_backward(&p->decoder, gemm, p->rows, true, false);
    bare_backward(&p->encoder, gemm, p->rows, false, false);
}

static void run_amortized(const products *p)
{
    size_t pairs = p->rows * p->z.size[3];
    bare_forward(&p->z, gemm, p->rows);
    bare_forward(&p->x_first, gemm, p->rows);
    for (size_t done = 0; done < pairs; done += CHUNK) {
        size_t rows = pairs - done < CHUNK ? pairs - done : CHUNK;
        bare_forward(&p->x_rest, gemm, rows);
        bare_forward(&p->decoder, gemm, rows);
        bare_backward(&p->decoder, gemm, rows, true, done > 0);
        bare_backward(&p->x_rest, gemm, rows, true, done > 0);
    }
    bare_backward(&p->x_first, gemm, p->rows, false, false);
    bare_backward(&p->z, gemm, p->rows, false, false);
}

static void run_products(void *context)
{
    const products *p = context;
    if (p->amortized) run_amortized(p);
    else run_bayes(p);
}

/* Best seconds of the products of one minibatch. */
static double time_products(const scdc_options *o, size_t rows, int rounds, int repeats)
{
    arena memory = {0};
    products p;
    bench_time time;
    create_products(&p, &memory, o, rows);
    const bench_body body = run_products;
    void *context = &p;
    run_products(&p);
    bench_compare(&time, &body, &context, 1, rounds, repeats, parallel_threads());
    arena_free(&memory);
    return time.best;
}

/* ---- reports ---- */

static bool same_history(const scdc_model *a, const scdc_model *b)
{
    size_t n, m;
    const scdc_epoch *one = scdc_model_epochs(a, &n), *two = scdc_model_epochs(b, &m);
    bool same = n == m;
    for (size_t i = 0; same && i < n; i++) {
        same = memcmp(&one[i].bound, &two[i].bound, sizeof one[i].bound) == 0;
    }
    return same;
}

static void compare_with_one_thread(const scdc_model *model, const bench_watch *all,
                                    const bench_items *items, bool answers,
                                    const scdc_options *options, const bench_options *o)
{
    bench_watch alone;
    /* Without answers: with them the steps are alike and only longer. */
    if (o->threads < 2 || answers) return;
    scdc_model *other = run_fit(&alone, items, answers, options, 1, o->threads);
    parallel_set_threads(o->threads);
    bool same = same_history(model, other);
    bench_put("one_thread_s", "%.3f", alone.seconds);
    bench_put("efficiency", "%.3f", alone.seconds / all->seconds / o->threads);
    bench_put("same_bounds", same ? "true" : "false");
    scdc_model_free(other);
    if (same) return;
    fprintf(stderr, "benchmark: the bound depends on the number of threads\n");
    exit(EXIT_FAILURE);
}

static void report(const char *name, const bench_items *items, bool answers,
                   const scdc_options *options, const bench_options *o)
{
    bench_watch w;
    bool amortized = options->model == SCDC_MODEL_AMORTIZED;
    scdc_timings_start();
    scdc_model *model = run_fit(&w, items, answers, options, o->threads, o->threads);
    scdc_timings_stop();
    size_t rows = (size_t)(w.rows_in_epoch / w.steps + 0.5);
    double floor_s = time_products(scdc_model_options(model), rows, o->quick ? 1 : 5,
                                   o->quick || amortized ? 1 : 20);
    bench_figure("%s", name);
    bench_put("items", "\"%s\"", items->origin);
    bench_put("threads", "%d", o->threads);
    bench_put("minibatches", "%.0f", w.steps);
    bench_put("rows", "%zu", rows);
    bench_put("epoch_s", "%.3f", w.seconds);
    bench_put("products_s", "%.3f", floor_s * w.steps);
    bench_put("ratio", "%.3f", w.seconds / (floor_s * w.steps));
    bench_put("epochs", "%zu", options->epochs - 1);
    bench_put_stages();
    compare_with_one_thread(model, &w, items, answers, options, o);
    bench_end();
    scdc_model_free(model);
}

static scdc_options options_of(scdc_model_kind model, const char *preset, size_t epochs)
{
    scdc_options o;
    scdc_options_init(&o);
    o.model = model;
    if (preset) bench_need(scdc_options_preset(&o, preset));
    o.epochs = epochs;
    o.warmup = 1;
    return o;
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, 1);
    size_t epochs = (size_t)o.rounds + 1;
    bench_items all = bench_items_open(o.quick ? 512 : SIZE_MAX);
    bench_items few = bench_items_open(o.quick ? 256 : FEW_ITEMS);
    scdc_options paper = options_of(SCDC_MODEL_BAYES, "mnist", epochs);
    scdc_options usual = options_of(SCDC_MODEL_BAYES, NULL, epochs);
    scdc_options exact = options_of(SCDC_MODEL_AMORTIZED, "mnist", epochs);
    if (o.quick) exact.components = 5;
    report("epoch of bayes, no answers", &all, false, &paper, &o);
    report("epoch of bayes, with answers", &all, true, &paper, &o);
    report("epoch of bayes, default recipe, with answers", &all, true, &usual, &o);
    report("epoch of amortized, exact sum, few items", &few, false, &exact, &o);
    bench_items_free(&all);
    bench_items_free(&few);
    return EXIT_SUCCESS;
}
