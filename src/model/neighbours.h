/* Nearest neighbours in latent space as evidence about components.
 *
 * Links from a fixed number of query items to their nearest among all N items (exact, by blocks of
 * matrix products): linear in N. Counted between components they tell which components touch. */
#ifndef SCDC_MODEL_NEIGHBOURS_H
#define SCDC_MODEL_NEIGHBOURS_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct neighbour_options {
    size_t queries;    /* most query items, drawn without replacement */
    size_t neighbours; /* per query */
    uint64_t seed;
} neighbour_options;

/* links [K][K], symmetric, sums to the number of links: links between items of component k and of
 * component l. x [N][d] latent means, component [N] below K. */
int neighbour_links(double *links, size_t K, const float *x, size_t n, size_t d,
                    const uint32_t *component, const neighbour_options *options);

/* The links as one more worker with two coins: a link is an answer "same", a pair drawn at random
 * an answer "different", as many of these as there are links. */

/* Sensitivity = links / (links + random pairs) inside clusters, specificity = random pairs / (links
 * + random pairs) between clusters. share [K]: proportions of the components; same [K][K] as in a
 * grouping. */
void neighbour_coins(double coins[2], size_t K, const double *links, const double *share,
                     const double *same);

/* Evidence in nats, before any tempering, in the convention of grouping.h:
 *     G_kl = 2 [ ln(a / (1-b)) links_kl + ln((1-a) / b) total p_k p_l ].
 * Equal coins give the modularity of the links. */
void neighbour_evidence(double *evidence, const double coins[2], size_t K, const double *links,
                        const double *share);

#endif
