/* A hundred training steps of the paper's recipe in double, against PyTorch's from the same first
 * values, minibatches and draws: bound terms, networks and global parameters. */
#include "base/parallel.h"
#include "base/rng.h"
#include "golden/steps.h"
#include "model/bayes/bayes.h"
#include "support/check.h"

enum { ROWS = STEPS_PLAIN + STEPS_ANSWERS + 1 };

static real items[STEPS_N][STEPS_D];

static void draw_items(void)
{
    rng r;
    rng_init(&r, STEPS_SEED, RNG_TEST, 0, 0);
    for (size_t n = 0; n < STEPS_N; n++) {
        for (size_t v = 0; v < STEPS_D; v++) {
            items[n][v] = rng_uniform(&r) < (v % 3 == n % 3 ? 0.9 : 0.1);
        }
    }
}

typedef struct part {
    uint32_t item[ROWS];
    double weight[ROWS];
    real o[ROWS][STEPS_D];
    batch_answer answer[STEPS_ANSWERS];
} part;

/* Items one half of the objective, items with answers the other, as the published code has it. */
static minibatch take_part(part *p, uint32_t t)
{
    rng r;
    rng_init(&r, STEPS_SEED, RNG_TEST, 1 + t, 0);
    for (uint32_t n = 0; n < ROWS; n++) {
        bool plain = n < STEPS_PLAIN;
        p->item[n] = (plain ? STEPS_PLAIN * t + n : 7 * t + 11 * (n - STEPS_PLAIN)) % STEPS_N;
        p->weight[n] = 0.5 * STEPS_N / (plain ? STEPS_PLAIN : ROWS - STEPS_PLAIN);
        memcpy(p->o[n], items[p->item[n]], sizeof p->o[n]);
    }
    for (uint32_t a = 0; a < STEPS_ANSWERS; a++) {
        uint32_t left = STEPS_PLAIN + a, right = left + 1;
        uint32_t same = p->item[left] % 3 == p->item[right] % 3;
        if (rng_uniform(&r) < 0.2) same = !same;
        p->answer[a] = (batch_answer){left, right, a % STEPS_W, same};
    }
    return (minibatch){.rows = ROWS,
                       .plain = STEPS_PLAIN,
                       .item = p->item,
                       .weight = p->weight,
                       .o = p->o[0],
                       .answers = STEPS_ANSWERS,
                       .answer = p->answer,
                       .answer_weight = 4,
                       .seed = STEPS_SEED,
                       .epoch = t};
}

static core *create(void)
{
    core_spec spec = {.items = STEPS_N,
                      .channels = STEPS_D,
                      .height = 1,
                      .width = 1,
                      .latent = STEPS_LATENT,
                      .components = STEPS_K,
                      .workers = STEPS_W,
                      .answers = STEPS_ANSWERS,
                      .max_rows = ROWS,
                      .max_answers = STEPS_ANSWERS,
                      .likelihood = SCDC_LIKELIHOOD_BERNOULLI};
    scdc_options *o = &spec.options;
    core *c;
    scdc_options_init(o);
    assert_ok(scdc_options_preset(o, "mnist"));
    o->latent = STEPS_LATENT;
    o->components = STEPS_K;
    o->hidden[0] = STEPS_HIDDEN_1;
    o->hidden[1] = STEPS_HIDDEN_2;
    o->net_start = SCDC_NET_START_GLOROT;
    assert_int_equal(o->iterations, STEPS_T);
    assert_true(o->prior_alpha == STEPS_ALPHA && o->momentum == STEPS_MOMENTUM &&
                o->global_momentum == STEPS_MOMENTUM);
    assert_ok(bayes_create(&c, &spec));
    assert_ok(c->ops->start(c, STEPS_SEED));
    return c;
}

static void compare(size_t step, const char *what, const double *got, const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(got[i] - want[i]) <= 1e-8 * fmax(fabs(want[i]), 1))) {
            fail_msg("%s[%zu] after %zu steps = %.17g, expected %.17g", what, i, step, got[i],
                     want[i]);
        }
    }
}

#define CHECK_AFTER(step)                                                                          \
    do {                                                                                           \
        double sums[] = {terms.reconstruction, terms.kl_z, terms.kl_x, terms.answers};             \
        compare(step, "bound", sums, golden_terms_##step, 4);                                      \
        compare(step, "encoder", dense_weights(m->encoder.layers[0]), golden_encoder_##step,       \
                STEPS_HIDDEN_1);                                                                   \
        compare(step, "decoder", dense_biases(last), golden_decoder_##step, STEPS_D);              \
        compare(step, "pi", m->globals->eta.pi, golden_pi_##step, STEPS_K);                        \
        compare(step, "components", m->globals->eta.niw, golden_niw_##step,                        \
                STEPS_K * m->globals->P);                                                          \
        compare(step, "sensitivity", m->globals->eta.ln_sens, golden_sens_##step, 2 * STEPS_W);    \
        compare(step, "specificity", m->globals->eta.ln_spec, golden_spec_##step, 2 * STEPS_W);    \
    } while (0)

static void steps_of_pytorch(void **state)
{
    (void)state;
    draw_items();
    core *c = create();
    bayes *m = bayes_of(c);
    layer *last = m->decoder.net.layers[m->decoder.net.depth - 1];
    for (uint32_t t = 0; t < 100; t++) {
        part p;
        bound_terms terms;
        minibatch b = take_part(&p, t);
        assert_ok(core_step(&terms, NULL, c, &b, &(step_rates){STEPS_RATE, STEPS_GLOBAL_RATE}));
        if (t + 1 == 1) CHECK_AFTER(1);
        if (t + 1 == 10) CHECK_AFTER(10);
        if (t + 1 == 100) CHECK_AFTER(100);
    }
    assert_int_equal(c->ops->shortened(c), 0);
    c->ops->free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_of_pytorch)};
    parallel_set_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
