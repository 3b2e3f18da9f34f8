/* Local messages: block algebra against one row at a time, the whole against a dense reference,
 * terms of the bound against brute force, statistics, and independence of threads. Gradients are
 * checked in tests/grad. */
#include "base/parallel.h"
#include "expfam/mvn.h"
#include "support/messages_problem.h"

enum { MAX_K = 64 };

/* 32 random Gaussians as lanes against one at a time. */
static void block_equals_one_row(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 8, 16, 20};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        size_t d = sizes[n], q = packed_size(d), natural = d + q;
        problem *p = problem_new(d, BLOCK, 1, 2, 0, START_RANDOM); /* a component per lane */
        double *eta = problem_room(p, natural * BLOCK, sizeof *eta);
        double *gauss = problem_room(p, natural * BLOCK, sizeof *gauss);
        double *factor = problem_room(p, q * BLOCK, sizeof *factor);
        double *mu = problem_room(p, natural, sizeof *mu), *sigma = mu + d;
        double *work = problem_room(p, natural, sizeof *work), log_partition[BLOCK];
        for (size_t l = 0; l < BLOCK; l++) {
            for (size_t i = 0; i < natural; i++) eta[i * BLOCK + l] = p->niw[l * p->P + i];
        }
        gauss_from_natural(gauss, factor, log_partition, eta, d);
        for (size_t l = 0; l < BLOCK; l++) {
            const double *row = p->niw + l * p->P;
            assert_near(log_partition[l], mvn_log_partition(row, d, work), 1e-12);
            assert_true(mvn_to_standard(mu, sigma, row, d));
            for (size_t i = 0; i < natural; i++) assert_near(gauss[i * BLOCK + l], mu[i], 1e-11);
            /* The factor is lower triangular with a positive diagonal, and factor' factor = Sigma.
             */
            for (size_t a = 0; a < d; a++) {
                assert_true(factor[packed_at(a, a) * BLOCK + l] > 0);
                for (size_t b = 0; b <= a; b++) {
                    double sum = 0;
                    for (size_t k = a; k < d; k++) {
                        sum += factor[packed_at(k, a) * BLOCK + l] *
                               factor[packed_at(k, b) * BLOCK + l];
                    }
                    assert_near(sum, sigma[packed_at(a, b)], 1e-11);
                }
            }
        }
        problem_free(p);
    }
}

static void not_positive_definite_is_nan(void **state)
{
    (void)state;
    double eta[2 * BLOCK], gauss[2 * BLOCK], factor[BLOCK], log_partition[BLOCK];
    for (size_t l = 0; l < BLOCK; l++) {
        eta[l] = 1;
        eta[BLOCK + l] = l == 5 ? 0.5 : -0.5;
    }
    gauss_from_natural(gauss, factor, log_partition, eta, 1);
    for (size_t l = 0; l < BLOCK; l++) assert_int_equal(isnan(gauss[l]), l == 5);
}

/* ---- the dense reference -------------------------------------------------------------------- */

/* q(z), mean and (E t(x), 1) of all rows by plain loops over one row at a time. */
struct dense {
    double *z, *mean, *s, *eta;
};

static void dense_row_x(struct dense *out, const problem *p, const double *z, size_t row)
{
    size_t d = p->d, natural = p->P - 2;
    double *eta = out->eta + row * natural, *s = out->s + row * p->P;
    for (size_t i = 0; i < natural; i++) {
        eta[i] = 0;
        for (size_t k = 0; k < p->K; k++) eta[i] += z[row * p->K + k] * p->niw[k * p->P + i];
    }
    const real *encoded = p->encoded + row * 2 * d;
    for (size_t a = 0; a < d; a++) {
        eta[a] += (double)encoded[a];
        eta[d + packed_at(a, a)] -= 0.5 * log(1 + exp((double)encoded[d + a]));
    }
    assert_true(mvn_mean_stats(s, NULL, eta, d));
    memcpy(out->mean + row * d, s, d * sizeof *s);
    s[natural] = s[natural + 1] = 1;
}

static void dense_row_z(double *z, const problem *p, const double *old, const double *s, size_t row)
{
    size_t K = p->K;
    double sum = 0;
    for (size_t k = 0; k < K; k++) {
        double logit = p->pi[k] + small_dot(p->niw + k * p->P, s, p->P);
        if (p->b.field) logit += p->b.field[row * K + k];
        for (size_t a = 0; a < p->b.answers; a++) {
            const batch_answer *answer = p->b.answer + a;
            const double *sens = p->ln_sens + 2 * answer->worker;
            const double *spec = p->ln_spec + 2 * answer->worker;
            double w =
                sens[1] - spec[0] + (answer->same ? sens[0] - sens[1] + spec[0] - spec[1] : 0);
            if (answer->left == row) logit += w * old[answer->right * K + k];
            if (answer->right == row) logit += w * old[answer->left * K + k];
        }
        sum += z[k] = exp(logit);
    }
    for (size_t k = 0; k < K; k++) z[k] /= sum;
}

static struct dense dense_reference(problem *p)
{
    size_t rows = p->rows, K = p->K;
    struct dense out = {.z = problem_room(p, rows * K, sizeof(double)),
                        .mean = problem_room(p, rows * p->d, sizeof(double)),
                        .s = problem_room(p, rows * p->P, sizeof(double)),
                        .eta = problem_room(p, rows * p->P, sizeof(double))};
    double *old = problem_room(p, rows * K, sizeof *old);
    memcpy(out.z, p->b.start, rows * K * sizeof *old);
    for (size_t t = 0; t < p->T; t++) {
        memcpy(old, out.z, rows * K * sizeof *old);
        for (size_t i = 0; i < rows; i++) dense_row_x(&out, p, old, i);
        for (size_t i = 0; i < rows; i++) {
            dense_row_z(out.z + i * K, p, old, out.s + i * p->P, i);
        }
    }
    return out;
}

static void messages_equal_the_dense_reference(void **state)
{
    (void)state;
    static const size_t shapes[][5] = {/* d, K, T, rows, answers */
                                       {8, 50, 4, 77, 120},
                                       {3, 5, 1, 32, 0},
                                       {1, 2, 3, 2, 5},
                                       {16, 9, 2, 33, 40}};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        const size_t *size = shapes[n];
        problem *p = problem_new(size[0], size[1], size[2], size[3], size[4], START_UNIT_PRIOR);
        struct dense want = dense_reference(p);
        double *z = problem_room(p, p->rows * p->K, sizeof *z);
        double *mean = problem_room(p, p->rows * p->d, sizeof *mean);
        messages_forward(p->m, &p->e, &p->b, p->encoded, p->begin);
        messages_read(z, mean, p->m, p->rows);
        for (size_t i = 0; i < p->rows * p->K; i++) assert_close(z[i], want.z[i], 1e-9);
        for (size_t i = 0; i < p->rows * p->d; i++) assert_near(mean[i], want.mean[i], 1e-9);

        /* The statistics of SVI are plain weighted sums of what the reference found. */
        messages_statistics(&p->g, p->m, &p->b);
        for (size_t k = 0; k < p->K; k++) {
            double sum = 0;
            for (size_t i = 0; i < p->rows; i++) sum += p->weight[i] * want.z[i * p->K + k];
            assert_near(p->g.pi[k], sum, 1e-9);
            for (size_t f = 0; f < p->P; f++) {
                sum = 0;
                for (size_t i = 0; i < p->rows; i++) {
                    sum += p->weight[i] * want.z[i * p->K + k] * want.s[i * p->P + f];
                }
                assert_near(p->g.niw[k * p->P + f], sum, 1e-9);
            }
        }
        problem_free(p);
    }
}

/* ---- terms of the bound by brute force ------------------------------------------------------- */

/* E ln v and E ln(1 - v) under Beta(a, b), by the midpoint rule. */
static void beta_by_integration(double out[2], double a, double b)
{
    enum { POINTS = 200000 };
    double total = 0;
    out[0] = out[1] = 0;
    for (int i = 0; i < POINTS; i++) {
        double v = (i + 0.5) / POINTS, density = pow(v, a - 1) * pow(1 - v, b - 1);
        total += density;
        out[0] += density * log(v);
        out[1] += density * log(1 - v);
    }
    out[0] /= total;
    out[1] /= total;
}

/* K 2, d 1, three items, a few answers: each term alone against numeric integration over x and
 * enumeration over z, for the q that the messages found. */
static void terms_by_brute_force(void **state)
{
    (void)state;
    problem *p = problem_new(1, 2, 2, 3, 4, START_RANDOM);
    for (size_t m = 0; m < p->M; m++) {
        beta_by_integration(p->ln_sens + 2 * m, 3 + (double)m, 2);
        beta_by_integration(p->ln_spec + 2 * m, 4, 1.5 + (double)m);
    }
    p->b.field = NULL;
    messages_forward(p->m, &p->e, &p->b, p->encoded, p->begin);
    bound_terms terms = {0};
    messages_terms(&terms, p->m, &p->e, &p->b);
    double z[6], mean[3], kl_z = 0, kl_x = 0, answers = 0;
    messages_read(z, mean, p->m, 3);

    for (size_t i = 0; i < 3; i++) {
        const double *zi = z + 2 * i;
        for (size_t k = 0; k < 2; k++) kl_z += p->weight[i] * zi[k] * (log(zi[k]) - p->pi[k]);
        /* q(x) is normalised on the grid; both densities without their sqrt(2 pi). */
        enum { POINTS = 40001 };
        double sd = sqrt(p->m->gauss[(3 * BLOCK) + i]), row = 0; /* iteration 2, Sigma */
        for (int g = 0; g < POINTS; g++) {
            double u = -12 + 24.0 * g / (POINTS - 1), x = mean[i] + sd * u, ln_p = 0;
            double density = exp(-0.5 * u * u) / sqrt(2 * M_PI) * 24 / (POINTS - 1);
            for (size_t k = 0; k < 2; k++) {
                const double *e = p->niw + k * p->P;
                ln_p += zi[k] * (e[0] * x + e[1] * x * x + e[2] + e[3]);
            }
            row += density * (-0.5 * u * u - log(sd) - ln_p);
        }
        kl_x += p->weight[i] * row;
    }
    for (size_t a = 0; a < p->answers; a++) {
        const batch_answer *answer = p->answer + a;
        const double *sens = p->ln_sens + 2 * answer->worker;
        const double *spec = p->ln_spec + 2 * answer->worker;
        for (int zl = 0; zl < 2; zl++) {
            for (int zr = 0; zr < 2; zr++) {
                double ln_p = zl == zr ? sens[answer->same ? 0 : 1] : spec[answer->same ? 1 : 0];
                answers += p->b.answer_weight * z[2 * answer->left + (size_t)zl] *
                           z[2 * answer->right + (size_t)zr] * ln_p;
            }
        }
    }
    assert_near(terms.kl_z, kl_z, 1e-9);
    assert_near(terms.kl_x, kl_x, 1e-7);
    assert_near(terms.answers, answers, 1e-9);
    assert_true(terms.kl_z > 0);
    problem_free(p);
}

/* ---- minibatches ----------------------------------------------------------------------------- */

/* Answers whose weight w is 0 leave q alone; then the statistics of all minibatches of 4 items and
 * 5 answers average to those of all 12 items and 15 answers. */
static void minibatch_statistics_are_unbiased(void **state)
{
    (void)state;
    problem *p = problem_new(2, 3, 2, 12, 15, START_UNIT_PRIOR);
    p->b.field = p->b.start = NULL;
    for (size_t m = 0; m < p->M; m++) {
        p->ln_spec[2 * m] = p->ln_sens[2 * m + 1];
        p->ln_spec[2 * m + 1] = p->ln_sens[2 * m];
    }
    double ones[12], threes[12], pi[3] = {0}, niw[3 * 7] = {0}, sens[6] = {0}, spec[6] = {0};
    for (size_t i = 0; i < 12; i++) ones[i] = 1, threes[i] = 3;
    bound_terms all = {0}, part, mean = {0};
    for (size_t i = 0; i < 3; i++) {
        minibatch b = p->b;
        b.rows = 4;
        b.item += 4 * i;
        b.weight = threes;
        b.answers = 0;
        messages_forward(p->m, &p->e, &b, p->encoded + 4 * i * 2 * p->d, p->begin);
        messages_terms(&part, p->m, &p->e, &b);
        messages_statistics(&p->g, p->m, &b);
        mean.kl_z += part.kl_z / 3;
        mean.kl_x += part.kl_x / 3;
        for (size_t k = 0; k < 3; k++) pi[k] += p->g.pi[k] / 3;
        for (size_t f = 0; f < 21; f++) niw[f] += p->g.niw[f] / 3;
        /* Five of the answers with all rows, each standing for three. */
        b = p->b;
        b.answers = 5;
        b.answer += 5 * i;
        b.answer_weight = 3;
        messages_forward(p->m, &p->e, &b, p->encoded, p->begin);
        messages_terms(&part, p->m, &p->e, &b);
        messages_statistics(&p->g, p->m, &b);
        mean.answers += part.answers / 3;
        for (size_t n = 0; n < 6; n++) {
            sens[n] += p->g.ln_sens[n] / 3;
            spec[n] += p->g.ln_spec[n] / 3;
        }
    }
    p->b.weight = ones;
    p->b.answer_weight = 1;
    messages_forward(p->m, &p->e, &p->b, p->encoded, p->begin);
    messages_terms(&all, p->m, &p->e, &p->b);
    messages_statistics(&p->g, p->m, &p->b);
    assert_near(mean.kl_z, all.kl_z, 1e-10);
    assert_near(mean.kl_x, all.kl_x, 1e-10);
    assert_near(mean.answers, all.answers, 1e-10);
    for (size_t k = 0; k < 3; k++) assert_near(pi[k], p->g.pi[k], 1e-10);
    for (size_t f = 0; f < 21; f++) assert_near(niw[f], p->g.niw[f], 1e-10);
    double answers = 0;
    for (size_t n = 0; n < 6; n++) {
        assert_near(sens[n], p->g.ln_sens[n], 1e-10);
        assert_near(spec[n], p->g.ln_spec[n], 1e-10);
        answers += sens[n] + spec[n];
    }
    assert_near(answers, 15, 1e-10); /* every answer is about one coin or the other */
    problem_free(p);
}

static void bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    problem *first = NULL;
    bound_terms terms[3];
    for (size_t n = 0; n < 3; n++) {
        parallel_set_threads(1 << n);
        problem *p = problem_new(8, 20, 3, 150, 200, START_RANDOM);
        p->b.start = NULL;
        problem_objective(p, &terms[n]);
        messages_backward(p->gencoded, &p->g, p->m, &p->e, &p->b, p->gx);
        if (!first) {
            first = p;
            continue;
        }
        assert_memory_equal(&terms[n].kl_z, &terms[0].kl_z, 3 * sizeof(double));
        assert_memory_equal(p->x, first->x, p->rows * p->d * sizeof *p->x);
        assert_memory_equal(p->gencoded, first->gencoded, p->rows * 2 * p->d * sizeof(real));
        assert_memory_equal(p->g.niw, first->g.niw, p->K * p->P * sizeof(double));
        assert_memory_equal(p->g.ln_sens, first->g.ln_sens, 2 * p->M * sizeof(double));
        problem_free(p);
    }
    parallel_set_threads(1);
    problem_free(first);
}

/* A row without answers does not care which rows it shares a minibatch with. */
static void rows_are_independent_without_answers(void **state)
{
    (void)state;
    problem *p = problem_new(4, 6, 3, 70, 0, START_RANDOM);
    p->b.field = p->b.start = NULL;
    double *together = problem_room(p, p->rows * p->K, sizeof *together), alone[MAX_K];
    messages_forward(p->m, &p->e, &p->b, p->encoded, p->begin);
    messages_sample(p->x, p->m, &p->b);
    messages_read(together, NULL, p->m, p->rows);
    for (size_t i = 0; i < p->rows; i++) {
        minibatch b = p->b;
        b.rows = 1;
        b.item += i;
        real x[4];
        messages_forward(p->m, &p->e, &b, p->encoded + i * 2 * p->d, p->begin);
        messages_sample(x, p->m, &b);
        messages_read(alone, NULL, p->m, 1);
        for (size_t k = 0; k < p->K; k++) assert_close(alone[k], together[i * p->K + k], 1e-13);
        for (size_t a = 0; a < 4; a++) assert_near(x[a], p->x[4 * i + a], 1e-6);
    }
    problem_free(p);
}

/* Placing is the same in lanes, with nothing kept for a reverse pass. */
static void check_placing(size_t d, size_t K, size_t T, size_t rows, bool field)
{
    problem *p = problem_new(d, K, T, rows, 0, START_UNIT_PRIOR);
    p->b.start = NULL;
    if (!field) p->b.field = NULL;
    double *z[2], *mean[2];
    for (size_t n = 0; n < 2; n++) {
        z[n] = problem_room(p, p->rows * p->K, sizeof *z[n]);
        mean[n] = problem_room(p, p->rows * p->d, sizeof *mean[n]);
        memset(p->m->z, 0xff, p->m->padded * (p->m->T + 1) * p->K * sizeof *p->m->z);
        memset(p->m->gauss, 0xff, p->m->padded * p->m->T * (p->m->d + p->m->q) * sizeof(double));
        if (n) messages_place(p->m, &p->e, &p->b, p->encoded);
        else messages_forward(p->m, &p->e, &p->b, p->encoded, START_UNIT_PRIOR);
        messages_read(z[n], mean[n], p->m, p->rows);
    }
    for (size_t i = 0; i < p->rows * p->K; i++) assert_close(z[1][i], z[0][i], 1e-12);
    for (size_t i = 0; i < p->rows * p->d; i++) assert_near(mean[1][i], mean[0][i], 1e-12);
    problem_free(p);
}

static void placing_equals_forward(void **state)
{
    (void)state;
    check_placing(4, 6, 3, 70, true);
    check_placing(4, 6, 3, 70, false);
    check_placing(1, 1, 1, 1, true);
    check_placing(3, 5, 4, 32, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_equals_one_row),
        cmocka_unit_test(not_positive_definite_is_nan),
        cmocka_unit_test(messages_equal_the_dense_reference),
        cmocka_unit_test(terms_by_brute_force),
        cmocka_unit_test(minibatch_statistics_are_unbiased),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(rows_are_independent_without_answers),
        cmocka_unit_test(placing_equals_forward),
    };
    parallel_set_threads(1); /* small work: waking threads costs more, and they may allocate */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
