/* First components: which Gaussian mixture, and which of its components are one cluster.
 *
 * Mixtures of several sizes and families of covariances are fitted to the latent means. Each of
 * them, as it is, with components joined where neighbours link them as closely as the halves of one
 * component, and joined further by the answers, is a candidate. It is judged by the marginal
 * likelihood of the answers (partition.h), minus what its joins cost to name, plus a little for how
 * well the mixture explains the items. The simplest methods anybody would try are among the
 * candidates. */
#ifndef SCDC_MODEL_CANDIDATES_H
#define SCDC_MODEL_CANDIDATES_H

#include "crowd/two_coin.h"
#include "mixture/mixture.h"

#include <scdc/scdc.h>
#include <stdint.h>

typedef struct candidate_choice {
    mixture_family family;
    size_t components; /* of the mixture */
    size_t clusters;
    uint32_t *component; /* [n] of all items */
    uint32_t *cluster;   /* [components] */
    double evidence;     /* of the answers, nats; 0 without answers */
    arena memory;
} candidate_choice;

/* x [n][d] latent means, n at least 2. options: components (at most so many), clusters, neighbours,
 * seed and the workers' priors count; known [workers] (or NULL): of their answers elsewhere.
 * SCDC_ERR_ARGUMENT when there cannot be that many clusters. */
int candidates_choose(candidate_choice *out, const float *x, size_t n, size_t d,
                      const scdc_answer *answers, size_t n_answers, size_t workers,
                      const two_coin_counts *known, const scdc_options *options);
void candidate_choice_free(candidate_choice *c);

#endif
