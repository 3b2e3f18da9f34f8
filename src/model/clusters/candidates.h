/* First components: which Gaussian mixture, and which of its components are one cluster.
 *
 * Mixtures of several sizes and families of covariances are fitted to the latent means. Candidates
 * are these as they are, and with components joined that overlap (overlap.h), that are one island
 * (islands.h) or that neighbours link (linked.h). They stand in two orders that the items tell
 * alone: what halves of them show again (again.h) comes first, then the better mixture, by the
 * information criterion and by items that were kept from it (kept_items.h). Answers judge them by
 * their marginal likelihood (partition.h), also joined further, minus what it costs to name the
 * joins and the candidate's places in both orders. */
#ifndef SCDC_MODEL_CANDIDATES_H
#define SCDC_MODEL_CANDIDATES_H

#include "crowd/two_coin.h"
#include "mixture/mixture.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct candidate_choice {
    mixture_family family;
    size_t components; /* of the mixture */
    size_t clusters;
    uint32_t *component; /* [n] of all items */
    uint32_t *cluster;   /* [components] */
    bool trusted;        /* halves of the items show the same components: their densities hold */
    bool islands;        /* clusters were found by neighbours (islands.h) */
    double evidence;     /* of the answers, nats; 0 without answers */
    double likely;       /* nats of the answers by all candidates together, each as it stands */
    double agreed;       /* expected agreement with what else explains the answers; 1 without */
    double steady;       /* how far halves of the items show the same clusters, 0 to 1 */
    arena memory;
} candidate_choice;

/* Candidates for x [n][d] latent means (borrowed), n at least 2, and the answers about them.
 * options: components (at most so many), clusters, neighbours, seed and the workers' priors count;
 * known [workers] (or NULL): of their answers elsewhere. */
typedef struct candidate_pool candidate_pool;
int candidates_open(candidate_pool **out, const float *x, size_t n, size_t d,
                    const scdc_answer *answers, size_t n_answers, size_t workers,
                    const two_coin_counts *known, const scdc_options *options);
void candidates_close(candidate_pool *p);
/* The best of them, without those answers that left_out [n_answers] marks (NULL: none).
 * SCDC_ERR_ARGUMENT when there cannot be as many clusters as are asked for. */
int candidates_pick(candidate_choice *out, candidate_pool *p, const bool *left_out);
/* What was picked last is not what was asked for: it is not picked again. */
void candidates_refuse(candidate_pool *p);
/* Looks at halves of the items to set c->steady, which is 0 before. */
int candidates_look_again(candidate_choice *c, candidate_pool *p);
void candidate_choice_free(candidate_choice *c);

#endif
