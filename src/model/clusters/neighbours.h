/* Links between nearest neighbours (nearest.h) as evidence: about which components are one cluster,
 * and about the cluster of a single item. */
#ifndef SCDC_MODEL_NEIGHBOURS_H
#define SCDC_MODEL_NEIGHBOURS_H

#include <stddef.h>
#include <stdint.h>

/* links [K][K], symmetric, sums to the number of links: links between items of component k and of
 * component l. near [n][k] neighbours of each item, component [n] below K. */
void neighbour_links(double *links, size_t K, const uint32_t *near, size_t n, size_t k,
                     const uint32_t *component);

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

/* What one link says for its two items being of one cluster, in nats: ln(a / (1-b)), never below 0.
 * Every item has equally many links, whatever the size of its cluster, so that the random pairs
 * have nothing to add here. */
double neighbour_weight(const double coins[2]);

#endif
