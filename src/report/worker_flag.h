/* What can be said against a worker, and on how many answers. */
#ifndef SCDC_REPORT_WORKER_FLAG_H
#define SCDC_REPORT_WORKER_FLAG_H

#include <scdc/scdc.h>

typedef enum worker_flag {
    WORKER_FINE,
    WORKER_INVERTED,  /* answers the wrong way round: the weight is surely below 0 */
    WORKER_SAME,      /* one-sided: says "same" more often than not about items of two clusters */
    WORKER_DIFFERENT, /* one-sided: says "different" more often than not about items of one */
    WORKER_RANDOM,    /* the weight may well be 0, in spite of enough answers */
    WORKER_UNKNOWN,   /* the same, but there are too few answers to tell */
    WORKER_FLAGS
} worker_flag;

enum { WORKER_ENOUGH = 20 }; /* answers below which nobody is called random */

worker_flag worker_judge(const scdc_worker *worker);
/* 95 % interval of the weight, from those of sensitivity and specificity. */
void worker_weight_interval(double *low, double *high, const scdc_worker *worker);
/* "random", and what it means in a few words. */
const char *worker_flag_name(worker_flag flag);
const char *worker_flag_meaning(worker_flag flag);

#endif
