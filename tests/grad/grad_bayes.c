/* BayesSCDC in double: gradients of the whole objective by finite differences, with respect to the
 * parameters of both networks and to the expected statistics of the global parameters. */
#include "support/bayes_problem.h"

/* Symmetric differences of the objective at every `stride`-th value of `leaf`, times `scale`. */
static void check_leaf(bayes_problem *p, const char *name, double *leaf, const double *gradient,
                       size_t n, size_t stride, double scale)
{
    double largest = 0;
    for (size_t i = 0; i < n; i += stride) largest = fmax(largest, fabs(gradient[i]));
    assert_true(largest > 0);
    for (size_t i = 0; i < n; i += stride) {
        double keep = leaf[i], h = 1e-6;
        leaf[i] = keep + h;
        double above = bayes_problem_objective(p);
        leaf[i] = keep - h;
        double below = bayes_problem_objective(p);
        leaf[i] = keep;
        double difference = scale * (above - below) / (2 * h);
        if (!(fabs(gradient[i] - difference) <= 1e-5 * largest)) {
            fail_msg("%s[%zu]: gradient %.12g, difference %.12g", name, i, gradient[i], difference);
        }
    }
}

static void check_gradients(scdc_likelihood likelihood)
{
    core_spec spec = bayes_problem_spec(37, 6, 50, likelihood);
    spec.options.natgrad = SCDC_NATGRAD_FULL;
    spec.options.optimizer = SCDC_OPTIMIZER_MOMENTUM;
    bayes_problem *p = bayes_problem_new(&spec);
    bound_terms terms;
    /* Rates of zero: the gradients are made, nothing moves. */
    assert_ok(p->c->ops->step(&terms, NULL, p->c, &p->b, &(step_rates){0, 0}));
    size_t encoder = net_room(&p->m->encoder);
    param_block *nets = &p->m->nets;
    globals *g = p->m->globals;
    double items = (double)p->items, *mean = g->mean.all;
    size_t count = nets->count, size = g->size;
    double *grads = calloc(count, sizeof *grads), *natural = calloc(size, sizeof *natural);
    memcpy(grads, nets->grads, count * sizeof *grads);
    memcpy(natural, p->m->gradient.all, size * sizeof *natural);

    check_leaf(p, "encoder", nets->params, grads, encoder, 3, 1);
    check_leaf(p, "decoder", nets->params + encoder, grads + encoder, count - encoder, 5, 1);
    check_leaf(p, "E ln pi", mean, natural, g->K, 1, items);
    check_leaf(p, "E t(mu, Sigma)", mean + g->K, natural + g->K, g->K * g->P, 1, items);
    check_leaf(p, "E ln coins", g->mean.ln_sens, natural + g->K * (g->P + 1), 4 * g->M, 1, items);
    free(grads);
    free(natural);
    bayes_problem_free(p);
}

static void gradients_bernoulli(void **state)
{
    (void)state;
    check_gradients(SCDC_LIKELIHOOD_BERNOULLI);
}
static void gradients_gaussian(void **state)
{
    (void)state;
    check_gradients(SCDC_LIKELIHOOD_GAUSSIAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_bernoulli),
        cmocka_unit_test(gradients_gaussian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
