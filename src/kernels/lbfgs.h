/* Limited-memory BFGS: minimises a smooth function of many variables. */
#ifndef SCDC_KERNELS_LBFGS_H
#define SCDC_KERNELS_LBFGS_H

#include "base/memory.h"

/* The value at x; its gradient into `gradient`. */
typedef double (*lbfgs_function)(void *context, double *gradient, const double *x);

typedef struct lbfgs {
    size_t n;
    double *gradient, *trial, *trial_gradient, *direction; /* n */
    double *moves, *changes;                               /* LBFGS_MEMORY x n */
} lbfgs;
enum { LBFGS_MEMORY = 10 };

int lbfgs_create(lbfgs *out, arena *a, size_t n);
/* Up to max_iterations steps from x; x becomes the best point found, whose value is returned. Every
 * step lowers the value; stops early when the gradient's largest element is below `tolerance` or
 * no step along the direction lowers the value. Not a number counts as no improvement. */
double lbfgs_minimise(lbfgs *l, double *x, lbfgs_function f, void *context, size_t max_iterations,
                      double tolerance);

#endif
