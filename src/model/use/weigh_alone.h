/* How sure items may be that are placed alone (classes/alone.h), chosen when a fit is done. */
#ifndef SCDC_MODEL_WEIGH_ALONE_H
#define SCDC_MODEL_WEIGH_ALONE_H

#include "model/classes/classes.h"
#include "model/model.h"

/* Sets model->experts.alone: by the answers of `found` that were kept back from training where
 * there are any, else by all. Where the model has a network it is weighed against the experts, or
 * leads in any case. */
int weigh_alone(scdc_model *model, const scdc_data *data, const classes *found, bool network_leads);

/* What its experts or its network say of each item of a graph alone, word [nodes][C]. */
int words_alone(double *word, const scdc_model *model, const scdc_data *data, const crowd_graph *g,
                bool network);

/* Marks the nodes of a graph whose answers were kept back from training. false: none were. */
bool list_unheard(bool *unheard, const cluster_level *t, const crowd_graph *g);

#endif
