/* Nets: shapes, known values, the conditional first layer against one-hot inputs, gradients that
 * overwrite or add, and no dependence on threads. Gradients themselves: tests/grad. */
#include "base/parallel.h"
#include "nets/conditional.h"
#include "nets/decoder.h"
#include "nets/net.h"
#include "support/values.h"

static const size_t hidden[2] = {9, 7};

static void a_known_net(void **state)
{
    (void)state;
    arena a = {0};
    net n;
    param_block b;
    size_t two = 2, at = 0;
    assert_ok(net_mlp(&n, &a, shape_vector(2), &two, 1, 1, 3));
    assert_ok(param_block_create(&b, &a, net_room(&n)));
    net_bind(&n, &b, &at);
    assert_int_equal(at, b.count);
    /* Tensors in order, each on a multiple of 16: W1 [2][2], b1 [2], W2 [2][1], b2 [1]. */
    static const real w1[4] = {1, -1, 2, 1}, b1[2] = {REAL(0.5), -1};
    memcpy(b.params, w1, sizeof w1);
    memcpy(b.params + 16, b1, sizeof b1);
    b.params[32] = 3, b.params[33] = -2, b.params[48] = REAL(0.25);
    const real in[4] = {1, 1, -2, 4};
    const real *out = net_forward(&n, in, 2);
    /* row 0: relu(3.5, -1) = (3.5, 0); row 1: relu(6.5, 5) */
    assert_close((double)out[0], 3.5 * 3 + 0.25, 1e-6);
    assert_close((double)out[1], 6.5 * 3 - 5 * 2 + 0.25, 1e-6);
    arena_free(&a);
}

static void shapes_and_rooms(void **state)
{
    (void)state;
    arena a = {0};
    net n;
    shape image = {3, 4, 5};
    assert_ok(net_mlp(&n, &a, image, hidden, 2, 11, 2));
    assert_int_equal(shape_size(net_in(&n)), 60);
    assert_int_equal(net_in(&n).height, 4);
    assert_int_equal(shape_size(net_out(&n)), 11);
    assert_int_equal(n.depth, 3);
    assert_int_equal(param_room(1), 16);
    assert_int_equal(param_room(16), 16);
    assert_int_equal(net_room(&n), param_room(540) + 16 + 64 + 16 + 80 + 16);
    layer *big, *bad[2];
    assert_fails(dense_create(&big, &a, shape_vector(0), 3, true), SCDC_ERR_ARGUMENT, "0 inputs");
    assert_fails(dense_create(&big, &a, shape_vector(SIZE_MAX / 4), 3, true), SCDC_ERR_ARGUMENT,
                 "fit into memory");
    assert_ok(dense_create(&bad[0], &a, shape_vector(2), 3, true));
    assert_ok(dense_create(&bad[1], &a, shape_vector(4), 3, true));
    assert_fails(net_create(&n, &a, bad, 2, 1), SCDC_ERR_INTERNAL, "takes 4 values");
    assert_fails(net_mlp(&n, &a, image, hidden, 2, 11, SIZE_MAX / 16), SCDC_ERR_MEMORY, "net");
    arena_free(&a);
}

/* A net, a block, and one forward and backward of ROWS rows. */
enum { ROWS = 150, IN = 30, OUT = 5 };
typedef struct setup {
    arena a;
    net n;
    param_block b;
    real *in, *d_out, *d_in;
} setup;

static void set_up(setup *s)
{
    *s = (setup){0};
    size_t at = 0;
    uint64_t number = 3;
    assert_ok(net_mlp(&s->n, &s->a, shape_vector(IN), hidden, 2, OUT, ROWS));
    assert_ok(param_block_create(&s->b, &s->a, net_room(&s->n)));
    net_bind(&s->n, &s->b, &at);
    net_init(&s->n, 5, &number);
    assert_int_equal(number, 6);
    s->in = random_values(ROWS * IN, 1, 1);
    s->d_out = random_values(ROWS * OUT, 1, 2);
    s->d_in = random_values(ROWS * IN, 0, 3);
}
static void tear_down(setup *s)
{
    mem_free(s->in), mem_free(s->d_out), mem_free(s->d_in);
    arena_free(&s->a);
}
static void pass(setup *s, bool add)
{
    real *d = copy_values(s->d_out, ROWS * OUT);
    net_forward(&s->n, s->in, ROWS);
    net_backward(&s->n, s->d_in, d, s->in, ROWS, add);
    mem_free(d);
}

static void gradients_overwrite_or_add(void **state)
{
    (void)state;
    setup s;
    set_up(&s);
    for (size_t i = 0; i < s.b.count; i++) s.b.grads[i] = 100;
    pass(&s, false);
    real *once = copy_values(s.b.grads, s.b.count), *d_in = copy_values(s.d_in, ROWS * IN);
    pass(&s, true);
    for (size_t i = 0; i < IN * 9; i++) {
        assert_near((double)s.b.grads[i], 2 * (double)once[i], 1e-5);
    }
    assert_memory_equal(d_in, s.d_in, ROWS * IN * sizeof *d_in);
    mem_free(once), mem_free(d_in);
    tear_down(&s);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    setup s[4];
    for (int t = 0; t < 4; t++) {
        parallel_set_threads(t + 1);
        set_up(&s[t]);
        for (int step = 0; step < 3; step++) {
            pass(&s[t], false);
            param_block_step(&s[t].b, step ? SCDC_OPTIMIZER_MOMENTUM : SCDC_OPTIMIZER_ADAM, 0.01,
                             0.9);
        }
        assert_int_equal(s[t].b.steps, 3);
        assert_memory_equal(s[t].b.params, s[0].b.params, s[0].b.count * sizeof(real));
        assert_memory_equal(s[t].d_in, s[0].d_in, ROWS * IN * sizeof(real));
    }
    parallel_set_threads(0);
    assert_true(param_block_finite(&s[0].b));
    s[0].b.params[s[0].b.count - 1] = NAN;
    assert_false(param_block_finite(&s[0].b));
    param_block_reset(&s[1].b);
    assert_int_equal(s[1].b.steps, 0);
    for (size_t i = 0; i < s[1].b.count; i++) assert_true(s[1].b.m[i] == 0 && s[1].b.v[i] == 0);
    for (int t = 0; t < 4; t++) tear_down(&s[t]);
}

static double widest(const real *w, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs((double)w[i]));
    return most;
}

/* Uniform weights reach to sqrt(6 / inputs) with He, to sqrt(6 / (inputs + outputs)) with Glorot.
 */
static void first_weights_have_their_widths(void **state)
{
    (void)state;
    setup s;
    set_up(&s);
    for (int glorot = 0; glorot < 2; glorot++) {
        if (glorot) net_glorot(&s.n);
        for (size_t l = 0; l < s.n.depth; l++) {
            double in = (double)shape_size(s.n.layers[l]->in);
            double out = (double)shape_size(s.n.layers[l]->out);
            bool rectified = l + 1 < s.n.depth;
            double limit = sqrt(6 / (rectified && !glorot ? in : in + out));
            double reach = widest(dense_weights(s.n.layers[l]), (size_t)(in * out));
            assert_true(reach <= limit * 1.0001 && reach > 0.9 * limit);
        }
    }
    tear_down(&s);
}

/* The conditional layer equals a dense layer that sees (o, one-hot condition), forward and back. */
static void conditional_equals_one_hot(void **state)
{
    (void)state;
    enum { ITEMS = 6, D = 5, K = 3, H = 70, PAIRS = 11 };
    static const uint32_t item[PAIRS] = {0, 0, 1, 2, 2, 2, 3, 4, 4, 5, 5};
    static const uint32_t condition[PAIRS] = {0, 2, 1, 0, 1, 2, 2, 0, 1, 0, 2};
    arena a = {0};
    conditional c;
    param_block b, b2;
    layer *dense;
    size_t at = 0;
    uint64_t number = 0;
    assert_ok(conditional_create(&c, &a, shape_vector(D), K, H, ITEMS));
    assert_ok(param_block_create(&b, &a, conditional_room(&c)));
    conditional_bind(&c, &b, &at);
    assert_int_equal(at, b.count);
    conditional_init(&c, 1, &number);
    assert_ok(dense_create(&dense, &a, shape_vector(D + K), H, true));
    assert_ok(param_block_create(&b2, &a, dense->ops->room(dense)));
    dense->ops->bind(dense, b2.params, b2.grads);
    size_t bias = param_room(D * H), z = bias + param_room(H), bias2 = param_room((D + K) * H);
    for (size_t h = 0; h < H; h++) b.params[bias + h] = REAL(0.01) * (real)h;
    memcpy(b2.params, b.params, D * H * sizeof(real));
    memcpy(b2.params + D * H, b.params + z, K * H * sizeof(real));
    memcpy(b2.params + bias2, b.params + bias, H * sizeof(real));

    real *o = random_values(ITEMS * D, 1, 1), *both = random_values(PAIRS * (D + K), 0, 2);
    for (size_t r = 0; r < PAIRS; r++) {
        memcpy(both + r * (D + K), o + item[r] * D, D * sizeof(real));
        both[r * (D + K) + D + condition[r]] = 1;
    }
    real *out = random_values(PAIRS * H, 1, 3), *out2 = random_values(PAIRS * H, 1, 4);
    conditional_base(&c, o, ITEMS);
    conditional_expand(&c, out, item, condition, PAIRS);
    dense->ops->forward(dense, out2, both, PAIRS);
    assert_values_near(out, out2, PAIRS * H, 1e-5);

    real *d = random_values(PAIRS * H, 1, 5), *d2 = copy_values(d, PAIRS * H);
    for (size_t i = 0; i < b.count; i++) b.grads[i] = 50;
    conditional_backward_begin(&c, ITEMS);
    conditional_backward_rows(&c, d, out, item, condition, 6); /* in two lists */
    conditional_backward_rows(&c, d + 6 * H, out + 6 * H, item + 6, condition + 6, PAIRS - 6);
    conditional_backward_end(&c, NULL, o, ITEMS);
    dense->ops->backward(dense, NULL, d2, out2, both, PAIRS, false);
    assert_values_near(b.grads, b2.grads, D * H, 1e-5);
    assert_values_near(b.grads + z, b2.grads + D * H, K * H, 1e-5);
    assert_values_near(b.grads + bias, b2.grads + bias2, H, 1e-5);
    mem_free(o), mem_free(both), mem_free(out), mem_free(out2), mem_free(d), mem_free(d2);
    arena_free(&a);
}

static void decoders_give_values_and_means(void **state)
{
    (void)state;
    enum { D = 12, LATENT = 3, R = 4 };
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        arena a = {0};
        decoder f;
        param_block b;
        size_t at = 0;
        uint64_t number = 0;
        decoder_form form = {
            LATENT, {3, 2, 2}, hidden,
            2,      NULL,      gaussian ? SCDC_LIKELIHOOD_GAUSSIAN : SCDC_LIKELIHOOD_BERNOULLI,
            R};
        assert_ok(decoder_create(&f, &a, &form));
        assert_ok(param_block_create(&b, &a, net_room(&f.net)));
        net_bind(&f.net, &b, &at);
        net_init(&f.net, 1, &number);
        real *x = random_values(R * LATENT, 1, 1), *o = random_values(R * D, 1, 2);
        real *d_x = random_values(R * LATENT, 1, 3), mean[R * D];
        for (size_t i = 0; i < R * D; i++) o[i] = o[i] > 0;
        double value[R], again[R];
        decoder_value(value, &f, x, o, NULL, R);
        decoder_gradient(again, d_x, &f, x, NULL, o, NULL, R, false);
        for (int r = 0; r < R; r++) assert_near(again[r], value[r], 1e-6);
        decoder_mean(mean, &f, x, R);
        const real *outputs = net_forward(&f.net, x, R);
        for (size_t r = 0; r < R; r++) {
            for (size_t i = 0; i < D; i++) {
                double out = (double)outputs[r * D * (gaussian ? 2 : 1) + i];
                assert_close((double)mean[r * D + i], gaussian ? out : 1 / (1 + exp(-out)), 1e-6);
            }
        }
        mem_free(x), mem_free(o), mem_free(d_x);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_net),
        cmocka_unit_test(shapes_and_rooms),
        cmocka_unit_test(gradients_overwrite_or_add),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(first_weights_have_their_widths),
        cmocka_unit_test(conditional_equals_one_hot),
        cmocka_unit_test(decoders_give_values_and_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
