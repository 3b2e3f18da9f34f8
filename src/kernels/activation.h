/* Row-wise maps of layers and their gradients. Matrices are row-major [rows][cols]. */
#ifndef SCDC_KERNELS_ACTIVATION_H
#define SCDC_KERNELS_ACTIVATION_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

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
