/* The BayesSCDC core: it learns, it does not depend on threads, it does not allocate, its state
 * restores bit for bit, placing does not depend on batches, and it says what is not finite. */
#include "base/parallel.h"
#include "expfam/mvn.h"
#include "expfam/niw.h"
#include "support/bayes_problem.h"
#include "support/counting.h"

static const step_rates RATES = {.learning_rate = 0.01, .global_rate = 0.1};

static bayes_problem *standard_problem(size_t items, size_t answers)
{
    core_spec spec = bayes_problem_spec(items, 9, answers, SCDC_LIKELIHOOD_BERNOULLI);
    return bayes_problem_new(&spec);
}

static double bound_value(const bound_terms *t)
{
    return t->reconstruction - t->kl_z - t->kl_x + t->answers - t->kl_global;
}

static void train(bayes_problem *p, size_t steps, bound_terms *last, const step_rates *rates)
{
    for (size_t n = 0; n < steps; n++) {
        p->b.epoch = (uint32_t)n;
        assert_ok(core_step(last, NULL, p->c, &p->b, rates));
    }
}

/* All tensors one after the other; returns their bytes. */
static size_t state_of(core *c, unsigned char *out, bool save)
{
    tensor_ref tensors[CORE_MAX_TENSORS];
    size_t count = c->ops->tensors(tensors, c), bytes = 0;
    assert_true(count <= CORE_MAX_TENSORS);
    for (size_t i = 0; i < count; i++) {
        size_t size = tensors[i].dtype == SCDC_F32 ? 4 : 8;
        for (size_t a = 0; a < tensors[i].ndim; a++) size *= tensors[i].shape[a];
        if (out && save) memcpy(out + bytes, tensors[i].values, size);
        if (out && !save) memcpy(tensors[i].values, out + bytes, size);
        bytes += size;
    }
    if (out && !save) assert_ok(c->ops->restored(c));
    return bytes;
}

/* First global parameters from latent means and assignments of which a quarter is wrong. */
static void start_from_assignments(bayes_problem *p)
{
    globals *g = p->m->globals;
    size_t d = g->d;
    double *x = calloc(p->items * d, sizeof *x), t[5];
    global_block statistics = p->m->gradient;
    rng r;
    rng_init(&r, 5, RNG_TEST, 1, 0);
    globals_block_zero(&statistics, g);
    assert_ok(p->c->ops->place(NULL, x, p->c, p->o, p->items, NULL));
    for (size_t i = 0; i < p->items; i++) {
        size_t k = rng_uniform(&r) < 0.25 ? rng_below(&r, g->K) : p->group[i];
        mvn_stats(t, x + i * d, d);
        t[2] += 0.1; /* some width */
        t[4] += 0.1;
        niw_observe(statistics.niw + k * g->P, 1, t, d);
        statistics.pi[k] += 1;
    }
    assert_ok(globals_from_statistics(g, &statistics));
    free(x);
}

/* Networks first, under one broad component; then everything together from bad assignments. */
static void fit_finds_groups_and_workers(void **state)
{
    (void)state;
    core_spec spec = bayes_problem_spec(240, 9, 400, SCDC_LIKELIHOOD_BERNOULLI);
    spec.options.recipe = SCDC_RECIPE_DEFAULT;
    spec.options.start_spread = 0;
    bayes_problem *p = bayes_problem_new(&spec);
    bound_terms first, last;
    double *z = calloc(240 * 5, sizeof *z), pi[5], sum = 0;
    assert_ok(p->c->ops->bound(&first, NULL, p->c, &p->b));
    train(p, 100, &last, &(step_rates){0.01, 0});
    start_from_assignments(p);
    train(p, 150, &last, &RATES);
    assert_true(bound_value(&last) > bound_value(&first) + 240);
    assert_ok(p->c->ops->place(z, NULL, p->c, p->o, 240, NULL));
    size_t right = 0, pairs = 0;
    for (size_t i = 0; i < 240; i++) {
        for (size_t j = 0; j < i; j++, pairs++) {
            double same = small_dot(z + i * 5, z + j * 5, 5);
            right += (same > 0.5) == (p->group[i] == p->group[j]);
        }
    }
    assert_true((double)right > 0.95 * (double)pairs);
    worker_estimate good, bad;
    p->c->ops->worker(&good, p->c, 0);
    p->c->ops->worker(&bad, p->c, 1);
    double better = good.sensitivity[0] / (good.sensitivity[0] + good.sensitivity[1]);
    double worse = bad.sensitivity[0] / (bad.sensitivity[0] + bad.sensitivity[1]);
    assert_true(better > 0.85 && worse < 0.65);
    p->c->ops->proportions(pi, p->c);
    for (size_t k = 0; k < 5; k++) sum += pi[k];
    assert_near(sum, 1, 1e-12);
    free(z);
    bayes_problem_free(p);
}

/* First components from a part of the items count as much as all of them: half of items that come
 * twice says what all of them say. */
static void some_items_stand_for_all(void **state)
{
    (void)state;
    enum { N = 100 };
    bayes_problem *p = standard_problem(N, 60);
    globals *g = p->m->globals;
    float x[N * 2], v[N * 2];
    uint32_t component[N];
    double pi[5], *niw = calloc(g->K * g->P, sizeof *niw);
    assert_int_equal(g->d, 2);
    for (size_t i = 0; i < N; i++) {
        size_t of = i % (N / 2);
        component[i] = (uint32_t)(of % 5);
        for (size_t a = 0; a < 2; a++) {
            x[2 * i + a] = (float)sin((double)(7 * of + a));
            v[2 * i + a] = 0.1F;
        }
    }
    assert_ok(p->c->ops->begin(p->c, x, v, component, N, MIXTURE_TIED));
    memcpy(pi, g->eta.pi, sizeof pi);
    memcpy(niw, g->eta.niw, g->K * g->P * sizeof *niw);
    assert_near(pi[0], g->prior.pi[0] + N / 5, 1e-9);
    assert_ok(p->c->ops->begin(p->c, x, v, component, N / 2, MIXTURE_TIED));
    for (size_t k = 0; k < 5; k++) assert_near(g->eta.pi[k], pi[k], 1e-9);
    for (size_t i = 0; i < g->K * g->P; i++) assert_near(g->eta.niw[i], niw[i], 1e-6);
    /* A tied covariance is told by all items, a spherical one by every value of its own. */
    assert_near(g->eta.niw[g->P - 1], g->prior.niw[g->P - 1] + N, 1e-9);
    assert_near(g->eta.niw[g->P - 2], g->prior.niw[g->P - 2] + N / 5, 1e-9);
    assert_ok(p->c->ops->begin(p->c, x, v, component, N, MIXTURE_SPHERICAL));
    assert_near(g->eta.niw[g->P - 1], g->prior.niw[g->P - 1] + N / 5 * 2, 1e-9);
    free(niw);
    bayes_problem_free(p);
}

/* A whole step from the data alone: rate 1 without momentum lands on prior + statistics. */
static void full_rate_lands_on_the_statistics(void **state)
{
    (void)state;
    bayes_problem *p = standard_problem(100, 60);
    globals *g = p->m->globals;
    bound_terms terms;
    double *z = calloc(100 * 5, sizeof *z), answers = 0;
    assert_ok(core_step(&terms, z, p->c, &p->b, &(step_rates){0, 1}));
    for (size_t k = 0; k < 5; k++) {
        double mass = 0;
        for (size_t i = 0; i < 100; i++) mass += z[i * 5 + k];
        assert_near(g->eta.pi[k], g->prior.pi[k] + mass, 1e-9);
        /* kappa and nu grow by the mass too. */
        for (size_t s = 1; s <= 2; s++) {
            size_t at = (k + 1) * g->P - s;
            assert_near(g->eta.niw[at], g->prior.niw[at] + mass, 1e-9);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        answers += g->eta.ln_sens[i] - g->prior.ln_sens[i];
        answers += g->eta.ln_spec[i] - g->prior.ln_spec[i];
    }
    assert_near(answers, 60, 1e-9);
    assert_int_equal(p->c->ops->shortened(p->c), 0);
    free(z);
    bayes_problem_free(p);
}

static void bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    unsigned char *first = NULL, *other = NULL;
    bound_terms terms[3];
    for (size_t n = 0; n < 3; n++) {
        parallel_set_threads(1 << n);
        bayes_problem *p = standard_problem(150, 90);
        p->c->spec.options.natgrad = SCDC_NATGRAD_FULL;
        train(p, 4, &terms[n], &RATES);
        size_t bytes = state_of(p->c, NULL, true);
        unsigned char *got = malloc(bytes);
        state_of(p->c, got, true);
        if (n == 0) first = got;
        else other = got;
        if (n > 0) {
            assert_memory_equal(first, other, bytes);
            assert_memory_equal(&terms[0], &terms[n], sizeof terms[0]);
            free(other);
        }
        bayes_problem_free(p);
    }
    free(first);
    parallel_set_threads(1);
}

static void a_step_does_not_allocate(void **state)
{
    (void)state;
    if (!COUNTING_WORKS) skip();
    for (int full = 0; full < 2; full++) {
        bayes_problem *p = standard_problem(150, 90);
        if (full) p->c->spec.options.natgrad = SCDC_NATGRAD_FULL;
        bound_terms terms;
        double z[150 * 5], x[150 * 2];
        train(p, 1, &terms, &RATES); /* the first call may set up the BLAS library */
        counting = 1;
        void *volatile block = malloc(1); /* it does count */
        free(block);
        assert_int_equal(allocations, 1);
        train(p, 2, &terms, &RATES);
        assert_ok(p->c->ops->bound(&terms, z, p->c, &p->b));
        assert_ok(p->c->ops->place(z, x, p->c, p->o, 150, NULL));
        counting = 0;
        assert_int_equal(allocations, 1);
        allocations = 0;
        bayes_problem_free(p);
    }
}

static void state_restores_bit_for_bit(void **state)
{
    (void)state;
    bayes_problem *p = standard_problem(80, 40);
    p->c->spec.options.global_momentum = 0.9;
    bound_terms first, second;
    train(p, 3, &first, &RATES);
    size_t bytes = state_of(p->c, NULL, true);
    unsigned char *kept = malloc(bytes), *once = malloc(bytes), *twice = malloc(bytes);
    state_of(p->c, kept, true);
    train(p, 3, &first, &RATES);
    state_of(p->c, once, true);
    state_of(p->c, kept, false);
    train(p, 3, &second, &RATES);
    state_of(p->c, twice, true);
    assert_memory_equal(once, twice, bytes);
    assert_memory_equal(&first, &second, sizeof first);
    /* The bound changes nothing and is what the step before the update sees. */
    assert_ok(p->c->ops->bound(&first, NULL, p->c, &p->b));
    state_of(p->c, kept, true);
    assert_memory_equal(kept, twice, bytes);
    assert_ok(core_step(&second, NULL, p->c, &p->b, &RATES));
    assert_near(first.kl_x, second.kl_x, 1e-9);
    assert_near(first.reconstruction, second.reconstruction, 1e-6);
    assert_near(first.answers, second.answers, 1e-9);
    free(kept);
    free(once);
    free(twice);
    bayes_problem_free(p);
}

static void placing_does_not_depend_on_batches(void **state)
{
    (void)state;
    bayes_problem *p = standard_problem(150, 30);
    bound_terms terms;
    train(p, 30, &terms, &RATES);
    double z[150 * 5], x[150 * 2], zs[150 * 5], xs[150 * 2], field[150 * 5] = {0};
    assert_ok(p->c->ops->place(z, x, p->c, p->o, 150, NULL));
    for (size_t i = 0; i < 150; i += 7) {
        size_t rows = i + 7 < 150 ? 7 : 150 - i;
        assert_ok(p->c->ops->place(zs + i * 5, xs + i * 2, p->c, p->o + i * 9, rows, NULL));
    }
    for (size_t i = 0; i < 150 * 5; i++) assert_close(zs[i], z[i], 1e-5);
    for (size_t i = 0; i < 150 * 2; i++) assert_close(xs[i], x[i], 1e-4);
    /* A strong constant message wins. */
    for (size_t i = 0; i < 150; i++) field[i * 5 + i % 5] = 1000;
    assert_ok(p->c->ops->place(zs, NULL, p->c, p->o, 150, field));
    for (size_t i = 0; i < 150; i++) assert_close(zs[i * 5 + i % 5], 1, 1e-9);
    assert_fails(p->c->ops->place(zs, NULL, p->c, p->o, 151, NULL), SCDC_ERR_INTERNAL, "151 rows");
    bayes_problem_free(p);
}

static void generated_items_come_from_the_component(void **state)
{
    (void)state;
    bayes_problem *p = standard_problem(60, 20);
    bound_terms terms;
    train(p, 5, &terms, &RATES);
    enum { COUNT = 130 }; /* more than a minibatch */
    static real out[COUNT * 9], again[COUNT * 9], mean[9];
    assert_ok(p->c->ops->generate(out, p->c, 2, COUNT, 77));
    assert_ok(p->c->ops->generate(again, p->c, 2, COUNT, 77));
    assert_memory_equal(out, again, sizeof out);
    for (size_t i = 0; i < COUNT * 9; i++) assert_true(out[i] >= 0 && out[i] <= 1);
    assert_ok(p->c->ops->generate(again, p->c, 2, COUNT, 78));
    assert_memory_not_equal(out, again, sizeof out);
    /* A component of no width gives the decoder's mean at its centre. */
    globals *g = p->m->globals;
    double *eta = g->eta.niw + 2 * g->P, kappa = eta[g->P - 2];
    real centre[2] = {(real)(eta[0] / kappa), (real)(eta[1] / kappa)};
    for (size_t a = 0; a < 2; a++) {
        for (size_t b = 0; b <= a; b++) {
            double tiny = a == b ? 1e-12 : 0;
            eta[2 + packed_index(a, b)] = eta[a] * eta[b] / kappa + tiny;
        }
    }
    decoder_mean(mean, &p->m->decoder, centre, 1);
    assert_ok(p->c->ops->generate(out, p->c, 2, COUNT, 79));
    for (size_t i = 0; i < COUNT * 9; i++) assert_close(out[i], mean[i % 9], 1e-4);
    assert_fails(p->c->ops->generate(out, p->c, 5, 1, 1), SCDC_ERR_ARGUMENT, "component 5");
    bayes_problem_free(p);
}

static void what_is_not_finite_is_named(void **state)
{
    (void)state;
    bayes_problem *p = standard_problem(40, 10);
    bound_terms terms;
    real keep = p->o[4];
    p->o[4] = NAN;
    assert_fails(core_step(&terms, NULL, p->c, &p->b, &RATES), SCDC_ERR_NUMERIC, "is not finite");
    p->o[4] = keep;
    memset(p->m->nets.params + net_room(&p->m->encoder), 255, 4); /* a NaN in the decoder */
    assert_fails(core_step(&terms, NULL, p->c, &p->b, &RATES), SCDC_ERR_NUMERIC,
                 "the reconstruction is not finite");
    bayes_problem_free(p);
}

/* Sizes that cannot be had are refused, and nothing leaks. */
static void creation_fails_cleanly(void **state)
{
    (void)state;
    core *c = NULL;
    core_spec spec = bayes_problem_spec(10, 3, 5, SCDC_LIKELIHOOD_BERNOULLI);
    spec.max_rows = SIZE_MAX / 64;
    assert_fails(bayes_create(&c, &spec), SCDC_ERR_MEMORY, "");
    spec = bayes_problem_spec(10, 3, 5, SCDC_LIKELIHOOD_BERNOULLI);
    spec.options.prior_kappa = -1;
    assert_fails(bayes_create(&c, &spec), SCDC_ERR_ARGUMENT, "prior_kappa");
    assert_null(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_finds_groups_and_workers),
        cmocka_unit_test(some_items_stand_for_all),
        cmocka_unit_test(full_rate_lands_on_the_statistics),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(a_step_does_not_allocate),
        cmocka_unit_test(state_restores_bit_for_bit),
        cmocka_unit_test(placing_does_not_depend_on_batches),
        cmocka_unit_test(generated_items_come_from_the_component),
        cmocka_unit_test(what_is_not_finite_is_named),
        cmocka_unit_test(creation_fails_cleanly),
    };
    parallel_set_threads(1); /* small work: waking threads costs more, and they may allocate */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
