/* Ways to look at the values of annotated items: what kinds differ in may be any of the columns,
 * what is left of columns that tell nearly the same, or, of many columns, a few directions in which
 * the items differ. Which of them answers are about only answers can tell. */
#ifndef SCDC_MODEL_CLASS_VIEWS_H
#define SCDC_MODEL_CLASS_VIEWS_H

#include "base/memory.h"
#include "base/real.h"

enum { CLASS_VIEWS = 4 };

typedef struct class_view {
    double *x;   /* [nodes][rows] the last value of a row is 1, for a bias */
    size_t rows; /* values and the bias */
} class_view;

/* The views that so many items and columns allow, at least one: standardised columns; the same
 * without correlations; principal components, brought to one width, and in their proportions. */
int class_views_make(class_view views[CLASS_VIEWS], size_t *count, arena *m, const real *x,
                     size_t nodes, size_t dims);

#endif
