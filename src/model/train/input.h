/* From stored values to what the networks see: likelihood and scaling, chosen once from the data.
 */
#ifndef SCDC_MODEL_INPUT_H
#define SCDC_MODEL_INPUT_H

#include "data/data.h"

typedef struct input_scale {
    float scale, shift; /* o = value * scale + shift */
    bool binarise;      /* Bernoulli data: o ~ Bernoulli(o), drawn anew for every minibatch */
    /* Columns of different kinds: o = draw_in((value - centre) / width). [D] each, owned; NULL: all
     * values are treated alike. */
    double *centre, *width;
} input_scale;

/* Bernoulli data are brought to [0,1]. Gaussian data: see scdc_scaling; `unit` keeps the
 * proportions between columns. *likelihood AUTO becomes one of the two; *scaling what is done (none
 * for Bernoulli data). The paper's recipe knows no columns. Out is freed by input_free. */
int input_choose(input_scale *out, scdc_likelihood *likelihood, scdc_scaling *scaling,
                 const scdc_data *data, bool paper);
/* Room for centres (0) and widths (1) of D columns. */
int input_make_columns(input_scale *input, size_t D);
void input_free(input_scale *input);

/* Inputs of rows when nothing is drawn: scaled, not binarised. o [rows][D]. */
void input_gather(real *o, const scdc_data *data, const input_scale *input, const uint32_t *items,
                  size_t rows);
/* The other way: a row of inputs [D] in the units of the data. Bernoulli means stay in [0,1]. */
void input_restore(float *out, const real *o, const input_scale *input, size_t D);

#endif
