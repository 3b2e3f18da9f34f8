/* Two models of the same networks, items and answers: one whose clusters are classes learned from
 * answers, one of the fit's components. */
#ifndef SCDC_MODEL_RIVALS_H
#define SCDC_MODEL_RIVALS_H

#include "model/model.h"

/* Whether the classes foretell answers clearly better; and how far their word is to be doubted. */
int rivals_compare(bool *better, double *doubt, scdc_model *by_classes, scdc_model *by_components,
                   const scdc_data *data);

#endif
