/* The mean profile of each cluster, for items that are vectors. */
#ifndef SCDC_REPORT_PROFILES_H
#define SCDC_REPORT_PROFILES_H

#include "report/view.h"

#include <stdio.h>

typedef struct profiles {
    size_t columns;
    const int64_t *number; /* [clusters] as users see them, borrowed */
    double *values;        /* [clusters][columns] in standard deviations from the mean of all */
    double low, high;      /* what they span, so that all charts have one axis */
} profiles;

/* From all items, or from evenly spread ones where there are very many. Zeroed is empty. */
int profiles_create(profiles *out, const report_view *view);
void profiles_draw(FILE *out, const profiles *p, size_t cluster);
void profiles_free(profiles *p);

#endif
