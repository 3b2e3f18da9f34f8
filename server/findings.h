/* What the last round in the background found, read from the files it left. */
#ifndef SCDC_SERVER_FINDINGS_H
#define SCDC_SERVER_FINDINGS_H

#include "items.h"
#include "questions.h"

#include <jansson.h>

/* What a round leaves in its RUN folder, beside what scdc fit writes. */
#define QUESTIONS_FILE "questions-%zu.csv" /* from 0 on */
#define PLAN_FILE "plan.json"

typedef struct found_worker {
    char *name;
    double sensitivity, sensitivity_low, sensitivity_high;
    double specificity, specificity_low, specificity_high, weight;
} found_worker;

typedef struct findings {
    size_t items, clusters;
    uint32_t *cluster;    /* of each item */
    float *probability;   /* of that */
    size_t *sizes;        /* items of each cluster */
    uint32_t *by_cluster; /* items, cluster after cluster, surest first */
    size_t *starts;       /* where a cluster begins in by_cluster */
    found_worker *workers;
    size_t n_workers;
    size_t answers;   /* it was made from */
    double certainty; /* mean probability of the labels */
    double moved; /* share of the items that changed company since the fit before; -1: unknown */
    int64_t time;
    double seconds;
    questions questions; /* to ask next; none when scdc suggest failed */
    json_t *plan;        /* what scdc plan says; NULL when it failed */
} findings;

/* `run` is a folder that scdc fit or update made. */
int findings_read(findings **out, const item_set *it, const char *run);
void findings_free(findings *f);
const found_worker *findings_worker(const findings *f, const char *name);
/* Share of the items that are in another company than before. */
double findings_moved(const findings *now, const findings *before);

#endif
