/* The amortised model as the training loop sees it. Its bound and gradients: tests/grad. */
#include "support/counting.h"
#include "support/sanitizers.h"

#include "base/parallel.h"
#include "support/amortized_case.h"

static const step_rates rates = {.learning_rate = 1e-2};

static core_spec small_spec(scdc_sum_kind sum)
{
    return amortized_case_spec(3, 6, 5, SCDC_LIKELIHOOD_BERNOULLI, SCDC_COVARIANCE_DIAGONAL, sum);
}

static void steps_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        /* Wide enough that every kernel is cut into several pieces. */
        scdc_sum_kind sum = (scdc_sum_kind)(SCDC_SUM_EXACT + variant % 3);
        core_spec spec =
            amortized_case_spec(4, 60, 70, SCDC_LIKELIHOOD_GAUSSIAN, SCDC_COVARIANCE_FULL, sum);
        spec.options.recipe = variant < 3 ? SCDC_RECIPE_PAPER : SCDC_RECIPE_DEFAULT;
        spec.options.hidden[0] = 150, spec.options.hidden[1] = 140;
        spec.options.sum_threshold = 0.01;
        amortized_case c[3];
        bound_terms t[3];
        for (int threads = 1; threads <= 3; threads++) {
            int i = threads - 1;
            parallel_set_threads(threads);
            amortized_case_open(&c[i], &spec);
            for (int step = 0; step < 3; step++) {
                assert_ok(core_step(&t[i], NULL, c[i].core, &c[i].batch, &rates));
            }
            assert_memory_equal(&t[i], &t[0], sizeof *t);
            assert_memory_equal(c[i].a->block.params, c[0].a->block.params,
                                c[0].a->block.count * sizeof(real));
        }
        for (int i = 0; i < 3; i++) amortized_case_close(&c[i]);
    }
    parallel_set_threads(0);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    if (!COUNTING_WORKS) skip();
    parallel_set_threads(2);
    for (int variant = 0; variant < 6; variant++) {
        core_spec spec = small_spec((scdc_sum_kind)(SCDC_SUM_EXACT + variant % 3));
        spec.options.recipe = variant < 3 ? SCDC_RECIPE_PAPER : SCDC_RECIPE_DEFAULT;
        amortized_case c;
        bound_terms t;
        double z[ROWS * 6], x[ROWS * 3];
        amortized_case_open(&c, &spec);
        assert_ok(core_step(&t, z, c.core, &c.batch, &rates)); /* threads wake up here */
        allocations = 0;
        counting = 1;
        int status = core_step(&t, z, c.core, &c.batch, &rates);
        if (status == SCDC_OK) status = c.core->ops->bound(&t, z, c.core, &c.batch);
        if (status == SCDC_OK) status = c.core->ops->place(z, x, c.core, c.o, ROWS, NULL);
        if (status == SCDC_OK) status = core_warm_step(&t, c.core, &c.batch, &rates);
        counting = 0;
        assert_ok(status);
        assert_int_equal(allocations, 0);
        /* The counter does count. */
        counting = 1;
        void *block = NULL;
        status = mem_zeroed(&block, 1, 1, "a test");
        counting = 0;
        assert_ok(status);
        assert_int_equal(allocations, 1);
        mem_free(block);
        amortized_case_close(&c);
    }
    parallel_set_threads(0);
}

/* All of the state is in the tensors: restored, a core goes on bit for bit. */
static void tensors_are_the_whole_state(void **state)
{
    (void)state;
    core_spec spec = small_spec(SCDC_SUM_EXACT);
    amortized_case c, fresh;
    bound_terms first, again;
    tensor_ref from[CORE_MAX_TENSORS], to[CORE_MAX_TENSORS];
    amortized_case_open(&c, &spec);
    for (int i = 0; i < 3; i++) assert_ok(core_step(&first, NULL, c.core, &c.batch, &rates));
    amortized_case_open(&fresh, &spec);
    size_t count = c.core->ops->tensors(from, c.core);
    assert_int_equal(fresh.core->ops->tensors(to, fresh.core), count);
    for (size_t i = 0; i < count; i++) {
        size_t bytes = from[i].dtype == SCDC_F32 ? 4 : 8;
        for (size_t a = 0; a < from[i].ndim; a++) bytes *= from[i].shape[a];
        assert_string_equal(from[i].name, to[i].name);
        memcpy(to[i].values, from[i].values, bytes);
    }
    for (int i = 0; i < 3; i++) {
        assert_ok(core_step(&first, NULL, c.core, &c.batch, &rates));
        assert_ok(core_step(&again, NULL, fresh.core, &fresh.batch, &rates));
        assert_memory_equal(&first, &again, sizeof first);
    }
    worker_estimate a, b;
    c.core->ops->worker(&a, c.core, 1);
    fresh.core->ops->worker(&b, fresh.core, 1);
    assert_memory_equal(&a, &b, sizeof a);
    amortized_case_close(&c);
    amortized_case_close(&fresh);
}

/* Coins begin where they are told to, else each at a draw of its own. */
static void coins_begin_as_told(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        core_spec spec = small_spec(SCDC_SUM_EXACT);
        amortized_case c;
        worker_estimate first[2];
        if (told) spec.options.start_coins = 0.9;
        amortized_case_open(&c, &spec);
        assert_ok(c.core->ops->start(c.core, 4));
        for (size_t m = 0; m < 2; m++) {
            c.core->ops->worker(&first[m], c.core, m);
            double coins[] = {
                first[m].sensitivity[0] / (first[m].sensitivity[0] + first[m].sensitivity[1]),
                first[m].specificity[0] / (first[m].specificity[0] + first[m].specificity[1])};
            for (int i = 0; i < 2; i++) {
                if (told) assert_close(coins[i], 0.9, 1e-5);
                else assert_true(coins[i] >= 0.6 && coins[i] <= 0.9);
            }
        }
        bool alike = fabs(first[0].sensitivity[0] - first[1].sensitivity[0]) < 1e-6;
        assert_int_equal(alike, told);
        amortized_case_close(&c);
    }
}

/* The component drawn for the rest follows q, and its weight is rest / q. */
static void top_draws_follow_q(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    core_spec spec = small_spec(SCDC_SUM_TOP);
    amortized_case c;
    amortized_case_open(&c, &spec);
    double seen[6] = {0};
    amortized_q(c.a, c.o, ROWS, NULL);
    c.batch.rows = c.batch.plain = 1;
    const double *q = c.a->q;
    double rest = 0;
    for (uint32_t epoch = 0; epoch < DRAWS; epoch++) {
        c.batch.epoch = epoch;
        amortized_select(c.a, &c.batch);
        assert_int_equal(c.a->pairs.count, 3);
        const uint32_t *k = c.a->pairs.component;
        assert_true(q[k[0]] >= q[k[1]] && q[k[1]] >= q[k[2]] && k[2] != k[1]);
        if (epoch == 0) rest = 1 - q[k[0]] - q[k[1]];
        assert_near((double)c.a->pairs.scale[2], rest / q[k[2]], 1e-5);
        seen[k[2]]++;
    }
    int components = 0;
    for (size_t k = 0; k < 6; k++) {
        if (seen[k] == 0) continue;
        double p = q[k] / rest;
        assert_close(seen[k] / DRAWS, p, 5 * sqrt(p * (1 - p) / DRAWS));
        components++;
    }
    assert_int_equal(components, 4);
    amortized_case_close(&c);
}

static void a_term_that_is_not_finite_is_named(void **state)
{
    (void)state;
    core_spec spec = small_spec(SCDC_SUM_EXACT);
    amortized_case c;
    bound_terms t;
    amortized_case_open(&c, &spec);
    real *part[] = {c.a->alpha.value, c.a->mu.value, c.a->pi.value, c.o};
    const char *names[] = {"answers", "kl_x", "kl_z", "reconstruction"};
    for (int i = 0; i < 4; i++) {
        real kept = part[i][0];
        part[i][0] = NAN;
        assert_fails(core_step(&t, NULL, c.core, &c.batch, &rates), SCDC_ERR_NUMERIC, names[i]);
        part[i][0] = kept;
    }
    assert_ok(c.core->ops->bound(&t, NULL, c.core, &c.batch)); /* nothing was spoilt */
    amortized_case_close(&c);
}

static void sizes_are_checked(void **state)
{
    (void)state;
    core *c;
    core_spec spec = small_spec(SCDC_SUM_EXACT);
    spec.options.n_hidden = 0;
    assert_fails(amortized_create(&c, &spec), SCDC_ERR_ARGUMENT, "hidden layers");
    spec = small_spec(SCDC_SUM_EXACT);
    spec.components = SIZE_MAX / 8;
    assert_fails(amortized_create(&c, &spec), SCDC_ERR_ARGUMENT, "components");
}

/* Three groups of items; answers between them from an honest and a careless worker. Training should
 * put each group into its own components, and find the careless worker. */
enum { GROUP_ITEMS = 240, GROUP_D = 6, GROUP_ANSWERS = 600, GROUP_STEPS = 600, GROUP_K = 8 };
typedef struct groups {
    core *core;
    real *o;
    uint32_t truth[GROUP_ITEMS], item[GROUP_ITEMS];
    double weight[GROUP_ITEMS];
    batch_answer answer[GROUP_ANSWERS];
    minibatch batch;
} groups;

static void groups_open(groups *g)
{
    *g = (groups){0};
    core_spec spec = amortized_case_spec(2, GROUP_K, GROUP_D, SCDC_LIKELIHOOD_GAUSSIAN,
                                         SCDC_COVARIANCE_DIAGONAL, SCDC_SUM_EXACT);
    spec.items = spec.max_rows = spec.options.batch = GROUP_ITEMS;
    spec.workers = 2;
    spec.answers = spec.max_answers = GROUP_ANSWERS;
    spec.options.hidden[0] = spec.options.hidden[1] = 32;
    spec.options.start_spread = 1.5;
    assert_ok(amortized_create(&g->core, &spec));
    assert_ok(g->core->ops->start(g->core, 2));
    g->o = random_values(GROUP_ITEMS * GROUP_D, 0.25, 1);
    real *centres = random_values(3 * GROUP_D, 1, 2);
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 9);
    for (uint32_t i = 0; i < GROUP_ITEMS; i++) {
        g->truth[i] = i % 3, g->item[i] = i, g->weight[i] = 1;
        for (size_t j = 0; j < GROUP_D; j++) {
            g->o[i * GROUP_D + j] += centres[g->truth[i] * GROUP_D + j];
        }
    }
    for (uint32_t s = 0; s < GROUP_ANSWERS; s++) {
        uint32_t left = (uint32_t)rng_below(&r, GROUP_ITEMS), right = (left + 1 + s) % GROUP_ITEMS;
        uint32_t same = g->truth[left] == g->truth[right], worker = s % 2;
        if (rng_uniform(&r) < (worker ? 0.35 : 0.05)) same = !same;
        g->answer[s] = (batch_answer){left, right, worker, same};
    }
    mem_free(centres);
    g->batch = (minibatch){.rows = GROUP_ITEMS,
                           .plain = GROUP_ITEMS,
                           .item = g->item,
                           .weight = g->weight,
                           .o = g->o,
                           .answers = GROUP_ANSWERS,
                           .answer = g->answer,
                           .answer_weight = 1,
                           .seed = 1};
}

static void training_finds_groups_and_workers(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) skip(); /* steps of one thread have nothing to show it */
    groups g;
    bound_terms first = {0}, t;
    parallel_set_threads(1);
    groups_open(&g);
    for (uint32_t step = 0; step < GROUP_STEPS; step++) {
        g.batch.epoch = step;
        assert_ok(core_step(&t, NULL, g.core, &g.batch, &rates));
        if (step == 0) first = t;
    }
    assert_true(bound_of_terms(&t) > bound_of_terms(&first) + 100);
    assert_true(t.answers > first.answers);
    double z[GROUP_ITEMS * GROUP_K], x[GROUP_ITEMS * 2];
    uint32_t owner[GROUP_K], nobody = 3;
    size_t strangers = 0;
    for (size_t k = 0; k < GROUP_K; k++) owner[k] = nobody;
    assert_ok(g.core->ops->place(z, x, g.core, g.o, GROUP_ITEMS, NULL));
    for (size_t i = 0; i < GROUP_ITEMS; i++) {
        const double *q = z + i * GROUP_K;
        size_t best = 0;
        double total = 0;
        for (size_t k = 0; k < GROUP_K; k++) best = q[k] > q[best] ? k : best, total += q[k];
        assert_close(total, 1, 1e-5);
        if (owner[best] == nobody) owner[best] = g.truth[i];
        strangers += owner[best] != g.truth[i];
    }
    assert_true(strangers <= GROUP_ITEMS / 50); /* no component holds two groups */
    worker_estimate honest, careless;
    g.core->ops->worker(&honest, g.core, 0);
    g.core->ops->worker(&careless, g.core, 1);
    double a = honest.specificity[0] / (honest.specificity[0] + honest.specificity[1]);
    double b = careless.specificity[0] / (careless.specificity[0] + careless.specificity[1]);
    two_coin coins[2];
    assert_ok(g.core->ops->coins(coins, g.core));
    assert_close(exp(coins[0].ln_beta), a, 1e-6);
    assert_close(exp(coins[0].ln_alpha) + exp(coins[0].ln_not_alpha), 1, 1e-9);
    assert_close(a, 0.95, 0.06);
    assert_close(b, 0.65, 0.1);
    /* Counts: about two thirds of 300 pairs are different ones. */
    assert_near((honest.specificity[0] + honest.specificity[1]) / 202, 1, 0.15);
    double pi[GROUP_K], sum = 0;
    g.core->ops->proportions(pi, g.core);
    for (size_t k = 0; k < GROUP_K; k++) sum += pi[k];
    assert_close(sum, 1, 1e-9);
    g.core->ops->free(g.core);
    mem_free(g.o);
}

static void generated_items_follow_their_component(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    for (int full = 0; full < 2; full++) {
        core_spec spec = amortized_case_spec(2, 3, 4, SCDC_LIKELIHOOD_GAUSSIAN,
                                             full ? SCDC_COVARIANCE_FULL : SCDC_COVARIANCE_DIAGONAL,
                                             SCDC_SUM_EXACT);
        amortized_case c;
        amortized_case_open(&c, &spec);
        /* Draws of x have the component's mean and the inverse of R R' as covariance. */
        double R[2][2] = {{2, 0}, {full ? 0.7 : 0, 0.5}};
        real *f = c.a->factor.value + (full ? 3 : 2);
        f[0] = (real)log(2);
        if (full) f[1] = REAL(0.7);
        f[full ? 2 : 1] = (real)log(0.5);
        double mean[2] = {0}, moment[2][2] = {{0}};
        real x[2], *noise = random_values(2 * COUNT, 1, 8);
        amortized_prior_roots(c.a);
        for (size_t i = 0; i < COUNT; i++) {
            amortized_prior_draw(c.a, x, 1, noise + 2 * i);
            for (int j = 0; j < 2; j++) {
                double e = (double)(x[j] - c.a->mu.value[2 + j]);
                mean[j] += e / COUNT;
                for (int l = 0; l < 2; l++) {
                    moment[j][l] += e * (double)(x[l] - c.a->mu.value[2 + l]) / COUNT;
                }
            }
        }
        /* precision * covariance = I */
        for (int j = 0; j < 2; j++) {
            assert_close(mean[j], 0, 0.2);
            for (int l = 0; l < 2; l++) {
                double sum = 0;
                for (int i = 0; i < 2; i++) {
                    sum += (R[j][0] * R[i][0] + R[j][1] * R[i][1]) * moment[i][l];
                }
                assert_close(sum, j == l, 0.25);
            }
        }
        real out[2 * 4], again[4];
        assert_ok(c.core->ops->generate(out, c.core, 1, 2, 7));
        assert_ok(c.core->ops->generate(again, c.core, 1, 1, 7));
        assert_memory_equal(out, again, sizeof again);
        assert_memory_not_equal(out, out + 4, sizeof again);
        assert_fails(c.core->ops->generate(out, c.core, 3, 1, 7), SCDC_ERR_ARGUMENT, "below 3");
        mem_free(noise);
        amortized_case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_do_not_depend_on_threads),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(tensors_are_the_whole_state),
        cmocka_unit_test(coins_begin_as_told),
        cmocka_unit_test(top_draws_follow_q),
        cmocka_unit_test(a_term_that_is_not_finite_is_named),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(training_finds_groups_and_workers),
        cmocka_unit_test(generated_items_follow_their_component),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
