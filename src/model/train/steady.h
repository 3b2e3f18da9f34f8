/* How far clusters of a network's latents are to be believed where no answer tells: as far as
 * halves of the items show them again. Each half is divided anew, by its own k-means and the links
 * of its own neighbours; networks stay. */
#ifndef SCDC_MODEL_STEADY_H
#define SCDC_MODEL_STEADY_H

#include "model/model.h"
#include "model/train/seen.h"

/* Mean agreement (adjusted Rand index) of halves of n items with their labels, by latent means
 * x [n][d]; 1 where there are too few to tell. */
int steady_clusters(double *out, const scdc_model *model, const float *x, size_t n,
                    const int64_t *labels);
/* The same of items that are too many to lie side by side: of some of them (seen.h). */
int steady_sample(double *out, const scdc_model *model, const scdc_data *data);

/* Of items in C clusters, a share `steady` is where it was when halves are looked at: so much is
 * left of probabilities of 1 when this share is given to all alike. */
double doubt_of(double steady, size_t C);

#endif
