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

#endif
