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

static void check_decoder(scdc_likelihood likelihood)
{
    decoder_case c = {0};
    size_t at = 0;
    uint64_t number = 0;
    double value[ROWS];
    assert_ok(decoder_mlp(&c.f, &c.a, LATENT, hidden, 2, shape_vector(OUT), likelihood, ROWS));
    assert_ok(param_block_create(&c.b, &c.a, net_room(&c.f.net)));
    net_bind(&c.f.net, &c.b, &at);
    net_init(&c.f.net, 4, &number);
    c.x = random_values(ROWS * LATENT, 1, 1);
    c.o = random_values(ROWS * OUT, 1, 2);
    c.weight = random_values(ROWS, 1, 3);
    if (likelihood == SCDC_LIKELIHOOD_BERNOULLI) {
        for (size_t i = 0; i < ROWS * OUT; i++) c.o[i] = c.o[i] > 0;
    }
    for (uint32_t r = 0; r < ROWS; r++) c.of[r] = r * 5 % ROWS;
    real *d_x = random_values(ROWS * LATENT, 1, 4);
    decoder_gradient(value, d_x, &c.f, c.x, c.weight, c.o, c.of, ROWS, false);
    assert_gradient("decoder parameters", decoder_total, &c, c.b.params, c.b.grads, c.b.count,
                    1e-7);
    assert_gradient("decoder inputs", decoder_total, &c, c.x, d_x, ROWS * LATENT, 1e-7);
    mem_free(c.x), mem_free(c.o), mem_free(c.weight), mem_free(d_x);
    arena_free(&c.a);
}

static void decoders(void **state)
{
    (void)state;
    check_decoder(SCDC_LIKELIHOOD_BERNOULLI);
    check_decoder(SCDC_LIKELIHOOD_GAUSSIAN);
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
    conditional_backward_end(&c.c, c.o, ROWS);
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
