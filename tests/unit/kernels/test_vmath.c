/* vmath: distance from the correctly rounded result over the whole range, and special values. */
#include "kernels/vmath.h"
#include "support/check.h"

/* Distance in units of the last place of the expected float. */
static double ulps(float got, double expected)
{
    float rounded = (float)expected;
    if (isinf(rounded) || rounded == 0) return got == rounded ? 0 : INFINITY;
    double ulp = (double)(nextafterf(fabsf(rounded), INFINITY) - fabsf(rounded));
    return fabs((double)got - expected) / ulp;
}

static void check_range(const char *name, float (*f)(float), double (*exact)(double), double from,
                        double to, double allowed)
{
    enum { STEPS = 400000 };
    double worst = 0, at = 0;
    for (int i = 0; i <= STEPS; i++) {
        float x = (float)(from + (to - from) * i / STEPS);
        double error = ulps(f(x), exact((double)x));
        if (!(error <= worst)) worst = error, at = (double)x;
    }
    if (!(worst <= allowed)) fail_msg("%s: %g ulp at %.9g, allowed %g", name, worst, at, allowed);
}

static double exact_softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}
static double exact_sigmoid(double x)
{
    return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static void errors_stay_small(void **state)
{
    (void)state;
    check_range("exp", vm_exp, exp, -87, 88.7, 1);
    check_range("exp, denormal results", vm_exp, exp, -103, -87, 0.8);
    check_range("exp, small", vm_exp, exp, -1, 1, 0.86);
    check_range("log, around 1", vm_log, log, 0.5, 2, 0.85);
    check_range("log, large", vm_log, log, 1, 3e38, 0.55);
    check_range("log, small", vm_log, log, 1e-38, 1e-30, 0.55);
    check_range("log, denormal", vm_log, log, 1e-45, 1e-38, 0.55);
    check_range("log1p", vm_log1p_unit, log1p, 0, 1, 1.3);
    check_range("softplus", vm_softplus, exact_softplus, -80, 80, 1.9);
    check_range("sigmoid", vm_sigmoid, exact_sigmoid, -80, 80, 2.15);
}

static void special_values(void **state)
{
    (void)state;
    assert_true(vm_exp(0) == 1 && vm_exp(-INFINITY) == 0 && vm_exp(-1000) == 0);
    assert_true(vm_exp(INFINITY) == INFINITY && vm_exp(90) == INFINITY && isnan(vm_exp(NAN)));
    assert_true(vm_log(1) == 0 && vm_log(0) == -INFINITY && vm_log(INFINITY) == INFINITY);
    assert_true(isnan(vm_log(-1)) && isnan(vm_log(-INFINITY)) && isnan(vm_log(NAN)));
    assert_true(isnan(vm_log(-NAN)));
    assert_true(vm_softplus(1e30f) == 1e30f && vm_softplus(-200) == 0 && isnan(vm_softplus(NAN)));
    assert_true(vm_softplus(INFINITY) == INFINITY && vm_softplus(-INFINITY) == 0);
    assert_true(vm_sigmoid(0) == 0.5f && vm_sigmoid(INFINITY) == 1 && vm_sigmoid(-INFINITY) == 0);
    assert_true(isnan(vm_sigmoid(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_stay_small),
        cmocka_unit_test(special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
