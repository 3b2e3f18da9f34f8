/* Whether a mixture is found again: mixtures of its family are fitted to halves of the items, of as
 * many components as half the items call for, and place all items. What halves agree on with the
 * whole is there. Gaussians that only help each other to imitate another shape are fewer where
 * there are fewer items, and lie elsewhere. */
#ifndef SCDC_MODEL_AGAIN_H
#define SCDC_MODEL_AGAIN_H

#include "mixture/mixture.h"

typedef struct found_again {
    size_t fits;
    uint32_t *component; /* [fits][n] components of all items by each half */
    double plain;        /* median agreement of halves and whole about components */
    double joined;       /* ... about parts, components that overlap joined (overlap.h) */
    arena memory;
} found_again;

typedef struct again_question {
    const float *x; /* [n][d] */
    size_t n, d;
    mixture_family family;
    const size_t *sizes; /* numbers of components that halves may call for */
    size_t n_sizes;
    const uint32_t *component, *part; /* [n] of all items, components and parts */
    mixture_options how;
} again_question;

/* Items too few to be halved, or halves that the family does not suit: no fits, no agreement. */
int found_again_ask(found_again *out, const again_question *q);
void found_again_free(found_again *f);
/* Median agreement of halves and whole about a division [n] of the items, when each component of a
 * half stands for the part that most of its items are in; 0 without fits. */
int found_again_division(double *out, const found_again *f, const uint32_t *part, size_t n);

#endif
