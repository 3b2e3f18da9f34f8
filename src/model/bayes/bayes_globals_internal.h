/* Shared by the two files of the global parameters: what counts as inside the domain. */
#ifndef SCDC_MODEL_BAYES_GLOBALS_INTERNAL_H
#define SCDC_MODEL_BAYES_GLOBALS_INTERNAL_H

#include "model/bayes/bayes_globals.h"

#include <math.h>

/* Least distance of kappa, nu - (d-1) and Dirichlet or Beta parameters from the end of their
 * domain. Below every prior, so that steps towards the prior end inside. */
#define GLOBALS_MARGIN 1e-10

/* Whether eta + 1 (Dirichlet or Beta parameters) are inside. */
static inline bool globals_positive(const double *eta, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(eta[i] + 1 >= GLOBALS_MARGIN) || !isfinite(eta[i])) return false;
    }
    return true;
}

/* Components per piece of a parallel loop: some tenths of a millisecond of work, which grows as
 * d^3. Fifty components of eight values are not worth a second thread. */
static inline size_t globals_piece(const globals *g)
{
    size_t cube = g->d < 64 ? g->d * g->d * g->d : 64 * 64 * 64;
    return 1 + ((size_t)1 << 16) / cube;
}

/* Expected statistics and ln Z of component k at `eta`; false when that is outside the domain. */
bool globals_component_stats(globals *g, const double *eta, size_t k);

/* The divergence of the workers, from their parameters. */
void globals_update_worker_kl(globals *g);

#endif
