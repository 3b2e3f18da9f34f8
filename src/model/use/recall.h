/* What annotated items say by themselves, from memory (known.h) instead of from networks: an update
 * asks it of the same items several times. */
#ifndef SCDC_MODEL_RECALL_H
#define SCDC_MODEL_RECALL_H

#include "crowd/graph.h"
#include "model/use/known.h"

/* Whether that is known of all items of the graph. k may be NULL: then it is not. */
bool recall_possible(const scdc_model *model, const known_items *k, const crowd_graph *g);
/* q(z) [K] of one of them, as place_rows gives it for an item of the fit. */
void recall_z(double *z, const scdc_model *model, const known_items *k, size_t item);

#endif
