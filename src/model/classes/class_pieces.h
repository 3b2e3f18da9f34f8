/* Clusters of items cut along a guess at their classes: pieces that answers can join otherwise than
 * the clusters did. */
#ifndef SCDC_MODEL_CLASS_PIECES_H
#define SCDC_MODEL_CLASS_PIECES_H

#include "crowd/graph.h"

/* r: in a guess [nodes][k], out [nodes][pieces] with room for `most`: of all that are in cluster c
 * (cluster [N] of the items) and are guessed to be of class g, the largest `most` pieces. */
int class_pieces(size_t *pieces, double *r, size_t k, size_t most, const int64_t *cluster,
                 const crowd_graph *g);

#endif
