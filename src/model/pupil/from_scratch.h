/* A network that answers alone teach, from its first weights on, with more outputs than may be
 * needed. Coins are held (coins.h); where it is not known how good workers are there are several
 * beginnings, and the one that foretells answers kept back best goes on, if there is any hope. */
#ifndef SCDC_MODEL_FROM_SCRATCH_H
#define SCDC_MODEL_FROM_SCRATCH_H

#include "model/clusters/kept_answers.h"
#include "model/pupil/teach.h"

typedef struct scratch_case {
    const char *words; /* its layers */
    const scdc_model *model;
    const scdc_data *data;
    const kept_answers *kept;
    size_t outputs;
    const double (*const *coins)[2]; /* [beginnings] of the workers */
    size_t beginnings;
    double hope; /* what answers kept back must tell after the beginning (kept_answers_told) */
} scratch_case;

/* One without outputs where there was no hope; SCDC_ERR_NUMERIC when the network ran away. */
int teach_from_scratch(pupil *out, const scratch_case *given);

#endif
