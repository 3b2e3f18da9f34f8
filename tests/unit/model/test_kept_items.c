/* How well mixtures foretell items that were kept from them. */
#include "base/rng.h"
#include "model/clusters/kept_items.h"
#include "support/check.h"

enum { N = 400, D = 2 };

/* Group g of `groups` lies at 12 g in both columns. */
static void plant(float *x, size_t n, size_t groups)
{
    for (size_t i = 0; i < n * D; i++) {
        rng r;
        rng_init(&r, 5, RNG_TEST, 0, i);
        x[i] = (float)(12 * (double)(i / D % groups) + rng_normal(&r));
    }
}

static const mixture_options HOW = {.iterations = 100, .tolerance = 1e-9, .floor = 1e-9, .seed = 1};

static void fit(mixture *m, double *log_likelihood, const float *x, size_t n, mixture_family family,
                size_t k)
{
    static double share[N * 40];
    mixture_report report;
    assert_ok(mixture_create(m, family, k, D));
    assert_ok(mixture_fit(m, share, &report, x, n, &HOW));
    *log_likelihood = report.log_likelihood;
}

/* Log likelihood of the items seen and kept out. */
static void seen_and_kept(double *seen, double *kept, const float *x, mixture_family family,
                          size_t k)
{
    mixture m;
    fit(&m, seen, x, N, family, k);
    assert_ok(kept_items_foretold(kept, &m, x, N, &HOW));
    mixture_free(&m);
}

static double foretold(const float *x, mixture_family family, size_t k)
{
    double seen, kept;
    seen_and_kept(&seen, &kept, x, family, k);
    return kept;
}

/* Of p parameters told by n items these have p / 2 nats more than under the truth; told by three
 * quarters of them, the other items have p / 2 * 4 / 3 less. */
static void a_mixture_that_fits_foretells_nearly_as_well_as_the_truth(void **state)
{
    (void)state;
    float x[N * D];
    double seen, kept;
    plant(x, N, 1);
    seen_and_kept(&seen, &kept, x, MIXTURE_FULL, 1);
    assert_true(seen - kept > 1 && seen - kept < 15); /* 5 parameters: 5.8 expected */
}

static void too_few_and_too_many_components_foretell_worse(void **state)
{
    (void)state;
    float x[N * D];
    plant(x, N, 4);
    for (int family = 0; family < MIXTURE_FAMILIES; family++) {
        double right = foretold(x, (mixture_family)family, 4);
        assert_true(right > foretold(x, (mixture_family)family, 2) + 50);
        assert_true(right > foretold(x, (mixture_family)family, 30) + 10);
    }
}

/* Whoever looks at the items that it foretells is as good as one that saw them. */
static void items_kept_out_are_not_seen(void **state)
{
    (void)state;
    float x[N * D];
    double seen, kept;
    plant(x, N, 1);
    seen_and_kept(&seen, &kept, x, MIXTURE_FULL, 40);
    assert_true(seen - kept > 200);
}

static void too_few_items_are_not_foretold(void **state)
{
    (void)state;
    float x[3 * D];
    double seen, kept;
    mixture m;
    plant(x, 3, 1);
    fit(&m, &seen, x, 3, MIXTURE_SPHERICAL, 1);
    assert_ok(kept_items_foretold(&kept, &m, x, 3, &HOW));
    mixture_free(&m);
    assert_true(isinf(kept) && kept < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mixture_that_fits_foretells_nearly_as_well_as_the_truth),
        cmocka_unit_test(too_few_and_too_many_components_foretell_worse),
        cmocka_unit_test(items_kept_out_are_not_seen),
        cmocka_unit_test(too_few_items_are_not_foretold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
