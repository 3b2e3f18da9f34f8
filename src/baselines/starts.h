/* Independent starts of a method, side by side: each runs in a workspace of its own, and finished
 * ones are looked at in order, so that the number of threads does not show. */
#ifndef SCDC_BASELINES_STARTS_H
#define SCDC_BASELINES_STARTS_H

#include "baselines/baseline.h"

/* More at a time would cost memory, fewer idle threads. */
enum { STARTS_AT_A_TIME = 8 };

typedef struct starts_body {
    void (*run)(void *job, size_t workspace, size_t start); /* on any thread */
    int (*keep)(void *job, size_t workspace);               /* in order of starts */
} starts_body;

/* Workspaces that `starts` starts need. */
size_t starts_workspaces(size_t starts);
int starts_run(size_t starts, const starts_body *body, void *job);

/* Takes over objective, iterations and convergence when the objective is higher; says if it was. */
bool starts_improve(baseline_result *best, const baseline_result *run);

#endif
