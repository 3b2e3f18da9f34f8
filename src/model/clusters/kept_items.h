/* How well a mixture foretells items that were kept from it. */
#ifndef SCDC_MODEL_KEPT_ITEMS_H
#define SCDC_MODEL_KEPT_ITEMS_H

#include "mixture/mixture.h"

/* *nats: log likelihood of x [n][dims], each quarter of the items under a mixture of the same size
 * and family that the others are fitted with, from where m has them. -INFINITY where a quarter
 * cannot be fitted without. */
int kept_items_foretold(double *nats, const mixture *m, const float *x, size_t n,
                        const mixture_options *how);

#endif
