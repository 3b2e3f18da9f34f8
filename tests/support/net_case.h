/* A net with random inputs, and its gradients by finite differences. For the double build. */
#ifndef SCDC_TESTS_NET_CASE_H
#define SCDC_TESTS_NET_CASE_H

#include "nets/net.h"
#include "support/differences.h"

/* sum of weights * outputs of a net: its gradient with respect to the outputs is the weights. */
typedef struct net_case {
    arena a;
    net n; /* made by the caller, in a */
    size_t rows, inputs, outputs;
    param_block b;
    real *in, *weights;
} net_case;

static double net_value(void *context)
{
    net_case *c = context;
    const real *out = net_forward(&c->n, c->in, c->rows);
    double sum = 0;
    for (size_t i = 0; i < c->rows * c->outputs; i++) sum += (double)(c->weights[i] * out[i]);
    return sum;
}

static void net_case_fill(net_case *c)
{
    size_t at = 0;
    uint64_t number = 0;
    rng r;
    assert_ok(param_block_create(&c->b, &c->a, net_room(&c->n)));
    net_bind(&c->n, &c->b, &at);
    assert_int_equal(at, c->b.count);
    net_init(&c->n, 4, &number);
    rng_init(&r, 3, RNG_TEST, 0, 0); /* biases and scales that are not 0 and 1 */
    for (size_t i = 0; i < c->b.count; i++) c->b.params[i] += 0.1 * rng_normal(&r);
    c->in = random_values(c->rows * c->inputs, 1, 1);
    c->weights = random_values(c->rows * c->outputs, 1, 2);
}

/* Checks all gradients, and frees the case. */
static void net_case_check(net_case *c, const char *name, double tolerance)
{
    size_t inputs = c->rows * c->inputs, outputs = c->rows * c->outputs;
    net_case_fill(c);
    real *d_in = random_values(inputs, 1, 3), *d_out = copy_values(c->weights, outputs);
    net_value(c);
    net_backward(&c->n, d_in, d_out, c->in, c->rows, false);
    assert_gradient(name, net_value, c, c->b.params, c->b.grads, c->b.count, tolerance);
    assert_gradient(name, net_value, c, c->in, d_in, inputs, tolerance);
    /* Added to what is there: twice as much. */
    real *once = copy_values(c->b.grads, c->b.count);
    memcpy(d_out, c->weights, outputs * sizeof *d_out);
    net_value(c);
    net_backward(&c->n, NULL, d_out, c->in, c->rows, true);
    for (size_t i = 0; i < c->b.count; i++) assert_close(c->b.grads[i], 2 * once[i], 1e-9);
    mem_free(c->in), mem_free(c->weights), mem_free(d_in), mem_free(d_out), mem_free(once);
    arena_free(&c->a);
}

#endif
