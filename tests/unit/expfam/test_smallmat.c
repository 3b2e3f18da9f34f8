/* smallmat: factor, solves and inverse against their definitions, and refusal of what is not
 * positive definite. */
#include "expfam/smallmat.h"
#include "base/rng.h"
#include "support/check.h"

enum { MOST = 64, PACKED = MOST * (MOST + 1) / 2 };

/* A = sum of outer products of d + 3 random vectors, plus a little of the identity. */
static void random_positive(double *a, size_t d, rng *r)
{
    packed_identity(a, 0.1, d);
    for (size_t n = 0; n < d + 3; n++) {
        double x[MOST];
        for (size_t i = 0; i < d; i++) x[i] = rng_normal(r);
        packed_add_outer(a, 1, x, d);
    }
}

static void factor_multiplies_back(void **state)
{
    (void)state;
    static double a[PACKED], l[PACKED], same[PACKED];
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (size_t d = 1; d <= MOST; d += d < 9 ? 1 : 11) {
        random_positive(a, d, &r);
        assert_true(chol_factor(l, a, d));
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t k = 0; k <= j; k++) {
                    sum += l[packed_index(i, k)] * l[packed_index(j, k)];
                }
                assert_close(sum, a[packed_index(i, j)], 1e-12 * (double)d);
            }
        }
        memcpy(same, a, sizeof same);
        assert_true(chol_factor(same, same, d));
        assert_memory_equal(same, l, packed_size(d) * sizeof *l);
    }
}

static void inverse_and_solve_undo_the_matrix(void **state)
{
    (void)state;
    static double a[PACKED], l[PACKED], inverse[PACKED], full[MOST * MOST], again[PACKED];
    double x[MOST], y[MOST], z[MOST];
    rng r;
    rng_init(&r, 2, RNG_TEST, 0, 0);
    for (size_t d = 1; d <= MOST; d += d < 9 ? 1 : 11) {
        random_positive(a, d, &r);
        assert_true(chol_factor(l, a, d));
        chol_inverse(inverse, l, d);
        packed_to_full(full, inverse, d);
        packed_from_full(again, full, d);
        assert_memory_equal(again, inverse, packed_size(d) * sizeof *again);
        for (size_t i = 0; i < d; i++) x[i] = rng_normal(&r);
        packed_times(y, a, x, d);
        double quadratic = small_dot(x, y, d);
        for (size_t i = 0; i < d; i++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++) sum += full[i * d + j] * y[j];
            assert_close(sum, x[i], 1e-9);
        }
        /* x'Ax = |L'x|^2 = y'A^-1 y = |L^-1 y|^2 */
        memcpy(z, y, sizeof z);
        chol_solve_lower(z, l, d);
        assert_near(small_dot(z, z, d), quadratic, 1e-11);
        chol_solve_upper(z, l, d);
        for (size_t i = 0; i < d; i++) assert_close(z[i], x[i], 1e-9);
        chol_solve(y, l, d);
        for (size_t i = 0; i < d; i++) assert_close(y[i], x[i], 1e-9);
        memcpy(again, l, sizeof again);
        chol_inverse(again, again, d);
        assert_memory_equal(again, inverse, packed_size(d) * sizeof *again);
    }
}

static void log_determinant_of_a_known_matrix(void **state)
{
    (void)state;
    /* [[4,2,0],[2,5,3],[0,3,6]]: determinant 4*(30-9) - 2*12 = 60 */
    double a[] = {4, 2, 5, 0, 3, 6}, l[6];
    assert_true(chol_factor(l, a, 3));
    assert_close(chol_log_det(l, 3), log(60), 1e-14);
    packed_identity(a, 2, 3);
    assert_true(chol_factor(l, a, 3));
    assert_close(chol_log_det(l, 3), 3 * log(2), 1e-14);
}

static void what_is_not_positive_definite_is_refused(void **state)
{
    (void)state;
    double l[3];
    double negative[] = {-1, 0, 1}, zero[] = {0, 0, 1}, singular[] = {1, 1, 1},
           indefinite[] = {1, 2, 1}, nan[] = {1, NAN, 1}, infinite[] = {INFINITY, 0, 1},
           nearly[] = {1, 1, 1 + 4.5e-16}, fine[] = {1, 1, 1 + 1e-12};
    double *bad[] = {negative, zero, singular, indefinite, nan, infinite, nearly};
    for (int i = 0; i < 7; i++) assert_false(chol_factor(l, bad[i], 2));
    assert_true(chol_factor(l, fine, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_multiplies_back),
        cmocka_unit_test(inverse_and_solve_undo_the_matrix),
        cmocka_unit_test(log_determinant_of_a_known_matrix),
        cmocka_unit_test(what_is_not_positive_definite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
