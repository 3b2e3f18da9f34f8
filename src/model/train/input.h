/* From stored values to what the networks see: likelihood and scaling, chosen once from the data.
 */
#ifndef SCDC_MODEL_INPUT_H
#define SCDC_MODEL_INPUT_H

#include "data/data.h"

typedef struct input_scale {
    float scale, shift; /* o = value * scale + shift */
    bool binarise;      /* Bernoulli data: o ~ Bernoulli(o), drawn anew for every minibatch */
} input_scale;

/* Bernoulli data are brought to [0,1]; Gaussian data to mean 0 and standard deviation 1 over all
 * values, which keeps the proportions between features, unless `scaling` leaves them as they are.
 * *likelihood AUTO becomes one of the two. */
int input_choose(input_scale *out, scdc_likelihood *likelihood, scdc_scaling scaling,
                 const scdc_data *data);

/* Inputs of rows when nothing is drawn: scaled, not binarised. o [rows][D]. */
void input_gather(real *o, const scdc_data *data, const input_scale *input, const uint32_t *items,
                  size_t rows);

#endif
