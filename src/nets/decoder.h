/* The decoder p(o | x): a net and the distribution of its outputs. */
#ifndef SCDC_NETS_DECODER_H
#define SCDC_NETS_DECODER_H

#include "nets/net.h"

typedef struct decoder {
    net net; /* x [rows][d] -> logits [rows][D], or means and widths [rows][2 D] */
    scdc_likelihood likelihood;
    size_t observed; /* D */
    layer *last;     /* the one that makes the outputs */
} decoder;

/* What it is made of. */
typedef struct decoder_form {
    size_t latent;
    shape observed;
    const size_t *hidden; /* dense layers from the side of x */
    size_t n_hidden;
    const char *words; /* and layers of images behind them (nets/words.h); NULL: none */
    scdc_likelihood likelihood;
    size_t max_rows;
} decoder_form;
int decoder_create(decoder *out, arena *a, const decoder_form *form);

/* First weights, as net_init. The variances of a Gaussian and the widths of a logistic begin
 * constant: drawn at random they would be tiny for some items at first, and those would send the
 * first steps far away. */
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
