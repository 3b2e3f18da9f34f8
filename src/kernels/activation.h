/* Row-wise maps of layers and their gradients. Matrices are row-major [rows][cols]. */
#ifndef SCDC_KERNELS_ACTIVATION_H
#define SCDC_KERNELS_ACTIVATION_H

#include "base/real.h"
#include "base/variant.h"

#include <stdbool.h>
#include <stddef.h>

#define bias_add VARIANT(bias_add)
#define bias_relu VARIANT(bias_relu)
#define column_sums VARIANT(column_sums)
#define relu_backward VARIANT(relu_backward)
#define softplus_values VARIANT(softplus_values)
#define softmax_rows VARIANT(softmax_rows)
#define log_softmax_rows VARIANT(log_softmax_rows)
#define log_sum_exp_rows VARIANT(log_sum_exp_rows)

/* y[r][c] += bias[c] */
void bias_add(real *y, const real *bias, size_t rows, size_t cols);
/* y[r][c] = max(0, y[r][c] + bias[c]) */
void bias_relu(real *y, const real *bias, size_t rows, size_t cols);
/* out[c] = (add ? out[c] : 0) + sum_r x[r][c], rows added in order */
void column_sums(real *out, bool add, const real *x, size_t rows, size_t cols);
/* d[r][c] = 0 where y[r][c] = 0; then d_bias as column_sums of d */
void relu_backward(real *d, real *d_bias, bool add, const real *y, size_t rows, size_t cols);

/* out[i] = ln(1 + e^in[i]); out may be in */
void softplus_values(real *out, const real *in, size_t n);

/* p = softmax of each row; p may be x */
void softmax_rows(real *p, const real *x, size_t rows, size_t cols);
/* out = x - ln sum exp x of each row; out may be x */
void log_softmax_rows(real *out, const real *x, size_t rows, size_t cols);
/* out[r] = ln sum_c exp x[r][c] */
void log_sum_exp_rows(real *out, const real *x, size_t rows, size_t cols);

#endif
