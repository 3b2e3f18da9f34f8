/* Networks by words: shapes, words that are none, training and use, no dependence on threads, and
 * no memory asked for in a step. Gradients: tests/grad. */
#include "base/parallel.h"
#include "nets/words.h"
#include "support/values.h"

enum { ROWS = 19, OUT = 4 };

static void shapes_follow_the_words(void **state)
{
    (void)state;
    arena a = {0};
    net n;
    assert_ok(net_by_words(&n, &a, (shape){1, 28, 28}, "conv32,conv48/2,conv64/2,drop0.3", 10, 2));
    assert_int_equal(n.depth, 5);
    assert_int_equal(n.layers[1]->out.height, 14);
    assert_int_equal(n.layers[2]->out.width, 7);
    assert_int_equal(shape_size(n.layers[3]->out), 64 * 49);
    assert_int_equal(shape_size(net_out(&n)), 10);
    assert_ok(net_by_words(&n, &a, (shape){3, 32, 31}, "max2,up3,mean", 2, 2));
    assert_int_equal(n.layers[0]->out.width, 15);
    assert_int_equal(n.layers[1]->out.height, 48);
    assert_int_equal(shape_size(n.layers[2]->out), 3);
    assert_ok(net_by_words(&n, &a, shape_vector(5), "", 2, 2)); /* the linear layer alone */
    assert_int_equal(n.depth, 1);
    arena_free(&a);
}

static void words_that_are_none(void **state)
{
    (void)state;
    const char *bad[] = {"konv32",       "conv",      "conv0",    "conv32,",      ",conv32",
                         "conv3.5",      "conv32/0",  "conv32/x", "dense8/2",     "drop",
                         "conv32 conv8", "conv99999", "mean/2",   "drop1.5",      "norm3",
                         "max9",         "conv-4",    "map4",     "up60,conv9999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arena a = {0};
        net n;
        int status = net_by_words(&n, &a, (shape){4, 8, 8}, bad[i], 2, 2);
        if (status != SCDC_ERR_ARGUMENT) fail_msg("'%s' was taken", bad[i]);
        arena_free(&a);
    }
    char many[MOST_WORDS * 6 + 8] = "conv2";
    for (size_t i = 0; i < MOST_WORDS; i++) strcat(many, ",conv2");
    arena a = {0};
    net n;
    assert_fails(net_by_words(&n, &a, (shape){4, 8, 8}, many, 2, 2), SCDC_ERR_ARGUMENT, "at most");
    arena_free(&a);
}

typedef struct step {
    arena a;
    net n;
    param_block b;
    real *in, *d_out, *d_in;
} step;

static step one_step(int threads)
{
    step s = {0};
    size_t at = 0;
    uint64_t number = 0;
    shape in = {3, 12, 12};
    parallel_set_threads(threads);
    assert_ok(net_by_words(&s.n, &s.a, in,
                           "conv8,res8/2,norm4,batchres12/2,up2,max2,batch6,drop0.3", OUT, ROWS));
    assert_ok(param_block_create(&s.b, &s.a, net_room(&s.n)));
    net_bind(&s.n, &s.b, &at);
    net_init(&s.n, 4, &number);
    s.in = random_values(ROWS * shape_size(in), 1, 1);
    s.d_in = random_values(ROWS * shape_size(in), 1, 1);
    s.d_out = random_values(ROWS * OUT, 1, 2);
    net_set_mode(&s.n, &(net_mode){true, 1, 2});
    mem_fail_at(0);
    net_forward(&s.n, s.in, ROWS);
    net_backward(&s.n, s.d_in, s.d_out, s.in, ROWS, false);
    assert_int_equal(mem_fail_at(0), 0); /* nothing was asked for */
    parallel_set_threads(0);
    return s;
}

static void step_free(step *s)
{
    mem_free(s->in), mem_free(s->d_in), mem_free(s->d_out);
    arena_free(&s->a);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    step one = one_step(1);
    for (int threads = 2; threads <= 4; threads++) {
        step many = one_step(threads);
        assert_memory_equal(one.b.grads, many.b.grads, one.b.count * sizeof(real));
        assert_memory_equal(one.d_in, many.d_in, ROWS * shape_size(net_in(&one.n)) * sizeof(real));
        step_free(&many);
    }
    step_free(&one);
}

static void dropout_is_for_training(void **state)
{
    (void)state;
    enum { N = 20000 };
    arena a = {0};
    layer *l;
    real *in = random_values(N, 0, 1), *out = random_values(N, 0, 1), *again;
    for (size_t i = 0; i < N; i++) in[i] = 1;
    assert_ok(dropout_create(&l, &a, shape_vector(N), 0.25));
    l->ops->forward(l, out, in, 1); /* as created: use */
    assert_memory_equal(in, out, N * sizeof *in);
    l->ops->set_mode(l, &(net_mode){true, 1, 2});
    l->ops->forward(l, out, in, 1);
    double sum = 0;
    size_t zeros = 0;
    for (size_t i = 0; i < N; i++) sum += (double)out[i], zeros += out[i] == 0;
    assert_close(sum / N, 1, 0.03);
    assert_close((double)zeros / N, 0.25, 0.02);
    again = copy_values(out, N);
    l->ops->set_mode(l, &(net_mode){true, 1, 3}); /* another step, others are dropped */
    l->ops->forward(l, out, in, 1);
    assert_true(memcmp(again, out, N * sizeof *out) != 0);
    mem_free(in), mem_free(out), mem_free(again);
    arena_free(&a);
}

/* Whatever the scale of a channel, training sees it with mean 0 and variance 1, and use ends up
 * with the same map when all minibatches were like that one; another minibatch does not change what
 * it says of an item. */
static void use_is_what_training_saw(void **state)
{
    (void)state;
    enum { IMAGES = 6, C = 3, PIXELS = 20, N = IMAGES * C * PIXELS, SEEN = 200 };
    arena a = {0};
    layer *l;
    param_block b;
    real *in = random_values(N, 1, 1), *out = random_values(N, 0, 1), *used, sum[C] = {0};
    for (size_t i = 0; i < N; i++) in[i] = 5 * (real)(i % C) + (real)(1 + i % C) * in[i];
    assert_ok(batch_norm_create(&l, &a, (shape){C, 4, 5}, false));
    assert_ok(param_block_create(&b, &a, l->ops->room(l)));
    real *work = arena_new(&a, l->scratch, sizeof *work, "scratch");
    l->work = work;
    l->ops->bind(l, b.params, b.grads);
    l->ops->init(l, 1, 0);
    l->ops->set_mode(l, &(net_mode){true, 1, 2});
    for (size_t n = 0; n < SEEN; n++) l->ops->forward(l, out, in, IMAGES);
    for (size_t i = 0; i < N; i++) sum[i % C] += out[i] * out[i];
    for (size_t c = 0; c < C; c++) assert_close((double)sum[c] / (N / C), 1, 1e-3);
    real before = b.params[2 * param_room(C)]; /* the first channel's mean */
    for (size_t i = 0; i < C * PIXELS; i++) out[i] = 100;
    l->ops->forward(l, out, out, 1); /* one image of six counts a sixth */
    assert_close((double)(b.params[2 * param_room(C)] - before), 100 * 0.1 / IMAGES, 0.2);
    for (size_t n = 0; n < SEEN; n++) l->ops->forward(l, out, in, IMAGES);
    used = copy_values(out, N);
    l->ops->set_mode(l, &(net_mode){false, 1, 2});
    l->ops->forward(l, used, in + C * PIXELS, IMAGES - 1); /* other company */
    for (size_t i = 0; i < N - C * PIXELS; i++)
        assert_close((double)used[i], (double)out[i + C * PIXELS], 1e-4);
    mem_free(in), mem_free(out), mem_free(used);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_follow_the_words),     cmocka_unit_test(words_that_are_none),
        cmocka_unit_test(threads_do_not_change_a_bit), cmocka_unit_test(dropout_is_for_training),
        cmocka_unit_test(use_is_what_training_saw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
