/* The amortised bound against a plain computation item by item, and its gradient by finite
 * differences for every part of the parameters and every way of summing over the components. */
#include "base/parallel.h"
#include "kernels/noise.h"
#include "support/amortized_case.h"
#include "support/differences.h"

enum { D = 5, LATENT = 3, K = 6 };

/* ---- a plain computation of the bound ---- */

/* out = in W + b, rectified; moves *p behind the layer's parameters. */
static void plain_dense(double *out, const double *in, size_t inputs, size_t outputs, bool relu,
                        const real **p)
{
    const real *w = *p, *b = w + param_room(inputs * outputs);
    for (size_t j = 0; j < outputs; j++) {
        double sum = (double)b[j];
        for (size_t i = 0; i < inputs; i++) sum += in[i] * (double)w[i * outputs + j];
        out[j] = relu && sum < 0 ? 0 : sum;
    }
    *p = b + param_room(outputs);
}

static void plain_q(double *q, const amortized *a, const real *o)
{
    const real *p = a->block.params;
    double in[D], h1[7], h2[6], total = 0, rest = 0;
    for (size_t i = 0; i < D; i++) in[i] = (double)o[i];
    plain_dense(h1, in, D, 7, true, &p);
    plain_dense(h2, h1, 7, 6, true, &p);
    plain_dense(q, h2, 6, K, false, &p);
    for (size_t k = 0; k < K; k++) total += q[k] = exp(q[k]);
    const scdc_options *options = &a->base.spec.options;
    for (size_t k = 0; k < K; k++) {
        q[k] /= total;
        if (options->sum == SCDC_SUM_THRESHOLD && q[k] < options->sum_threshold) q[k] = 0;
        rest += q[k];
    }
    for (size_t k = 0; k < K; k++) q[k] /= rest;
}

/* Mean and log variance of q(x|k,o): the one-hot input spelled out. */
static void plain_x(double *out, const amortized *a, const real *o, size_t k)
{
    const real *p = a->block.params + net_room(&a->z_net);
    double in[D], h1[7], h2[6];
    for (size_t i = 0; i < D; i++) in[i] = (double)o[i];
    plain_dense(h1, in, D, 7, false, &p);
    for (size_t j = 0; j < 7; j++) h1[j] = fmax(0, h1[j] + (double)p[k * 7 + j]);
    p += param_room((K + 1) * 7); /* one column for no component */
    plain_dense(h2, h1, 7, 6, true, &p);
    plain_dense(out, h2, 6, 2 * LATENT, false, &p);
}

static double plain_log_likelihood(const amortized *a, const double *x, const real *o)
{
    const real *p = a->block.params + net_room(&a->z_net) + conditional_room(&a->x_first) +
                    net_room(&a->x_rest);
    bool gaussian = a->base.spec.likelihood == SCDC_LIKELIHOOD_GAUSSIAN;
    double h1[6], h2[7], out[2 * D], sum = 0;
    plain_dense(h1, x, LATENT, 6, true, &p);
    plain_dense(h2, h1, 6, 7, true, &p);
    plain_dense(out, h2, 7, gaussian ? 2 * D : D, false, &p);
    for (size_t i = 0; i < D; i++) {
        double v = (double)o[i];
        if (gaussian) {
            double variance = log(1 + exp(out[D + i])) + 1e-4;
            sum -= 0.5 * ((v - out[i]) * (v - out[i]) / variance + log(2 * M_PI * variance));
        } else {
            double on = 1 / (1 + exp(-out[i]));
            sum += v * log(on) + (1 - v) * log(1 - on);
        }
    }
    return sum;
}

/* KL by its textbook form with Sigma^-1 = R R'. */
static double plain_kl(const amortized *a, const double *out, size_t k)
{
    bool full = a->base.spec.options.covariance == SCDC_COVARIANCE_FULL;
    const real *f = a->factor.value + k * (full ? LATENT * (LATENT + 1) / 2 : LATENT);
    double R[LATENT][LATENT] = {{0}}, kl = 0;
    for (size_t j = 0, at = 0; j < LATENT; j++) {
        for (size_t c = full ? 0 : j; c < j; c++) R[j][c] = (double)f[at++];
        R[j][j] = exp((double)f[at++]);
    }
    for (size_t i = 0; i < LATENT; i++) {
        for (size_t j = 0; j < LATENT; j++) {
            double precision = 0;
            for (size_t c = 0; c < LATENT; c++) precision += R[i][c] * R[j][c];
            kl += precision * (out[i] - (double)a->mu.value[k * LATENT + i]) *
                  (out[j] - (double)a->mu.value[k * LATENT + j]);
            if (i == j) kl += precision * exp(out[LATENT + i]);
        }
        kl -= 1 + 2 * log(R[i][i]) + out[LATENT + i];
    }
    return 0.5 * kl;
}

static double plain_answers(const amortized *a, const minibatch *b)
{
    double total = 0;
    for (size_t i = 0; i < b->answers; i++) {
        const batch_answer *answer = &b->answer[i];
        double left[K], right[K], s = 0, L = answer->same;
        plain_q(left, a, b->o + answer->left * D);
        plain_q(right, a, b->o + answer->right * D);
        for (size_t k = 0; k < K; k++) s += left[k] * right[k];
        double alpha = 1 / (1 + exp(-(double)a->alpha.value[answer->worker]));
        double beta = 1 / (1 + exp(-(double)a->beta.value[answer->worker]));
        /* The form of the paper with weight and constant. */
        double w =
            log((1 - alpha) / beta) + L * (log(alpha / (1 - alpha)) + log(beta / (1 - beta)));
        total += w * s + L * (log(1 - beta) - log(beta)) + log(beta);
    }
    return b->answer_weight * total;
}

static bound_terms plain_bound(const amortized *a, const minibatch *b)
{
    bound_terms t = {.answers = plain_answers(a, b)};
    double pi[K], total = 0;
    for (size_t k = 0; k < K; k++) total += exp((double)a->pi.value[k]);
    for (size_t k = 0; k < K; k++) pi[k] = exp((double)a->pi.value[k]) / total;
    for (size_t r = 0; r < b->plain; r++) {
        double q[K];
        plain_q(q, a, b->o + r * D);
        for (size_t k = 0; k < K; k++) {
            if (q[k] == 0) continue;
            real noise[LATENT];
            double out[2 * LATENT], x[LATENT], share = b->weight[r] * q[k];
            normal_noise(noise, LATENT, b->seed, RNG_LATENT_NOISE, b->epoch, b->item[r], k);
            plain_x(out, a, b->o + r * D, k);
            for (size_t j = 0; j < LATENT; j++) {
                x[j] = out[j] + sqrt(exp(out[LATENT + j])) * (double)noise[j];
            }
            t.reconstruction += share * plain_log_likelihood(a, x, b->o + r * D);
            t.kl_x += share * plain_kl(a, out, k);
            t.kl_z += share * log(q[k] / pi[k]);
        }
    }
    return t;
}

static const scdc_likelihood likelihoods[] = {SCDC_LIKELIHOOD_BERNOULLI, SCDC_LIKELIHOOD_GAUSSIAN};
static const scdc_covariance covariances[] = {SCDC_COVARIANCE_DIAGONAL, SCDC_COVARIANCE_FULL};

static void terms_match_a_plain_computation(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        core_spec spec = amortized_case_spec(LATENT, K, D, likelihoods[variant & 1],
                                             covariances[variant >> 1 & 1],
                                             variant >> 2 ? SCDC_SUM_THRESHOLD : SCDC_SUM_EXACT);
        amortized_case c;
        bound_terms t, with_gradient;
        amortized_case_open(&c, &spec);
        assert_ok(c.core->ops->bound(&t, NULL, c.core, &c.batch));
        bound_terms expected = plain_bound(c.a, &c.batch);
        assert_near(t.reconstruction, expected.reconstruction, 1e-10);
        assert_near(t.kl_z, expected.kl_z, 1e-10);
        assert_near(t.kl_x, expected.kl_x, 1e-10);
        assert_near(t.answers, expected.answers, 1e-10);
        assert_true(variant >> 2 ? t.skipped > 0.01 : t.skipped == 0);
        assert_ok(amortized_evaluate(&with_gradient, c.a, &c.batch, true));
        assert_near(bound_of_terms(&with_gradient), bound_of_terms(&t), 1e-12);
        amortized_case_close(&c);
    }
}

/* ---- gradients ---- */

static double bound_per_item(void *context)
{
    amortized_case *c = context;
    bound_terms t;
    assert_ok(amortized_evaluate(&t, c->a, &c->batch, false));
    return bound_of_terms(&t) / ITEMS;
}

/* Copies the pairs of the last evaluation and uses them from now on. */
static void fix_pairs(amortized_case *c, pair_list *pairs)
{
    size_t n = c->a->pairs.count;
    *pairs = (pair_list){.count = n, .scale = copy_values(c->a->pairs.scale, n)};
    assert_ok(mem_zeroed(&pairs->item, n, sizeof *pairs->item, "pairs"));
    assert_ok(mem_zeroed(&pairs->component, n, sizeof *pairs->component, "pairs"));
    memcpy(pairs->item, c->a->pairs.item, n * sizeof *pairs->item);
    memcpy(pairs->component, c->a->pairs.component, n * sizeof *pairs->component);
    c->a->fixed_pairs = pairs;
}

static void check_parts(amortized_case *c)
{
    amortized *a = c->a;
    size_t at[8] = {0, net_room(&a->z_net)}, parts = 0;
    at[2] = at[1] + net_room(&a->x_images);
    at[3] = at[2] + conditional_room(&a->x_first);
    at[4] = at[3] + net_room(&a->x_rest);
    at[5] = at[4] + net_room(&a->decode.net);
    static const char *const names[] = {"net of z", "images of x", "first layer of x", "net of x",
                                        "decoder"};
    bool images = a->x_images.depth;
    for (; parts < 5; parts++) {
        assert_gradient_by(names[parts], bound_per_item, c, a->block.params + at[parts],
                           a->block.grads + at[parts], at[parts + 1] - at[parts],
                           images ? 1e-5 : 1e-6, images ? 1e-7 : 1e-5);
    }
    const struct {
        const char *name;
        theta_part *part;
    } theta[] = {{"pi", &a->pi},
                 {"mu", &a->mu},
                 {"factor", &a->factor},
                 {"alpha", &a->alpha},
                 {"beta", &a->beta}};
    for (size_t i = 0; i < 5; i++) {
        assert_gradient(theta[i].name, bound_per_item, c, theta[i].part->value, theta[i].part->grad,
                        theta[i].part->count, images ? 1e-5 : 1e-6);
    }
}

static void check_spec(const core_spec *spec)
{
    scdc_sum_kind sum = spec->options.sum;
    amortized_case c;
    bound_terms t;
    pair_list pairs = {0};
    amortized_case_open(&c, spec);
    c.a->no_baseline = true;
    /* Gradients of another minibatch must leave no trace. */
    minibatch other = c.batch;
    other.epoch = 5, other.answer_weight = 100;
    assert_ok(amortized_evaluate(&t, c.a, &other, true));
    assert_ok(amortized_evaluate(&t, c.a, &c.batch, true));
    if (sum == SCDC_SUM_TOP) fix_pairs(&c, &pairs);
    check_parts(&c);
    mem_free(pairs.item), mem_free(pairs.component), mem_free(pairs.scale);
    amortized_case_close(&c);
}

static void check_variant(scdc_likelihood likelihood, scdc_covariance covariance, scdc_sum_kind sum)
{
    core_spec spec = amortized_case_spec(LATENT, K, D, likelihood, covariance, sum);
    check_spec(&spec);
}

/* Small coloured pictures through convolutions and residual blocks: all three networks, in both
 * recipes (the default one has what the mixture says in q(z|o)). */
static void gradients_of_images(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        core_spec spec = amortized_case_spec(LATENT, K, 2, likelihoods[variant & 1],
                                             SCDC_COVARIANCE_DIAGONAL, SCDC_SUM_EXACT);
        bool residual = variant >> 1;
        spec.height = 5, spec.width = 4;
        spec.options.net = residual ? SCDC_NET_RESNET : SCDC_NET_CONV;
        if (residual) spec.options.recipe = SCDC_RECIPE_DEFAULT;
        strcpy(spec.options.encoder, residual ? "conv2,res3/2" : "conv3/2,conv2");
        strcpy(spec.options.encoder_z, residual ? "res2/2,norm2,mean" : "conv3,max2,conv4");
        strcpy(spec.options.decoder, residual ? "map2,res2,up2" : "map3,up2,conv2");
        check_spec(&spec);
    }
}

static void gradients_of_the_exact_sum(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        check_variant(likelihoods[variant & 1], covariances[variant >> 1], SCDC_SUM_EXACT);
    }
}

static void gradients_of_the_threshold_sum(void **state)
{
    (void)state;
    check_variant(SCDC_LIKELIHOOD_BERNOULLI, SCDC_COVARIANCE_DIAGONAL, SCDC_SUM_THRESHOLD);
    check_variant(SCDC_LIKELIHOOD_GAUSSIAN, SCDC_COVARIANCE_FULL, SCDC_SUM_THRESHOLD);
}

static void gradients_of_the_top_sum(void **state)
{
    (void)state;
    check_variant(SCDC_LIKELIHOOD_BERNOULLI, SCDC_COVARIANCE_FULL, SCDC_SUM_TOP);
    check_variant(SCDC_LIKELIHOOD_GAUSSIAN, SCDC_COVARIANCE_DIAGONAL, SCDC_SUM_TOP);
}

/* ---- sums over parts ---- */

static void chunks_do_not_change_the_result(void **state)
{
    (void)state;
    core_spec spec = amortized_case_spec(LATENT, K, D, SCDC_LIKELIHOOD_BERNOULLI,
                                         SCDC_COVARIANCE_FULL, SCDC_SUM_EXACT);
    amortized_case c;
    bound_terms whole, t;
    amortized_case_open(&c, &spec);
    assert_ok(amortized_evaluate(&whole, c.a, &c.batch, true));
    real *grads = copy_values(c.a->block.grads, c.a->block.count);
    for (size_t capacity = 1; capacity < 12; capacity += 5) {
        c.a->chunk.capacity = capacity;
        assert_ok(amortized_evaluate(&t, c.a, &c.batch, true));
        assert_near(bound_of_terms(&t), bound_of_terms(&whole), 1e-12);
        assert_values_near(c.a->block.grads, grads, c.a->block.count, 1e-11);
    }
    mem_free(grads);
    amortized_case_close(&c);
}

/* Over all draws of the component that stands for the rest, value and gradient of the top sum
 * average to the exact ones, with the constant taken off f as in training. */
static void top_sum_is_unbiased(void **state)
{
    (void)state;
    core_spec spec = amortized_case_spec(LATENT, K, D, SCDC_LIKELIHOOD_BERNOULLI,
                                         SCDC_COVARIANCE_DIAGONAL, SCDC_SUM_TOP);
    amortized_case c;
    bound_terms t, exact;
    pair_list pairs = {0};
    amortized_case_open(&c, &spec);
    c.batch.rows = c.batch.plain = 1;
    c.batch.answers = 0;
    assert_ok(amortized_evaluate(&t, c.a, &c.batch, true));
    fix_pairs(&c, &pairs);
    assert_int_equal(pairs.count, 3);
    size_t n = c.a->block.count;
    double value = 0, rest = 0, *mean;
    assert_ok(mem_zeroed(&mean, n, sizeof *mean, "a mean"));
    for (uint32_t k = 0; k < K; k++) {
        if (k != pairs.component[0] && k != pairs.component[1]) rest += c.a->q[k];
    }
    for (uint32_t k = 0; k < K; k++) {
        if (k == pairs.component[0] || k == pairs.component[1]) continue;
        double q = c.a->q[k];
        pairs.component[2] = k;
        pairs.scale[2] = (real)(rest / q);
        assert_ok(amortized_evaluate(&t, c.a, &c.batch, true));
        value += q / rest * bound_of_terms(&t);
        for (size_t i = 0; i < n; i++) mean[i] += q / rest * (double)c.a->block.grads[i];
    }
    c.a->fixed_pairs = NULL;
    c.a->base.spec.options.sum = SCDC_SUM_EXACT;
    assert_ok(amortized_evaluate(&exact, c.a, &c.batch, true));
    assert_near(value, bound_of_terms(&exact), 1e-11);
    for (size_t i = 0; i < n; i++) assert_near(mean[i], (double)c.a->block.grads[i], 1e-11);
    mem_free(mean);
    mem_free(pairs.item), mem_free(pairs.component), mem_free(pairs.scale);
    amortized_case_close(&c);
}

/* The mean over the parts of a partition of items and answers is the whole: with the noise fixed
 * (it is named by the item), value and gradient agree. */
static void minibatches_are_unbiased(void **state)
{
    (void)state;
    core_spec spec = amortized_case_spec(LATENT, K, D, SCDC_LIKELIHOOD_GAUSSIAN,
                                         SCDC_COVARIANCE_DIAGONAL, SCDC_SUM_EXACT);
    enum { PARTS = 3 };
    amortized_case c;
    amortized_case_open(&c, &spec);
    size_t n = c.a->block.count;
    bound_terms t, whole;
    double value = 0, *mean;
    assert_ok(mem_zeroed(&mean, n, sizeof *mean, "a mean"));
    /* The whole: PLAIN items and all answers, each once. */
    for (size_t r = 0; r < ROWS; r++) c.weight[r] = r < PLAIN;
    c.batch.answer_weight = 1;
    assert_ok(amortized_evaluate(&whole, c.a, &c.batch, true));
    real *grads = copy_values(c.a->block.grads, n);
    for (size_t part = 0; part < PARTS; part++) {
        /* Items part, part + 3, ...; answers of the part; their items behind. */
        uint32_t item[ROWS];
        double weight[ROWS] = {0};
        real *o = random_values(ROWS * D, 0, 0);
        minibatch b = c.batch;
        b.plain = 0;
        for (size_t r = part; r < PLAIN; r += PARTS, b.plain++) {
            item[b.plain] = c.item[r];
            weight[b.plain] = PARTS;
            memcpy(o + b.plain * D, c.o + r * D, D * sizeof *o);
        }
        b.rows = b.plain + TOUCHED;
        memcpy(o + b.plain * D, c.o + PLAIN * D, TOUCHED * D * sizeof *o);
        memcpy(item + b.plain, c.item + PLAIN, TOUCHED * sizeof *item);
        batch_answer answer[ANSWERS];
        b.answers = 0;
        for (size_t i = part; i < ANSWERS; i += PARTS) {
            answer[b.answers] = c.answer[i];
            answer[b.answers].left -= PLAIN - (uint32_t)b.plain;
            answer[b.answers++].right -= PLAIN - (uint32_t)b.plain;
        }
        b.item = item, b.weight = weight, b.o = o, b.answer = answer, b.answer_weight = PARTS;
        assert_ok(amortized_evaluate(&t, c.a, &b, true));
        value += bound_of_terms(&t) / PARTS;
        for (size_t i = 0; i < n; i++) mean[i] += (double)c.a->block.grads[i] / PARTS;
        mem_free(o);
    }
    assert_near(value, bound_of_terms(&whole), 1e-11);
    for (size_t i = 0; i < n; i++) assert_near(mean[i], (double)grads[i], 1e-11);
    mem_free(mean), mem_free(grads);
    amortized_case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_match_a_plain_computation),
        cmocka_unit_test(gradients_of_images),
        cmocka_unit_test(gradients_of_the_exact_sum),
        cmocka_unit_test(gradients_of_the_threshold_sum),
        cmocka_unit_test(gradients_of_the_top_sum),
        cmocka_unit_test(chunks_do_not_change_the_result),
        cmocka_unit_test(top_sum_is_unbiased),
        cmocka_unit_test(minibatches_are_unbiased),
    };
    parallel_set_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
