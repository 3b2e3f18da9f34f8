/* Global parameters of BayesSCDC: priors, first values, the natural gradient against finite
 * differences in mean-parameter coordinates, coordinate ascent that never falls, and the safeguard
 * of the step. */
#include "support/counting.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "expfam/mvn.h"
#include "expfam/niw.h"
#include "model/bayes/bayes_globals.h"
#include "support/check.h"

static scdc_options priors(void)
{
    return (scdc_options){.prior_alpha = 0.3,
                          .prior_kappa = 0.5,
                          .prior_nu = 0.5,
                          .prior_sensitivity = {2, 1},
                          .prior_specificity = {1, 1.5},
                          .start_spread = 3};
}

static globals *make(arena *memory, size_t K, size_t d, size_t M)
{
    scdc_options o = priors();
    globals *g;
    assert_ok(globals_create(&g, memory, K, d, M, &o));
    return g;
}

/* ---- a Gaussian mixture on points, with answers whose s_ij are given ---- */

enum { MOST_K = 8, MOST_D = 3, MOST_P = 11 };

typedef struct sample {
    size_t n, d;
    double x[300][MOST_D];
    size_t answers;
    struct {
        size_t worker;
        double same, answer;
    } answer[20];
} sample;

static void draw_sample(sample *s, size_t n, size_t d, size_t answers, size_t M, uint64_t seed)
{
    rng r;
    rng_init(&r, seed, RNG_TEST, 0, 0);
    *s = (sample){.n = n, .d = d, .answers = answers};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < d; j++) {
            s->x[i][j] = (j == 0 ? 4.0 * (double)(i % 3) : 0) + (0.3 + (double)j) * rng_normal(&r);
        }
    }
    for (size_t a = 0; a < answers; a++) {
        s->answer[a].worker = rng_below(&r, M);
        s->answer[a].same = rng_uniform(&r);
        s->answer[a].answer = rng_uniform(&r) < 0.6;
    }
}

/* q(z_i) given the expected statistics; returns its log partition function. */
static double assign(double *z, const globals *g, const double *x)
{
    double t[MOST_P];
    mvn_stats(t, x, g->d);
    t[g->P - 2] = t[g->P - 1] = 1;
    for (size_t k = 0; k < g->K; k++) {
        z[k] = g->mean.pi[k] + small_dot(g->mean.niw + k * g->P, t, g->P);
    }
    return softmax(z, z, g->K);
}

static double answer_terms(const globals *g, const sample *s)
{
    double sum = 0;
    for (size_t a = 0; a < s->answers; a++) {
        const double *alpha = g->mean.ln_sens + 2 * s->answer[a].worker;
        const double *beta = g->mean.ln_spec + 2 * s->answer[a].worker;
        double same = s->answer[a].same, l = s->answer[a].answer;
        sum += same * (l * alpha[0] + (1 - l) * alpha[1]) +
               (1 - same) * ((1 - l) * beta[0] + l * beta[1]);
    }
    return sum;
}

/* The bound with the best q(z) for the current globals. */
static double bound(const globals *g, const sample *s)
{
    double z[MOST_K], sum = answer_terms(g, s) - globals_kl_sum(g);
    for (size_t i = 0; i < s->n; i++) sum += assign(z, g, s->x[i]);
    return sum;
}

/* The bound with q(z) given. */
static double bound_at(const globals *g, const sample *s, double z[][MOST_K])
{
    double sum = answer_terms(g, s) - globals_kl_sum(g), t[MOST_P];
    t[g->P - 2] = t[g->P - 1] = 1;
    for (size_t i = 0; i < s->n; i++) {
        mvn_stats(t, s->x[i], g->d);
        for (size_t k = 0; k < g->K; k++) {
            if (z[i][k] == 0) continue;
            double log_joint = g->mean.pi[k] + small_dot(g->mean.niw + k * g->P, t, g->P);
            sum += z[i][k] * (log_joint - log(z[i][k]));
        }
    }
    return sum;
}

static void statistics(global_block *out, const globals *g, const sample *s, double z[][MOST_K])
{
    globals_block_zero(out, g);
    for (size_t i = 0; i < s->n; i++) {
        double t[MOST_P];
        mvn_stats(t, s->x[i], g->d);
        for (size_t k = 0; k < g->K; k++) {
            out->pi[k] += z[i][k];
            niw_observe(out->niw + k * g->P, z[i][k], t, g->d);
        }
    }
    for (size_t a = 0; a < s->answers; a++) {
        size_t m = 2 * s->answer[a].worker;
        double same = s->answer[a].same, l = s->answer[a].answer;
        out->ln_sens[m] += same * l;
        out->ln_sens[m + 1] += same * (1 - l);
        out->ln_spec[m] += (1 - same) * (1 - l);
        out->ln_spec[m + 1] += (1 - same) * l;
    }
}

/* ---- tests ---- */

static void priors_are_refused_by_name(void **state)
{
    (void)state;
    scdc_options good = priors();
    assert_ok(globals_check_priors(&good));
    const struct {
        size_t offset;
        double value;
        const char *message;
    } bad[] = {
        {offsetof(scdc_options, prior_alpha), 0, "prior_alpha must be between 1e-08 and 1e+08"},
        {offsetof(scdc_options, prior_alpha), NAN, "prior_alpha"},
        {offsetof(scdc_options, prior_kappa), -1, "prior_kappa must be between"},
        {offsetof(scdc_options, prior_nu), -1, "prior_nu must be between -1 and"},
        {offsetof(scdc_options, prior_sensitivity), 0, "prior_sensitivity (a)"},
        {offsetof(scdc_options, prior_sensitivity) + sizeof(double), -2, "prior_sensitivity (b)"},
        {offsetof(scdc_options, prior_specificity), INFINITY, "prior_specificity (a)"},
        {offsetof(scdc_options, prior_specificity) + sizeof(double), 0, "prior_specificity (b)"},
        {offsetof(scdc_options, start_spread), -1, "start_spread must be between 0 and"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scdc_options o = priors();
        memcpy((char *)&o + bad[i].offset, &bad[i].value, sizeof(double));
        assert_fails(globals_check_priors(&o), SCDC_ERR_ARGUMENT, bad[i].message);
        arena memory = {0};
        globals *g = NULL;
        assert_int_equal(globals_create(&g, &memory, 2, 2, 1, &o), SCDC_ERR_ARGUMENT);
        assert_null(g);
        arena_free(&memory);
    }
    arena memory = {0};
    globals *g;
    assert_fails(globals_create(&g, &memory, SIZE_MAX / 8, 64, 1, &good), SCDC_ERR_MEMORY,
                 "too many");
    assert_fails(globals_create(&g, &memory, 2, SIZE_MAX, 1, &good), SCDC_ERR_MEMORY, "too many");
    arena_free(&memory);
}

static void first_values_are_the_papers(void **state)
{
    (void)state;
    arena memory = {0};
    enum { K = 2000, D = 2 };
    globals *g = make(&memory, K, D, 2);
    assert_close(globals_kl_sum(g), 0, 1e-10);
    assert_ok(globals_start(g, 3, 11));
    double sum = 0, squares = 0, alpha = 0;
    for (size_t k = 0; k < K; k++) {
        double m[D], s[3];
        niw_scalars c;
        niw_to_standard(m, s, &c, g->eta.niw + k * g->P, D);
        assert_close(c.kappa, 1, 0);
        assert_close(c.nu, D + 1, 1e-14);
        assert_close(s[0], D + 1, 1e-12);
        assert_close(s[1], 0, 1e-12);
        assert_close(s[2], D + 1, 1e-12);
        for (int i = 0; i < D; i++) sum += m[i], squares += m[i] * m[i];
        assert_true(g->eta.pi[k] >= 0 && g->eta.pi[k] <= 1);
        alpha += g->eta.pi[k] + 1;
    }
    double n = K * D;
    assert_close(sum / n, 0, 5 * 3 / sqrt(n));
    assert_close(squares / n, 9, 5 * 9 * sqrt(2 / n));
    assert_close(alpha / K, 1.5, 5 * sqrt(1.0 / 12 / K));
    worker_estimate w;
    globals_worker(&w, g, 1);
    assert_close(w.sensitivity[0], 10, 1e-14);
    assert_close(w.specificity[1], 1, 1e-14);
    globals_kl_terms kl;
    globals_kl(&kl, g);
    assert_true(kl.pi > 0 && kl.niw > 0 && kl.ln_sens > 0 && kl.ln_spec > 0);
    assert_near(kl.pi + kl.niw + kl.ln_sens + kl.ln_spec, globals_kl_sum(g), 1e-14);
    /* Fewer components draw the same first ones. */
    globals *fewer = make(&memory, 10, D, 2);
    assert_ok(globals_start(fewer, 3, 11));
    assert_memory_equal(fewer->eta.niw, g->eta.niw, 10 * g->P * sizeof(double));
    arena_free(&memory);
}

/* Where the bound is a function J(m) of the mean parameters, dJ/deta = F dJ/dm with F = dm/deta
 * symmetric positive definite. Both derivatives by finite differences; their quotient must be the
 * natural gradient that globals_step works with. */
static void natural_gradient_matches_differences(void **state)
{
    (void)state;
    enum { K = 2, D = 2, M = 2, SIZE = K + K * 7 + 4 * M };
    arena memory = {0};
    globals *g = make(&memory, K, D, M);
    assert_int_equal(g->size, SIZE);
    assert_ok(globals_start(g, 1, 3));
    sample s;
    draw_sample(&s, 12, D, 10, M, 4);

    double slope[SIZE], fisher[SIZE * (SIZE + 1) / 2], full[SIZE][SIZE], start[SIZE];
    memcpy(start, g->eta.all, sizeof start);
    for (size_t i = 0; i < SIZE; i++) {
        double h = 1e-5 * fmax(1, fabs(start[i])), above[SIZE], up;
        g->eta.all[i] = start[i] + h;
        assert_ok(globals_refresh(g));
        up = bound(g, &s);
        memcpy(above, g->mean.all, sizeof above);
        g->eta.all[i] = start[i] - h;
        assert_ok(globals_refresh(g));
        slope[i] = (up - bound(g, &s)) / (2 * h);
        for (size_t j = 0; j < SIZE; j++) full[i][j] = (above[j] - g->mean.all[j]) / (2 * h);
        g->eta.all[i] = start[i];
    }
    assert_ok(globals_refresh(g));
    packed_from_full(fisher, full[0], SIZE);
    assert_true(chol_factor(fisher, fisher, SIZE));
    chol_solve(slope, fisher, SIZE);

    double z[300][MOST_K];
    for (size_t i = 0; i < s.n; i++) assign(z[i], g, s.x[i]);
    global_block gradient;
    assert_ok(globals_block_create(&gradient, &memory, g));
    statistics(&gradient, g, &s, z);
    double rate = 1e-3;
    assert_ok(globals_step(g, &gradient, rate, 0));
    for (size_t i = 0; i < SIZE; i++) {
        assert_near((g->eta.all[i] - start[i]) / rate, slope[i], 2e-6);
        assert_near(g->velocity.all[i], slope[i], 2e-6);
    }
    arena_free(&memory);
}

static void coordinate_ascent_never_falls(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        enum { K = 6, D = 2, M = 3 };
        arena memory = {0};
        globals *g = make(&memory, K, D, M);
        assert_ok(globals_start(g, 3, seed));
        sample s;
        draw_sample(&s, 300, D, 20, M, seed);
        global_block sums;
        assert_ok(globals_block_create(&sums, &memory, g));
        static double z[300][MOST_K];
        double before = -INFINITY, first = 0;
        for (int sweep = 0; sweep < 100; sweep++) {
            for (size_t i = 0; i < s.n; i++) assign(z[i], g, s.x[i]);
            double assigned = bound_at(g, &s, z);
            assert_near(assigned, bound(g, &s), 1e-12);
            if (sweep == 0) first = assigned;
            assert_true(assigned >= before - 1e-9 * fabs(assigned));
            statistics(&sums, g, &s, z);
            assert_ok(globals_step(g, &sums, 1, 0));
            before = bound_at(g, &s, z);
            assert_true(before >= assigned - 1e-9 * fabs(before));
        }
        assert_true(before > first + 10);
        assert_int_equal(g->shortened, 0);
        /* At the fixed point a step changes nothing: the natural gradient is zero. */
        for (size_t i = 0; i < g->size; i++) {
            assert_near(g->eta.all[i], g->prior.all[i] + sums.all[i], 1e-12);
        }
        arena_free(&memory);
    }
}

/* (1 - rate) eta + rate (prior + statistics of real items) is inside whatever the rate. */
static void convex_steps_are_never_cut(void **state)
{
    (void)state;
    enum { K = 4, D = 3, M = 2 };
    arena memory = {0};
    globals *g = make(&memory, K, D, M);
    assert_ok(globals_start(g, 3, 5));
    global_block sums;
    assert_ok(globals_block_create(&sums, &memory, g));
    rng r;
    rng_init(&r, 6, RNG_TEST, 0, 0);
    for (int step = 0; step < 2000; step++) {
        globals_block_zero(&sums, g);
        /* Scatter of rank one or none, weights of all sizes, points far away. */
        for (size_t k = 0; k < K; k++) {
            double weight = step % 3 ? exp(8 * rng_normal(&r)) : 0, x[D], t[MOST_P];
            for (int i = 0; i < D; i++) x[i] = exp(2 * rng_normal(&r)) * rng_normal(&r);
            mvn_stats(t, x, D);
            sums.pi[k] = weight;
            niw_observe(sums.niw + k * g->P, weight, t, D);
        }
        for (size_t i = 0; i < 2 * M; i++) {
            sums.ln_sens[i] = step % 2 ? rng_gamma(&r, 0.1) * 1e4 : 0;
            sums.ln_spec[i] = step % 5 ? rng_gamma(&r, 0.1) * 1e4 : 0;
        }
        double rate = step % 7 ? rng_uniform(&r) : 1;
        assert_ok(globals_step(g, &sums, rate, 0));
        assert_true(all_finite(g->mean.all, g->size));
        assert_true(isfinite(globals_kl_sum(g)));
    }
    assert_int_equal(g->shortened, 0);
    arena_free(&memory);
}

/* Gradients that no data could give, of any size, with momentum: inside and finite all the way. */
static void wild_steps_stay_inside(void **state)
{
    (void)state;
    enum { K = 3, D = 3, M = 2 };
    arena memory = {0};
    globals *g = make(&memory, K, D, M);
    assert_ok(globals_start(g, 3, 5));
    global_block gradient;
    assert_ok(globals_block_create(&gradient, &memory, g));
    rng r;
    rng_init(&r, 7, RNG_TEST, 0, 0);
    int64_t before = 0;
    for (int step = 0; step < 3000; step++) {
        double size = step % 100 == 99 ? 1e300 : exp(6 * rng_normal(&r));
        for (size_t i = 0; i < g->size; i++) gradient.all[i] = size * rng_normal(&r);
        assert_ok(globals_step(g, &gradient, step % 2 ? 1 : 0.1, 0.9));
        assert_true(all_finite(g->mean.all, g->size) && all_finite(g->velocity.all, g->size));
        assert_true(isfinite(globals_kl_sum(g)));
        assert_true(g->shortened >= before);
        before = g->shortened;
        if (step % 200 == 0) assert_ok(globals_start(g, 3, (uint64_t)step));
        if (step % 200 == 0) before = 0;
        /* The step left the expected statistics as a fresh start from eta would. */
        double mean[K + K * 11 + 4 * M];
        memcpy(mean, g->mean.all, g->size * sizeof *mean);
        assert_ok(globals_refresh(g));
        assert_memory_equal(mean, g->mean.all, g->size * sizeof *mean);
    }
    assert_true(before > 100);
    arena_free(&memory);
}

/* Only the component that would leave its domain is held back, and it keeps its distance. */
static void only_the_offender_is_cut(void **state)
{
    (void)state;
    enum { K = 3, D = 2, M = 1 };
    arena memory = {0};
    globals *g = make(&memory, K, D, M);
    assert_ok(globals_start(g, 1, 8));
    global_block gradient;
    assert_ok(globals_block_create(&gradient, &memory, g));
    for (size_t i = 0; i < g->size; i++) gradient.all[i] = g->eta.all[i] - g->prior.all[i];
    /* Natural gradient zero but for: kappa of component 1, alpha_2, the sensitivity's second. */
    double kappa = g->eta.niw[2 * g->P - 2], *eta = g->eta.all;
    gradient.niw[2 * g->P - 2] -= 3 * kappa; /* kappa + rate * -3 kappa: outside from 1/3 on */
    gradient.pi[2] += 5;
    gradient.ln_sens[1] -= 4; /* tau = 1: outside from 1/4 on */
    double first[K + K * 7 + 4 * M];
    memcpy(first, eta, sizeof first);
    assert_ok(globals_step(g, &gradient, 1, 0));
    assert_int_equal(g->shortened, 2);
    for (size_t i = 0; i < g->size; i++) {
        double expected = first[i];
        if (&eta[i] == &g->eta.pi[2]) expected += 5;
        /* 1/4 of the step is the first half that is inside (S + kappa m m' stays, so S grows), and
         * 1/8 is taken. */
        if (&eta[i] == &g->eta.niw[2 * g->P - 2]) expected += -3 * kappa / 8;
        /* A quarter would end exactly on 0, which is outside: an eighth is inside. */
        if (&eta[i] == &g->eta.ln_sens[1]) expected += -4.0 / 16;
        assert_close(eta[i], expected, 1e-12);
    }
    assert_close(g->velocity.ln_sens[1], -4.0 / 16, 1e-12);
    assert_close(g->velocity.pi[2], 5, 1e-12);
    arena_free(&memory);
}

/* A gradient far beyond anything: no share of the step is inside, so nothing moves and nothing of
 * it is remembered. */
static void hopeless_steps_are_forgotten(void **state)
{
    (void)state;
    arena memory = {0};
    globals *g = make(&memory, 2, 2, 1);
    global_block gradient;
    assert_ok(globals_block_create(&gradient, &memory, g));
    double eta = g->eta.pi[1], kappa = g->eta.niw[g->P - 2];
    gradient.pi[1] = gradient.niw[g->P - 2] = -1e300;
    assert_ok(globals_step(g, &gradient, 1, 0.9));
    assert_int_equal(g->shortened, 2);
    assert_true(g->eta.pi[1] == eta && g->eta.niw[g->P - 2] == kappa);
    globals_block_zero(&gradient, g);
    assert_ok(globals_step(g, &gradient, 1, 0.9));
    assert_int_equal(g->shortened, 2);
    assert_true(g->eta.pi[1] == eta && g->eta.niw[g->P - 2] == kappa);
    arena_free(&memory);
}

static void momentum_adds_up(void **state)
{
    (void)state;
    arena memory = {0};
    globals *g = make(&memory, 1, 1, 0);
    global_block gradient;
    assert_ok(globals_block_create(&gradient, &memory, g));
    double prior = g->prior.pi[0];
    gradient.pi[0] = 10; /* at the prior: natural gradient 10 */
    assert_ok(globals_step(g, &gradient, 0.1, 0.5));
    assert_close(g->eta.pi[0], prior + 1, 1e-14);
    assert_ok(globals_step(g, &gradient, 0.1, 0.5)); /* 0.5 * 10 + (10 - 1) = 14 */
    assert_close(g->eta.pi[0], prior + 1 + 1.4, 1e-14);
    arena_free(&memory);
}

static void gradients_that_are_not_finite_change_nothing(void **state)
{
    (void)state;
    enum { K = 2, D = 2, M = 1, SIZE = K + K * 7 + 4 * M };
    arena memory = {0};
    globals *g = make(&memory, K, D, M);
    global_block gradient;
    assert_ok(globals_block_create(&gradient, &memory, g));
    double eta[SIZE];
    memcpy(eta, g->eta.all, sizeof eta);
    double *places[] = {gradient.pi + 1, gradient.niw + 9, gradient.ln_spec + 1};
    const char *names[] = {"mixing proportions", "mixture components", "workers"};
    for (int i = 0; i < 3; i++) {
        globals_block_zero(&gradient, g);
        *places[i] = i == 1 ? INFINITY : NAN;
        assert_fails(globals_step(g, &gradient, 0.1, 0.9), SCDC_ERR_NUMERIC, names[i]);
        assert_memory_equal(eta, g->eta.all, sizeof eta);
        for (size_t j = 0; j < g->size; j++) assert_true(g->velocity.all[j] == 0);
    }
    arena_free(&memory);
}

static void start_from_assignments(void **state)
{
    (void)state;
    enum { K = 3, D = 2, M = 2 };
    arena memory = {0};
    globals *g = make(&memory, K, D, M);
    sample s;
    draw_sample(&s, 300, D, 20, M, 9);
    static double z[300][MOST_K];
    memset(z, 0, sizeof z);
    for (size_t i = 0; i < s.n; i++) z[i][i % 3] = 1;
    global_block sums;
    assert_ok(globals_block_create(&sums, &memory, g));
    statistics(&sums, g, &s, z);
    g->velocity.pi[0] = 7;
    assert_ok(globals_from_statistics(g, &sums));
    assert_true(g->velocity.pi[0] == 0);
    double pi[K], m[D], scale[3];
    globals_proportions(pi, g);
    niw_scalars c;
    for (size_t k = 0; k < K; k++) {
        assert_close(pi[k], 100.3 / 300.9, 1e-12);
        niw_to_standard(m, scale, &c, g->eta.niw + k * g->P, D);
        assert_close(c.kappa, 100.5, 1e-10);
        assert_close(c.nu, D + 100.5, 1e-10);
        assert_close(m[0], 4.0 * (double)k * 100 / 100.5, 0.15);
    }
    sums.niw[g->P - 2] = -400;
    assert_fails(globals_from_statistics(g, &sums), SCDC_ERR_NUMERIC, "component 0");
    arena_free(&memory);
}

static void state_is_saved_and_restored(void **state)
{
    (void)state;
    enum { K = 3, D = 2, M = 2 };
    arena memory = {0};
    globals *a = make(&memory, K, D, M), *b = make(&memory, K, D, M);
    assert_ok(globals_start(a, 3, 21));
    global_block gradient;
    assert_ok(globals_block_create(&gradient, &memory, a));
    for (size_t i = 0; i < a->size; i++) gradient.all[i] = 1;
    assert_ok(globals_step(a, &gradient, 0.1, 0.9));
    a->shortened = 17;
    tensor_ref from[GLOBALS_TENSORS], to[GLOBALS_TENSORS];
    assert_int_equal(globals_tensors(from, a), GLOBALS_TENSORS);
    assert_int_equal(globals_tensors(to, b), GLOBALS_TENSORS);
    for (int i = 0; i < GLOBALS_TENSORS; i++) {
        assert_string_equal(from[i].name, to[i].name);
        size_t count = 1;
        for (size_t axis = 0; axis < from[i].ndim; axis++) count *= from[i].shape[axis];
        memcpy(to[i].values, from[i].values, count * 8);
        for (int j = 0; j < i; j++) assert_string_not_equal(from[i].name, from[j].name);
    }
    assert_string_equal(from[1].name, "global.eta.niw");
    assert_ok(globals_refresh(b));
    assert_memory_equal(a->mean.all, b->mean.all, a->size * sizeof(double));
    assert_ok(globals_step(a, &gradient, 0.1, 0.9));
    assert_ok(globals_step(b, &gradient, 0.1, 0.9));
    assert_memory_equal(a->eta.all, b->eta.all, a->size * sizeof(double));
    assert_int_equal(b->shortened, 17);

    /* A damaged state is named, not used. */
    globals_tensors(to, b);
    double *sensitivity = to[2].values;
    sensitivity[2] = -1.5;
    assert_fails(globals_refresh(b), SCDC_ERR_NUMERIC, "sensitivity of worker 1");
    assert_fails(globals_step(b, &gradient, 0.1, 0.9), SCDC_ERR_NUMERIC, "sensitivity of worker 1");
    sensitivity[2] = 3;
    ((double *)to[1].values)[2 * a->P - 1] = NAN;
    assert_fails(globals_refresh(b), SCDC_ERR_NUMERIC, "component 1 is outside its domain");
    ((double *)to[0].values)[2] = -1;
    assert_fails(globals_refresh(b), SCDC_ERR_NUMERIC, "component 2 has the Dirichlet parameter 0");
    arena_free(&memory);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    enum { K = 40, D = 24, M = 1 };
    arena memory = {0};
    globals *one = NULL;
    for (int threads = 1; threads <= 4; threads += 3) {
        parallel_set_threads(threads);
        globals *g = make(&memory, K, D, M);
        assert_ok(globals_start(g, 3, 2));
        global_block gradient;
        assert_ok(globals_block_create(&gradient, &memory, g));
        rng r;
        rng_init(&r, 1, RNG_TEST, 0, 0);
        for (int step = 0; step < 20; step++) {
            for (size_t i = 0; i < g->size; i++) gradient.all[i] = 30 * rng_normal(&r);
            assert_ok(globals_step(g, &gradient, 0.3, 0.9));
        }
        if (!one) one = g;
        assert_memory_equal(one->eta.all, g->eta.all, g->size * sizeof(double));
        assert_memory_equal(one->mean.all, g->mean.all, g->size * sizeof(double));
        assert_int_equal(one->shortened, g->shortened);
        assert_true(g->shortened > 0);
    }
    parallel_set_threads(0);
    arena_free(&memory);
}

static void steps_do_not_allocate(void **state)
{
    (void)state;
    arena memory = {0};
    globals *g = make(&memory, 20, 10, 3);
    assert_ok(globals_start(g, 3, 1));
    global_block gradient;
    assert_ok(globals_block_create(&gradient, &memory, g));
    parallel_set_threads(1);
    allocations = 0;
    counting = 1;
    int status = globals_step(g, &gradient, 0.1, 0.9);
    if (status == SCDC_OK) status = globals_refresh(g);
    double kl = globals_kl_sum(g);
    counting = 0;
    parallel_set_threads(0);
    assert_ok(status);
    assert_true(isfinite(kl));
    assert_int_equal(allocations, 0);
    arena_free(&memory);
}

static void intervals_are_quantiles(void **state)
{
    (void)state;
    double ends[2];
    worker_interval(ends, (const double[]){1, 1});
    assert_close(ends[0], 0.025, 1e-12);
    assert_close(ends[1], 0.975, 1e-12);
    worker_interval(ends, (const double[]){10, 1}); /* x^10 */
    assert_close(ends[0], pow(0.025, 0.1), 1e-12);
    assert_close(ends[1], pow(0.975, 0.1), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priors_are_refused_by_name),
        cmocka_unit_test(first_values_are_the_papers),
        cmocka_unit_test(natural_gradient_matches_differences),
        cmocka_unit_test(coordinate_ascent_never_falls),
        cmocka_unit_test(convex_steps_are_never_cut),
        cmocka_unit_test(wild_steps_stay_inside),
        cmocka_unit_test(only_the_offender_is_cut),
        cmocka_unit_test(hopeless_steps_are_forgotten),
        cmocka_unit_test(momentum_adds_up),
        cmocka_unit_test(gradients_that_are_not_finite_change_nothing),
        cmocka_unit_test(start_from_assignments),
        cmocka_unit_test(state_is_saved_and_restored),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(steps_do_not_allocate),
        cmocka_unit_test(intervals_are_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
