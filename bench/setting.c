/* Models at MNIST size, their minibatches, their steps. */
#include "setting.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "bench.h"

#include <string.h>

enum { PATTERNS = 10, ALL_ANSWERS = 57330, WORKERS = 48 };

core_spec setting_spec(scdc_model_kind model, size_t components, bool answers)
{
    core_spec spec = {.items = ITEMS,
                      .channels = 1,
                      .height = 28,
                      .width = 28,
                      .latent = LATENT,
                      .components = components,
                      .workers = answers ? WORKERS : 0,
                      .answers = answers ? ALL_ANSWERS : 0,
                      .max_rows = BATCH + (answers ? TOUCHED : 0),
                      .max_answers = answers ? ANSWERS : 0,
                      .likelihood = SCDC_LIKELIHOOD_BERNOULLI};
    scdc_options_init(&spec.options);
    spec.options.model = model;
    bench_need(scdc_options_preset(&spec.options, "mnist"));
    spec.options.components = components;
    spec.options.prior_alpha = 1.05;
    spec.options.sum = SCDC_SUM_EXACT;
    spec.options.sum_threshold = 1e-3;
    return spec;
}

/* Noisy copies of a few random patterns, about as bright as handwritten digits. */
static void fill_rows(real *o, size_t rows, uint32_t *item, size_t first, rng *r)
{
    static float pattern[PATTERNS][DIMS];
    for (size_t i = 0; first == 0 && i < PATTERNS * DIMS; i++) {
        pattern[i / DIMS][i % DIMS] = rng_uniform(r) < 0.2 ? 0.85f : 0.03f;
    }
    for (size_t i = 0; i < rows; i++) {
        item[i] = (uint32_t)(first + i);
        const float *p = pattern[item[i] % PATTERNS];
        for (size_t c = 0; c < DIMS; c++) o[i * DIMS + c] = rng_uniform(r) < (double)p[c];
    }
}

static void create_batch(minibatch *out, setting *s, size_t number, rng *r)
{
    const core_spec *spec = &s->core->spec;
    size_t rows = spec->max_rows, answers = spec->max_answers;
    uint32_t *item;
    double *weight;
    real *o;
    batch_answer *answer;
    item = arena_new(&s->memory, rows, sizeof *item, "items");
    weight = arena_new(&s->memory, rows, sizeof *weight, "weights");
    o = arena_new(&s->memory, rows * DIMS, sizeof *o, "items");
    answer = arena_new(&s->memory, answers, sizeof *answer, "answers");
    bench_need(arena_status(&s->memory));
    fill_rows(o, rows, item, number * rows, r);
    for (size_t i = 0; i < rows; i++) weight[i] = (double)ITEMS / (double)rows;
    for (size_t a = 0; a < answers; a++) {
        uint32_t left = BATCH + (uint32_t)(2 * a % TOUCHED),
                 right = BATCH + (uint32_t)((2 * a + 1) % TOUCHED);
        answer[a] = (batch_answer){left, right, (uint32_t)(a % WORKERS),
                                   item[left] % PATTERNS == item[right] % PATTERNS};
    }
    *out = (minibatch){.rows = rows,
                       .plain = BATCH,
                       .item = item,
                       .weight = weight,
                       .o = o,
                       .answers = answers,
                       .answer = answer,
                       .answer_weight = answers ? (double)spec->answers / (double)answers : 0,
                       .seed = 1};
}

setting *setting_create(const core_spec *spec, size_t batches)
{
    setting *s;
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    bench_need(mem_zeroed(&s, 1, sizeof *s, "a setting"));
    bench_need(spec->options.model == SCDC_MODEL_AMORTIZED ? amortized_create(&s->core, spec)
                                                           : bayes_create(&s->core, spec));
    bench_need(s->core->ops->start(s->core, 1));
    s->batches = batches;
    s->batch = arena_new(&s->memory, batches, sizeof *s->batch, "minibatches");
    bench_need(arena_status(&s->memory));
    for (size_t i = 0; i < batches; i++) create_batch(&s->batch[i], s, i, &r);
    return s;
}

void setting_free(setting *s)
{
    s->core->ops->free(s->core);
    arena_free(&s->memory);
    mem_free(s);
}

void setting_step(void *context)
{
    setting *s = context;
    /* A small global rate: hundreds of steps on the same few minibatches are to stay finite. */
    step_rates rates = {.learning_rate = 1e-3, .global_rate = 1e-6};
    minibatch b = s->batch[s->step % s->batches];
    b.epoch = (uint32_t)(s->step++ / s->batches);
    bench_need(core_step(&s->terms, NULL, s->core, &b, &rates));
}

void setting_step_alone(void *context)
{
    int threads = parallel_threads();
    parallel_set_threads(1);
    setting_step(context);
    parallel_set_threads(threads);
}

static bool same_state(core *a, core *b)
{
    tensor_ref one[CORE_MAX_TENSORS], two[CORE_MAX_TENSORS];
    size_t count = a->ops->tensors(one, a);
    bool same = b->ops->tensors(two, b) == count;
    for (size_t i = 0; same && i < count; i++) {
        size_t bytes = one[i].dtype == SCDC_F32 ? 4 : 8;
        for (size_t d = 0; d < one[i].ndim; d++) bytes *= one[i].shape[d];
        same = memcmp(one[i].values, two[i].values, bytes) == 0;
    }
    return same;
}

void setting_report_step(const char *name, setting *s, const setting_rivals *rivals, int repeats,
                         const bench_options *o)
{
    const bench_body bodies[] = {setting_step, rivals->run, rivals->run};
    void *contexts[] = {s, rivals->ours, rivals->library};
    bench_time times[3];
    bench_compare(times, bodies, contexts, 3, o->rounds, repeats, o->threads);
    scdc_timings_start();
    for (int i = 0; i < repeats; i++) setting_step(s);
    scdc_timings_stop();
    bench_figure("%s", name);
    bench_put("threads", "%d", o->threads);
    bench_put(rivals->of, "%zu", rivals->count);
    bench_put_time("step", &times[0]);
    bench_put_time("products", &times[1]);
    bench_put_time("library_products", &times[2]);
    bench_put("ratio", "%.3f", times[0].best / times[1].best);
    bench_put("ratio_to_library", "%.3f", times[0].best / times[2].best);
    bench_put("epoch_s", "%.2f", (double)ITEMS / BATCH * times[0].best);
    bench_put("rounds", "%d", o->rounds);
    bench_put_stages();
    bench_end();
}

void setting_compare_threads(const char *name, const core_spec *spec, int rounds, int repeats)
{
    int threads = parallel_threads();
    if (threads < 2) return;
    setting *alone = setting_create(spec, 2), *all = setting_create(spec, 2);
    const bench_body bodies[] = {setting_step_alone, setting_step};
    void *contexts[] = {alone, all};
    bench_time times[2];
    setting_step_alone(alone);
    setting_step(all);
    bench_compare(times, bodies, contexts, 2, rounds, repeats, threads);
    bool same = same_state(alone->core, all->core);
    bench_figure("%s, %d threads beside 1", name, threads);
    bench_put_time("one_thread", &times[0]);
    bench_put_time("step", &times[1]);
    bench_put("efficiency", "%.3f", times[0].best / times[1].best / threads);
    bench_put("same_bytes", same ? "true" : "false");
    bench_put("rounds", "%d", rounds);
    bench_end();
    setting_free(alone);
    setting_free(all);
    if (same) return;
    fprintf(stderr, "benchmark: %s depends on the number of threads\n", name);
    exit(EXIT_FAILURE);
}
