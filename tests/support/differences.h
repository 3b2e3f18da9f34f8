/* Finite differences: the slope of a function of an array, along single entries and random
 * directions, against a gradient. For the double build. */
#ifndef SCDC_TESTS_DIFFERENCES_H
#define SCDC_TESTS_DIFFERENCES_H

#include "support/values.h"

typedef double (*scalar_fn)(void *context);

/* Central difference of f when x moves along `direction` (NULL: entry `at` alone). */
static inline double slope_along(scalar_fn f, void *context, real *x, const real *direction,
                                 size_t n, size_t at, double step)
{
    double value[2];
    real *saved = copy_values(x, n);
    for (int side = 0; side < 2; side++) {
        double h = side ? -step : step;
        if (direction) {
            for (size_t i = 0; i < n; i++) x[i] = saved[i] + (real)h * direction[i];
        } else {
            x[at] = saved[at] + (real)h;
        }
        value[side] = f(context);
        memcpy(x, saved, n * sizeof *x);
    }
    mem_free(saved);
    return (value[0] - value[1]) / (2 * step);
}

/* Checks `gradient` of f at x: every entry when there are few, otherwise entries spread over the
 * array, and four random directions. Where thousands of rectifiers are at work the step must be so
 * short that it hardly ever meets the corner of one. */
static inline void assert_gradient_by(const char *what, scalar_fn f, void *context, real *x,
                                      const real *gradient, size_t n, double tolerance, double step)
{
    enum { MOST_ENTRIES = 25, DIRECTIONS = 4 };
    real *kept = copy_values(gradient, n); /* f may compute gradients too */
    size_t stride = n <= MOST_ENTRIES ? 1 : n / MOST_ENTRIES;
    double scale = 0;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs((double)kept[i]));
    for (size_t i = 0; i < n; i += stride) {
        double slope = slope_along(f, context, x, NULL, n, i, step), g = (double)kept[i];
        if (!(fabs(slope - g) <= tolerance * fmax(scale, 1e-3))) {
            fail_msg("%s, entry %zu: gradient %.10g, difference %.10g", what, i, g, slope);
        }
    }
    for (uint64_t d = 0; d < DIRECTIONS; d++) {
        real *direction = random_values(n, 1 / sqrt((double)n), 1000 + d);
        double slope = slope_along(f, context, x, direction, n, 0, step), g = 0;
        for (size_t i = 0; i < n; i++) g += (double)kept[i] * (double)direction[i];
        if (!(fabs(slope - g) <= tolerance * fmax(scale, 1e-3))) {
            fail_msg("%s, direction %d: gradient %.10g, difference %.10g", what, (int)d, g, slope);
        }
        mem_free(direction);
    }
    mem_free(kept);
}

static inline void assert_gradient(const char *what, scalar_fn f, void *context, real *x,
                                   const real *gradient, size_t n, double tolerance)
{
    assert_gradient_by(what, f, context, x, gradient, n, tolerance, 1e-5);
}

/* Off their first values, of which many are 0: there rectifiers have their corner. */
static inline void move_values(real *values, size_t n, double by)
{
    real *moved = random_values(n, by, 9);
    for (size_t i = 0; i < n; i++) values[i] += moved[i];
    mem_free(moved);
}

#endif
