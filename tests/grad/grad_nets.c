/* Gradients of layers, likelihoods, nets and decoders by finite differences. */
#include "kernels/likelihood.h"
#include "nets/conditional.h"
#include "nets/decoder.h"
#include "support/net_case.h"

enum { ROWS = 13, IN = 6, OUT = 5, LATENT = 3, K = 4, H = 8 };
static const size_t hidden[2] = {9, 7};

static void check_net(size_t n_hidden)
{
    net_case c = {.rows = ROWS, .inputs = IN, .outputs = OUT};
    assert_ok(net_mlp(&c.n, &c.a, shape_vector(IN), hidden, n_hidden, OUT, ROWS));
    net_case_check(&c, "a net of dense layers", 1e-7);
}

static void nets(void **state)
{
    (void)state;
    for (size_t n_hidden = 0; n_hidden <= 2; n_hidden++) check_net(n_hidden);
}

typedef struct decoder_case {
    arena a;
    decoder f;
    param_block b;
    real *x, *o, *weight;
    uint32_t of[ROWS];
} decoder_case;

static double decoder_total(void *context)
{
    decoder_case *c = context;
    double value[ROWS], sum = 0;
    decoder_value(value, &c->f, c->x, c->o, c->of, ROWS);
    for (size_t r = 0; r < ROWS; r++) sum += (double)c->weight[r] * value[r];
    return sum;
}

static void check_decoder(scdc_likelihood likelihood, const char *words)
{
    enum { D = 2 * 5 * 6 };
    decoder_case c = {0};
    size_t at = 0;
    uint64_t number = 0;
    double value[ROWS];
    decoder_form form = {LATENT, {2, 5, 6}, hidden, 2, words, likelihood, ROWS};
    assert_ok(decoder_create(&c.f, &c.a, &form));
    assert_ok(param_block_create(&c.b, &c.a, net_room(&c.f.net)));
    net_bind(&c.f.net, &c.b, &at);
    net_init(&c.f.net, 4, &number);
    if (words) move_values(c.b.params, c.b.count, 0.1);
    c.x = random_values(ROWS * LATENT, 1, 1);
    c.o = random_values(ROWS * D, 1, 2);
    c.weight = random_values(ROWS, 1, 3);
    for (size_t i = 0; i < ROWS * D; i++) {
        if (likelihood == SCDC_LIKELIHOOD_BERNOULLI) c.o[i] = c.o[i] > 0;
        if (likelihood == SCDC_LIKELIHOOD_LOGISTIC) c.o[i] = 0.5 + 0.7 * c.o[i]; /* also ends */
    }
    for (uint32_t r = 0; r < ROWS; r++) c.of[r] = r * 5 % ROWS;
    real *d_x = random_values(ROWS * LATENT, 1, 4);
    decoder_gradient(value, d_x, &c.f, c.x, c.weight, c.o, c.of, ROWS, false);
    double step = words ? 1e-7 : 1e-5, tolerance = words ? 1e-6 : 1e-7;
    assert_gradient_by("decoder parameters", decoder_total, &c, c.b.params, c.b.grads, c.b.count,
                       tolerance, step);
    assert_gradient_by("decoder inputs", decoder_total, &c, c.x, d_x, ROWS * LATENT, tolerance,
                       step);
    mem_free(c.x), mem_free(c.o), mem_free(c.weight), mem_free(d_x);
    arena_free(&c.a);
}

static void decoders(void **state)
{
    (void)state;
    static const char *const words[] = {NULL, "map2,up2,conv3", "map3,res4,up3,norm2"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        check_decoder(SCDC_LIKELIHOOD_BERNOULLI, words[w]);
        check_decoder(SCDC_LIKELIHOOD_GAUSSIAN, words[w]);
        check_decoder(SCDC_LIKELIHOOD_LOGISTIC, words[w]);
    }
}

typedef struct conditional_case {
    arena a;
    conditional c;
    param_block b;
    real *o, *weights, *out;
    uint32_t item[ROWS], condition[ROWS];
} conditional_case;

static double conditional_value(void *context)
{
    conditional_case *c = context;
    double sum = 0;
    conditional_base(&c->c, c->o, ROWS);
    conditional_expand(&c->c, c->out, c->item, c->condition, ROWS);
    for (size_t i = 0; i < ROWS * H; i++) sum += (double)(c->weights[i] * c->out[i]);
    return sum;
}

static void conditional_layer(void **state)
{
    (void)state;
    conditional_case c = {0};
    size_t at = 0;
    uint64_t number = 0;
    assert_ok(conditional_create(&c.c, &c.a, shape_vector(IN), K, H, ROWS));
    assert_ok(param_block_create(&c.b, &c.a, conditional_room(&c.c)));
    conditional_bind(&c.c, &c.b, &at);
    conditional_init(&c.c, 4, &number);
    c.o = random_values(ROWS * IN, 1, 1);
    c.weights = random_values(ROWS * H, 1, 2);
    c.out = random_values(ROWS * H, 1, 3);
    for (uint32_t r = 0; r < ROWS; r++) c.item[r] = r / 2, c.condition[r] = r * 3 % K;
    real *d = copy_values(c.weights, ROWS * H);
    conditional_value(&c);
    conditional_backward_begin(&c.c, ROWS);
    conditional_backward_rows(&c.c, d, c.out, c.item, c.condition, ROWS);
    conditional_backward_end(&c.c, NULL, c.o, ROWS);
    assert_gradient("conditional layer", conditional_value, &c, c.b.params, c.b.grads, c.b.count,
                    1e-7);
    mem_free(c.o), mem_free(c.weights), mem_free(c.out), mem_free(d);
    arena_free(&c.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nets),
        cmocka_unit_test(decoders),
        cmocka_unit_test(conditional_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
