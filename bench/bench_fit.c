/* Whole epochs through scdc_fit at MNIST size, beside the bare matrix products of their networks:
 * BayesSCDC with the paper's settings without and with answers, the default recipe, and SCDC with
 * the exact sum (on fewer items). An epoch is everything from the end of one to the end of the
 * next; after each, the products of as many minibatches are timed. With more than one thread also
 * on one: efficiency, and that the results are the same. */
#include "bare.h"
#include "base/parallel.h"
#include "bench.h"
#include "items.h"

#include <scdc/scdc.h>
#include <string.h>

enum { DIMS = 784, COMPONENTS = 50, CHUNK = 2048, FEW_ITEMS = 2560 };

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

/* ---- a fit and its products, epoch by epoch ---- */

typedef struct contest {
    bench_watch watch;
    bool beside; /* products are timed too */
    arena memory;
    products products;
    size_t epochs;
    double floor; /* fewest seconds of an epoch's products */
} contest;

static void time_products(contest *c, const scdc_model *model)
{
    size_t steps = (size_t)c->watch.steps;
    if (c->products.rows == 0) {
        size_t mean_rows = (size_t)(c->watch.rows_in_epoch / c->watch.steps + 0.5);
        create_products(&c->products, &c->memory, scdc_model_options(model), mean_rows);
        run_products(&c->products);
    }
    double begin = bench_now(c->watch.threads);
    for (size_t i = 0; i < steps; i++) run_products(&c->products);
    double seconds = bench_now(c->watch.threads) - begin;
    if (c->floor == 0 || seconds < c->floor) c->floor = seconds;
}

/* The first epoch is told together with the warm-up before it: it counts for nothing. The stage
 * clock is left with the shares of the second. */
static int end_of_epoch(const scdc_progress *p, void *context)
{
    contest *c = context;
    if (!p->done) return 0;
    scdc_timings_stop();
    bench_watch_progress(p, &c->watch);
    if (c->epochs++ == 0) scdc_timings_start();
    else if (c->beside) time_products(c, p->model);
    c->watch.ended = bench_now(c->watch.threads);
    return 0;
}

static scdc_model *run_fit(contest *c, const bench_items *items, bool answers,
                           const scdc_options *options, int threads)
{
    scdc_options o = *options;
    scdc_model *model;
    o.threads = threads;
    bench_need(scdc_fit(&model, items->data, answers ? items->crowd : NULL, &o, end_of_epoch, c));
    arena_free(&c->memory);
    return model;
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

static void compare_with_one_thread(const scdc_model *model, double all_s, const bench_items *items,
                                    bool answers, const scdc_options *options,
                                    const bench_options *o)
{
    contest alone = {.watch.threads = o->threads};
    /* Without answers: with them the steps are alike and only longer. */
    if (o->threads < 2 || answers) return;
    scdc_model *other = run_fit(&alone, items, answers, options, 1);
    parallel_set_threads(o->threads);
    bool same = same_history(model, other);
    bench_put("one_thread_s", "%.3f", alone.watch.seconds);
    bench_put("efficiency", "%.3f", alone.watch.seconds / all_s / o->threads);
    bench_put("same_bounds", same ? "true" : "false");
    scdc_model_free(other);
    if (same) return;
    fprintf(stderr, "benchmark: the bound depends on the number of threads\n");
    exit(EXIT_FAILURE);
}

static void report(const char *name, const bench_items *items, bool answers,
                   const scdc_options *options, const bench_options *o)
{
    contest c = {.watch.threads = o->threads, .beside = true};
    scdc_model *model = run_fit(&c, items, answers, options, o->threads);
    const bench_watch *w = &c.watch;
    bench_figure("%s", name);
    bench_put("items", "\"%s\"", items->origin);
    bench_put("threads", "%d", o->threads);
    bench_put("minibatches", "%.0f", w->steps);
    bench_put("rows", "%zu", c.products.rows);
    bench_put("epoch_s", "%.3f", w->seconds);
    bench_put("products_s", "%.3f", c.floor);
    bench_put("ratio", "%.3f", w->seconds / c.floor);
    bench_put("epochs", "%zu", c.epochs - 1);
    bench_put_stages();
    compare_with_one_thread(model, w->seconds, items, answers, options, o);
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
    bench_options o = bench_arguments(argc, argv, 2);
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
