/* How sure the word on an item may be that is placed alone, by its values, without answers or
 * neighbours.
 *
 *   p(c) = (1 - doubt) experts(c)^a network(c)^b / sum + doubt / C
 *
 * The experts' weights (experts.h) are what is best for items that hear answers and neighbours
 * beside them, and then the word of an item by itself is far too timid. Alone it is as sure as
 * foretells answers best: of every answer kept out, one item speaks alone and the other is known by
 * everything else; powers and doubt are the mean of their posterior. A network (pupil/) that says
 * more than the experts leads by the same rule. */
#ifndef SCDC_MODEL_ALONE_H
#define SCDC_MODEL_ALONE_H

#include "model/classes/experts.h"

/* As the experts say. */
alone_word alone_as_it_is(void);
/* p [C] from the experts' word (may be p) and the network's (NULL: there is none) [C]. */
void alone_say(double *p, const alone_word *a, const double *by_experts, const double *by_network,
               size_t clusters);

typedef struct alone_case {
    const expert_case *given; /* its mixture is the experts' word on each annotated item alone */
    const double *by_network; /* [nodes][C] the network's; NULL: there is none */
    bool network_leads;       /* whatever the experts say */
    /* [nodes] items that speak: answers about them were heard by nobody. NULL: all speak, in trials
     * that keep answers out (experts.h). */
    const bool *unheard;
} alone_case;

/* Chooses powers and doubt. */
int alone_weigh(alone_word *out, const alone_case *c);
/* Only how far to doubt a word that is left as it is: the case's mixture, the network is not asked.
 */
int alone_doubt(double *doubt, const alone_case *c);

#endif
