/* L-BFGS with a backtracking line search.
 *
 * Nocedal and Wright, "Numerical optimization", 2006, algorithm 7.5. The step is halved until the
 * value falls by SUFFICIENT of what the slope promises; a pair with too little curvature is not
 * remembered. */
#include "kernels/lbfgs.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 30 };
static const double SUFFICIENT = 1e-4, CURVATURE = 1e-10;

int lbfgs_create(lbfgs *out, arena *a, size_t n)
{
    *out = (lbfgs){.n = n};
    out->gradient = arena_new(a, n, sizeof(double), "gradient");
    out->trial = arena_new(a, n, sizeof(double), "trial point");
    out->trial_gradient = arena_new(a, n, sizeof(double), "trial gradient");
    out->direction = arena_new(a, n, sizeof(double), "direction");
    out->moves = arena_new(a, n * LBFGS_MEMORY, sizeof(double), "moves");
    out->changes = arena_new(a, n * LBFGS_MEMORY, sizeof(double), "gradient changes");
    return arena_status(a);
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* direction = - H gradient by the two-loop recursion over the last `kept` of `seen` pairs. */
static void find_direction(lbfgs *l, size_t seen, size_t kept)
{
    double alpha[LBFGS_MEMORY];
    size_t n = l->n;
    for (size_t i = 0; i < n; i++) l->direction[i] = -l->gradient[i];
    for (size_t back = 0; back < kept; back++) {
        size_t slot = (seen - 1 - back) % LBFGS_MEMORY;
        const double *s = l->moves + slot * n, *y = l->changes + slot * n;
        alpha[slot] = dot(s, l->direction, n) / dot(s, y, n);
        for (size_t i = 0; i < n; i++) l->direction[i] -= alpha[slot] * y[i];
    }
    if (kept) {
        size_t slot = (seen - 1) % LBFGS_MEMORY;
        const double *s = l->moves + slot * n, *y = l->changes + slot * n;
        double scale = dot(s, y, n) / dot(y, y, n);
        for (size_t i = 0; i < n; i++) l->direction[i] *= scale;
    }
    for (size_t back = kept; back-- > 0;) {
        size_t slot = (seen - 1 - back) % LBFGS_MEMORY;
        const double *s = l->moves + slot * n, *y = l->changes + slot * n;
        double beta = dot(y, l->direction, n) / dot(s, y, n);
        for (size_t i = 0; i < n; i++) l->direction[i] += (alpha[slot] - beta) * s[i];
    }
}

/* Halves the step until the value falls enough. False when it never does. */
static int search_line(lbfgs *l, const double *x, double *value, double step, lbfgs_function f,
                       void *context)
{
    double slope = dot(l->gradient, l->direction, l->n);
    if (!(slope < 0)) return 0;
    for (int halving = 0; halving < HALVINGS; halving++, step *= .5) {
        for (size_t i = 0; i < l->n; i++) l->trial[i] = x[i] + step * l->direction[i];
        double trial = f(context, l->trial_gradient, l->trial);
        if (trial <= *value + SUFFICIENT * step * slope) {
            *value = trial;
            return 1;
        }
    }
    return 0;
}

double lbfgs_minimise(lbfgs *l, double *x, lbfgs_function f, void *context, size_t max_iterations,
                      double tolerance)
{
    size_t n = l->n, seen = 0, kept = 0;
    double value = f(context, l->gradient, x);
    for (size_t iteration = 0; iteration < max_iterations; iteration++) {
        double largest = 0;
        for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(l->gradient[i]));
        if (!(largest > tolerance)) break;
        find_direction(l, seen, kept);
        if (!search_line(l, x, &value, kept ? 1 : fmin(1, 1 / largest), f, context)) break;
        double *s = l->moves + seen % LBFGS_MEMORY * n, *y = l->changes + seen % LBFGS_MEMORY * n;
        for (size_t i = 0; i < n; i++) {
            s[i] = l->trial[i] - x[i];
            y[i] = l->trial_gradient[i] - l->gradient[i];
        }
        memcpy(x, l->trial, n * sizeof *x);
        memcpy(l->gradient, l->trial_gradient, n * sizeof *x);
        if (dot(s, y, n) > CURVATURE * dot(y, y, n)) {
            seen++;
            if (kept < LBFGS_MEMORY) kept++;
        }
    }
    return value;
}
