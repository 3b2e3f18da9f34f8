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

static void check_gradients(core_spec spec)
{
    spec.options.natgrad = SCDC_NATGRAD_FULL;
    spec.options.optimizer = SCDC_OPTIMIZER_MOMENTUM;
    bayes_problem *p = bayes_problem_new(&spec);
    bound_terms terms;
    bool images = spec.height > 1;
    double step = images ? 1e-7 : 1e-5;
    if (images) move_values(p->m->nets.params, p->m->nets.count, 0.1);
    /* Rates of zero: the gradients are made, nothing moves. */
    assert_ok(core_step(&terms, NULL, p->c, &p->b, &(step_rates){0, 0}));
    size_t encoder = net_room(&p->m->encoder);
    param_block *nets = &p->m->nets;
    globals *g = p->m->globals;
    size_t count = nets->count, size = g->size, niw = g->K * g->P;
    double *grads = copy_values(nets->grads, count),
           *natural = copy_values(p->m->gradient.all, size);

    assert_gradient_by("encoder", objective, p, nets->params, grads, encoder, 1e-5, step);
    assert_gradient_by("decoder", objective, p, nets->params + encoder, grads + encoder,
                       count - encoder, 1e-5, step);
    double tolerance = images ? 1e-5 : 1e-6;
    assert_gradient_by("E ln pi", objective_of_data, p, g->mean.pi, natural, g->K, tolerance, step);
    assert_gradient_by("E t(mu, Sigma)", objective_of_data, p, g->mean.niw, natural + g->K, niw,
                       tolerance, step);
    assert_gradient_by("E ln coins", objective_of_data, p, g->mean.ln_sens, natural + g->K + niw,
                       4 * g->M, tolerance, step);
    mem_free(grads);
    mem_free(natural);
    bayes_problem_free(p);
}

static void gradients_bernoulli(void **state)
{
    (void)state;
    check_gradients(bayes_problem_spec(37, 6, 50, SCDC_LIKELIHOOD_BERNOULLI));
}
static void gradients_gaussian(void **state)
{
    (void)state;
    check_gradients(bayes_problem_spec(37, 6, 50, SCDC_LIKELIHOOD_GAUSSIAN));
}
/* Small coloured pictures through convolutions and residual blocks, there and back. */
static void gradients_of_images(void **state)
{
    (void)state;
    static const scdc_likelihood likelihoods[] = {
        SCDC_LIKELIHOOD_BERNOULLI, SCDC_LIKELIHOOD_GAUSSIAN, SCDC_LIKELIHOOD_LOGISTIC};
    for (size_t i = 0; i < sizeof likelihoods / sizeof *likelihoods; i++) {
        core_spec spec = bayes_problem_spec(11, 2, 20, likelihoods[i]);
        spec.height = 5, spec.width = 4;
        spec.options.net = i == 0 ? SCDC_NET_CONV : SCDC_NET_RESNET;
        strcpy(spec.options.encoder, i == 0 ? "conv3,conv4/2" : "conv2,res3/2,norm3");
        strcpy(spec.options.decoder, i == 0 ? "map3,up2,conv2" : "map2,res2,up2,res3");
        check_gradients(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_bernoulli),
        cmocka_unit_test(gradients_gaussian),
        cmocka_unit_test(gradients_of_images),
    };
    parallel_set_threads(1); /* small work: waking threads costs more */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
