/* Gradients of what the default recipe adds to the amortised model, by finite differences: steps
 * with messages of answers and the mixture's own word on z, the plain autoencoder of the warm-up.
 */
#include "base/parallel.h"
#include "support/amortized_case.h"
#include "support/differences.h"

enum { D = 5, LATENT = 3, K = 6 };
static const step_rates stay = {.learning_rate = 0}; /* gradients, and no step */

static const scdc_covariance covariances[] = {SCDC_COVARIANCE_DIAGONAL, SCDC_COVARIANCE_FULL};

typedef struct with_messages {
    amortized_case c;
    double field[ROWS * K], target[ROWS * K];
    size_t from; /* first row with messages */
} with_messages;

/* The last TOUCHED rows are annotated ones with messages, as in PLAN_REMEMBERED; where a classifier
 * speaks, all rows have messages. */
static void open_with_messages(with_messages *m, scdc_covariance covariance, scdc_sum_kind sum,
                               bool all)
{
    core_spec spec = amortized_case_spec(LATENT, K, D, SCDC_LIKELIHOOD_BERNOULLI, covariance, sum);
    spec.options.recipe = SCDC_RECIPE_DEFAULT;
    amortized_case_open(&m->c, &spec);
    real *field = random_values(ROWS * K, 1.5, 31);
    m->from = all ? 0 : PLAIN;
    for (size_t i = 0; i < ROWS * K; i++) m->field[i] = i < m->from * K ? 0 : (double)field[i];
    mem_free(field);
    for (size_t r = PLAIN; r < ROWS; r++) m->c.weight[r] = 2.5;
    m->c.batch.answers = 0;
    m->c.batch.answer_weight = 0;
    m->c.batch.field = m->field;
    m->c.batch.field_from = m->from;
}

/* What a step climbs: the bound with the messages in full, and the net's likeness to q(z) of the
 * rows with messages, which is held fixed. */
static double climbed(void *context)
{
    with_messages *m = context;
    amortized *a = m->c.a;
    bound_terms t;
    double extra = 0;
    assert_ok(amortized_evaluate(&t, a, &m->c.batch, false));
    for (size_t r = m->from; r < ROWS; r++) {
        double total = 0;
        for (size_t k = 0; k < K; k++) total += exp((double)a->z_out[r * K + k]);
        for (size_t k = 0; k < K; k++) {
            double ln_own = (double)a->z_out[r * K + k] - log(total);
            extra += m->c.weight[r] * m->target[r * K + k] * ln_own;
        }
    }
    return (bound_of_terms(&t) + t.answers + extra) / ITEMS;
}

static void messages_of_answers(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        with_messages m;
        bound_terms t;
        open_with_messages(&m, covariances[variant & 1],
                           variant & 2 ? SCDC_SUM_THRESHOLD : SCDC_SUM_EXACT, variant & 4);
        amortized *a = m.c.a;
        assert_ok(amortized_evaluate(&t, a, &m.c.batch, true));
        memcpy(m.target, a->q, sizeof m.target);
        /* Half the messages are in the bound. */
        double expected = 0;
        for (size_t i = m.from * K; i < ROWS * K; i++) {
            expected += 0.5 * m.c.weight[i / K] * a->q[i] * m.field[i];
        }
        assert_near(t.answers, expected, 1e-10);
        assert_gradient("all parameters", climbed, &m, a->block.params, a->block.grads,
                        a->block.count, 1e-6);
        assert_gradient("net of z", climbed, &m, a->block.params, a->block.grads,
                        net_room(&a->z_net), 1e-6);
        amortized_case_close(&m.c);
    }
}

/* ---- the plain autoencoder ---- */

static double warm_bound(void *context)
{
    amortized_case *c = context;
    bound_terms t;
    assert_ok(core_warm_step(&t, c->core, &c->batch, &stay));
    return (t.reconstruction - t.kl_x) / ITEMS;
}

static void warm_up(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        core_spec spec = amortized_case_spec(LATENT, K, D, SCDC_LIKELIHOOD_BERNOULLI,
                                             covariances[full], SCDC_SUM_EXACT);
        amortized_case c;
        bound_terms t;
        amortized_case_open(&c, &spec);
        amortized *a = c.a;
        amortized_warm_prepare(a);
        c.batch.rows = c.batch.plain;
        assert_ok(core_step(&t, NULL, c.core, &c.batch, &stay)); /* leaves no trace */
        assert_ok(core_warm_step(&t, c.core, &c.batch, &stay));
        /* A standard normal prior. */
        double kl = 0, mean[PLAIN * LATENT], variance[PLAIN * LATENT];
        assert_ok(c.core->ops->warm_place(mean, variance, c.core, c.o, PLAIN));
        for (size_t i = 0; i < PLAIN * LATENT; i++) {
            kl += 0.5 * c.weight[i / LATENT] *
                  (mean[i] * mean[i] + variance[i] - 1 - log(variance[i]));
        }
        assert_near(t.kl_x, kl, 1e-10);
        size_t z = net_room(&a->z_net), affine = a->x_first.affine->ops->room(a->x_first.affine);
        size_t rest = z + conditional_room(&a->x_first);
        size_t theta = rest + net_room(&a->x_rest) + net_room(&a->decode.net);
        assert_gradient("first layer of x", warm_bound, &c, a->block.params + z, a->block.grads + z,
                        affine, 1e-6);
        assert_gradient("nets of x and o", warm_bound, &c, a->block.params + rest,
                        a->block.grads + rest, theta - rest, 1e-5);
        for (size_t i = 0; i < a->block.count; i++) { /* nothing else learns */
            if (i < z || (i >= z + affine && i < rest) || i >= theta) {
                assert_true(a->block.grads[i] == 0);
            }
        }
        amortized_case_close(&c);
    }
}

/* ---- the mixture's own word on z ---- */

/* q(z|o) of the default recipe before its net says anything is the best one for a q(x|o) that is
 * the same for all components: no other has a higher bound. */
static void evidence_is_the_best_q(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        core_spec spec = amortized_case_spec(LATENT, K, D, SCDC_LIKELIHOOD_BERNOULLI,
                                             covariances[full], SCDC_SUM_EXACT);
        amortized_case c;
        spec.options.recipe = SCDC_RECIPE_DEFAULT;
        amortized_case_open(&c, &spec);
        amortized *a = c.a;
        memset(a->block.params, 0, net_room(&a->z_net) * sizeof(real));
        amortized_q(a, c.o, PLAIN, NULL);
        double best = 0, other = 0, kl[PLAIN * K];
        const real *outputs = net_forward(&a->x_rest, a->chunk.hidden, PLAIN);
        amortized_prior_fit(kl, a, outputs, PLAIN);
        for (size_t i = 0; i < PLAIN * K; i++) {
            double q = 0.9 * a->q[i] + 0.1 / K, f = kl[i] + a->log_pi[i % K];
            best += a->q[i] * (f - log(a->q[i]));
            other += q * (f - log(q));
        }
        assert_true(best > other);
        amortized_case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_of_answers),
                                       cmocka_unit_test(warm_up),
                                       cmocka_unit_test(evidence_is_the_best_q)};
    parallel_set_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
