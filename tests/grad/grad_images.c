/* Gradients of the layers of images by finite differences: every word of nets/words.h, alone and in
 * small networks. */
#include "base/parallel.h"
#include "nets/words.h"
#include "support/differences.h"

enum { ROWS = 9, OUT = 3 };

/* sum of weights * outputs of a net: its gradient with respect to the outputs is the weights. */
typedef struct net_case {
    arena a;
    net n;
    param_block b;
    real *in, *weights;
} net_case;

static double net_value(void *context)
{
    net_case *c = context;
    const real *out = net_forward(&c->n, c->in, ROWS);
    double sum = 0;
    for (size_t i = 0; i < ROWS * OUT; i++) sum += (double)(c->weights[i] * out[i]);
    return sum;
}

static void check_words(const char *words, shape in, bool training)
{
    net_case c = {0};
    size_t at = 0, inputs = ROWS * shape_size(in);
    uint64_t number = 0;
    assert_ok(net_by_words(&c.n, &c.a, in, words, OUT, ROWS));
    assert_ok(param_block_create(&c.b, &c.a, net_room(&c.n)));
    net_bind(&c.n, &c.b, &at);
    assert_int_equal(at, c.b.count);
    net_init(&c.n, 4, &number);
    net_set_mode(&c.n, &(net_mode){training, 5, 6});
    rng r;
    rng_init(&r, 3, RNG_TEST, 0, 0); /* biases and scales that are not 0 and 1 */
    for (size_t i = 0; i < c.b.count; i++) c.b.params[i] += 0.1 * rng_normal(&r);
    c.in = random_values(inputs, 1, 1);
    c.weights = random_values(ROWS * OUT, 1, 2);
    real *d_in = random_values(inputs, 1, 3), *d_out = copy_values(c.weights, ROWS * OUT);
    net_value(&c);
    net_backward(&c.n, d_in, d_out, c.in, ROWS, false);
    assert_gradient(words, net_value, &c, c.b.params, c.b.grads, c.b.count, 1e-6);
    assert_gradient(words, net_value, &c, c.in, d_in, inputs, 1e-6);
    /* Added to what is there: twice as much. */
    real *once = copy_values(c.b.grads, c.b.count);
    memcpy(d_out, c.weights, ROWS * OUT * sizeof *d_out);
    net_value(&c);
    net_backward(&c.n, NULL, d_out, c.in, ROWS, true);
    for (size_t i = 0; i < c.b.count; i++) assert_close(c.b.grads[i], 2 * once[i], 1e-9);
    mem_free(c.in), mem_free(c.weights), mem_free(d_in), mem_free(d_out), mem_free(once);
    arena_free(&c.a);
}

static void each_layer(void **state)
{
    (void)state;
    const char *words[] = {"conv4", "conv4/2", "wide3/3", "norm2",  "max2",   "mean2", "mean",
                           "up2",   "drop0.5", "res3",    "res4/2", "dense7", "norm4"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        check_words(words[i], (shape){4, 6, 5}, true);
        check_words(words[i], (shape){4, 6, 5}, false);
    }
}

static void whole_networks(void **state)
{
    (void)state;
    check_words("conv4,conv6/2,norm3,conv5/2,drop0.3", (shape){1, 8, 8}, true);
    check_words("conv4,res4/2,norm2,res6/2,res6,mean", (shape){3, 8, 8}, true);
    check_words("dense12,up2,conv3", (shape){2, 3, 3}, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layer),
        cmocka_unit_test(whole_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
