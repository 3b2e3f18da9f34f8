/* A picture of made-up items: one column for each cluster or component, the brighter the larger its
 * proportion. */
#ifndef SCDC_CLI_SAMPLE_GRID_H
#define SCDC_CLI_SAMPLE_GRID_H

#include <scdc/scdc.h>
#include <stdbool.h>

typedef struct sample_grid {
    const scdc_model *model;
    scdc_model_info info;
    bool components;     /* a column is a component, not a cluster */
    size_t count;        /* items of a column */
    const float *values; /* columns x count x D, as scdc_sample gives them */
} sample_grid;

/* Are the items of this model pictures? */
bool sample_grid_possible(const scdc_model_info *info);
/* Writes a PNG. Returns an exit code. */
int sample_grid_write(const sample_grid *g, const char *path);

#endif
