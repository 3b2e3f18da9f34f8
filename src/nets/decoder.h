/* The decoder p(o | x): a net and the distribution of its outputs. */
#ifndef SCDC_NETS_DECODER_H
#define SCDC_NETS_DECODER_H

#include "nets/net.h"

typedef struct decoder {
    net net; /* x [rows][d] -> logits [rows][D], or means and variances [rows][2 D] */
    scdc_likelihood likelihood;
    size_t observed; /* D */
} decoder;

/* Dense layers; `hidden` from the side of x. */
int decoder_mlp(decoder *out, arena *a, size_t latent, const size_t *hidden, size_t n_hidden,
                shape observed, scdc_likelihood likelihood, size_t max_rows);

/* First weights, as net_init. The variances of a Gaussian begin constant: drawn at random they
 * would be tiny for some items at first, and those would send the first steps far away. */
void decoder_init(decoder *f, uint64_t seed, uint64_t *number);

/* value[r] = log p(o[of[r]] | x[r]), of = NULL: o[r]. */
void decoder_value(double *value, decoder *f, const real *x, const real *o, const uint32_t *of,
                   size_t rows);
/* The same with gradients of sum_r weight[r] value[r] (weight = NULL: 1): d_x overwritten,
 * parameter gradients overwritten or added to. */
void decoder_gradient(double *value, real *d_x, decoder *f, const real *x, const real *weight,
                      const real *o, const uint32_t *of, size_t rows, bool add);
/* Mean of o given x: out [rows][D]. */
void decoder_mean(real *out, decoder *f, const real *x, size_t rows);

#endif
