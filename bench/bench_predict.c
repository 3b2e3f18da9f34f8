/* Placing items with a fitted model at MNIST size beside the bare products of the encoder, and one
 * item alone. */
#include "bare.h"
#include "base/parallel.h"
#include "bench.h"
#include "items.h"

#include <scdc/scdc.h>

enum {
    DIMS = 784,
    HIDDEN = 500,
    LATENT = 8,
    CHUNK = 512,
    ITEMS = 2048,
    FEW = 512,
    COMPONENTS = 50
};

typedef struct job {
    scdc_model *model;
    const scdc_data *data;
    int64_t *labels;
    bare_net encoder;
    size_t rows;
} job;

static void run_predict(void *context)
{
    job *j = context;
    bench_need(scdc_predict(j->labels, NULL, NULL, NULL, j->model, j->data, NULL));
}

static void run_products(void *context)
{
    const job *j = context;
    for (size_t done = 0; done < j->rows; done += CHUNK) {
        size_t rows = j->rows - done < CHUNK ? j->rows - done : CHUNK;
        bare_forward(&j->encoder, gemm, rows);
    }
}

static scdc_model *fit_a_little(scdc_model_kind kind, const scdc_data *data, int threads)
{
    scdc_options o;
    scdc_model *model;
    scdc_options_init(&o);
    o.model = kind;
    bench_need(scdc_options_preset(&o, "mnist"));
    o.epochs = 1;
    o.threads = threads;
    /* What it costs to place an item does not depend on how it was trained. */
    o.sum = SCDC_SUM_TOP;
    o.sum_top = 1;
    bench_need(scdc_fit(&model, data, NULL, &o, NULL, NULL));
    return model;
}

/* The first item of some. */
static scdc_data *first_item(const scdc_data *data)
{
    float values[DIMS];
    uint8_t bytes[DIMS];
    scdc_data *one;
    bench_need(scdc_data_rows(values, data, 0, 1));
    for (size_t i = 0; i < DIMS; i++) bytes[i] = (uint8_t)values[i];
    bench_need(scdc_data_from_memory(&one, bytes, SCDC_U8, 1, DIMS, 1));
    return one;
}

static void report(const char *name, scdc_model_kind kind, const bench_items *items,
                   const bench_items *few, const bench_options *o)
{
    arena memory = {0};
    scdc_data_info info;
    scdc_data *one = first_item(items->data);
    bool amortized = kind == SCDC_MODEL_AMORTIZED;
    const size_t sizes[] = {DIMS, HIDDEN, HIDDEN, amortized ? COMPONENTS : 2 * LATENT};
    job all = {.model = fit_a_little(kind, few->data, o->threads), .data = items->data};
    bench_need(scdc_data_get_info(&info, items->data));
    all.rows = info.rows;
    all.labels = arena_new(&memory, info.rows, sizeof *all.labels, "labels");
    bench_need(arena_status(&memory));
    bench_need(bare_create(&all.encoder, &memory, sizes, 3, CHUNK));
    job single = all;
    single.data = one;
    const bench_body bodies[] = {run_predict, run_products, run_predict};
    void *contexts[] = {&all, &all, &single};
    bench_time times[2], alone;
    run_predict(&all);
    bench_compare(times, bodies, contexts, 2, o->rounds, 1, o->threads);
    bench_compare(&alone, bodies + 2, contexts + 2, 1, o->rounds, o->quick ? 1 : 100, o->threads);
    bench_figure("%s", name);
    bench_put("threads", "%d", o->threads);
    bench_put("items", "%zu", all.rows);
    bench_put_time("predict", &times[0]);
    bench_put_time("products", &times[1]);
    bench_put("ratio", "%.3f", times[0].best / times[1].best);
    bench_put("items_per_second", "%.0f", (double)all.rows / times[0].best);
    bench_put_time("one_item", &alone);
    bench_put("rounds", "%d", o->rounds);
    scdc_timings_start();
    run_predict(&all);
    scdc_timings_stop();
    bench_put_stages();
    bench_end();
    scdc_data_free(one);
    scdc_model_free(all.model);
    arena_free(&memory);
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, 121);
    bench_items items = bench_items_open(o.quick ? FEW : ITEMS), few = bench_items_open(FEW);
    report("predict, bayes", SCDC_MODEL_BAYES, &items, &few, &o);
    report("predict, amortized", SCDC_MODEL_AMORTIZED, &items, &few, &o);
    bench_items_free(&items);
    bench_items_free(&few);
    return EXIT_SUCCESS;
}
