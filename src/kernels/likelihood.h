/* log p(o | decoder outputs) of each row, and its gradient in the same pass.
 *
 * Row r of the outputs explains row of[r] of the observations o [.][cols] (of = NULL: row r), so
 * that several rows can explain one item without copies of it. */
#ifndef SCDC_KERNELS_LIKELIHOOD_H
#define SCDC_KERNELS_LIKELIHOOD_H

#include "base/real.h"
#include "base/variant.h"

#include <stddef.h>
#include <stdint.h>

#define bernoulli_rows VARIANT(bernoulli_rows)
#define bernoulli_rows_gradient VARIANT(bernoulli_rows_gradient)
#define bernoulli_mean VARIANT(bernoulli_mean)
#define gaussian_rows VARIANT(gaussian_rows)
#define gaussian_rows_gradient VARIANT(gaussian_rows_gradient)
#define logistic_rows VARIANT(logistic_rows)
#define logistic_rows_gradient VARIANT(logistic_rows_gradient)
#define logistic_mean VARIANT(logistic_mean)

/* Smallest variance of a Gaussian output: keeps a constant column from sending the bound to
 * infinity. Inputs are scaled to unit variance, so this is far below any noise worth modelling. */
#define GAUSSIAN_LEAST_VARIANCE REAL(1e-4)

/* Bernoulli: outputs [rows][cols] are logits, o lies in [0, 1]. */
void bernoulli_rows(double *value, const real *logits, const real *o, const uint32_t *of,
                    size_t rows, size_t cols);
/* The same; logits become weight[r] * d value[r] / d logits (weight = NULL: 1). */
void bernoulli_rows_gradient(double *value, real *logits, const real *weight, const real *o,
                             const uint32_t *of, size_t rows, size_t cols);
/* out = 1 / (1 + e^-logits), n values; out may be logits. */
void bernoulli_mean(real *out, const real *logits, size_t n);

/* Gaussian: outputs [rows][2 cols] are cols means, then cols values v with variance
 * ln(1 + e^v) + GAUSSIAN_LEAST_VARIANCE. */
void gaussian_rows(double *value, const real *outputs, const real *o, const uint32_t *of,
                   size_t rows, size_t cols);
void gaussian_rows_gradient(double *value, real *outputs, const real *weight, const real *o,
                            const uint32_t *of, size_t rows, size_t cols);

/* Discretised logistic (Salimans et al. 2017) of values in [0, 1] that are steps of 1/255, as those
 * of bytes: the probability of the step around o, which is open below 0 and above 1. Outputs [rows]
 * [2 cols] are cols values a with mean 1/2 + a, then cols values v with width
 * LOGISTIC_WIDTH ln(1 + e^v) + LOGISTIC_LEAST_WIDTH. */
#define LOGISTIC_WIDTH REAL(0.2)        /* v = 0: a deviation of .25, as pictures have */
#define LOGISTIC_LEAST_WIDTH REAL(1e-3) /* a quarter of a step: nothing is narrower */
void logistic_rows(double *value, const real *outputs, const real *o, const uint32_t *of,
                   size_t rows, size_t cols);
void logistic_rows_gradient(double *value, real *outputs, const real *weight, const real *o,
                            const uint32_t *of, size_t rows, size_t cols);
/* Values a become means within [0, 1], n of them. */
void logistic_mean(real *values, size_t n);

#endif
