/* BayesSCDC in double: gradients of the whole objective by finite differences, with respect to the
 * parameters of both networks and to the expected statistics of the global parameters. */
#include "base/parallel.h"
#include "support/bayes_problem.h"
#include "support/differences.h"

static double objective(void *context)
{
    return bayes_problem_objective(context);
}
/* The same for the whole data, which the natural gradient is of. */
static double objective_of_data(void *context)
{
    bayes_problem *p = context;
    return (double)p->items * bayes_problem_objective(p);
}

static void check_gradients(scdc_likelihood likelihood)
{
    core_spec spec = bayes_problem_spec(37, 6, 50, likelihood);
    spec.options.natgrad = SCDC_NATGRAD_FULL;
    spec.options.optimizer = SCDC_OPTIMIZER_MOMENTUM;
    bayes_problem *p = bayes_problem_new(&spec);
    bound_terms terms;
    /* Rates of zero: the gradients are made, nothing moves. */
    assert_ok(core_step(&terms, NULL, p->c, &p->b, &(step_rates){0, 0}));
    size_t encoder = net_room(&p->m->encoder);
    param_block *nets = &p->m->nets;
    globals *g = p->m->globals;
    size_t count = nets->count, size = g->size, niw = g->K * g->P;
    double *grads = copy_values(nets->grads, count),
           *natural = copy_values(p->m->gradient.all, size);

    assert_gradient("encoder", objective, p, nets->params, grads, encoder, 1e-5);
    assert_gradient("decoder", objective, p, nets->params + encoder, grads + encoder,
                    count - encoder, 1e-5);
    assert_gradient("E ln pi", objective_of_data, p, g->mean.pi, natural, g->K, 1e-6);
    assert_gradient("E t(mu, Sigma)", objective_of_data, p, g->mean.niw, natural + g->K, niw, 1e-6);
    assert_gradient("E ln coins", objective_of_data, p, g->mean.ln_sens, natural + g->K + niw,
                    4 * g->M, 1e-6);
    mem_free(grads);
    mem_free(natural);
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
    parallel_set_threads(1); /* small work: waking threads costs more */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
