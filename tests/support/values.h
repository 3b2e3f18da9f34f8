/* Random arrays of `real` for tests, and comparisons of whole arrays. */
#ifndef SCDC_TESTS_VALUES_H
#define SCDC_TESTS_VALUES_H

#include "base/memory.h"
#include "base/real.h"
#include "base/rng.h"
#include "support/check.h"

/* n normal values times `scale`, from a stream of its own; freed by mem_free. */
static inline real *random_values(size_t n, double scale, uint64_t stream)
{
    real *values;
    rng r;
    assert_ok(mem_zeroed(&values, n, sizeof *values, "test values"));
    rng_init(&r, 77, RNG_TEST, 0, stream);
    for (size_t i = 0; i < n; i++) values[i] = (real)(scale * rng_normal(&r));
    return values;
}

static inline real *copy_values(const real *from, size_t n)
{
    real *values;
    assert_ok(mem_zeroed(&values, n, sizeof *values, "test values"));
    memcpy(values, from, n * sizeof *values);
    return values;
}

/* |a - b| <= tolerance * max(1, |b|) for every value. */
static inline void assert_values_near(const real *a, const real *b, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        double x = (double)a[i], y = (double)b[i];
        if (!(fabs(x - y) <= tolerance * fmax(1, fabs(y)))) {
            fail_msg("value %zu: %.9g, expected %.9g within %g", i, x, y, tolerance);
        }
    }
}

#endif
