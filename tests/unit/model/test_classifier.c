/* The classifier: what the others say of an item is what a classifier taught without it says; what
 * it knows can be written down; two interleaved half moons. */
#include "base/rng.h"
#include "model/classes/classifier.h"
#include "model/model.h"
#include "support/check.h"

enum { N = 14, D = 3, C = 3 };

static void fill(classifier *j, double r[N][C])
{
    rng random;
    rng_init(&random, 4, RNG_TEST, 0, 0);
    for (size_t i = 0; i < N * D; i++) j->x[i] = (real)rng_normal(&random);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t c = 0; c < C; c++) sum += r[i][c] = 0.05 + rng_uniform(&random);
        for (size_t c = 0; c < C; c++) r[i][c] /= sum;
    }
}

/* Solves a x = b by elimination, n x n and n x C. */
static void solve(double a[N][N], double b[N][C], size_t n)
{
    for (size_t p = 0; p < n; p++) {
        for (size_t i = 0; i < n; i++) {
            if (i == p) continue;
            double factor = a[i][p] / a[p][p];
            for (size_t k = 0; k < n; k++) a[i][k] -= factor * a[p][k];
            for (size_t c = 0; c < C; c++) b[i][c] -= factor * b[p][c];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < C; c++) b[i][c] /= a[i][i];
    }
}

static double kernel(const classifier *j, size_t a, size_t b)
{
    double sum = 0;
    for (size_t d = 0; d < D; d++) {
        double difference = (double)(j->x[a * D + d] - j->x[b * D + d]);
        sum += difference * difference;
    }
    return exp(-j->scale[CLASSIFIER_WIDTH] * sum);
}

/* Probabilities of item `out` by a regression on all others. */
static void told_by_others(double p[C], const classifier *j, double r[N][C], double ridge,
                           size_t out)
{
    double a[N][N], b[N][C], f[C], sum = 0;
    size_t row = 0, who[N];
    for (size_t i = 0; i < N; i++) {
        if (i != out) who[row++] = i;
    }
    for (size_t i = 0; i < row; i++) {
        for (size_t k = 0; k < row; k++) a[i][k] = kernel(j, who[i], who[k]) + (i == k) * ridge;
        for (size_t c = 0; c < C; c++) b[i][c] = r[who[i]][c] - j->base[c];
    }
    solve(a, b, row);
    for (size_t c = 0; c < C; c++) {
        f[c] = j->base[c];
        for (size_t i = 0; i < row; i++) f[c] += kernel(j, out, who[i]) * b[i][c];
        sum += p[c] = exp(j->scale[CLASSIFIER_SHARPNESS] * f[c]);
    }
    for (size_t c = 0; c < C; c++) p[c] /= sum;
}

static void leaving_one_out_is_exact(void **state)
{
    (void)state;
    classifier j;
    lesson l;
    double r[N][C], p[C];
    assert_ok(classifier_create(&j, N, D, C));
    fill(&j, r);
    assert_ok(lesson_create(&l, &j, false));
    for (size_t step = 0; step < 3; step++) {
        double ridge = 0.01 * pow(5, (double)step), fit = 0;
        assert_ok(lesson_set_ridge(&l, ridge));
        double told = lesson_learn(&l, &r[0][0]);
        for (size_t i = 0; i < N; i++) {
            told_by_others(p, &j, r, ridge, i);
            for (size_t c = 0; c < C; c++) {
                assert_close(l.others[i * C + c], p[c], 1e-5); /* distances are in float */
                fit += r[i][c] * log(p[c]) / N;
            }
        }
        assert_close(told, fit, 1e-5);
    }
    lesson_free(&l);
    classifier_free(&j);
}

static void several_lessons_at_once_are_as_one_after_the_other(void **state)
{
    (void)state;
    enum { LESSONS = 3 };
    classifier j;
    lesson l;
    double r[LESSONS][N][C], others[LESSONS][N * C], alpha[N * C];
    double *out[LESSONS] = {others[0], others[1], others[2]};
    const double *in[LESSONS] = {r[0][0], r[1][0], r[2][0]};
    assert_ok(classifier_create(&j, N, D, C));
    fill(&j, r[0]);
    for (size_t i = 0; i < N; i++) { /* other items of the same classes, and other classes */
        for (size_t c = 0; c < C; c++) {
            r[1][i][c] = r[0][N - 1 - i][c];
            r[2][i][c] = i % C == c;
        }
    }
    assert_ok(lesson_create(&l, &j, false));
    assert_ok(lesson_set_ridge(&l, 0.03));
    lesson_learn(&l, in[0]);
    memcpy(alpha, j.alpha, sizeof alpha);
    assert_ok(lesson_make_room(&l, LESSONS));
    lesson_foretell(&l, out, in, LESSONS);
    assert_memory_equal(alpha, j.alpha, sizeof alpha);
    for (size_t k = 0; k < LESSONS; k++) {
        lesson_learn(&l, in[k]);
        for (size_t i = 0; i < N * C; i++) assert_close(others[k][i], l.others[i], 1e-9);
    }
    lesson_free(&l);
    classifier_free(&j);
}

/* Values far from 0, and one item far from all others: distances are differences of large numbers.
 */
static void far_values_have_a_kernel(void **state)
{
    (void)state;
    for (int outlier = 0; outlier < 2; outlier++) {
        classifier j;
        lesson l;
        double r[N][C], p[C], q[N * C];
        assert_ok(classifier_create(&j, N, D, C));
        fill(&j, r);
        for (size_t i = 0; i < N; i++) j.x[i * D] = (real)(outlier && i ? -4e3 : 4e5);
        assert_ok(lesson_create(&l, &j, false));
        assert_ok(lesson_set_ridge(&l, 0.01));
        lesson_learn(&l, &r[0][0]);
        for (size_t i = 0; i < N; i++) {
            told_by_others(p, &j, r, 0.01, i);
            for (size_t c = 0; c < C; c++) assert_close(l.others[i * C + c], p[c], 1e-5);
        }
        classifier_place(q, &j, j.x, N);
        for (size_t i = 0; i < N; i++) { /* f = r - ridge alpha where it learned */
            double sum = 0;
            for (size_t c = 0; c < C; c++) {
                sum += p[c] =
                    exp(j.scale[CLASSIFIER_SHARPNESS] * (r[i][c] - 0.01 * j.alpha[i * C + c]));
            }
            for (size_t c = 0; c < C; c++) assert_close(q[i * C + c], p[c] / sum, 1e-5);
        }
        lesson_free(&l);
        classifier_free(&j);
    }
}

static void what_it_knows_can_be_written_down(void **state)
{
    (void)state;
    classifier j, other;
    lesson l;
    double r[N][C], p[N * C], q[N * C];
    tensor_ref from[CLASSIFIER_TENSORS], to[CLASSIFIER_TENSORS];
    assert_ok(classifier_create(&j, N, D, C));
    assert_ok(classifier_create(&other, N, D, C));
    fill(&j, r);
    assert_ok(lesson_create(&l, &j, false));
    assert_ok(lesson_set_ridge(&l, 0.03));
    lesson_learn(&l, &r[0][0]);
    classifier_place(p, &j, j.x, N);
    assert_int_equal(classifier_tensors(from, &j), CLASSIFIER_TENSORS);
    classifier_tensors(to, &other);
    for (size_t t = 0; t < CLASSIFIER_TENSORS; t++) {
        memcpy(to[t].values, from[t].values, tensor_bytes(&to[t]));
    }
    classifier_restore(&other);
    classifier_place(q, &other, j.x, N);
    for (size_t i = 0; i < N * C; i++) assert_true(p[i] == q[i]);
    lesson_free(&l);
    classifier_free(&j);
    classifier_free(&other);
}

/* Two half moons, each around the end of the other: no straight line tells them apart. */
static void moons(real *x, double *r, size_t n, uint64_t seed)
{
    rng random;
    rng_init(&random, seed, RNG_TEST, 1, 0);
    for (size_t i = 0; i < n; i++) {
        double angle = M_PI * rng_uniform(&random), half = i % 2 ? -1 : 1;
        x[2 * i] = (real)(half * cos(angle) + (i % 2) + 0.1 * rng_normal(&random));
        x[2 * i + 1] =
            (real)(half * sin(angle) + 0.5 * (double)(i % 2) + 0.1 * rng_normal(&random));
        r[2 * i] = i % 2 ? 0 : 1;
        r[2 * i + 1] = 1 - r[2 * i];
    }
}

static void new_items_of_two_moons_are_told_apart(void **state)
{
    (void)state;
    enum { MANY = 600 };
    static real x[2 * MANY];
    static double r[2 * MANY], p[2 * MANY];
    classifier j;
    lesson l;
    size_t right = 0;
    assert_ok(classifier_create(&j, 200, 2, 2));
    moons(j.x, r, 200, 1);
    assert_ok(lesson_create(&l, &j, false));
    assert_ok(lesson_set_ridge(&l, 0.01));
    assert_true(lesson_learn(&l, r) > -0.2);
    moons(x, r, MANY, 2);
    classifier_place(p, &j, x, MANY); /* more rows than it takes at once */
    for (size_t i = 0; i < MANY; i++) right += (p[2 * i] > 0.5) == (r[2 * i] > 0.5);
    assert_true(right > 0.98 * MANY);
    lesson_free(&l);
    classifier_free(&j);
}

/* Items whose classes are certain want little ridge, items of doubtful classes more. */
static double check_ridge(size_t n, double flipped)
{
    classifier j;
    lesson l;
    double best = -INFINITY, *r = calloc(2 * n, sizeof *r);
    const double ridges[] = {0.01, 0.03, 0.1};
    rng random;
    rng_init(&random, 4, RNG_TEST, 2, 0);
    assert_non_null(r);
    assert_ok(classifier_create(&j, n, 2, 2));
    moons(j.x, r, n, 1);
    for (size_t i = 0; i < n; i++) {
        if (rng_uniform(&random) < flipped) r[2 * i] = 1 - r[2 * i], r[2 * i + 1] = 1 - r[2 * i];
    }
    assert_ok(lesson_create(&l, &j, false));
    assert_ok(lesson_choose_ridge(&l, r));
    double ridge = l.ridge, chosen = lesson_learn(&l, r);
    for (size_t i = 0; i < 3; i++) {
        assert_ok(lesson_set_ridge(&l, ridges[i]));
        best = fmax(best, lesson_learn(&l, r));
    }
    assert_true(chosen == best);
    lesson_free(&l);
    classifier_free(&j);
    free(r);
    return ridge;
}

static void the_ridge_fits_the_doubt(void **state)
{
    (void)state;
    assert_true(check_ridge(300, 0) < check_ridge(300, 0.3));
}

/* One value of many tells two classes apart, not always: the more ridge the better, clearly. */
static void the_ridge_of_many_items_is_chosen_on_some(void **state)
{
    (void)state;
    enum { MANY = RIDGE_ITEMS + 400, VALUES = 20 };
    static double r[2 * MANY];
    classifier j;
    lesson l;
    rng random;
    rng_init(&random, 5, RNG_TEST, 2, 0);
    assert_ok(classifier_create(&j, MANY, VALUES, 2));
    for (size_t i = 0; i < MANY; i++) {
        for (size_t a = 0; a < VALUES; a++) j.x[i * VALUES + a] = (real)rng_normal(&random);
        j.x[i * VALUES] += i % 2 ? 1 : -1;
        size_t c = rng_uniform(&random) < 0.1 ? 1 - i % 2 : i % 2;
        r[2 * i + c] = 1;
    }
    assert_ok(lesson_create(&l, &j, false));
    assert_ok(lesson_choose_ridge(&l, r));
    double ridge = l.ridge, most = lesson_learn(&l, r);
    assert_true(ridge == 0.1);
    for (int i = 0; i < 2; i++) {
        assert_ok(lesson_set_ridge(&l, i ? 0.03 : 0.01));
        assert_true(lesson_learn(&l, r) < most - 0.01);
    }
    lesson_free(&l);
    classifier_free(&j);
}

/* The classifier's items learn r with C classes; the word of the others. */
static double learn_by_chosen_ridge(double *others, lesson *l, const double *r, size_t classes)
{
    l->classifier->classes = classes;
    assert_ok(lesson_choose_ridge(l, r));
    lesson_learn(l, r);
    memcpy(others, l->others, l->classifier->items * classes * sizeof *others);
    return l->ridge;
}

/* Inverses that were kept are those of a first choice, also when there were fewer classes then. */
static void check_chosen_again(size_t n)
{
    enum { FEW = 2, MORE = 3 };
    classifier j;
    lesson l, fresh;
    rng random;
    double *few = calloc(n * FEW, sizeof *few), *more = calloc(n * MORE, sizeof *more);
    double *first = calloc(n * MORE, sizeof *first), *again = calloc(n * MORE, sizeof *again);
    assert_true(few && more && first && again);
    rng_init(&random, 6, RNG_TEST, 2, 0);
    assert_ok(classifier_create(&j, n, 2, MORE));
    moons(j.x, few, n, 1);
    for (size_t i = 0; i < n; i++) {
        size_t c = few[FEW * i] > 0 ? 0 : 1, other = rng_below(&random, MORE);
        more[MORE * i + (rng_uniform(&random) < 0.7 ? other : c)] = 1;
    }
    assert_ok(lesson_create(&l, &j, false));
    double clear = learn_by_chosen_ridge(first, &l, few, FEW);
    double noise = learn_by_chosen_ridge(first, &l, more, MORE);
    assert_true(clear < noise);
    assert_ok(lesson_create(&fresh, &j, false));
    assert_true(learn_by_chosen_ridge(again, &fresh, more, MORE) == noise);
    assert_memory_equal(first, again, n * MORE * sizeof *first);
    assert_true(learn_by_chosen_ridge(again, &fresh, few, FEW) == clear);
    assert_true(learn_by_chosen_ridge(first, &l, few, FEW) == clear);
    assert_memory_equal(first, again, n * FEW * sizeof *first);
    lesson_free(&l);
    lesson_free(&fresh);
    classifier_free(&j);
    free(few);
    free(more);
    free(first);
    free(again);
}

static void a_ridge_chosen_again_is_as_for_the_first_time(void **state)
{
    (void)state;
    check_chosen_again(200);
    check_chosen_again(RIDGE_ITEMS + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_one_out_is_exact),
        cmocka_unit_test(several_lessons_at_once_are_as_one_after_the_other),
        cmocka_unit_test(far_values_have_a_kernel),
        cmocka_unit_test(what_it_knows_can_be_written_down),
        cmocka_unit_test(new_items_of_two_moons_are_told_apart),
        cmocka_unit_test(the_ridge_fits_the_doubt),
        cmocka_unit_test(the_ridge_of_many_items_is_chosen_on_some),
        cmocka_unit_test(a_ridge_chosen_again_is_as_for_the_first_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
