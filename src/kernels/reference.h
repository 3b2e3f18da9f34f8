/* The plain twin of every fast kernel: loops one can check by reading, libm functions, sums in
 * double. Tests compare the two; nothing else calls these. Arguments as in the fast ones. */
#ifndef SCDC_KERNELS_REFERENCE_H
#define SCDC_KERNELS_REFERENCE_H

#include "kernels/channels.h"
#include "kernels/conv.h"
#include "kernels/gather.h"
#include "kernels/gemm.h"

#include <stdint.h>

void reference_gemm(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                    const real *a, const real *b, real beta, real *c);
void reference_bias_add(real *y, const real *bias, size_t rows, size_t cols);
void reference_bias_relu(real *y, const real *bias, size_t rows, size_t cols);
void reference_column_sums(real *out, bool add, const real *x, size_t rows, size_t cols);
void reference_relu_backward(real *d, real *d_bias, bool add, const real *y, size_t rows,
                             size_t cols);
void reference_softplus_values(real *out, const real *in, size_t n);
void reference_softmax_rows(real *p, const real *x, size_t rows, size_t cols);
void reference_log_softmax_rows(real *out, const real *x, size_t rows, size_t cols);
void reference_log_sum_exp_rows(real *out, const real *x, size_t rows, size_t cols);
/* gradient may be NULL; it may not be the outputs. */
void reference_bernoulli(double *value, real *gradient, const real *logits, const real *weight,
                         const real *o, const uint32_t *of, size_t rows, size_t cols);
void reference_gaussian(double *value, real *gradient, const real *outputs, const real *weight,
                        const real *o, const uint32_t *of, size_t rows, size_t cols);
void reference_logistic(double *value, real *gradient, const real *outputs, const real *weight,
                        const real *o, const uint32_t *of, size_t rows, size_t cols);
void reference_adam_step(real *params, real *m, real *v, const real *gradient, size_t n,
                         double rate, int64_t t);
void reference_momentum_step(real *params, real *velocity, const real *gradient, size_t n,
                             double rate, double momentum);
void reference_binarise_u8(real *out, const uint8_t *pixels, size_t n, uint64_t seed,
                           uint32_t epoch, uint64_t item);
void reference_lanes_add_product(double *out, const double *w, size_t w_length, const double *x,
                                 size_t inner, size_t features);
void reference_lanes_softmax(double *x, size_t n);
void reference_gather_rows(double *out, const double *rows, size_t width, const double *weight,
                           const gather_term *term, size_t count);

void reference_channels_sum(real *sum, const real *x, size_t pixels, size_t channels);
void reference_channels_squares(real *sum, const real *x, const real *centre, size_t pixels,
                                size_t channels);
void reference_channels_normalise(real *y, const real *x, const channel_norm *n, size_t pixels);
void reference_channels_slopes(real *along, real *sum, real *d, const real *y, const real *x,
                               const channel_norm *n, size_t pixels);
void reference_channels_back(real *d_x, const real *d, const real *x, const real *along,
                             const real *sum, const channel_norm *n, size_t pixels);
void reference_conv_forward(real *out, const conv_shape *s, const real *in, const real *w,
                            const real *bias, size_t images, bool relu);
void reference_conv_backward(real *d_in, real *dw, real *db, bool add, const conv_shape *s,
                             real *d_out, const real *out, const real *in, const real *w,
                             size_t images);

#endif
