/* Items as small pictures inside a page. All pictures of a report together stay within a budget:
 * the more clusters there are, the smaller each picture is. */
#ifndef SCDC_REPORT_PICTURES_H
#define SCDC_REPORT_PICTURES_H

#include "report/view.h"

#include <stdio.h>

typedef struct pictures {
    size_t channels, height, width; /* of an item */
    size_t rows, cols;              /* of its picture */
    double low, high;               /* values that are black and white */
} pictures;

/* For a view whose items are images. */
pictures pictures_of(const report_view *view);
/* An <img> of `count` items side by side: values[i] has channels x height x width values. `bright`
 * is the value of white for items that the model made up; 0: as the others. */
int pictures_strip(FILE *out, const pictures *p, const float *const *values, size_t count,
                   double bright, const char *alt);

#endif
