/* Optimiser steps over a whole parameter block. They climb: `gradient` is of the objective that is
 * to become larger. */
#ifndef SCDC_KERNELS_OPTIMISER_H
#define SCDC_KERNELS_OPTIMISER_H

#include "base/real.h"
#include "base/variant.h"

#include <stddef.h>
#include <stdint.h>

#define adam_step VARIANT(adam_step)
#define momentum_step VARIANT(momentum_step)

/* Adam (Kingma and Ba 2015) with decay .9 and .999, step number t = 1, 2, ... */
void adam_step(real *params, real *m, real *v, const real *gradient, size_t n, double rate,
               int64_t t);
/* velocity = momentum * velocity + gradient; params += rate * velocity */
void momentum_step(real *params, real *velocity, const real *gradient, size_t n, double rate,
                   double momentum);

#endif
