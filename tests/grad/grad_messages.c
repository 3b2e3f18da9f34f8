/* Local messages in double: the numbers of PyTorch, and gradients by finite differences. */
#include "base/parallel.h"
#include "golden/messages.h"
#include "support/differences.h"
#include "support/messages_problem.h"

static void compare(const char *what, const double *got, const double *want, size_t n,
                    double within)
{
    for (size_t i = 0; i < n; i++) {
        double scale = fmax(fabs(want[i]), 1);
        if (!(fabs(got[i] - want[i]) <= within * scale)) {
            fail_msg("%s[%zu] = %.17g, expected %.17g", what, i, got[i], want[i]);
        }
    }
}

static problem *golden_problem(message_start start, bool given)
{
    size_t answers = sizeof golden_answer / sizeof *golden_answer;
    problem *p = problem_new(GOLDEN_D, GOLDEN_K, GOLDEN_T, GOLDEN_ROWS, answers, start);
    memcpy(p->encoded, golden_encoded, sizeof golden_encoded);
    memcpy(p->pi, golden_pi, sizeof golden_pi);
    memcpy(p->niw, golden_niw, sizeof golden_niw);
    memcpy(p->ln_sens, golden_sens, sizeof golden_sens);
    memcpy(p->ln_spec, golden_spec, sizeof golden_spec);
    for (size_t a = 0; a < answers; a++) {
        const uint32_t *g = golden_answer[a];
        p->answer[a] = (batch_answer){g[0], g[1], g[2], g[3]};
    }
    p->b.item = golden_item;
    p->b.weight = golden_weight;
    p->b.answer_weight = GOLDEN_ANSWER_WEIGHT;
    p->b.field = golden_field;
    p->b.start = given ? golden_given : NULL;
    p->b.seed = GOLDEN_SEED;
    p->b.epoch = GOLDEN_EPOCH;
    return p;
}

#define CHECK_CASE(p, name)                                                                        \
    do {                                                                                           \
        bound_terms terms;                                                                         \
        double z[GOLDEN_ROWS * GOLDEN_K], mu[GOLDEN_ROWS * GOLDEN_D];                              \
        problem_objective(p, &terms);                                                              \
        messages_read(z, mu, (p)->m, GOLDEN_ROWS);                                                 \
        messages_backward((p)->gencoded, &(p)->g, (p)->m, &(p)->e, &(p)->b, (p)->gx);              \
        double sums[3] = {terms.kl_z, terms.kl_x, terms.answers};                                  \
        compare("z", z, golden_##name##_z, GOLDEN_ROWS *GOLDEN_K, 1e-11);                          \
        compare("mu", mu, golden_##name##_mu, GOLDEN_ROWS *GOLDEN_D, 1e-11);                       \
        compare("x", (p)->x, golden_##name##_x, GOLDEN_ROWS *GOLDEN_D, 1e-11);                     \
        compare("terms", sums, golden_##name##_terms, 3, 1e-11);                                   \
        compare("gencoded", (p)->gencoded, golden_##name##_gencoded, GOLDEN_ROWS * 2 * GOLDEN_D,   \
                1e-10);                                                                            \
        compare("gpi", (p)->g.pi, golden_##name##_gpi, GOLDEN_K, 1e-10);                           \
        compare("gniw", (p)->g.niw, golden_##name##_gniw, GOLDEN_K *(p)->P, 1e-10);                \
        compare("gsens", (p)->g.ln_sens, golden_##name##_gsens, 2 * GOLDEN_M, 1e-10);              \
        compare("gspec", (p)->g.ln_spec, golden_##name##_gspec, 2 * GOLDEN_M, 1e-10);              \
        problem_free(p);                                                                           \
    } while (0)

static void numbers_of_pytorch(void **state)
{
    (void)state;
    problem *p = golden_problem(START_UNIT_PRIOR, false);
    CHECK_CASE(p, unit);
    p = golden_problem(START_RANDOM, false);
    CHECK_CASE(p, random);
    p = golden_problem(START_UNIT_PRIOR, true);
    CHECK_CASE(p, given);
}

static double objective(void *context)
{
    bound_terms terms;
    return problem_objective(context, &terms);
}

static void check_gradients(problem *p)
{
    bound_terms terms;
    problem_objective(p, &terms);
    messages_backward(p->gencoded, &p->g, p->m, &p->e, &p->b, p->gx);
    assert_gradient("encoded", objective, p, p->encoded, p->gencoded, p->rows * 2 * p->d, 1e-5);
    assert_gradient("pi", objective, p, p->pi, p->g.pi, p->K, 1e-5);
    assert_gradient("niw", objective, p, p->niw, p->g.niw, p->K * p->P, 1e-5);
    assert_gradient("ln_sens", objective, p, p->ln_sens, p->g.ln_sens, 2 * p->M, 1e-5);
    assert_gradient("ln_spec", objective, p, p->ln_spec, p->g.ln_spec, 2 * p->M, 1e-5);
    problem_free(p);
}

/* From a given start, so that the start does not move with the leaves. */
static void gradients_by_differences(void **state)
{
    (void)state;
    static const size_t shapes[][5] = {/* d, K, T, rows, answers */
                                       {1, 2, 1, 3, 4},
                                       {2, 3, 4, 40, 60},
                                       {5, 7, 2, 33, 9},
                                       {18, 4, 3, 5, 3},
                                       {46, 2, 2, 3, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const size_t *s = shapes[i];
        check_gradients(problem_new(s[0], s[1], s[2], s[3], s[4], START_UNIT_PRIOR));
    }
    problem *p = problem_new(3, 4, 3, 6, 0, START_RANDOM);
    p->b.start = p->b.field = NULL;
    check_gradients(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_pytorch),
        cmocka_unit_test(gradients_by_differences),
    };
    parallel_set_threads(1); /* small work: waking threads costs more */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
