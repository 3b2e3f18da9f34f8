/* Where the time goes: a clock that charges what passes to the stage at hand. Off by default, and
 * then entering a stage is a function call that looks at one flag. One clock per thread: it is the
 * calling thread that goes from stage to stage; loops over pieces happen inside of one. */
#ifndef SCDC_BASE_STAGES_H
#define SCDC_BASE_STAGES_H

typedef enum stage {
    STAGE_BOOKKEEPING, /* everything that is none of the others */
    STAGE_GATHER,      /* rows of a minibatch, converted */
    STAGE_BINARISE,    /* with the gathering, where the two are one */
    STAGE_ENCODER,     /* forward */
    STAGE_MESSAGES,    /* q(z) and q(x); in the amortised model the softmax of q(z|o) */
    STAGE_SAMPLE,
    STAGE_DECODER,    /* forward */
    STAGE_LIKELIHOOD, /* and its gradient by the decoder's outputs */
    STAGE_BACKWARD,   /* networks */
    STAGE_MESSAGES_BACK,
    STAGE_NATURAL_GRADIENT, /* and the bound's terms of the global parameters */
    STAGE_OPTIMISER,
    STAGE_SUMS,       /* over shards, and what processes tell each other */
    STAGE_CLUSTERS,   /* first components, links and groups of components */
    STAGE_CLASSIFIER, /* a network taught at the end of a fit */
    STAGES
} stage;

/* From now on time belongs to `next`. Returns the stage before, for those who go back to it. */
stage stage_enter(stage next);

/* The clock itself is started, stopped and read through scdc_timings_* of the public header. */

#endif
